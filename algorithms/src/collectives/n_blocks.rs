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
//! of all ranks are followed, for up to 2^22 messages, until periods of rounds add the same. At least what the root does in `m-1+q` rounds
//! and, on one processor, a hop and what the others do on average.
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
use crate::plan::task::PortRule;
use crate::plan::{Hop, Phase, Plan, Task, Words, narrow, part};
use crate::wide::Wide;

/// See the module.
pub(super) struct NBlocks {
    combines: bool,
}

impl NBlocks {
    pub const BROADCAST: Self = Self { combines: false };
    pub const REDUCE: Self = Self { combines: true };

    /// Where every message is as short as the shortest: the root has one in each round; the other ranks share the other sends and
    /// receives, and begin a hop after it, or end a hop before; and what one of them receives it sends only in a later round.
    fn least(&self, task: &Task, hop: Hop, rounds: u64) -> Wide {
        let taken = hop.o + hop.q;
        let chain = self.chain(task, hop, rounds);
        let root = (rounds - 1) * taken.max(hop.g) + hop.combined();
        if task.rule == PortRule::Duplex {
            return if task.k == 1 { root.max(chain) } else { chain };
        }
        let (others, all) = (task.K - 1, task.m.saturating_mul(task.K - 1));
        let (sent, received) = match self.combines {
            true => (all, all - rounds),
            false => (all - rounds, all),
        };
        let busy = (sent * hop.o + received * taken).div_ceil(others);
        root.max(chain).max(busy + hop.L + taken)
    }

    /// Messages after one another, of one round each, between ranks that are not the root. A rank that has one with the root waits a turn.
    fn chain(&self, task: &Task, hop: Hop, rounds: u64) -> Wide {
        // Graphs have fewer nodes.
        if u32::try_from(task.K).is_err() {
            return Wide::ZERO;
        }
        let turn = match task.k {
            1 => hop.o.max(hop.g),
            _ => Wide::ZERO,
        };
        let schedule = Schedule::new(narrow(task.K), task.m);
        // From here on every rank but the root has a message in each round.
        let whole = 2 * u64::from(ceil_log2(task.K));
        let (mut number, mut hops, mut turns) = (task.K - 1, 0u64, 0u64);
        for round in (whole.max(rounds.saturating_sub(MOST_LINKS))..rounds).rev() {
            match (number + task.K - schedule.skip(round)) % task.K {
                0 => turns += 1,
                sender => {
                    number = sender;
                    hops += 1;
                }
            }
        }
        hops * hop.combined() + turns * turn
    }
}

/// How many rounds there are.
fn rounds(task: &Task) -> Result<u64, Error> {
    let q = u64::from(ceil_log2(task.K));
    // A schedule adds two phases of q rounds to the number of one.
    let last = task.m.checked_add(2 * q).ok_or(Error::Overflow)?;
    Ok(last - q - 1)
}

/// The longest chain that a bound follows.
const MOST_LINKS: u64 = 1 << 14;

impl Algorithm for NBlocks {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        if task.K == 1 {
            return Ok(Closed::Exact(0));
        }
        let hop = |words| Ok::<_, Error>(task.hop(words)?.combining(self.combines));
        let (shortest, longest) = (hop(task.n / task.m)?, hop(task.n.div_ceil(task.m))?);
        let rounds = rounds(task)?;
        let most = (rounds - 1) * longest.combined().max(longest.g) + longest.combined();
        let least = fit(self.least(task, shortest, rounds)).unwrap_or(LARGEST);
        Ok(Closed::Between([least, fit(most).unwrap_or(LARGEST)]))
    }

    /// The upper bound holds with any ports.
    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, rounds, q) = (*task, rounds(task)?, u64::from(ceil_log2(task.K)));
        let schedule = Schedule::new(narrow(task.K), task.m);
        let repeats = schedule.repeats(task.n % task.m);
        let messages = Wide::from(task.K - 1) * Wide::from(task.m);
        let phase = Phase::segments(&task, messages, rounds, move |number, round| {
            let to = (number + schedule.skip(round)) % task.K;
            schedule.message(to, round).map(|segment| (to, segment))
        });
        let phase = phase.repeating(q.max(1), repeats).begun_by_one();
        let broadcast = Plan::phase(phase.numbered_from_root());
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
            times.exchange(task.hop(words)?.combining(self.combines), 1);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Machine;
    use crate::logp::LogP;

    #[test]
    fn too_many_rounds_are_an_overflow() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let task = Task {
            m: u64::MAX,
            ..Task::new(machine, 5, u64::MAX, 0)
        };
        for algorithm in [NBlocks::BROADCAST, NBlocks::REDUCE] {
            assert_eq!(
                (&algorithm as &dyn Algorithm).time(&task),
                Err(Error::Overflow)
            );
            assert!(algorithm.plan(&task).is_err());
        }
    }
}
