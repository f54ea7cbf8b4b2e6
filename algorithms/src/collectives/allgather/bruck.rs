//! Bruck's allgather, on one port or several.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, section 4.
//!
//! Before a round rank i holds blocks `i .. i + h` (modulo K); h is 1 at the start. In the round it gets the next
//! `w = min(k h, K - h)` blocks in `min(k, w)` messages, the first of them one block longer where they differ. Each has
//! at most h blocks: those that begin with block `i + a` are the first that rank `i + a` holds. Then `h` is `h + w`.
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

use crate::collectives::ports::Ports;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words, part};

/// See the module.
pub struct Bruck;

/// A round.
#[derive(Debug, Clone, Copy)]
struct Round {
    /// The blocks that a rank holds before it.
    held: u64,
    /// The blocks that it gets.
    new: u64,
    /// In how many messages.
    messages: u64,
}

impl Round {
    /// For each message how far the sender is from the receiver, and how many blocks it has.
    fn messages(self) -> impl Iterator<Item = (u64, u64)> {
        let blocks = (0..self.messages).map(move |message| part(self.new, message, self.messages));
        blocks.map(move |blocks| (self.held + blocks.start, blocks.end - blocks.start))
    }
}

/// The rounds, in order.
fn rounds(task: &Task) -> impl Iterator<Item = Round> + use<> {
    let Task { K, k, .. } = *task;
    let round = move |held: u64| {
        let new = held.saturating_mul(k).min(K - held);
        Round {
            held,
            new,
            messages: k.min(new),
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
        for round in rounds(task) {
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
            let blocks = move |message| part(round.new, message, round.messages);
            let to = move |rank, message| (rank + K - round.held - blocks(message).start) % K;
            let words = move |rank, message| {
                Words::Blocks(rank, blocks(message).end - blocks(message).start)
            };
            Phase::new(task, round.messages, to, words)
                .in_round(round.messages)
                .tag(tag)
        };
        Ok(Plan::Rounds((0..).zip(rounds(task)).map(phase).collect()))
    }

    fn properties(&self) -> Properties {
        Properties {
            has_ports: true,
            ..Properties::PLAIN
        }
    }
}
