//! Spanning trees in level order.

use super::super::rounds::Transfer;

/// Spanning trees rooted at node 0, each in level order.
///
/// A tree is its nodes in that order, 4 bytes per node; parents and children follow from the common form of all trees: see
/// the module.
#[derive(Debug, Clone)]
pub struct Trees {
    pub(super) nodes: u32,
    /// k and q: how many children a full node has, and how many full nodes a tree.
    pub(super) arity: u32,
    pub(super) full: u32,
    /// x and a - x: the children of the spare inner nodes of each tree.
    pub(super) spare: Vec<(u32, u32)>,
    /// How many levels, and the last position of each of them, tree after tree. The last level of a tree may be empty.
    pub(super) levels: usize,
    pub(super) ends: Vec<u32>,
    /// Node by position, tree after tree.
    pub(super) order: Vec<u32>,
}

impl Trees {
    /// The greatest depth of a node in any tree.
    #[must_use]
    pub fn height(&self) -> u32 {
        let depth_of = |ends: &[u32]| ends.partition_point(|&end| end + 1 < self.nodes);
        let deepest = self
            .ends
            .chunks_exact(self.levels)
            .map(depth_of)
            .max()
            .unwrap_or(0);
        u32::try_from(deepest).unwrap_or(u32::MAX)
    }

    pub(super) fn index(&self, tree: u32, at: u32) -> usize {
        tree as usize * self.nodes as usize + at as usize
    }

    /// The position of the last child of the node in this position, or of the last one before it that has any.
    pub(super) fn last_child(&self, tree: u32, position: u32) -> u32 {
        let (first, second) = self.spare[tree as usize];
        let mut last = 1 + self.arity * position.min(self.full);
        if position > self.full {
            last += first;
        }
        if position > self.full + 1 {
            last += second;
        }
        last.min(self.nodes - 1)
    }

    /// The position of the first child of the node in this position, if it has any.
    fn first_child(&self, tree: u32, position: u32) -> u32 {
        if position == 0 {
            1
        } else {
            self.last_child(tree, position - 1) + 1
        }
    }

    /// Appends what the nodes at `depth - 1` of a tree send to their children.
    pub(super) fn send_level(
        &self,
        tree: u32,
        depth: usize,
        message: u32,
        sends: &mut Vec<Transfer>,
    ) {
        let ends = &self.ends[tree as usize * self.levels..][..self.levels];
        let first = if depth == 1 { 0 } else { ends[depth - 2] + 1 };
        let last = ends[depth - 1].min(self.full + 2);
        let order = &self.order[self.index(tree, 0)..self.index(tree + 1, 0)];
        // The children of all these nodes stand one after the other.
        let mut child = self.first_child(tree, first) as usize;
        for position in first..=last {
            let end = self.last_child(tree, position) as usize + 1;
            let from = order[position as usize];
            sends.extend(
                order[child..end]
                    .iter()
                    .map(|&to| Transfer { from, to, message }),
            );
            child = end;
        }
    }
}
