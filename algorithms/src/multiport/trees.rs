//! k spanning trees rooted at the source, how messages are sent down them, and how high they are.
//!
//! Message i goes down tree `i mod k`, released in round `floor(i/k) + 1` and one level deeper in each round after.
//! A round asks of a node one send for each of its children, so k ports suffice where the root has one
//! child in each tree and every other node has at most k children in all trees together.
//!
//! **The form of all trees here.** Of the n - 1 nodes below the root one is its child, and the others are
//! `n - 2 = q*k + a`, a < k. Every tree is written in level order, and so known from the numbers of children of its
//! nodes in that order:
//!
//! `k, k, ..., k (q times), x, a - x, 0, 0, ...`
//!
//! with x from 1 to a, or no more than q inner nodes where a = 0. The q full nodes of tree j are `j*q+1 ..= j*q+q`,
//! inner in no other tree. The a + 1 nodes from `k*q + 1` on are spare: the x and the a - x children belong to one or
//! two of these, and to which is where the algorithms differ.
//!
//! **Height.** Let H be the height of a complete k-ary tree of n - 1 nodes: the least H with
//! `(k^(H+1)-1)/(k-1) >= n-1`. Below the root, a tree with one spare inner node has that form: its height is `1 + H`.
//! With two the last inner node stands in place q + 2 instead of q + 1. Its children are as deep as before unless
//! place q + 1 is the last of the level above the leaves; then the height is `2 + H`. That is so for
//! `q + 1 = (k^H-1)/(k-1)`, in other words where a > 0 and the complete tree is less than k nodes short of a full one.
//!
//! **Rounds.** The last batch of messages, number `ceil(m/k)`, has `r = (m-1) mod k + 1` messages and uses the first r
//! trees. The others are done with the batch before, and no tree is higher than another by more than one level. So
//! `ceil(m/k) - 1` plus the height of the first r trees is the time of all.
//!
//! **One message a link.** Only spare nodes are inner in more than one tree, so only they could send two messages to
//! one node in one round. For `n >= k + 2` the children of a spare node are chosen so that it has k different ones:
//! the leaves of a tree may bear any labels. For `n <= k` the root has more trees than nodes to send to.

mod labels;

use super::{Rounds, Transfer, check_instance, check_size};
use crate::error::{Error, fit};

/// How the children of the spare nodes are dealt to the trees. A spare node may have k children, a tree needs a.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deal {
    /// In a row: tree j takes numbers `j*a` to `j*a + a - 1`, of which each spare node but the first holds k.
    InRow,
    /// All a of a tree from one spare node, the a + 1 of them in turn, each for up to `ceil(k/(a+1))` trees.
    Whole,
}

/// a in `n - 2 = q*k + a`; 0 for a node alone.
fn remainder(n: u64, k: u64) -> u64 {
    n.saturating_sub(2) % k
}

impl Deal {
    /// Whether all trees can be served whole: `(a+1)*floor(k/a) >= k`, or nothing is to be dealt.
    pub(super) fn whole_if_possible(n: u64, k: u64) -> Self {
        let a = remainder(n, k);
        let whole = k.checked_div(a).is_none_or(|trees| u128::from(trees) * (u128::from(a) + 1) >= k.into());
        if whole { Self::Whole } else { Self::InRow }
    }

    /// Where tree `tree` gets its a > 0 children: the number of the first spare node from `k*q + 1`, how many
    /// it gives, and how many the next one gives.
    pub(super) fn parts(self, k: u64, a: u64, tree: u64) -> (u64, u64, u64) {
        match self {
            Self::InRow => {
                let (spare, used) = (tree * a / k, tree * a % k);
                let first = a.min(k - used);
                (spare + 1, first, a - first)
            }
            Self::Whole => (tree * (a + 1) / k, a, 0),
        }
    }

    /// Whether one of the first `trees` trees has children from two spare nodes. In a row, the first to straddle
    /// number k is tree `floor(k/a)`, if a does not divide k.
    fn splits(self, k: u64, a: u64, trees: u64) -> bool {
        self == Self::InRow && !k.is_multiple_of(a) && trees > k / a
    }
}

/// The greatest height among the first `trees` of the k trees, in closed form. `n >= 1`.
///
/// Cost: O(log n).
pub(super) fn height(n: u64, k: u64, trees: u64, deal: Deal) -> u64 {
    if n <= 2 || k == 1 {
        return n - 1;
    }
    // Nodes of the full tree of this height.
    let (mut height, mut full) = (0, 1);
    while full < u128::from(n - 1) {
        height += 1;
        full = full * u128::from(k) + 1;
    }
    let a = remainder(n, k);
    let nearly_full = full - u128::from(n - 1) < k.into();
    1 + height + u64::from(a > 0 && nearly_full && deal.splits(k, a, trees))
}

/// `ceil(m/k) - 1 + h`: see the module. 0 for a node alone.
pub(super) fn rounds(n: u64, k: u64, m: u64, deal: Deal) -> Result<u64, Error> {
    check_instance(n, k, m)?;
    if n == 1 {
        return Ok(0);
    }
    let last_batch = (m - 1) % k + 1;
    fit(u128::from(m.div_ceil(k) - 1) + u128::from(height(n, k, last_batch, deal)))
}

/// Spanning trees rooted at node 0, each in level order.
///
/// A tree is its nodes in that order and the inverse, 8 bytes a node; parents and children follow from the form that
/// all trees share, see the module.
#[derive(Debug, Clone)]
pub struct Trees {
    nodes: u32,
    /// k and q: how many children a full node has, and how many full nodes a tree.
    arity: u32,
    full: u32,
    /// x and a - x: the children of the spare inner nodes of each tree.
    spare: Vec<(u32, u32)>,
    /// How many levels, and the last place of each of them, tree after tree. The last level of a tree may be empty.
    levels: usize,
    ends: Vec<u32>,
    /// Node by place, tree after tree.
    order: Vec<u32>,
    /// Place by node, tree after tree.
    place: Vec<u32>,
}

impl Trees {
    /// How many trees there are.
    #[must_use]
    pub fn trees(&self) -> u32 {
        u32::try_from(self.spare.len()).unwrap_or(u32::MAX)
    }

    /// How many nodes each tree spans.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The parent of `node` in tree number `tree`; none for the root. Cost: O(1).
    ///
    /// # Panics
    /// If there is no such tree or node.
    #[must_use]
    pub fn parent(&self, tree: u32, node: u32) -> Option<u32> {
        let place = self.place_of(tree, node);
        let parent = match place {
            0 => return None,
            1 => 0,
            _ if place <= self.last_child(tree, self.full) => (place - 2) / self.arity + 1,
            _ if place <= self.last_child(tree, self.full + 1) => self.full + 1,
            _ => self.full + 2,
        };
        Some(self.order[self.index(tree, parent)])
    }

    /// The children of `node` in tree number `tree`, in the order in which it sends to them. Cost: O(1).
    ///
    /// # Panics
    /// If there is no such tree or node.
    #[must_use]
    pub fn children(&self, tree: u32, node: u32) -> &[u32] {
        self.below(tree, self.place_of(tree, node))
    }

    /// How many edges lie between the root and `node` in tree number `tree`. Cost: O(log of the height).
    ///
    /// # Panics
    /// If there is no such tree or node.
    #[must_use]
    pub fn depth(&self, tree: u32, node: u32) -> u32 {
        let place = self.place_of(tree, node);
        let above = self.ends_of(tree).partition_point(|&end| end < place);
        u32::try_from(above).unwrap_or(u32::MAX)
    }

    /// The greatest depth of a node in any tree.
    #[must_use]
    pub fn height(&self) -> u32 {
        let depth_of = |ends: &[u32]| ends.partition_point(|&end| end + 1 < self.nodes);
        let deepest = self.ends.chunks_exact(self.levels).map(depth_of).max().unwrap_or(0);
        u32::try_from(deepest).unwrap_or(u32::MAX)
    }

    fn ends_of(&self, tree: u32) -> &[u32] {
        &self.ends[tree as usize * self.levels..][..self.levels]
    }

    fn index(&self, tree: u32, at: u32) -> usize {
        tree as usize * self.nodes as usize + at as usize
    }

    fn place_of(&self, tree: u32, node: u32) -> u32 {
        assert!(node < self.nodes, "there is no node {node} among the {} from 0", self.nodes);
        self.place[self.index(tree, node)]
    }

    /// The place of the last child of the node in this place, or of the last one before it that has any.
    fn last_child(&self, tree: u32, place: u32) -> u32 {
        let (first, second) = self.spare[tree as usize];
        let mut last = 1 + self.arity * place.min(self.full);
        if place > self.full {
            last += first;
        }
        if place > self.full + 1 {
            last += second;
        }
        last.min(self.nodes - 1)
    }

    /// The children of the node in this place.
    fn below(&self, tree: u32, place: u32) -> &[u32] {
        let first = if place == 0 { 1 } else { self.last_child(tree, place - 1) + 1 };
        &self.order[self.index(tree, first)..=self.index(tree, self.last_child(tree, place))]
    }

    /// Appends what the nodes at `depth - 1` of a tree send to their children.
    fn send_level(&self, tree: u32, depth: usize, message: u32, sends: &mut Vec<Transfer>) {
        let ends = self.ends_of(tree);
        let first = if depth == 1 { 0 } else { ends[depth - 2] + 1 };
        let last = ends[depth - 1].min(self.full + 2);
        for place in first..=last {
            let from = self.order[self.index(tree, place)];
            sends.extend(self.below(tree, place).iter().map(|&to| Transfer { from, to, message }));
        }
    }
}

/// The trees of an algorithm, if n*k of them fit in memory.
pub(super) fn all(n: u32, k: u32, deal: Deal) -> Option<Trees> {
    (n > 0 && k > 0 && check_size(n, k).is_ok()).then(|| labels::build(n, k, k, deal))
}

/// The rounds of m messages down the trees of an algorithm.
pub(super) fn schedule(n: u32, k: u32, m: u32, deal: Deal) -> Result<Box<dyn Rounds>, Error> {
    check_instance(n.into(), k.into(), m.into())?;
    let count = k.min(m);
    check_size(n, count)?;
    Ok(Box::new(Pipeline { trees: labels::build(n, k, count, deal), k, m, round: 0 }))
}

/// Messages on their way down the trees.
struct Pipeline {
    trees: Trees,
    k: u32,
    m: u32,
    round: usize,
}

impl Rounds for Pipeline {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        self.round += 1;
        let batches = self.m.div_ceil(self.k) as usize;
        let before = sends.len();
        // Batch b, from 0, is b levels behind the first. Only the levels that a batch has reached are looked at: on one
        // port there are as many as nodes.
        let deepest = self.trees.levels.saturating_sub(1);
        for depth in self.round.saturating_sub(batches - 1).max(1)..=self.round.min(deepest) {
            // Below m, hence below 2^32.
            let first = u32::try_from((self.round - depth) * self.k as usize).unwrap_or(self.m);
            for (tree, message) in (0..self.trees.trees()).zip(first..self.m) {
                self.trees.send_level(tree, depth, message, sends);
            }
        }
        sends.len() > before
    }
}

#[cfg(test)]
mod tests;
