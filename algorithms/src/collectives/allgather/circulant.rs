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

use crate::collectives::rounds::Rounds;
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, circulant, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Circulant;

impl Algorithm for Circulant {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let mut rounds = Rounds::new(true);
        for round in circulant::rounds(task.K).rev() {
            rounds.exchange(task.hop(round.count * task.n)?.plain(), 1);
        }
        rounds.end().map(fit).transpose()
    }

    fn messages(&self, task: &Task) -> Wide {
        circulant::messages(task)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        for (number, round) in (0..).zip(circulant::rounds(K).rev()) {
            let from = (me + round.skip) % K;
            script.send(narrow((me + K - round.skip) % K), number, task.blocks(me, round.count));
            script.receive(narrow(from), number, task.blocks(from, round.count));
        }
    }
}
