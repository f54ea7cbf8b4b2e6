//! Unicast: a separate message from the source to every destination.
//!
//! **Source.** The baseline of Xie, Zhu, Kang, Wang, "A network-partition based multicasting routing method",
//! 1996, section 4.
//!
//! **Symbols.** `n = w*h` nodes; K destinations without the source.
//!
//! **Cost.** The sum of the distances; expected, `K` times the mean distance of two nodes, which is
//! `(w^2 h (h^2-1) + h^2 w (w^2-1)) / (3 n (n-1))`: on 8x8 exactly `16K/3`.
//!
//! **When it wins.** Where the few destinations lie in different directions; never on average for K >= 2.

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::Zero;

use super::Routing;
use super::counting::ratio;
use super::walk::Routes;
use crate::mesh::labelling::{Hops, Mesh};

/// One message for each destination, each by a shortest path inside the high or the low network. See the module.
pub struct Unicast;

impl Routing for Unicast {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Routing;
    /// use castbench_algorithms::internals::mesh::multicast::unicast::Unicast;
    /// assert_eq!(Unicast.expected_links(Mesh::new(8, 8)?, 16).unwrap().to_string(), "256/3");
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        if K == 0 {
            return Some(BigRational::zero());
        }
        let (w, h, n) = (
            u128::from(mesh.w()),
            u128::from(mesh.h()),
            u128::from(mesh.nodes()),
        );
        // Over ordered pairs, columns and rows apart; at most 2^14 nodes, so everything fits.
        let distances = (h * h * w * (w * w - 1) + w * w * h * (h * h - 1)) / 3;
        Some(ratio(
            BigUint::from(u128::from(K) * distances),
            BigUint::from(n * (n - 1)),
        ))
    }

    fn most_links(&self, mesh: Mesh, K: u32) -> u64 {
        u64::from(K) * u64::from(mesh.w() + mesh.h() - 2)
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
        let start = Hops::new(mesh, source);
        let mut links = 0;
        for &to in destinations {
            let distance = mesh.distance(source, to);
            links += u64::from(distance);
            routes.add_by(|path| {
                path.push(source);
                start.visit(to, distance, path);
            });
        }
        links
    }
}
