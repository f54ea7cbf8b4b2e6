//! Multi-path: dual-path with each half split once more, so that up to four messages leave the source.
//!
//! **Source.** Lin, McKinley, Ni, "Deadlock-free multicast wormhole routing in 2-D mesh multicomputers", IEEE TPDS
//! 5(8), 1994; Lin, Ni, ISCA 1991.
//!
//! **Symbols.** `n = w*h` nodes with labels 0..n-1; K destinations without the source.
//!
//! **Algorithm.** A node has at most two neighbours of higher labels: the next one along its column and the one
//! across in the next column. The destinations of higher labels are dealt out to these two: those in rows from that of
//! the neighbour along the column on to the one, those in the source's row and behind it to the other. Each part is
//! visited in ascending order, its message starting with the step to its neighbour. Mirrored for lower labels.
//!
//! **Cost.** Each part of the mesh is itself a snake, of `a` columns of `b` rows, that begins beside the source. So every
//! leg is as long as the Manhattan distance. The first leg to the q-th node of its part is taken where that node is chosen
//! and none of the q-1 before it, a leg between the two nodes d apart where both are chosen and none of the d-1 between:
//!
//! `E = 2/n * (sum over q of A(q) C(n-1-q, K-1) + sum over d of B(d) C(n-2-d, K-2)) / C(n-1, K)`,
//!
//! where A and B sum those distances over all sources and both upper parts; the lower ones are their mirror image.
//!
//! **When it wins.** In links against dual-path on average for all but the fewest and nearly all destinations; in
//! time, for its longest path is shorter.
//!
//! **Departures from the paper.**
//! 1. There the snake runs along rows, here along columns, as in the dual-path paper.
//! 2. It gives no expectation.

use num_rational::BigRational;
use num_traits::Zero;

use super::Multicast;
use super::counting::{Stretch, binomial, ratio, weighted_ways};
use super::dual_path::sides;
use super::walk::Routes;
use crate::mesh::labelling::{Hops, Mesh};

/// Up to four paths along the snake. See the module.
#[derive(Debug, Clone, Copy)]
pub struct MultiPath;

/// The destinations of each message in the order of the visits, and the neighbour it goes to first.
fn parts(mesh: Mesh, source: u32, destinations: &[u32]) -> [(u32, Vec<u32>); 4] {
    let (x, y) = mesh.position(source);
    let (low, high) = sides(source, destinations);
    // Whether the next label in the source's column lies in a higher row.
    let upwards = x.is_multiple_of(2);
    let mut parts = [high, high, low, low].map(|side| Vec::with_capacity(side.len()));
    for &label in high {
        let (_, row) = mesh.position(label);
        let across = if upwards { row <= y } else { row >= y };
        parts[usize::from(across)].push(label);
    }
    for &label in low.iter().rev() {
        let (_, row) = mesh.position(label);
        let across = if upwards { row >= y } else { row <= y };
        parts[2 + usize::from(across)].push(label);
    }
    let offset = source - x * mesh.h();
    let to_turn = mesh.h() - 1 - offset;
    // Of a part without destinations it does not matter whether there is a neighbour.
    let firsts = [source + 1, source + 2 * to_turn + 1, source.wrapping_sub(1), source.wrapping_sub(2 * offset + 1)];
    let mut parts = parts.into_iter();
    firsts.map(|first| (first, parts.next().unwrap_or_default()))
}

/// How many pairs of a source and one of its upper parts there are for each number `a` of columns of `b` rows,
/// `1 <= b <= h`: along the column for each a from 1 to w if b < h, across for each from 1 to w-1.
fn sizes(mesh: Mesh, b: u32) -> impl Iterator<Item = u32> {
    let along = if b < mesh.h() { mesh.w() } else { 0 };
    [along, mesh.w() - 1].into_iter().filter(|&most| most > 0)
}

impl MultiPath {
    /// `A(q)` of the module for all q up to n.
    fn first_legs(mesh: Mesh) -> Vec<u64> {
        let mut sums = vec![0; mesh.nodes() as usize + 1];
        for b in 1..=mesh.h() {
            for most in sizes(mesh, b) {
                for q in 1..=most * b {
                    let (column, along) = ((q - 1) / b, (q - 1) % b);
                    let row = if column.is_multiple_of(2) { along } else { b - 1 - along };
                    // The parts with more columns than this one hold the node.
                    sums[q as usize] += u64::from(most - column) * u64::from(1 + column + row);
                }
            }
        }
        sums
    }

    /// `B(d)` of the module for all d up to n.
    fn later_legs(mesh: Mesh) -> Vec<u64> {
        let mut sums = vec![0; mesh.nodes() as usize + 1];
        // In parts of 1 to `most` columns there are so many pairs of columns q apart.
        let pairs = |most: u64, q: u64| {
            let most = most.saturating_sub(q);
            most * (most + 1) / 2
        };
        for b in 1..=mesh.h() {
            for most in sizes(mesh, b) {
                for d in 1..most * b {
                    let stretch = Stretch::new(b.into(), d.into());
                    let (near, far) = (pairs(most.into(), stretch.columns), pairs(most.into(), stretch.columns + 1));
                    sums[d as usize] += near * stretch.near + far * stretch.far;
                }
            }
        }
        sums
    }
}

impl Multicast for MultiPath {
    /// ```
    /// use castbench_algorithms::mesh::labelling::Mesh;
    /// use castbench_algorithms::mesh::multicast::{Multicast, multi_path::MultiPath};
    /// let expected = MultiPath.expected_links(Mesh::new(8, 8)?, 1).unwrap();
    /// assert_eq!(expected.to_string(), "16/3");
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        if K == 0 {
            return Some(BigRational::zero());
        }
        let n = mesh.nodes();
        let first = Self::first_legs(mesh);
        let mut sum = weighted_ways(n - 1, K - 1, |q| first[q as usize]);
        if K >= 2 {
            let later = Self::later_legs(mesh);
            sum += weighted_ways(n - 2, K - 2, |d| later[d as usize]);
        }
        Some(ratio(sum * 2u8, binomial(n - 1, K) * n))
    }

    /// The q-th node of a part is q links away at most, and a leg no longer than its places in the part are apart: at
    /// most a link for each node of each part.
    fn most_links(&self, mesh: Mesh, K: u32) -> u64 {
        super::most_of_short_paths(mesh, K)
    }

    fn links(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> u64 {
        let legs = |(_, visits): &(u32, Vec<u32>)| {
            let starts = std::iter::once(&source).chain(visits);
            starts.zip(visits).map(|(&from, &to)| mesh.distance(from, to)).sum::<u32>()
        };
        parts(mesh, source, destinations).iter().map(|part| u64::from(legs(part))).sum()
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) {
        for (first, visits) in parts(mesh, source, destinations) {
            if visits.is_empty() {
                continue;
            }
            routes.add_by(|path| {
                path.extend([source, first]);
                let mut hops = Hops::new(mesh, first);
                visits.into_iter().for_each(|target| hops.visit(target, path));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each path keeps to its network, and no link is used twice: the parts lie apart.
    #[test]
    fn paths_keep_apart_and_in_their_networks() {
        let mesh = Mesh::new(5, 4).unwrap();
        for source in 0..20 {
            let others: Vec<u32> = (0..20).filter(|&label| label != source).collect();
            let mut routes = Routes::default();
            MultiPath.route(mesh, source, &others, &mut routes);
            let mut links: Vec<(u32, u32)> = Vec::new();
            for path in routes.paths() {
                assert!(path.is_sorted() || path.iter().rev().is_sorted());
                links.extend(path.windows(2).map(|hop| (hop[0], hop[1])));
            }
            let all = links.len();
            links.sort_unstable();
            links.dedup();
            assert_eq!((all, links.len()), (19, 19), "source {source}");
        }
    }

    /// Multicasts to few destinations: the bound says that K paths of w+h-2 links suffice, too.
    #[test]
    fn it_may_lose_to_dual_path() {
        use super::super::dual_path::DualPath;
        let mesh = Mesh::new(8, 8).unwrap();
        // Up the column and then across, both beyond the same corner: one path passes the other's destination.
        let (mut wins, mut losses) = (0u32, 0u32);
        for a in 0..64 {
            for b in (0..64).filter(|&b| b != a && a != 20 && b != 20) {
                let (multi, dual) = (MultiPath.links(mesh, 20, &[a, b]), DualPath.links(mesh, 20, &[a, b]));
                wins += u32::from(multi < dual);
                losses += u32::from(multi > dual);
            }
        }
        assert!(wins > losses && losses > 0, "{wins} won, {losses} lost");
    }
}
