//! The tree of Takahashi and Matsuyama: the terminal nearest to the tree is joined next, by a shortest path.

use crate::mesh::labelling::Mesh;

/// No node: further than any.
const FAR: u32 = u32::MAX;

/// A tree over nodes, as paths in the order in which they were joined, each from the tree to a terminal.
pub(super) struct Tree {
    paths: Vec<Vec<u32>>,
}

impl Tree {
    /// The tree of these distinct nodes, at least one, from the first on. At most `O(t n)` steps for t of them, and mostly far
    /// fewer: a path brings little of the mesh nearer to the tree.
    pub(super) fn new(mesh: Mesh, terminals: &[u32]) -> Self {
        let nodes = mesh.nodes() as usize;
        let mut missing = terminals[1..].to_vec();
        let mut search = Search { mesh, distance: vec![FAR; nodes], back: vec![FAR; nodes], frontier: Vec::new() };
        search.start(&terminals[..1]);
        let mut paths = Vec::new();
        while let Some(place) = search.nearest(&missing) {
            let path = search.path(missing.swap_remove(place));
            search.start(&path);
            paths.push(path);
        }
        Self { paths }
    }

    /// Its links.
    pub(super) fn links(&self) -> u64 {
        self.paths.iter().map(|path| path.len() as u64 - 1).sum()
    }

    /// Its paths.
    pub(super) fn paths(self) -> Vec<Vec<u32>> {
        self.paths
    }
}

/// Distances of all nodes to the tree, which only shrink as it grows, so that what is known stays of use.
struct Search {
    mesh: Mesh,
    distance: Vec<u32>,
    /// The next node towards the tree.
    back: Vec<u32>,
    frontier: Vec<u32>,
}

impl Search {
    /// Takes nodes into the tree and tells those that are nearer to one of them than to the tree before: breadth first from
    /// all of them, so that no node is told twice. Of several that are as near the first in their order is the one to come
    /// from.
    fn start(&mut self, path: &[u32]) {
        self.frontier.clear();
        self.frontier.extend_from_slice(path);
        for &node in path {
            self.distance[node as usize] = 0;
        }
        let mut next = 0;
        while let Some(&at) = self.frontier.get(next) {
            next += 1;
            let distance = self.distance[at as usize] + 1;
            for beside in self.mesh.neighbours(at) {
                if distance < self.distance[beside as usize] {
                    self.distance[beside as usize] = distance;
                    self.back[beside as usize] = at;
                    self.frontier.push(beside);
                }
            }
        }
    }

    /// Of the terminals that are missing the nearest to the tree, of those the one with the lowest label: its place.
    fn nearest(&self, missing: &[u32]) -> Option<usize> {
        (0..missing.len()).min_by_key(|&place| (self.distance[missing[place] as usize], missing[place]))
    }

    /// From the tree to this node.
    fn path(&self, node: u32) -> Vec<u32> {
        let mut path = vec![node];
        let mut at = node;
        while self.distance[at as usize] > 0 {
            at = self.back[at as usize];
            path.push(at);
        }
        path.reverse();
        path
    }
}
