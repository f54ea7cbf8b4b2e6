//! Column-path: for every column with destinations a message up and a message down that column.
//!
//! **Source.** Boppana, Chalasani, Raghavendra, "Resource deadlocks and performance of wormhole multicast routing
//! algorithms", IEEE TPDS 9(6), 1998.
//!
//! **Symbols.** `n = w*h` nodes; K destinations without the source; `N(s) = C(n-1-s, K) / C(n-1, K)`, the probability
//! that none of s given nodes is a destination.
//!
//! **Algorithm.** The destinations of a column are split into those above the source's row and those below it. Each
//! part gets its own message, which runs along the source's row to the column and then through the part. A destination in the source's row
//! is served by the message that turns there; if its column has no other destination it gets its own message. All messages use XY routing,
//! so they cannot deadlock with unicasts.
//!
//! **Cost.** The vertical links are those of the XY tree. A column at distance d takes d horizontal links per message, of which it has on
//! average `2 - N(above) - N(below) + N(h-1) - N(h)`; the distances of all pairs of columns add up to `w(w^2-1)/3`.
//!
//! **When it wins.** In time, with enough ports: its paths are short. In links only against unicasts.
//!
//! **Departures from the paper.** None; it gives no expectation.

use num_bigint::BigUint;
use num_rational::BigRational;

use super::Routing;
use super::counting::{binomial, hits, ratio, weighted_hits};
use super::walk::Routes;
use super::xy_tree::{extend_along_column, extents, links_along_columns};
use crate::mesh::labelling::Mesh;

/// At most two paths a column. See the module.
pub struct ColumnPath;

/// Tells of each message, sorted by columns: the column and row of its last node. Returns the links of all.
#[inline]
fn send(mesh: Mesh, source: u32, destinations: &[u32], mut tell: impl FnMut((u32, u32))) -> u64 {
    let (x, y) = mesh.position(source);
    let mut links = 0;
    for (column, low, high) in extents(mesh, destinations) {
        let across = x.abs_diff(column);
        if low < y {
            links += u64::from(across + (y - low));
            tell((column, low));
        }
        if high > y || low == y && high == y {
            links += u64::from(across + (high - y));
            tell((column, high));
        }
    }
    links
}

/// The nodes of a message, along the row and then along the column.
pub(in crate::mesh) fn xy_path(mesh: Mesh, source: u32, last: (u32, u32)) -> Vec<u32> {
    let mut path = Vec::new();
    extend_xy(&mut path, mesh, source, last);
    path
}

/// Appends them.
#[inline]
fn extend_xy(path: &mut Vec<u32>, mesh: Mesh, source: u32, (column, row): (u32, u32)) {
    let (x, y) = mesh.position(source);
    if x < column {
        path.extend((x..column).map(|x| mesh.label(x, y)));
    } else {
        path.extend((column + 1..=x).rev().map(|x| mesh.label(x, y)));
    }
    extend_along_column(path, mesh.label(column, y), mesh.label(column, row));
}

impl Routing for ColumnPath {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Routing;
    /// use castbench_algorithms::internals::mesh::multicast::column_path::ColumnPath;
    /// let expected = ColumnPath.expected_links(Mesh::new(8, 8)?, 1).unwrap();
    /// assert_eq!(expected.to_string(), "16/3");
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        let (w, h, n) = (mesh.w(), mesh.h(), mesh.nodes());
        let reached = |size: u32| hits(n - 1, K, size);
        // Over the h rows of the source; above and below are mirror images. With one column there are no horizontal links.
        let across = if w == 1 {
            BigUint::default()
        } else {
            let sides = weighted_hits(n - 1, K, |size| if size < h { 2 } else { 0 });
            let alone = (reached(h) - reached(h - 1)) * h;
            (sides + alone) * (u64::from(w) * (u64::from(w) * u64::from(w) - 1) / 3)
        };
        Some(ratio(
            across + links_along_columns(mesh, K),
            binomial(n - 1, K) * n,
        ))
    }

    fn most_links(&self, mesh: Mesh, K: u32) -> u64 {
        u64::from(K.min(2 * mesh.w())) * u64::from(mesh.w() + mesh.h() - 2)
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
        send(mesh, source, destinations, |last| {
            routes.add_by(|path| extend_xy(path, mesh, source, last))
        })
    }
}
