//! Allreduce on a circulant graph: reduce-scatter, then allgather.
//!
//! **Source.** Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234, 2024.
//!
//! The words are K blocks, the first `r = n mod K` of them one word longer. The rounds are those of
//! [`reduce_scatter::Circulant`](crate::collectives::reduce_scatter::Circulant) and then the same backwards, from each
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

use super::Algorithm;
use crate::collectives::circulant::{self, Round};
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Closed, Properties};
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Hop, Plan, Task, Words};

/// See the module.
pub struct Circulant;

impl Algorithm for Circulant {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        // The rounds, with the largest message in each; without a [chain](has_chain) of those also with the smallest one.
        let long = task.n % task.K;
        let mut rounds = RoundTimes::new(task, long == 0);
        let has_chain = has_chain(task.K, long);
        let hops = |round| {
            let [smallest, largest] = circulant::hops(task, round)?;
            Ok::<_, Error>([if has_chain { largest } else { smallest }, largest])
        };
        for round in circulant::rounds(task.K) {
            rounds.exchange_between(hops(round)?);
        }
        for round in circulant::rounds(task.K).rev() {
            rounds.exchange_between(hops(round)?.map(Hop::without_combining));
        }
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let mut phases = circulant::reduce_scatter(task, Words::Dealt);
        phases.extend(circulant::allgather(task, ceil_log2(task.K), Words::Dealt));
        Ok(Plan::Rounds(phases))
    }

    /// Far ranks are combined first.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            ..Properties::PLAIN
        }
    }
}

/// Whether a chain of messages has the most words in every round, where the first `long` blocks are longer than the others.
fn has_chain(K: u64, long: u64) -> bool {
    // Where the first message may end; the ones after it end `later`.
    let (mut from, mut to, mut later) = (0, K, 0);
    for Round { skip, count } in circulant::rounds(K) {
        from = from.max(count.min(long).saturating_sub(later));
        to = to.min(count.max(long).saturating_sub(later));
        later += skip - count;
    }
    long == 0 || from <= to
}
