//! Reduce-scatter around a ring.
//!
//! **Source.** Folklore; Open MPI: ring. It is the first half of the allreduce around a ring.
//!
//! In round `r < K-1` rank i sends block `i-1-r` to rank i+1 and combines block `i-2-r` of rank i-1 with its own (modulo K).
//!
//! **Cost** `(K-2) max(D(n) + cn, g(n)) + D(n) + cn`, and 0 for K = 1: all ranks do the same at the same time.
//!
//! **When it wins.** As pairwise exchange where only messages between neighbours are cheap.
//!
//! **Departures.** None.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
pub struct Ring;

impl Algorithm for Ring {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut rounds = RoundTimes::new(task, true);
        rounds.exchange(task.hop(task.n)?, task.K - 1);
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        let block = move |rank, round| Words::Blocks(rank + K - 1 - round, 1);
        Ok(Plan::phase(
            Phase::new(task, K - 1, move |rank, _| (rank + 1) % K, block).combined(),
        ))
    }

    /// The combination of block i begins with rank i+1.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            ..Properties::PLAIN
        }
    }
}
