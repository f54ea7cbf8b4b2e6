//! The positions of nodes in the trees.

use std::collections::VecDeque;

use super::deal::{Deal, height};
use super::spanning::Trees;

/// The first `count` of the k trees. `n` and `k` are at least 1.
///
/// Cost: O(n*count + k).
pub(super) fn build(n: u32, k: u32, count: u32, deal: Deal) -> Trees {
    let below = n.saturating_sub(2);
    let (q, a) = (below / k, below % k);
    let levels = 1 + usize::try_from(height(n.into(), k.into(), count.into(), deal)).unwrap_or(0);
    let size = n as usize * count as usize;
    let mut trees = Trees {
        nodes: n,
        arity: k,
        full: q,
        spare: Vec::with_capacity(count as usize),
        levels,
        ends: Vec::with_capacity(levels * count as usize),
        order: Vec::with_capacity(size),
    };
    let mut children = Children::new(n, k, q);
    for tree in 0..count {
        let (number, x, y) = if a == 0 {
            (0, 0, 0)
        } else {
            deal.parts(k.into(), a.into(), tree.into())
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "none is above a, and a < n"
        )]
        let (spare, x, y) = (k * q + 1 + number as u32, x as u32, y as u32);
        let parts = [(spare, x), (spare + 1, y)];
        trees.spare.push((x, y));
        children.choose_for(tree, parts.into_iter().filter(|part| part.1 > 0));
        append(&mut trees, tree, &children);
    }
    trees
}

/// Appends a tree: the inner nodes in front, the children chosen for the spare ones at the end, the other leaves
/// in between.
fn append(trees: &mut Trees, tree: u32, children: &Children) {
    let (n, q) = (trees.nodes, trees.full);
    let full = tree * q + 1..tree * q + 1 + q;
    trees.order.push(0);
    trees.order.extend(full.clone());
    trees.order.extend(&children.parents);
    let others = (1..full.start).chain(full.end..n);
    trees
        .order
        .extend(others.filter(|&node| !children.is_taken(node)));
    trees.order.extend(&children.chosen);
    let mut end = 0;
    for _ in 0..trees.levels {
        trees.ends.push(end);
        end = trees.last_child(tree, end);
    }
}

/// Chooses the children of the spare nodes, so that none has the same child in two trees.
///
/// A spare node's candidates are the first full node of each tree and the other spare nodes: k + a, in a queue. One that is inner in the
/// tree or already chosen there goes back to the end. There is always a valid one. The first spare node of a tree has fewer than k children
/// when it needs another, so at least a + 1 candidates; invalid are the tree's full node and its second spare node, which exists for a > 1
/// only. The second spare node has all its k + a candidates; invalid are the full node, the first spare node and up to a - 1 chosen before.
struct Children {
    nodes: u32,
    k: u32,
    q: u32,
    /// The spare node of these candidates.
    owner: u32,
    candidates: VecDeque<u32>,
    /// The present tree, from 1.
    tree: u32,
    /// The last tree in which a node was a spare inner node or chosen.
    taken: Vec<u32>,
    /// The spare inner nodes of the present tree, and the children chosen for them.
    parents: Vec<u32>,
    chosen: Vec<u32>,
}

impl Children {
    fn new(nodes: u32, k: u32, q: u32) -> Self {
        let taken = vec![0; nodes as usize];
        let (candidates, parents, chosen) = Default::default();
        Self {
            nodes,
            k,
            q,
            owner: 0,
            candidates,
            tree: 0,
            taken,
            parents,
            chosen,
        }
    }

    /// Whether a node has its position in the present tree, as a spare inner node or as the child of one.
    fn is_taken(&self, node: u32) -> bool {
        self.taken[node as usize] == self.tree
    }

    /// Chooses for a tree, whose spare inner nodes and numbers of children are given.
    fn choose_for(&mut self, tree: u32, parts: impl Iterator<Item = (u32, u32)> + Clone) {
        self.tree = tree + 1;
        self.parents.clear();
        self.chosen.clear();
        for (spare, _) in parts.clone() {
            self.parents.push(spare);
            self.taken[spare as usize] = self.tree;
        }
        // Without full nodes there are too few candidates, and any leaf is valid.
        if self.q > 0 {
            for (spare, count) in parts {
                self.choose(spare, self.chosen.len() + count as usize);
            }
        }
    }

    fn choose(&mut self, spare: u32, until: usize) {
        if self.owner != spare {
            self.owner = spare;
            let others = (self.k * self.q + 1..self.nodes).filter(|&other| other != spare);
            let full = (0..self.k).map(|tree| tree * self.q + 1);
            self.candidates = others.chain(full).collect();
        }
        let full = (self.tree - 1) * self.q + 1;
        let mut unfit = Vec::new();
        while self.chosen.len() < until {
            let Some(candidate) = self.candidates.pop_front() else {
                break;
            };
            if candidate == full || self.is_taken(candidate) {
                unfit.push(candidate);
            } else {
                self.taken[candidate as usize] = self.tree;
                self.chosen.push(candidate);
            }
        }
        self.candidates.extend(unfit);
    }
}
