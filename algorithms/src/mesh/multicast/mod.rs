//! Multicast on a mesh, counted in links.

pub mod broadcast;
pub mod column_path;
mod counting;
pub mod dual_path;
pub mod fixed_path;
pub mod multi_path;
pub mod problem;
mod sampling;
pub mod steiner;
pub mod unicast;
pub mod walk;
pub mod xy_tree;

use num_rational::BigRational;

use super::labelling::Mesh;
use walk::Routes;

/// A multicast on a mesh. Nodes are their labels on the Hamiltonian snake, from 0. Destinations are distinct, in ascending
/// order of their labels, and do not include the source.
pub trait Multicast: Sync {
    /// The expected number of links over a uniform source and `K <= w*h - 1` uniform destinations, exactly; `None` where
    /// no formula is known, and only sampled multicasts give a value.
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational>;

    /// No multicast to `K` destinations crosses more links than this.
    fn most_links(&self, mesh: Mesh, K: u32) -> u64;

    /// About how many steps, each about as long as walking over a link, the simulation of one multicast to `K` destinations
    /// takes: its links, where finding them takes no longer.
    fn steps(&self, mesh: Mesh, K: u32) -> u64 {
        self.most_links(mesh, K)
    }

    /// The number of links of one multicast, by formula.
    fn links(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> u64;

    /// Where the messages of one multicast go, hop by hop.
    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes);
}

/// The most links of a multicast that reaches every destination by a shortest path, or as if, and crosses none of its
/// n-1 links into other nodes twice.
fn most_of_short_paths(mesh: Mesh, K: u32) -> u64 {
    (u64::from(K) * u64::from(mesh.w() + mesh.h() - 2)).min(u64::from(mesh.nodes() - 1))
}
