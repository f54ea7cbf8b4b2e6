//! PAT: allgather and reduce-scatter over the binary digits of the distance, the farthest first or last.
//!
//! **Source.** Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale", arXiv 2506.20252, 2025; NCCL:
//! PAT (`PatAGAlgorithm`, `PatRSAlgorithm`).
//!
//! **Allgather.** A block goes down a binomial tree of the distances `0 <= s < K` from its rank. In the round of distance `d = 2^j`, from
//! the largest j to 0, rank i sends rank `i + d` (modulo K) in one message its blocks `i - s` for all multiples s of 2d with
//! `s + d < K`: `a(j) = ceil((K-d)/2d)` blocks. **Reduce-scatter** is the allgather backwards: each message goes the other way, in the
//! opposite order, and is combined.
//!
//! **Cost** the sum over `j < ceil(log2 K)` of `D(a(j) n)`, in a reduce-scatter of `D(a(j) n) + c a(j) n`, where no gap is longer than
//! its hop; else rounds are as far apart as gaps require. All ranks do the same at the same time.
//!
//! **When it wins.** Short blocks, for any K: `ceil(log2 K)` rounds with K-1 blocks, as Bruck's allgather, whose long messages go far.
//! Here they go to near ranks.
//!
//! **Departures.** NCCL limits the blocks of a message by its buffers, and walks the same trees in more steps for long blocks; here a
//! message has all blocks of its round.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
pub struct Pat {
    combines: bool,
}

impl Pat {
    /// The farthest distance first.
    pub const ALLGATHER: Self = Self { combines: false };
    /// The nearest distance first, combined.
    pub const REDUCE_SCATTER: Self = Self { combines: true };
}

/// The distance of each round of an allgather, and the blocks of its messages.
fn rounds(K: u64) -> impl DoubleEndedIterator<Item = (u64, u64)> {
    let distances = (0..ceil_log2(K)).rev().map(|bit| 1 << bit);
    distances.map(move |distance| (distance, (K - distance).div_ceil(distance).div_ceil(2)))
}

impl Algorithm for Pat {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut times = RoundTimes::new(task, true);
        let hop = |(_, blocks): (u64, u64)| task.hop(blocks * task.n);
        if self.combines {
            for round in rounds(task.K).rev() {
                times.exchange(hop(round)?, 1);
            }
        } else {
            for round in rounds(task.K) {
                times.exchange(hop(round)?.without_combining(), 1);
            }
        }
        times.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        let K = task.K;
        let phase = |(tag, (distance, blocks)): (u32, (u64, u64))| {
            let words = move |rank: u64| {
                let block = move |index| (rank + K - 2 * index * distance) % K;
                let blocks = (0..blocks).map(block);
                blocks.map(move |block| task.words(block..block + 1))
            };
            let count = move |rank, _| match task.is_counted() {
                true => words(rank).map(|words| words.end - words.start).sum(),
                false => blocks * task.n,
            };
            let to = move |rank, _| (rank + distance) % K;
            Phase::new(&task, 1, to, move |rank, _| Words::several(words(rank)))
                .counted(count)
                .tag(tag)
        };
        let allgather = Plan::Rounds((0..).zip(rounds(K)).map(phase).collect());
        Ok(if self.combines {
            allgather.reversed(true)
        } else {
            allgather
        })
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.combines,
            ..Properties::PLAIN
        }
    }
}
