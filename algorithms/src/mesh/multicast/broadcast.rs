//! Broadcast: the message goes to every node; non-destinations discard it.
//!
//! **Source.** Named as the third method by Xie, Zhu, Kang, Wang, "A network-partition based multicasting routing method", 1996, section 4,
//! which measures only the other two.
//!
//! **Symbols.** `n = w*h` nodes; K destinations without the source.
//!
//! **Cost.** A spanning tree, `n - 1` links, for every K >= 1; 0 for K = 0.
//!
//! **When it wins.** Where nearly all nodes are destinations; at K = n-1 it is optimal.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::Routing;
use super::walk::Routes;
use super::xy_tree::extend_along_column;
use crate::mesh::labelling::Mesh;

/// Along the source's row, then along every column. See the module.
pub struct ToAll;

impl Routing for ToAll {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Routing;
    /// use castbench_algorithms::internals::mesh::multicast::broadcast::ToAll;
    /// assert_eq!(ToAll.expected_links(Mesh::new(8, 8)?, 16).unwrap().to_string(), "63");
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        let links = if K == 0 { 0 } else { mesh.nodes() - 1 };
        Some(BigRational::from_integer(BigInt::from(links)))
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
        if destinations.is_empty() {
            return 0;
        }
        let (x, y) = mesh.position(source);
        routes.add((x..mesh.w()).map(|column| mesh.label(column, y)));
        routes.add((0..=x).rev().map(|column| mesh.label(column, y)));
        for column in 0..mesh.w() {
            let [turn, low, high] = [y, 0, mesh.h() - 1].map(|row| mesh.label(column, row));
            routes.add_by(|path| extend_along_column(path, turn, high));
            routes.add_by(|path| extend_along_column(path, turn, low));
        }
        u64::from(mesh.nodes() - 1)
    }
}
