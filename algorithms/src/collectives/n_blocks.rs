//! Collectives on a circulant graph, in the fewest rounds: a vector in m blocks, or all blocks in pieces.
//!
//! **Source.** Träff, "Optimal broadcast schedules in logarithmic time with applications to broadcast, all-broadcast, reduction and
//! all-reduction", arXiv 2407.18004; MPICH's main branch: `circ_graph`.
//!
//! Ranks are numbered from the root, and the vector is cut into m segments, there blocks. Round i and the segments of its messages are
//! those of [`circulant`](crate::multiport::circulant) on one port: every number sends a segment `skip(i)` numbers on, and receives one
//! from as far back. A number gets each segment once. **Reduce** is the broadcast backwards: each message goes the other way, in the
//! opposite order, and is combined. **Allreduce** is a reduce to rank 0, then a broadcast from it.
//!
//! **Allgather** is the broadcast of all ranks at once, each of its block in N pieces, where `allgather-n-block-circulant:N` states N, up to
//! 2^20, and the plain name 1: in round i a rank sends a rank `skip(i)` on, in one message, a piece of each block that this one receives then.
//! **Reduce-scatter** is the allgather backwards, combined. All ranks do the same at the same time, in `N-1+q` rounds.
//!
//! **Cost** at most `(m-2+q) max(D(s) + cs, g(s)) + D(s) + cs`, with `q = ceil(log2 K)`, s words in a longest segment and `c = 0` in a
//! broadcast: that is the time of `m-1+q` rounds in which all ranks begin together. Ranks that need not wait begin earlier, so the times
//! of all ranks are followed, for up to 2^22 messages.
//!
//! **When it wins.** Vectors of medium length on any K: with the best m it takes `q + m - 1` messages of n/m words on the longest path,
//! where a pipelined chain takes `K + m - 2` and a binomial tree qm.
//!
//! **Departures.** MPICH starts a receive before the send of a round; here one port sends, then receives.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::cost::LARGEST;
use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::multiport::circulant::Schedule;
use crate::plan::{Phase, Plan, Task, Words, narrow, part};
use crate::wide::Wide;

/// See the module.
pub(super) struct NBlocks {
    combines: bool,
}

impl NBlocks {
    pub const BROADCAST: Self = Self { combines: false };
    pub const REDUCE: Self = Self { combines: true };
}

impl Algorithm for NBlocks {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        if task.K == 1 {
            return Ok(Closed::Exact(0));
        }
        let mut hop = task.hop(task.n.div_ceil(task.m))?;
        if !self.combines {
            hop = hop.without_combining();
        }
        let rounds = task.m - 1 + u64::from(ceil_log2(task.K));
        let most = (rounds - 1) * hop.combined().max(hop.g) + hop.combined();
        Ok(Closed::Between([0, fit(most).unwrap_or(LARGEST)]))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        let schedule = Schedule::new(narrow(task.K), task.m);
        let receiver =
            move |schedule: &Schedule, number, round| (number + schedule.skip(round)) % task.K;
        let own = schedule.clone();
        let to = move |number, round| {
            let to = receiver(&own, number, round);
            own.message(to, round).map(|_| to)
        };
        let (rounds, q) = (schedule.rounds(), u64::from(ceil_log2(task.K)));
        let repeats = schedule.repeats(task.n % task.m);
        let words = move |number, round| {
            let segment = schedule.message(receiver(&schedule, number, round), round);
            Words::Range(task.block(segment.unwrap_or(0), task.m))
        };
        let messages = Wide::from(task.K - 1) * Wide::from(task.m);
        let phase = Phase::some(messages, rounds, to, words).numbered_from_root();
        let broadcast = Plan::phase(phase.repeating(q.max(1), repeats));
        Ok(if self.combines {
            broadcast.reversed(true)
        } else {
            broadcast
        })
    }

    /// What comes from far back is combined with what comes from near.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.combines,
            is_segmented: true,
            ..Properties::PLAIN
        }
    }
}

/// Blocks of all ranks, in pieces. See the module.
pub(super) struct AllBlocks {
    combines: bool,
    pieces: u64,
}

/// Most pieces of a block, and most of all blocks whose sizes are added for a formula.
const MOST: u64 = 1 << 20;

impl AllBlocks {
    pub const ALLGATHER: Self = Self::new(false);
    pub const REDUCE_SCATTER: Self = Self::new(true);

    const fn new(combines: bool) -> Self {
        Self {
            combines,
            pieces: 1,
        }
    }

    fn schedule(&self, task: &Task) -> Schedule {
        Schedule::new(narrow(task.K), self.pieces)
    }
}

impl Algorithm for AllBlocks {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let schedule = self.schedule(task);
        if task.K.saturating_mul(schedule.rounds()) > MOST {
            return Ok(Closed::Between([0, LARGEST]));
        }
        let mut times = RoundTimes::new(task, true);
        let size = |piece| {
            let piece = part(task.n, piece, self.pieces);
            piece.end - piece.start
        };
        let sent = |round| {
            let pieces = (1..task.K).filter_map(|number| schedule.message(number, round));
            pieces.map(size).sum()
        };
        let mut rounds: Vec<u64> = (0..schedule.rounds()).map(sent).collect();
        if self.combines {
            rounds.reverse();
        }
        for words in rounds {
            let hop = task.hop(words)?;
            let hop = match self.combines {
                true => hop,
                false => hop.without_combining(),
            };
            times.exchange(hop, 1);
        }
        times.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, schedule) = (*task, self.schedule(task));
        let (K, pieces, rounds) = (task.K, self.pieces, schedule.rounds());
        let skips = schedule.clone();
        let to = move |rank, round| (rank + skips.skip(round)) % K;
        let words = move |rank, round| {
            let receiver = (rank + schedule.skip(round)) % K;
            let piece = |number| -> Option<std::ops::Range<u64>> {
                let piece = schedule.message(number, round)?;
                let owner = (receiver + K - number) % K;
                let block = task.words(owner..owner + 1);
                let own = part(block.end - block.start, piece, pieces);
                Some(block.start + own.start..block.start + own.end)
            };
            Words::several(Vec::from_iter((1..K).filter_map(piece)).into_iter())
        };
        let allgather = Plan::phase(Phase::new(&task, rounds, to, words));
        Ok(match self.combines {
            true => allgather.reversed(true),
            false => allgather,
        })
    }

    fn with_number(&self, pieces: u64) -> Option<Box<dyn Algorithm>> {
        (1..=MOST)
            .contains(&pieces)
            .then(|| Box::new(Self { pieces, ..*self }) as _)
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.combines,
            ..Properties::PLAIN
        }
    }
}
