//! XY tree: the message runs along the source's row and branches into the columns with destinations.
//!
//! **Source.** The multicast tree of dimension-ordered (XY) routing, as in Lin, Ni, "Deadlock-free multicast wormhole
//! routing in multicomputer networks", ISCA 1991, section 4 (the X-first tree).
//!
//! **Symbols.** `n = w*h` nodes; K destinations without the source; `N(s) = C(n-1-s, K) / C(n-1, K)`, the probability
//! that none of s given nodes is a destination.
//!
//! **Algorithm.** Along the row both ways as far as the farthest column with a destination; in each such column up and
//! down as far as the farthest destination. The paths of XY routing to all destinations, each link once.
//!
//! **Cost.** A link is used if there is a destination behind it. Summed over the `c*h` sources before it (or `r*w` in each of w columns), and
//! both directions:
//!
//! `E = 2/n * (sum over c = 1..w-1 of c*h*(1 - N((w-c)*h)) + sum over r = 1..h-1 of r*w^2*(1 - N(h-r)))`.
//!
//! **When it wins.** In links, against every path. A branching worm holds all its branches, so two such multicasts can wait for each other
//! (section 4 there); it is no wormhole multicast here.
//!
//! **Departures from the paper.** None; it gives no expectation.

use num_bigint::BigUint;
use num_rational::BigRational;

use super::Routing;
use super::counting::{binomial, ratio, weighted_hits};
use super::walk::Routes;
use crate::mesh::labelling::Mesh;

/// One tree, first along x, then along y. See the module.
pub struct XyTree;

/// The expected number of vertical links from the source's row to the farthest destinations of every column both
/// ways, times `n * C(n-1, K)`.
pub(super) fn links_along_columns(mesh: Mesh, K: u32) -> BigUint {
    let (w, h) = (u64::from(mesh.w()), mesh.h());
    // At most 2^14 nodes, so r*w^2 fits, for the h-r nodes behind.
    let weight = |behind: u32| u64::from(h.saturating_sub(behind)) * w * w;
    weighted_hits(mesh.nodes() - 1, K, weight) * 2u8
}

/// Each column with destinations, with their lowest and highest rows. Along the snake the nodes of a column are consecutive.
pub(super) fn extents(mesh: Mesh, destinations: &[u32]) -> impl Iterator<Item = (u32, u32, u32)> {
    let h = mesh.h();
    let mut rest = destinations;
    (0..mesh.w()).filter_map(move |column| {
        let end = (column + 1) * h;
        // A loop that ends at the last one in the column would end when the processor does not expect it.
        let near = &rest[..rest.len().min(h as usize)];
        let inside = near.iter().fold(0u32, |count, &label| {
            count.wrapping_add(u32::from(label < end))
        });
        let (nodes, beyond) = rest.split_at(inside as usize);
        rest = beyond;
        let ((_, first), (_, last)) = (
            mesh.position(*nodes.first()?),
            mesh.position(*nodes.last()?),
        );
        Some((column, first.min(last), first.max(last)))
    })
}

/// Tells of the branch in each column: the nodes in the source's row, in the lowest row and in the highest. Returns the links of the tree.
#[inline]
fn branches(
    mesh: Mesh,
    source: u32,
    destinations: &[u32],
    mut tell: impl FnMut(u32, u32, u32),
) -> u64 {
    let (x, y) = mesh.position(source);
    let (mut left, mut right, mut along_columns) = (x, x, 0);
    for (column, low, high) in extents(mesh, destinations) {
        let (low, high) = (low.min(y), high.max(y));
        (left, right) = (left.min(column), right.max(column));
        along_columns += u64::from(high - low);
        tell(
            mesh.label(column, y),
            mesh.label(column, low),
            mesh.label(column, high),
        );
    }
    u64::from(right - left) + along_columns
}

/// Appends the labels from one node of a column to another, which are consecutive.
#[inline]
pub(super) fn extend_along_column(path: &mut Vec<u32>, from: u32, to: u32) {
    if from < to {
        path.extend(from..=to);
    } else {
        path.extend((to..=from).rev());
    }
}

impl Routing for XyTree {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Routing;
    /// use castbench_algorithms::internals::mesh::multicast::xy_tree::XyTree;
    /// let expected = XyTree.expected_links(Mesh::new(8, 8)?, 2).unwrap();
    /// assert_eq!(expected.to_string(), "856/93");
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        let (w, h, n) = (mesh.w(), mesh.h(), mesh.nodes());
        // c*h for the (w-c)*h nodes behind.
        let weight = |behind: u32| {
            let columns = behind.is_multiple_of(h).then_some(behind / h);
            columns.map_or(0, |columns| u64::from((w - columns) * h))
        };
        let along_rows = weighted_hits(n - 1, K, weight) * 2u8;
        Some(ratio(
            along_rows + links_along_columns(mesh, K),
            binomial(n - 1, K) * n,
        ))
    }

    fn most_links(&self, mesh: Mesh, K: u32) -> u64 {
        super::most_of_short_paths(mesh, K)
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
        let (x, y) = mesh.position(source);
        // Without a destination on this side there is no path.
        let left = destinations
            .first()
            .map_or(x, |&node| mesh.column(node).min(x));
        let right = destinations
            .last()
            .map_or(x, |&node| mesh.column(node).max(x));
        routes.add((left..=x).rev().map(|column| mesh.label(column, y)));
        routes.add((x..=right).map(|column| mesh.label(column, y)));
        branches(mesh, source, destinations, |turn, low, high| {
            routes.add_by(|path| extend_along_column(path, turn, low));
            routes.add_by(|path| extend_along_column(path, turn, high));
        })
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;

    /// On a line the tree reaches from the first to the last of K+1 random nodes: `K(n+1)/(K+2)` links. Of the largest meshes, too.
    #[test]
    fn on_a_line() {
        for (w, h, K) in [
            (1, 9, 4_u32),
            (9, 1, 4),
            (1, 1 << 14, 8000),
            (1 << 14, 1, 8000),
        ] {
            let expected = BigRational::new(
                BigInt::from(u64::from(K) * (w * h + 1)),
                BigInt::from(K + 2),
            );
            let found = XyTree.expected_links(Mesh::new(w, h).unwrap(), K);
            assert_eq!(found, Some(expected), "{w}x{h}, K = {K}");
        }
    }
}
