//! Fixed path: the message follows the Hamiltonian path itself, up to the last destination and down to the first.
//!
//! **Source.** Lin, McKinley, Ni, "Deadlock-free multicast wormhole routing in 2-D mesh multicomputers", IEEE TPDS
//! 5(8), 1994.
//!
//! **Symbols.** `n = w*h` nodes with labels 0..n-1; K destinations without the source.
//!
//! **Algorithm.** As dual-path, but without short cuts: each message visits every label on its way.
//!
//! **Cost.** The greatest label of source and destinations less the least. Of K+1 distinct labels these are on average
//! `n(K+1)/(K+2)` and their mirror image, so `E = K(n+1)/(K+2)`.
//!
//! **When it wins.** Never against dual-path, but its routers need no choice. With many destinations both hardly differ.
//!
//! **Departures from the paper.** None; it gives no expectation.

use num_bigint::BigUint;
use num_rational::BigRational;

use super::Routing;
use super::counting::ratio;
use super::walk::Routes;
use crate::mesh::labelling::Mesh;

/// Two paths that leave out no label. See the module.
pub struct FixedPath;

/// The least and the greatest label of a multicast.
fn ends(source: u32, destinations: &[u32]) -> (u32, u32) {
    let low = destinations
        .first()
        .map_or(source, |&label| label.min(source));
    let high = destinations
        .last()
        .map_or(source, |&label| label.max(source));
    (low, high)
}

impl Routing for FixedPath {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Routing;
    /// use castbench_algorithms::internals::mesh::multicast::fixed_path::FixedPath;
    /// let expected = FixedPath.expected_links(Mesh::new(8, 8)?, 2).unwrap();
    /// assert_eq!(expected.to_string(), "65/2");
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        Some(ratio(
            BigUint::from(K) * (mesh.nodes() + 1),
            BigUint::from(K + 2),
        ))
    }

    fn route(&self, _: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
        let (low, high) = ends(source, destinations);
        routes.add(source..=high);
        routes.add((low..=source).rev());
        u64::from(high - low)
    }
}
