//! Multi-path: dual-path with each half split again, so that up to four messages leave the source.
//!
//! **Source.** Lin, McKinley, Ni, "Deadlock-free multicast wormhole routing in 2-D mesh multicomputers", IEEE TPDS
//! 5(8), 1994; Lin, Ni, ISCA 1991.
//!
//! **Symbols.** `n = w*h` nodes with labels 0..n-1; K destinations without the source.
//!
//! **Algorithm.** A node has at most two neighbours of higher labels: the next one along its column and the one
//! across in the next column. The destinations of higher labels are split between them: those in the row of the neighbour along the column
//! or beyond go to that one, the others to the neighbour across. Each message starts with the step to its neighbour and visits its part in
//! ascending order. Lower labels are mirrored.
//!
//! **Cost.** Each part of the mesh is a snake of `a` columns of `b` rows that begins beside the source. So every leg has the length of the
//! Manhattan distance. The first leg goes to the q-th node of its part if that is a destination and none of the q-1 before it is; a leg
//! joins two nodes d apart if both are destinations and none of the d-1 between:
//!
//! `E = 2/n * (sum over q of A(q) C(n-1-q, K-1) + sum over d of B(d) C(n-2-d, K-2)) / C(n-1, K)`,
//!
//! where A and B sum those distances over all sources and both upper parts; the lower ones are their mirror image.
//!
//! **When it wins.** In links against dual-path on average, except with very few or nearly all destinations; in time, because its longest
//! path is shorter.
//!
//! **Departures from the paper.**
//! 1. There the snake runs along rows, here along columns, as in the dual-path paper.
//! 2. It gives no expectation.

use num_rational::BigRational;
use num_traits::Zero;

use super::Routing;
use super::counting::{ColumnStretch, binomial, ratio, weighted_ways};
use super::dual_path::{length, sides};
use super::walk::Routes;
use crate::mesh::labelling::{Hops, Mesh};

/// Up to four paths along the snake. See the module.
pub struct MultiPath;

/// Tells of each of the four messages, along the column and across to higher labels, then to lower ones: the destinations that it visits,
/// in this order. Returns the links of all.
#[inline]
fn deal(mesh: Mesh, source: u32, destinations: &[u32], mut tell: impl FnMut(u32, &[u32])) -> u64 {
    let (x, y) = mesh.position(source);
    let (low, high) = sides(source, destinations);
    // Whether the next label in the source's column lies in a higher row.
    let upwards = x.is_multiple_of(2);
    let mut parts = Parts {
        along: destinations.to_vec(),
        across: destinations.to_vec(),
    };
    let mut links = 0;
    let above = |row| if upwards { row <= y } else { row >= y };
    let below = |row| if upwards { row >= y } else { row <= y };
    for part in parts.split(mesh, high.iter(), above) {
        let hops = length(mesh, source, part.iter());
        links += hops;
        tell(hops, part);
    }
    for part in parts.split(mesh, low.iter().rev(), below) {
        let hops = length(mesh, source, part.iter());
        links += hops;
        tell(hops, part);
    }
    links.into()
}

/// Room for the destinations on one side, by messages.
struct Parts {
    along: Vec<u32>,
    across: Vec<u32>,
}

impl Parts {
    fn split<'a>(
        &mut self,
        mesh: Mesh,
        side: impl Iterator<Item = &'a u32>,
        is_across: impl Fn(u32) -> bool,
    ) -> [&[u32]; 2] {
        let (mut along, mut across) = (0, 0);
        for &label in side {
            let (_, row) = mesh.position(label);
            // Which part a destination belongs to is as good as random, so it is written to both, and one of them is kept.
            (self.along[along], self.across[across]) = (label, label);
            let is_across = usize::from(is_across(row));
            across += is_across;
            along += 1 - is_across;
        }
        [&self.along[..along], &self.across[..across]]
    }
}

/// The neighbour to which each message goes first. Of one without destinations it does not matter whether there is such a node.
fn firsts(mesh: Mesh, source: u32) -> [u32; 4] {
    let offset = source - mesh.column(source) * mesh.h();
    let to_turn = mesh.h() - 1 - offset;
    [
        source + 1,
        source + 2 * to_turn + 1,
        source.wrapping_sub(1),
        source.wrapping_sub(2 * offset + 1),
    ]
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
                    let row = if column.is_multiple_of(2) {
                        along
                    } else {
                        b - 1 - along
                    };
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
        // The number of pairs of columns q apart in parts of 1 to `most` columns.
        let pairs = |most: u64, q: u64| {
            let most = most.saturating_sub(q);
            most * (most + 1) / 2
        };
        for b in 1..=mesh.h() {
            for most in sizes(mesh, b) {
                for d in 1..most * b {
                    let stretch = ColumnStretch::new(b.into(), d.into());
                    let (near, far) = (
                        pairs(most.into(), stretch.columns),
                        pairs(most.into(), stretch.columns + 1),
                    );
                    sums[d as usize] += near * stretch.near + far * stretch.far;
                }
            }
        }
        sums
    }
}

impl Routing for MultiPath {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Routing;
    /// use castbench_algorithms::internals::mesh::multicast::multi_path::MultiPath;
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

    /// The q-th node of a part is at most q links away, and a leg at most as long as the difference of labels: at most one link per node.
    fn most_links(&self, mesh: Mesh, K: u32) -> u64 {
        super::most_of_short_paths(mesh, K)
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
        let mut firsts = firsts(mesh, source).into_iter();
        deal(mesh, source, destinations, |hops, visits| {
            let first = firsts.next();
            if let Some(first) = first.filter(|_| !visits.is_empty()) {
                routes.add_by(|path| {
                    path.extend([source, first]);
                    Hops::new(mesh, first).pass(
                        hops - 1,
                        visits.len(),
                        |index| visits[index],
                        path,
                    );
                });
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each path stays in its network, and no link is used twice: the parts are disjoint.
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
                let links = |it: &dyn Routing| it.route(mesh, 20, &[a, b], &mut Routes::default());
                let (multi, dual) = (links(&MultiPath), links(&DualPath));
                wins += u32::from(multi < dual);
                losses += u32::from(multi > dual);
            }
        }
        assert!(wins > losses && losses > 0, "{wins} won, {losses} lost");
    }
}
