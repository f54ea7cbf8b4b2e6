//! The circulant graph of Träff: which ranks exchange how many blocks in which round.
//!
//! **Source.** Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234, 2024.
//!
//! The skips are `s(0) = K`, `s(j) = ceil(s(j-1)/2) = ceil(K/2^j)` down to `s(q) = 1`, `q = ceil(log2 K)`. Round j of a
//! reduce-scatter has messages of `s(j-1) - s(j)` blocks from every rank to the one s(j) further on; that makes K-1 blocks in
//! all rounds. An allgather has the same rounds backwards, in the opposite direction.
//!
//! # Reduce-scatter
//!
//! With the skips `s(j) = ceil(K/2^j)`: in round `1 <= j <= ceil(log2 K)` rank i sends blocks `i + s(j) .. i + s(j-1)` to rank
//! `i + s(j)`. That rank combines them with its own (all modulo K); they are the blocks that it will need for itself and for
//! the ranks after it.
//!
//! **Cost** the sum over j of `D(b(j) n) + c b(j) n` with `b(j) = s(j-1) - s(j)` where no gap is longer than its hop; else
//! rounds are as far apart as gaps require. All ranks do the same at the same time.
//!
//! **When it wins.** Any K that is no power of two: `ceil(log2 K)` rounds and K-1 blocks a rank, both the fewest possible.
//!
//! **Departures.** Blocks stay in place; the original rotates them locally, which takes no time here.
//!
//! # Allgather
//!
//! The rounds of [`REDUCE_SCATTER`] backwards. With the skips
//! `s(j) = ceil(K/2^j)`: before round j rank i holds blocks `i .. i + s(j)`. It sends the first `s(j-1) - s(j)` of them to rank
//! `i - s(j)` and receives as many from rank `i + s(j)` (modulo K), for j from `ceil(log2 K)` down to 1.
//!
//! **Cost** the sum over j of `D(b(j) n)` with `b(j) = s(j-1) - s(j)` where no gap is longer than its hop; else rounds are as
//! far apart as gaps require. All ranks do the same at the same time.
//!
//! **When it wins.** As Bruck's allgather, whose rounds have other sizes and the same sum. With the reduce-scatter it makes an
//! allreduce that sends every block back on the way on which it came.
//!
//! **Departures.** Blocks stay in place; the original rotates them locally, which takes no time here.
//!
//! # Allreduce
//!
//! The words are K blocks, the first `r = n mod K` of them one word longer. The rounds are those of
//! [`REDUCE_SCATTER`] and then the same backwards, from each
//! receiver to its sender: in round j messages of `b(j) = s(j-1) - s(j)` blocks over the skip `s(j) = ceil(K/2^j)`.
//!
//! **Cost** with `w(j) = b(j) floor(n/K) + min(b(j), r)`, the most words of `b(j)` blocks: the sum over
//! `1 <= j <= ceil(log2 K)` of `2 D(w(j)) + c w(j)` where no gap is longer than its hop and a chain of such messages exists.
//! It does where r = 0 or K is a power of two. Else the messages on the way to rank x end with the blocks
//! `e(j) = x + b(1) + d(j)`, where d(j) counts the odd numbers among `s(0) .. s(j-2)`. Such a message has w(j) words where
//! e(j) lies between b(j) and r: either all its blocks are long, or all long blocks are in it. There is a chain if one x
//! satisfies all j. If there is none, or a gap is longer than its hop, the times of all ranks are followed round by round,
//! in time O(K log K), for up to 2^22 messages.
//!
//! **When it wins.** Long vectors on any K: `2 ceil(log2 K)` rounds, and no rank sends more than `2(K-1)ceil(n/K)` words.
//!
//! **Departures.** None.

use super::rounds::InRounds;
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Hop, Phase, Plan, Task, Words};

/// Far ranks are combined first.
pub(super) const ALLREDUCE: InRounds = InRounds {
    combines: true,
    gathers: true,
    times: |own, task, times| {
        // The rounds, with the largest message in each; without a [chain](has_chain) of those also with the smallest one.
        let has_chain = own.deals() && has_chain(task.K, task.n % task.K);
        let hops = |round: Round| match own.deals() {
            false => Ok([task.hop(round.count * task.n)?; 2]),
            true => {
                let [smallest, largest] = hops(task, round)?;
                Ok::<_, Error>([if has_chain { largest } else { smallest }, largest])
            }
        };
        for round in rounds(task.K).filter(|_| own.combines) {
            times.exchange_between(hops(round)?);
        }
        for round in rounds(task.K).rev().filter(|_| own.gathers) {
            times.exchange_between(hops(round)?.map(Hop::without_combining));
        }
        Ok(())
    },
    plan: |own, task| {
        let (words, mut phases) = (own.words(), Vec::new());
        if own.combines {
            phases = reduce_scatter(task, words);
        }
        if own.gathers {
            let tag = u32::try_from(phases.len()).unwrap_or(u32::MAX);
            phases.extend(allgather(task, tag, words));
        }
        Ok(Plan::Rounds(phases))
    },
};

/// Far ranks are combined first.
pub(super) const REDUCE_SCATTER: InRounds = InRounds {
    gathers: false,
    ..ALLREDUCE
};

/// See the module.
pub(super) const ALLGATHER: InRounds = InRounds {
    combines: false,
    ..ALLREDUCE
};

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

/// Whether a chain of messages has the most words in every round, where the first `long` blocks are longer than the others.
fn has_chain(K: u64, long: u64) -> bool {
    // Where the first message may end; the ones after it end `later`.
    let (mut from, mut to, mut later) = (0, K, 0);
    for Round { skip, count } in rounds(K) {
        from = from.max(count.min(long).saturating_sub(later));
        to = to.min(count.max(long).saturating_sub(later));
        later += skip - count;
    }
    long == 0 || from <= to
}
