//! The circulant graph of Träff: which ranks exchange how many blocks in which round.
//!
//! **Source.** Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234, 2024.
//!
//! The skips are `s(0) = K`, `s(j) = ceil(s(j-1)/2) = ceil(K/2^j)` down to `s(q) = 1`, `q = ceil(log2 K)`. Round j of a
//! reduce-scatter has messages of `s(j-1) - s(j)` blocks from every rank to the one s(j) further on; that makes K-1 blocks in
//! all rounds. An allgather has the same rounds backwards, in the opposite direction.

use super::Task;
use super::rounds::Ranks;
use super::script::Script;
use super::task::Hop;
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::wide::Wide;

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
pub(super) fn messages(task: &Task) -> Wide {
    Wide::from(task.K) * Wide::from(ceil_log2(task.K))
}

/// A message of `count` blocks of a vector that is dealt out to K blocks, from this one on.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn hop(task: &Task, first: u64, count: u64) -> Result<Hop, Error> {
    task.hop(task.dealt(first, count).map(|range| range.end - range.start).sum())
}

/// The smallest and the largest message of a round.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn hops(task: &Task, Round { count, .. }: Round) -> Result<[Hop; 2], Error> {
    let Task { K, n, .. } = *task;
    let (short, long) = (count * (n / K), n % K);
    Ok([task.hop(short + count.saturating_sub(K - long))?, task.hop(short + count.min(long))?])
}

/// What a rank does in the reduce-scatter of a vector that is dealt out to K blocks: its number from the root is that of
/// its block.
pub(super) fn reduce_scatter(task: &Task, rank: u32, script: &mut Script) {
    let (K, me) = (task.K, task.number(rank));
    for (number, round) in (0..).zip(rounds(K)) {
        let to = (me + round.skip) % K;
        script.send(task.rank(to), number, task.dealt(to, round.count));
        let from = task.rank((me + K - round.skip) % K);
        script.combine(rank, from, number, task.dealt(me, round.count));
    }
}

/// The times of all numbers in it.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn follow(task: &Task, ranks: &mut Ranks) -> Result<(), Error> {
    for Round { skip, count } in rounds(task.K) {
        ranks.exchange(|number| {
            let to = (number + skip) % task.K;
            Ok(Some((to, hop(task, to, count)?)))
        })?;
    }
    Ok(())
}
