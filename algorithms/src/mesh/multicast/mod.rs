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
pub trait Routing: Sync {
    /// The exact expectation of the links over a uniform source and `K <= w*h - 1` uniform destinations; `None` without a known formula.
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational>;

    /// No multicast to `K` destinations crosses more links than this; none crosses a link for each node, unless stated otherwise.
    fn most_links(&self, mesh: Mesh, K: u32) -> u64 {
        if K == 0 {
            0
        } else {
            u64::from(mesh.nodes() - 1)
        }
    }

    /// An estimate of the steps of simulating one multicast to `K` destinations, each as long as walking over a link.
    fn steps(&self, mesh: Mesh, K: u32) -> u64 {
        self.most_links(mesh, K)
    }

    /// Adds the routes of the messages of one multicast, hop by hop; returns the number of its links, by formula.
    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64;
}

/// The most links of a multicast that reaches every destination over at most a shortest path's length, and enters each of n-1 nodes at
/// most once.
fn most_of_short_paths(mesh: Mesh, K: u32) -> u64 {
    (u64::from(K) * u64::from(mesh.w() + mesh.h() - 2)).min(u64::from(mesh.nodes() - 1))
}
