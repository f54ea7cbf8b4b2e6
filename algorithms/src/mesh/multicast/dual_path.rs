//! Dual-path: one message up the snake, one down it, each through all destinations on its side.
//!
//! **Source.** Lin, Ni, "Deadlock-free multicast wormhole routing in multicomputer networks", ISCA 1991 (also
//! Lin, McKinley, Ni, IEEE TPDS 5(8), 1994); Xie, Zhu, Kang, Wang, "A network-partition based multicasting
//! routing method", 1996, algorithms 1 and 2, figure 3.
//!
//! **Symbols.** `n = w*h` nodes with labels 0..n-1; K destinations without the source.
//!
//! **Algorithm.** The destinations above the source's label are visited in ascending order through the high
//! network, those below in descending order through the low one, each leg by a shortest path inside its
//! network.
//!
//! **Cost.** On a snake such a leg is as long as the Manhattan distance. So the links used are the sum of
//! the distances between consecutive members of source and destinations in label order, *whichever
//! of them is the source*. Averaged over all sets of K+1 nodes, with `W(d)` the sum of the distances over
//! the pairs whose labels differ by d (such a pair is consecutive in `C(n-1-d, K-1)` of the `C(n, K+1)` sets):
//!
//! `E = sum over d = 1..n-K of W(d) * C(n-1-d, K-1) / C(n, K+1)`.
//!
//! **When it wins.** Against unicasts for all but the fewest destinations, growing with K; at K = n-1 it is
//! optimal. It can lose to unicasts (source (0,3), destinations (1,7) and (2,0) on 8x8: 13 links against 10).
//!
//! **Departures from the paper.**
//! 1. The paper gives no expectation, only a figure from 10,000 trials.
//! 2. It calls the two networks tournaments; they are acyclic orientations, which is enough.

use num_rational::BigRational;
use num_traits::Zero;

use super::Routing;
use super::counting::{binomial, distances_at, ratio, weighted_ways};
use super::walk::Routes;
use crate::mesh::labelling::{Hops, Mesh};

/// Two paths along the snake. See the module.
pub struct DualPath;

impl Routing for DualPath {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Routing;
    /// use castbench_algorithms::internals::mesh::multicast::dual_path::DualPath;
    /// let expected = DualPath.expected_links(Mesh::new(8, 8)?, 2).unwrap();
    /// assert_eq!(expected.to_string(), "290/31");
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        if K == 0 {
            return Some(BigRational::zero());
        }
        let n = mesh.nodes();
        let sum = weighted_ways(n - 1, K - 1, |d| distances_at(mesh, d));
        Some(ratio(sum, binomial(n, K + 1)))
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
        let (low, high) = sides(source, destinations);
        let (up, down) = (
            length(mesh, source, high.iter()),
            length(mesh, source, low.iter().rev()),
        );
        routes.add_by(|path| {
            path.push(source);
            Hops::new(mesh, source).pass(up, high.len(), |index| high[index], path);
        });
        routes.add_by(|path| {
            path.push(source);
            Hops::new(mesh, source).pass(down, low.len(), |index| low[low.len() - 1 - index], path);
        });
        u64::from(up + down)
    }
}

/// The sum of the distances from the source to these nodes, one after the other.
#[inline]
pub(super) fn length<'a>(mesh: Mesh, source: u32, visits: impl Iterator<Item = &'a u32>) -> u32 {
    let mut at = mesh.position(source);
    let mut sum = 0;
    for &label in visits {
        let (x, y) = mesh.position(label);
        sum += at.0.abs_diff(x) + at.1.abs_diff(y);
        at = (x, y);
    }
    sum
}

/// The destinations of lower and of higher labels than the source.
pub(super) fn sides(source: u32, destinations: &[u32]) -> (&[u32], &[u32]) {
    destinations.split_at(destinations.partition_point(|&label| label < source))
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::super::unicast::Unicast;
    use super::*;

    fn against_unicasts(mesh: Mesh, source: u32, destinations: &[u32]) -> (u64, u64) {
        let links = |it: &dyn Routing| it.route(mesh, source, destinations, &mut Routes::default());
        (links(&DualPath), links(&Unicast))
    }

    #[test]
    fn it_can_lose_to_unicasts() {
        let mesh = Mesh::new(8, 8).unwrap();
        let destinations = [mesh.label(1, 7), mesh.label(2, 0)];
        assert_eq!(
            against_unicasts(mesh, mesh.label(0, 3), &destinations),
            (13, 10)
        );
    }

    /// All multicasts to two and to three destinations on 8x8: at worst 15 links against 8 (1.875 times),
    /// and 17.4 % of those to three are worse.
    #[test]
    fn how_often_it_loses_to_unicasts() {
        let mesh = Mesh::new(8, 8).unwrap();
        let (mut worst, mut lost, mut all) = ((1, 1), 0u32, 0u32);
        for source in 0..64 {
            let others = || (0..64).filter(move |&label| label != source);
            for a in others() {
                for b in others().filter(|&b| b > a) {
                    let (dual, apart) = against_unicasts(mesh, source, &[a, b]);
                    if dual * worst.1 > worst.0 * apart {
                        worst = (dual, apart);
                    }
                    for c in others().filter(|&c| c > b) {
                        let (dual, apart) = against_unicasts(mesh, source, &[a, b, c]);
                        lost += u32::from(dual > apart);
                        all += 1;
                    }
                }
            }
        }
        assert_eq!(worst, (15, 8));
        assert_eq!(u64::from(lost) * 1000 / u64::from(all), 174);
    }

    /// Each path stays inside one network: labels only rise, or only fall.
    #[test]
    fn paths_stay_in_their_network() {
        let mesh = Mesh::new(5, 4).unwrap();
        let mut routes = Routes::default();
        DualPath.route(mesh, 9, &[0, 3, 8, 10, 17, 19], &mut routes);
        let paths: Vec<&[u32]> = routes.paths().collect();
        assert_eq!(paths.len(), 2);
        assert!(paths[0].is_sorted() && paths[1].iter().rev().is_sorted());
    }

    /// A second form of the expectation: first legs from the source and legs between chosen destinations are counted separately, over
    /// ordered pairs.
    #[test]
    fn legs_counted_apart_add_up_to_the_same() {
        for (w, h) in [(4, 3), (3, 5), (8, 8)] {
            let mesh = Mesh::new(w, h).unwrap();
            let n = mesh.nodes();
            for K in 2..n {
                let mut sum = BigUint::zero();
                for u in 0..n {
                    for v in (0..n).filter(|&v| v != u) {
                        let d = u.abs_diff(v);
                        let first_leg = binomial(n - 1 - d, K - 1);
                        // Sources on u's side of the stretch from u to v.
                        let sources = if u < v { u } else { n - 1 - u };
                        let later_leg = if n >= 2 + d {
                            binomial(n - 2 - d, K - 2) * sources
                        } else {
                            BigUint::zero()
                        };
                        sum += (first_leg + later_leg) * mesh.distance(u, v);
                    }
                }
                let expected = Some(ratio(sum, binomial(n - 1, K) * n));
                assert_eq!(DualPath.expected_links(mesh, K), expected, "{mesh} K={K}");
            }
        }
    }
}
