//! Allgather around a ring in both directions.
//!
//! **Source.** Folklore: the ring of Open MPI and MPICH, half of the blocks each way.
//!
//! Message j of rank i is for rank i+1 where j is even, and has block `i - j/2`; else it is for rank i-1 and has block
//! `i + (j-1)/2` (modulo K). With K-1 messages each rank has every block. On one port a rank receives after each message, on two
//! after every second one.
//!
//! **Cost.** All ranks do the same at the same time. On one port that of [`Ring`](crate::collectives::ring). On two the messages of one rank
//! are followed. Without overheads and where no gap is longer than its hop it is `floor(K/2) D(n)`: both messages of a round go at
//! once.
//!
//! **When it wins.** Two ports and long blocks: half of the rounds of the ring, with messages between neighbours only.
//!
//! **Departures.** None. More than two ports are refused: a rank has two neighbours.

use crate::collectives::ports::Ports;
use crate::collectives::{Closed, Plain, Properties};
use crate::error::refuse_if;
use crate::plan::{Phase, Plan, Words};

/// See the module.
pub const TWO_WAY_RING: Plain = Plain {
    formula: |task| {
        refuse_if!(task.k > 2, "k" = task.k => "expected 1 or 2: a rank has two neighbours");
        let mut ports = Ports::new(task);
        ports.exchange_in_turns([(task.hop(task.n)?.without_combining(), task.K - 1)]);
        Closed::exact(ports.end())
    },
    holds_on_duplex: |_| true,
    plan: |task| {
        let K = task.K;
        let to = move |rank, message: u64| {
            if message.is_multiple_of(2) {
                (rank + 1) % K
            } else {
                (rank + K - 1) % K
            }
        };
        let block = move |rank, message: u64| {
            let far = message / 2;
            Words::Blocks(
                if message.is_multiple_of(2) {
                    rank + K - far
                } else {
                    rank + far
                },
                1,
            )
        };
        Ok(Plan::phase(
            Phase::new(task, K - 1, to, block).in_round(task.k),
        ))
    },
    properties: Properties {
        has_ports: true,
        ..Properties::PLAIN
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::{Algorithm, Task, ring};
    use crate::engine::Machine;
    use crate::logp::LogP;

    #[test]
    fn one_port_is_the_ring_and_two_need_half_of_its_rounds() {
        for (L, o, g) in [(6, 2, 4), (1, 0, 50), (9, 0, 3)] {
            for (K, n) in (1..40).flat_map(|K| [1, 7].map(|n| (K, n))) {
                let task = Task::new(Machine::Words(LogP::new(L, o, g).unwrap()), K, n, 0);
                let [two, one] = [&TWO_WAY_RING as &dyn Algorithm, &ring::ALLGATHER]
                    .map(|algorithm| algorithm.time(&task));
                assert_eq!(two, one, "{task:?}");
                let hop = task.hop(n).unwrap();
                if o == 0 && hop.g <= hop.D() {
                    let two = TWO_WAY_RING.formula(&Task { k: 2, ..task });
                    assert_eq!(two, Closed::exact(K / 2 * hop.D()), "{task:?}");
                }
            }
        }
    }
}
