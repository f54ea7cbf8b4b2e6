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

use super::Multicast;
use super::counting::{binomial, hits, ratio};
use super::walk::Routes;
use super::xy_tree::{extents, links_along_columns};
use crate::mesh::labelling::Mesh;

/// At most two paths a column. See the module.
#[derive(Debug, Clone, Copy)]
pub struct ColumnPath;

/// The messages: column and last row of each, sorted by column.
pub(super) fn messages(mesh: Mesh, source: u32, destinations: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let (_, y) = mesh.position(source);
    extents(mesh, destinations).flat_map(move |(column, low, high)| {
        let down = (low < y).then_some((column, low));
        let up = (high > y || low == y && high == y).then_some((column, high));
        down.into_iter().chain(up)
    })
}

/// The nodes of a message, along the row and then along the column.
pub(in crate::mesh) fn xy_path(mesh: Mesh, source: u32, (column, row): (u32, u32)) -> impl Iterator<Item = u32> {
    let (x, y) = mesh.position(source);
    let beyond = |from: u32, to: u32| {
        (1..from.abs_diff(to) + 1).map(move |steps| if from < to { from + steps } else { from - steps })
    };
    let along_row = beyond(x, column).map(move |x| mesh.label(x, y));
    // The labels of a column are consecutive.
    let along_column = beyond(mesh.label(column, y), mesh.label(column, row));
    std::iter::once(source).chain(along_row).chain(along_column)
}

impl Multicast for ColumnPath {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Multicast;
    /// use castbench_algorithms::internals::mesh::multicast::column_path::ColumnPath;
    /// let expected = ColumnPath.expected_links(Mesh::new(8, 8)?, 1).unwrap();
    /// assert_eq!(expected.to_string(), "16/3");
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        let (w, h, n) = (mesh.w(), mesh.h(), mesh.nodes());
        let reached = |places: u32| hits(n - 1, K, places);
        // Over the h rows of the source; above and below are mirror images. With one column there are no horizontal links.
        let across = if w == 1 {
            BigUint::default()
        } else {
            let sides = (0..h).map(reached).sum::<BigUint>() * 2u8;
            let alone = (reached(h) - reached(h - 1)) * h;
            (sides + alone) * (u64::from(w) * (u64::from(w) * u64::from(w) - 1) / 3)
        };
        Some(ratio(across + links_along_columns(mesh, K), binomial(n - 1, K) * n))
    }

    fn most_links(&self, mesh: Mesh, K: u32) -> u64 {
        u64::from(K.min(2 * mesh.w())) * u64::from(mesh.w() + mesh.h() - 2)
    }

    fn links(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> u64 {
        let (x, y) = mesh.position(source);
        let length = |(column, row): (u32, u32)| u64::from(x.abs_diff(column) + y.abs_diff(row));
        messages(mesh, source, destinations).map(length).sum()
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) {
        for message in messages(mesh, source, destinations) {
            routes.add(xy_path(mesh, source, message));
        }
    }
}
