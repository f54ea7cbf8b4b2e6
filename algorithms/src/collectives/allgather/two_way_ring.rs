//! Allgather around a ring in both directions.
//!
//! **Source.** Folklore: the ring of Open MPI and MPICH, half of the blocks each way.
//!
//! Message j of rank i is for rank i+1 where j is even, and has block `i - j/2`; else it is for rank i-1 and has block
//! `i + (j-1)/2` (modulo K). With K-1 messages each rank has every block. On one port a rank receives after each message, on two
//! after every second one.
//!
//! **Cost.** All ranks do the same at the same time. On one port that of [`Ring`](super::Ring). On two the messages of one rank
//! are followed: `floor(K/2) D(n)` where `D(n)` is at least g(n) and overheads are 0, because both messages of a round go at once.
//!
//! **When it wins.** Two ports and long blocks: half of the rounds of the ring, with messages between neighbours only.
//!
//! **Departures.** None. More than two ports are refused: a rank has two neighbours.

use crate::collectives::ports::Ports;
use crate::collectives::{Algorithm, Closed};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct TwoWayRing;

impl Algorithm for TwoWayRing {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        if task.k > 2 {
            return Err(Error::parameter("k", task.k, "expected 1 or 2: a rank has two neighbours"));
        }
        let mut ports = Ports::new(task.k);
        ports.exchange_in_turns([(task.hop(task.n)?.plain(), task.K - 1)]);
        Closed::exact(ports.end())
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        let to = move |rank, message: u64| if message.is_multiple_of(2) { (rank + 1) % K } else { (rank + K - 1) % K };
        let block = move |rank, message: u64| {
            let far = message / 2;
            Words::Blocks(if message.is_multiple_of(2) { rank + K - far } else { rank + far }, 1)
        };
        Ok(Plan::phase(Phase::new(task, K - 1, to, block).in_round(task.k)))
    }

    fn has_ports(&self) -> bool {
        true
    }
}
