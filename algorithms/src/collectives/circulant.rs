//! The circulant graph of Träff: which ranks exchange how many blocks in which round.
//!
//! **Source.** Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234, 2024.
//!
//! The skips are `s(0) = K`, `s(j) = ceil(s(j-1)/2) = ceil(K/2^j)` down to `s(q) = 1`, `q = ceil(log2 K)`. Round j of a
//! reduce-scatter has messages of `s(j-1) - s(j)` blocks from every rank to the one s(j) further on; that makes K-1 blocks in
//! all rounds. An allgather has the same rounds backwards, in the opposite direction.

use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Hop, Phase, Task, Words};

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
    (0..ceil_log2(K)).map(move |round| Round {
        skip: skip(round + 1),
        count: skip(round) - skip(round + 1),
    })
}

/// The smallest and the largest message of a round.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn hops(task: &Task, Round { count, .. }: Round) -> Result<[Hop; 2], Error> {
    let Task { K, n, .. } = *task;
    let (short, long) = (count * (n / K), n % K);
    Ok([
        task.hop(short + count.saturating_sub(K - long))?,
        task.hop(short + count.min(long))?,
    ])
}

/// A reduce-scatter; `words` gives the words of a number of blocks from a first one on. The number of a rank is that of its block.
pub(super) fn reduce_scatter<'a>(task: &Task, words: fn(u64, u64) -> Words) -> Vec<Phase<'a>> {
    let K = task.K;
    let phase = |(tag, Round { skip, count }): (u32, Round)| {
        let to = move |number, _| (number + skip) % K;
        Phase::new(task, 1, to, move |number, _| words(to(number, 0), count))
            .tag(tag)
            .combined()
    };
    (0..).zip(rounds(K)).map(phase).collect()
}

/// An allgather, with tags from this one on: every message goes back on the way of one of the reduce-scatter.
pub(super) fn allgather<'a>(
    task: &Task,
    first: u32,
    words: fn(u64, u64) -> Words,
) -> Vec<Phase<'a>> {
    let K = task.K;
    let phase = |(tag, Round { skip, count }): (u32, Round)| {
        Phase::new(
            task,
            1,
            move |number, _| (number + K - skip) % K,
            move |number, _| words(number, count),
        )
        .tag(tag)
    };
    (first..).zip(rounds(K).rev()).map(phase).collect()
}
