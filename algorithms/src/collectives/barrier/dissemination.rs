//! Barrier by dissemination, with a radix.
//!
//! **Source.** Radix 2: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", International Journal of
//! Parallel Programming 17(1), 1988; Open MPI's `bruck`, MPICH's dissemination. Larger ones: Hoefler, Mehlan, Mietke, Rehm,
//! "Fast barrier synchronization for InfiniBand", IPDPS 2006, n-way dissemination with `n = w - 1`.
//!
//! In round r = 0, 1, ... every rank i sends to `i + d w^r` and then receives from `i - d w^r`, for d = 1, 2, ..., w-1
//! (modulo K). After round r it knows of the `w^(r+1)` ranks up to itself, so `R = ceil(log_w K)` rounds are enough.
//!
//! **Cost**, 0 for K = 1. All ranks do the same at the same time. A round that begins at t has its sends at `t`, `t + g'`,
//! ... With x messages its receives begin at `t + o + max((x-1) g', L)` and are `g'` apart: messages arrive `g'` apart from
//! `t + o + L` on, and the processor is free `o` after the last send. So the next round begins
//! `P = max(max((x-1) g', L) + (x-1) g' + 2o, x g')` later, x = w-1. The last round has the
//! `y = ceil(K/w^(R-1)) - 1` messages with `d w^r < K`; its receives also wait `g'` after those of the round before. With
//! `A(x) = o + max((x-1) g', L)`:
//!
//! `max((R-1) P + A(y), (R-2) P + A(w-1) + (w-1) g') + (y-1) g' + o`, the second value for R >= 2.
//!
//! Radix 2: `(R-1) max(D, g') + D`.
//!
//! **When it wins.** Radix 2 takes the fewest rounds with one send per round, and is the usual choice of MPI libraries. Brute
//! force over small barriers finds nothing faster where a hop is at most as long as the gap. Where a hop takes two gaps,
//! three ranks that each send to both others are faster: there larger radices win.
//!
//! **Departures.** Hoefler et al. send all w-1 messages in the last round, too, to ranks modulo K.

use super::{Algorithm, Task, narrow};
use crate::collectives::script::Script;
use crate::error::{Error, fit};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Dissemination {
    /// w, at least 2.
    pub radix: u64,
}

impl Dissemination {
    /// The distances of round 0, 1, ...: the first one, and how many there are.
    fn rounds(self, K: u64) -> impl Iterator<Item = (u64, u64)> {
        let firsts = std::iter::successors(Some(1u64), move |first| first.checked_mul(self.radix));
        let rounds = firsts.take_while(move |first| *first < K);
        rounds.map(move |first| (first, (self.radix - 1).min((K - 1) / first)))
    }
}

impl Algorithm for Dissemination {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let hop = task.hop(task.n)?;
        let all = self.radix - 1;
        let others = |messages: u64| u128::from(messages - 1) * hop.g;
        let first = |messages: u64| hop.o + others(messages).max(hop.L);
        let period = (first(all) + others(all) + hop.o).max(others(all) + hop.g);
        let (rounds, messages) =
            self.rounds(task.K).fold((0u128, 0), |(rounds, _), (_, messages)| (rounds + 1, messages));
        let Some(before) = rounds.checked_sub(1) else { return Ok(Some(0)) };
        let mut received = before * period + first(messages);
        if let Some(earlier) = before.checked_sub(1) {
            received = received.max(earlier * period + first(all) + others(all) + hop.g);
        }
        fit(received + others(messages) + hop.o).map(Some)
    }

    fn messages(&self, task: &Task) -> u128 {
        u128::from(task.K) * self.rounds(task.K).map(|(_, messages)| u128::from(messages)).sum::<u128>()
    }

    /// The knowledge of higher ranks comes first.
    fn keeps_order(&self) -> bool {
        false
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        for (round, (first, messages)) in (0..).zip(self.rounds(K)) {
            for distance in (1..=messages).map(|digit| digit * first) {
                script.send(narrow((me + distance) % K), round, task.vector());
            }
            for distance in (1..=messages).map(|digit| digit * first) {
                script.combine(rank, narrow((me + K - distance) % K), round, task.vector());
            }
        }
    }
}
