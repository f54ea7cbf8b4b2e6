//! Allgather on a circulant graph.
//!
//! **Source.** Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234, 2024.
//!
//! The rounds of [`reduce_scatter::Circulant`](crate::collectives::reduce_scatter::Circulant) backwards. With the skips
//! `s(j) = ceil(K/2^j)`: before round j rank i holds blocks `i .. i + s(j)`. It sends the first `s(j-1) - s(j)` of them to rank
//! `i - s(j)` and receives as many from rank `i + s(j)` (modulo K), for j from `ceil(log2 K)` down to 1.
//!
//! **Cost** the sum over j of `D(b(j) n)` with `b(j) = s(j-1) - s(j)` where no gap is longer than its hop; else rounds are as
//! far apart as gaps require. All ranks do the same at the same time.
//!
//! **When it wins.** As Bruck's allgather, whose rounds have other sizes and the same sum. With the reduce-scatter it makes an
//! allreduce that sends every block back on the way on which it came.
//!
//! **Departures.** Blocks stay in place; the original rotates them locally, which takes no time here.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed, circulant};
use crate::error::Error;
use crate::plan::{Plan, Task, Words};

/// See the module.
pub struct Circulant;

impl Algorithm for Circulant {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut rounds = RoundTimes::new(task, true);
        for round in circulant::rounds(task.K).rev() {
            rounds.exchange(task.hop(round.count * task.n)?.without_combining(), 1);
        }
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(Plan::Rounds(circulant::allgather(task, 0, Words::Blocks)))
    }
}
