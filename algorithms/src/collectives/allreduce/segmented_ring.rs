//! Allreduce around a ring, in segments.
//!
//! **Source.** Open MPI: `segmented_ring` (`ompi_coll_base_allreduce_intra_ring_segmented`).
//!
//! The words are K blocks, the first `r = n mod K` of them one word longer. Every block is cut into m segments. In each of m
//! phases the blocks' segments of this phase go around the ring as in [`Ring`](crate::collectives::ring), K-1 rounds, and are combined.
//! In K-1 more rounds the finished blocks go around, whole.
//!
//! A block of `floor(n/K) = qm + e` words has e segments of `q+1` words and `m-e` of q words. A longer block has its further
//! word in the last segment, so that blocks differ in the last phase only.
//!
//! **Cost** with `M(s) = D(s) + cs`: `(K-1)(e M(q+1) + (m-1-e) M(q) + M(t) + D(ceil(n/K)))`, `t = q + 1` for r > 0 and q else,
//! where no gap is longer than its hop. A longer block that is sent in the last phase has gone around before in one of
//! the phases, which are alike for all blocks, and goes around last in the rounds without combining; so none waits. For r = 0
//! all ranks do the same, and rounds are as far apart as gaps require. Elsewhere all ranks are followed round by round, in
//! time O(mK^2), for up to 2^22 messages.
//!
//! **When it wins.** Where gaps are longer than hops and combining takes time. Elsewhere not by this cost: it has m - 1 times K-1 more
//! rounds than the ring and no fewer words. In Open MPI it bounds the memory for messages that are not combined yet.
//!
//! **Departures.** Open MPI cuts each block separately: of a block of b words the first `b mod m` segments are longer. From the
//! size of a segment it computes m, and takes the ring where blocks are shorter than a segment; here `m > n/K` is refused,
//! except m = 1, which is the ring.

use std::ops::Range;

use super::Algorithm;
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Closed, Properties};
use crate::error::{Error, refuse_if};
use crate::plan::{Phase, Plan, Task, Words, narrow};

/// See the module.
pub struct SegmentedRing;

impl Algorithm for SegmentedRing {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        // The rounds, with the longest segment in each.
        let Task { K, n, m, .. } = *task;
        refuse_if!(m > 1 && n / K < m, "m" = m =>
            "expected at most n/K = {}: a segment of each block has at least one word", n / K);
        let (words, longer) = (n / K / m, n / K % m);
        let mut rounds = RoundTimes::new(task, n.is_multiple_of(K));
        if longer > 0 {
            rounds.exchange(task.hop(words + 1)?, longer * (K - 1));
        }
        rounds.exchange(task.hop(words)?, (m - 1 - longer) * (K - 1));
        rounds.exchange(task.hop(words + u64::from(!n.is_multiple_of(K)))?, K - 1);
        rounds.exchange(task.hop(n.div_ceil(K))?.without_combining(), K - 1);
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        let (K, rounds) = (task.K, task.m.saturating_mul(task.K - 1));
        let next = move |rank, _| (rank + 1) % K;
        let of_phase = move |rank, message| {
            let (phase, round) = (message / (K - 1), message % (K - 1));
            Words::Range(segment(&task, (rank + K - round) % K, phase))
        };
        let combining = Phase::new(&task, rounds, next, of_phase).combined();
        let finished = Phase::new(&task, K - 1, next, move |rank, round| {
            Words::Dealt(rank + 1 + K - round, 1)
        });
        Ok(Plan::Rounds(vec![combining, finished.tags(narrow(rounds))]))
    }

    /// The combination of a block begins with another rank for each block.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            is_segmented: true,
            ..Properties::PLAIN
        }
    }

    /// The words of a segment: the largest block in m parts, rounded up.
    fn segment(&self, task: &Task) -> u64 {
        task.n.div_ceil(task.K).div_ceil(task.m)
    }
}

/// The words of a block in a phase.
fn segment(task: &Task, block: u64, phase: u64) -> Range<u64> {
    let block = task.block(block, task.K);
    let words = task.n / task.K;
    let start = |phase: u64| block.start + phase * (words / task.m) + phase.min(words % task.m);
    start(phase)..if phase + 1 == task.m {
        block.end
    } else {
        start(phase + 1)
    }
}
