//! Bruck's allgather, on one port or several.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, section 4.
//!
//! Before a round rank i holds blocks `i .. i + h` (modulo K); h is 1 at the start. In the round it gets the next
//! `w = min(k h, K - h)` blocks in `min(k, w)` messages, the first of them one block longer where they differ. Each has
//! at most h blocks: those that begin with block `i + a` are the first that rank `i + a` holds. Then `h` is `h + w`.
//!
//! With a number at the end of its name, the radix r, it gets `w = min((r-1) h, K - h)` blocks on any number of ports, in messages of
//! h blocks, the last of them perhaps shorter: MPICH's `k_brucks`.
//!
//! **Cost.** For `k = 1` the sum over `j < ceil(log2 K)` of `D(min(2^j, K - 2^j) n)` where no gap is longer than its
//! hop; else rounds are as far apart as gaps require. With more ports all ranks do the same at the same time, so the
//! messages of one rank are followed.
//!
//! **When it wins.** Short blocks, for any K: `ceil(log_(k+1) K)` rounds, the fewest possible, with the fewest words on
//! one port. On several ports a message of the last round has up to one block more than an even share of the words.
//!
//! **Departures.** Blocks stay in place; the original rotates them locally at the end, which takes no time here. In the
//! last round the original also divides blocks between ports.

use std::ops::Range;

use crate::collectives::ports::Ports;
use crate::collectives::trees::RADICES;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words, part};

/// See the module.
pub struct Bruck {
    /// None for one more than the ports.
    radix: Option<u64>,
}

impl Bruck {
    pub const BY_PORTS: Self = Self { radix: None };
}

/// A round.
#[derive(Debug, Clone, Copy)]
struct Round {
    /// The blocks that a rank holds before it.
    held: u64,
    /// The blocks that it gets.
    new: u64,
    /// In how many messages.
    messages: u64,
    /// Whether they have equal shares, and not as many blocks as the rank holds.
    is_shared: bool,
}

impl Round {
    /// The new blocks of a message.
    fn blocks(self, message: u64) -> Range<u64> {
        match self.is_shared {
            true => part(self.new, message, self.messages),
            false => message * self.held..((message + 1) * self.held).min(self.new),
        }
    }

    /// For each message how far the sender is from the receiver, and how many blocks it has.
    fn messages(self) -> impl Iterator<Item = (u64, u64)> {
        let blocks = (0..self.messages).map(move |message| self.blocks(message));
        blocks.map(move |blocks| (self.held + blocks.start, blocks.end - blocks.start))
    }
}

/// The rounds, in order.
fn rounds(task: &Task, radix: Option<u64>) -> impl Iterator<Item = Round> + use<> {
    let Task { K, k, .. } = *task;
    let most = radix.map_or(k, |radix| radix - 1);
    let round = move |held: u64| {
        let new = held.saturating_mul(most).min(K - held);
        Round {
            held,
            new,
            messages: match radix {
                Some(_) => new.div_ceil(held),
                None => most.min(new),
            },
            is_shared: radix.is_none(),
        }
    };
    let rounds = std::iter::successors(Some(round(1)), move |last| {
        Some(round(last.held + last.new))
    });
    rounds.take_while(|round| round.new > 0)
}

impl Algorithm for Bruck {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut ports = Ports::new(task);
        for round in rounds(task, self.radix) {
            let hop = |(_, blocks): (u64, u64)| {
                Ok::<_, Error>((task.hop(blocks * task.n)?.without_combining(), 1))
            };
            ports.exchange(round.messages().map(hop).collect::<Result<Vec<_>, _>>()?);
        }
        Closed::exact(ports.end())
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        let phase = |(tag, round): (u32, Round)| {
            let to = move |rank, message| (rank + K - round.held - round.blocks(message).start) % K;
            let words = move |rank, message| {
                let blocks = round.blocks(message);
                Words::Blocks(rank, blocks.end - blocks.start)
            };
            Phase::new(task, round.messages, to, words)
                .in_round(round.messages)
                .tag(tag)
        };
        let rounds = (0..).zip(rounds(task, self.radix));
        Ok(Plan::Rounds(rounds.map(phase).collect()))
    }

    fn with_number(&self, radix: u64) -> Option<Box<dyn Algorithm>> {
        let radix = RADICES.contains(&radix).then_some(radix)?;
        Some(Box::new(Self { radix: Some(radix) }))
    }

    fn properties(&self) -> Properties {
        Properties {
            has_ports: true,
            ..Properties::PLAIN
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::allgather::Allgather;
    use crate::collectives::judge::judge;
    use crate::engine::Machine;
    use crate::logp::LogGops;
    use crate::plan::task::PortRule;

    /// The last message of a round has fewer blocks: its port is busy with the longer one before it.
    #[test]
    fn a_shorter_message_waits_for_the_one_before_it() {
        let machine = LogGops {
            L: 2,
            o: 2,
            g: 1,
            G: 35_000_000,
            O: 20_000_000,
            H: 17_000_000,
        };
        let task = Task {
            rule: PortRule::Duplex,
            ..Task::new(Machine::LogGops(machine.into()), 16, 27, 0)
        };
        let algorithm: &dyn Algorithm = &Bruck { radix: Some(5) };
        let executed = judge(&Allgather, &task, true, &algorithm.compiled(&task).unwrap());
        assert_eq!(
            algorithm.closed(&task),
            Ok(Closed::Exact(executed.unwrap()))
        );
    }
}
