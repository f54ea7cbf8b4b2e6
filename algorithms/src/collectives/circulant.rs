//! The circulant graph of Träff: which ranks exchange how many blocks in which round.
//!
//! **Source.** Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234, 2024.
//!
//! The skips are `s(0) = K`, `s(j) = ceil(s(j-1)/2) = ceil(K/2^j)` down to `s(q) = 1`, `q = ceil(log2 K)`. Round j of a
//! reduce-scatter has messages of `s(j-1) - s(j)` blocks from every rank to the one s(j) further on; that makes K-1 blocks in
//! all rounds. An allgather has the same rounds backwards, in the opposite direction.

use super::Task;
use crate::log2::ceil_log2;

/// A round.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    /// How far apart the two ranks of a message are.
    pub skip: u64,
    /// The blocks of a message.
    pub count: u64,
}

/// The rounds of a reduce-scatter, in order.
pub(super) fn rounds(K: u64) -> impl DoubleEndedIterator<Item = Round> {
    // ceil(K/2^j)
    let skip = move |halvings| (K - 1).checked_shr(halvings).unwrap_or(0) + 1;
    (0..ceil_log2(K)).map(move |round| Round { skip: skip(round + 1), count: skip(round) - skip(round + 1) })
}

/// How many messages a reduce-scatter or an allgather has.
pub(super) fn messages(task: &Task) -> u128 {
    u128::from(task.K) * u128::from(ceil_log2(task.K))
}
