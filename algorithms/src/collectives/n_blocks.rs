//! Broadcast and reduce of m blocks on a circulant graph, in the fewest rounds.
//!
//! **Source.** Träff, "Optimal broadcast schedules in logarithmic time with applications to broadcast, all-broadcast, reduction and
//! all-reduction", arXiv 2407.18004; MPICH's main branch: `circ_graph`.
//!
//! Ranks are numbered from the root, and the vector is cut into m segments, there blocks. Round i and the segments of its messages are
//! those of [`circulant`](crate::multiport::circulant) on one port: every number sends a segment `skip(i)` numbers on, and receives one
//! from as far back. A number gets each segment once. **Reduce** is the broadcast backwards: each message goes the other way, in the
//! opposite order, and is combined. **Allreduce** is a reduce to rank 0, then a broadcast from it.
//!
//! **Cost** at most `(m-2+q) max(D(s) + cs, g(s)) + D(s) + cs`, with `q = ceil(log2 K)`, s words in a longest segment and `c = 0` in a
//! broadcast: that is the time of `m-1+q` rounds in which all ranks begin together. Ranks that need not wait begin earlier, so the times
//! of all ranks are followed, for up to 2^22 messages.
//!
//! **When it wins.** Vectors of medium length on any K: with the best m it takes `q + m - 1` messages of n/m words on the longest path,
//! where a pipelined chain takes `K + m - 2` and a binomial tree qm.
//!
//! **Departures.** MPICH starts a receive before the send of a round; here one port sends, then receives.

use crate::collectives::{Algorithm, Closed, Properties};
use crate::cost::LARGEST;
use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::multiport::circulant::Schedule;
use crate::plan::{Phase, Plan, Task, Words, narrow};
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
        let rounds = schedule.rounds();
        let words = move |number, round| {
            let segment = schedule.message(receiver(&schedule, number, round), round);
            Words::Range(task.block(segment.unwrap_or(0), task.m))
        };
        let messages = Wide::from(task.K - 1) * Wide::from(task.m);
        let broadcast = Plan::phase(Phase::some(messages, rounds, to, words).numbered_from_root());
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
