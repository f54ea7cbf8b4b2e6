//! The tree of Takahashi and Matsuyama: the nearest terminal is joined to the tree next, by a shortest path.

use crate::mesh::labelling::Mesh;

/// No node: farther than any.
const FAR: u32 = u32::MAX;

/// The paths of a tree over these distinct nodes, at least one, from the first on, in the order in which they are joined, each from the tree
/// to a terminal. At most `O(t n)` steps for t of them, usually far fewer.
pub(super) fn paths(mesh: Mesh, terminals: &[u32]) -> Vec<Vec<u32>> {
    let nodes = mesh.nodes() as usize;
    let mut missing = terminals[1..].to_vec();
    let mut search = Search {
        mesh,
        distance: vec![FAR; nodes],
        back: vec![FAR; nodes],
        frontier: Vec::new(),
    };
    search.start(&terminals[..1]);
    let mut paths = Vec::new();
    while let Some(index) = search.nearest(&missing) {
        let path = search.path(missing.swap_remove(index));
        search.start(&path);
        paths.push(path);
    }
    paths
}

/// Distances of all nodes to the tree. They only shrink as it grows, so they are updated.
struct Search {
    mesh: Mesh,
    distance: Vec<u32>,
    /// The next node towards the tree.
    back: Vec<u32>,
    frontier: Vec<u32>,
}

impl Search {
    /// Adds nodes to the tree and updates the nodes that are nearer to them, breadth first, so that each is updated once. Of several equally
    /// near ones the first counts.
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

    /// The index of the missing terminal nearest to the tree; of several, the one with the lowest label.
    fn nearest(&self, missing: &[u32]) -> Option<usize> {
        (0..missing.len())
            .min_by_key(|&index| (self.distance[missing[index] as usize], missing[index]))
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
