//! Reduce-scatter on a circulant graph.
//!
//! **Source.** Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234, 2024.
//!
//! With the skips `s(j) = ceil(K/2^j)`: in round `1 <= j <= ceil(log2 K)` rank i sends blocks `i + s(j) .. i + s(j-1)` to rank
//! `i + s(j)`. That rank combines them with its own (all modulo K); they are the blocks that it will need for itself and for
//! the ranks after it.
//!
//! **Cost** the sum over j of `D(b(j) n) + c b(j) n` with `b(j) = s(j-1) - s(j)` where no gap is longer than its hop; else
//! rounds are as far apart as gaps require. All ranks do the same at the same time.
//!
//! **When it wins.** Any K that is no power of two: `ceil(log2 K)` rounds and K-1 blocks a rank, both the fewest possible.
//!
//! **Departures.** Blocks stay in place; the original rotates them locally, which takes no time here.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed, Properties, circulant};
use crate::error::Error;
use crate::plan::{Plan, Task, Words};

/// See the module.
pub struct Circulant;

impl Algorithm for Circulant {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut rounds = RoundTimes::new(task, true);
        for round in circulant::rounds(task.K) {
            rounds.exchange(task.hop(round.count * task.n)?, 1);
        }
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(Plan::Rounds(circulant::reduce_scatter(task, Words::Blocks)))
    }

    /// Far ranks are combined first.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            ..Properties::PLAIN
        }
    }
}
