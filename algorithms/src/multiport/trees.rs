//! k spanning trees rooted at the source: their messages and their heights.
//!
//! Message i goes down tree `i mod k`, released in round `floor(i/k) + 1` and one level deeper in each round after.
//! In a round a node sends once to each of its children. So k ports are enough where the root has one child in each tree and every other
//! node has at most k children in all trees together.
//!
//! **The form of all trees here.** Of the n - 1 nodes below the root one is its child, and the others are
//! `n - 2 = q*k + a`, a < k. In level order a tree is determined by the numbers of children of its nodes:
//!
//! `k, k, ..., k (q times), x, a - x, 0, 0, ...`
//!
//! with x from 1 to a, or no more than q inner nodes where a = 0. The q full nodes of tree j are `j*q+1 ..= j*q+q`,
//! inner in no other tree. The a + 1 nodes from `k*q + 1` on are spare: the x and the a - x children belong to one or two of them. The
//! algorithms differ in the choice of these.
//!
//! **Height.** Let H be the height of a complete k-ary tree of n - 1 nodes: the least H with
//! `(k^(H+1)-1)/(k-1) >= n-1`. Below the root, a tree with one spare inner node has that form: its height is `1 + H`.
//! With two, the last inner node has position q + 2 instead of q + 1. Its children are as deep as before unless position q + 1 is the last of the
//! level above the leaves; then the height is `2 + H`. This is the case for `q + 1 = (k^H-1)/(k-1)`: a > 0, and the complete tree lacks
//! fewer than k nodes of a full one.
//!
//! **Rounds.** The last batch of messages, number `ceil(m/k)`, has `r = (m-1) mod k + 1` messages and uses the first r
//! trees. The others end with the batch before, and heights differ by at most one level. So the time is `ceil(m/k) - 1` plus the height of
//! the first r trees.
//!
//! **One message per link.** Only spare nodes are inner in several trees, so only they could send two messages to one node in a round. For
//! `n >= k + 2` the leaves are labelled so that a spare node has k different children. For `n <= k` the root has more trees than receivers.

mod deal;
mod labels;
mod spanning;

use super::rounds::{Rounds, Transfer};
use crate::error::{Error, fit};
pub(super) use deal::{Deal, height};
pub use spanning::Trees;

/// `ceil(m/k) - 1 + h`: see the module. 0 for a single node.
pub(super) fn rounds(n: u64, k: u64, m: u64, deal: Deal) -> Result<u64, Error> {
    if n == 1 {
        return Ok(0);
    }
    let last_batch = (m - 1) % k + 1;
    fit(u128::from(m.div_ceil(k) - 1) + u128::from(height(n, k, last_batch, deal)))
}

/// All k trees of an algorithm.
pub(super) fn all(n: u32, k: u32, deal: Deal) -> Trees {
    labels::build(n, k, k, deal)
}

/// The rounds of m messages down the trees of an algorithm.
pub(super) fn schedule(n: u32, k: u32, m: u32, deal: Deal) -> Box<dyn Rounds> {
    // A single node sends nothing.
    let count = if n == 1 { 1 } else { k.min(m) };
    let (trees, batches, mut round) = (labels::build(n, k, count, deal), m.div_ceil(k) as usize, 0);
    let deepest = trees.levels.saturating_sub(1);
    Box::new(move |sends: &mut Vec<Transfer>| {
        round += 1;
        let before = sends.len();
        // Batch b, from 0, is b levels behind the first. Only levels that a batch has reached are read: with one port there are as many as nodes.
        for depth in usize::saturating_sub(round, batches - 1).max(1)..=round.min(deepest) {
            // Below m, hence below 2^32.
            let first = u32::try_from((round - depth) * k as usize).unwrap_or(m);
            for (tree, message) in (0..k).zip(first..m) {
                trees.send_level(tree, depth, message, sends);
            }
        }
        sends.len() > before
    })
}

#[cfg(test)]
mod tests;
