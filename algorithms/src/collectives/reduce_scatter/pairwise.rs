//! Reduce-scatter by pairwise exchange.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.3.
//!
//! In round `0 < r < K` rank i sends its words for rank i+r there, and combines the words of rank i-r for itself (modulo
//! K).
//!
//! **Cost** `(K-2) max(D(n) + cn, g(n)) + D(n) + cn`, and 0 for K = 1: all ranks do the same at the same time.
//!
//! **When it wins.** Long blocks on any K: every rank sends (K-1)n words, the fewest possible.
//!
//! **Departures.** None.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
pub struct Pairwise;

impl Algorithm for Pairwise {
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
        let to = move |rank, round| (rank + round + 1) % K;
        Ok(Plan::phase(
            Phase::new(task, K - 1, to, move |rank, round| {
                Words::Blocks(to(rank, round), 1)
            })
            .combined(),
        ))
    }

    /// Rank i combines with rank i-1 first.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            ..Properties::PLAIN
        }
    }
}
