//! Allgather around a ring.
//!
//! **Source.** Folklore; Open MPI and MPICH: ring.
//!
//! In round `r < K-1` rank i sends block `i - r` to rank i+1 and receives block `i-1-r` (modulo K).
//!
//! **Cost** `(K-2) max(D(n), g(n)) + D(n)`, and 0 for K = 1: all ranks do the same at the same time.
//!
//! **When it wins.** Long blocks: a rank sends (K-1)n words, the fewest possible, and only to its neighbour.
//!
//! **Departures.** None.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
pub struct Ring;

impl Algorithm for Ring {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut rounds = RoundTimes::new(task, true);
        rounds.exchange(task.hop(task.n)?.without_combining(), task.K - 1);
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        let block = move |rank, round| Words::Blocks(rank + K - round, 1);
        Ok(Plan::phase(Phase::new(
            task,
            K - 1,
            move |rank, _| (rank + 1) % K,
            block,
        )))
    }
}
