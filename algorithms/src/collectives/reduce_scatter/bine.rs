//! Reduce-scatter on a Bine butterfly.
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025 (arXiv 2508.17311): `reduce_scatter_bine_permute_remap`, and
//! `reduce_scatter_bine_block_by_block_any_even` for even K beside powers of two.
//!
//! For even K. Steps and partners are those of [`allreduce-swing`](crate::collectives::allreduce::Swing), with b(s) blocks in the
//! message of step s. Each block has n words.
//!
//! **Cost** the sum over s of `D(b(s) n) + c b(s) n` where no gap is longer than its hop; else rounds are as far apart as gaps
//! require. All ranks do the same at the same time.
//!
//! **When it wins.** Where near ranks are cheaper; elsewhere it costs what recursive halving does for `K = 2^p`.
//!
//! **Departures.** A message has all blocks of its step. The authors renumber blocks in memory for that, which takes no time here,
//! and send each block alone for other even K. Odd K are refused, as in their code.

use crate::collectives::negabinary::{Butterfly, hops, of_blocks};
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::{Plan, Task};

/// See the module.
pub struct Bine;

impl Algorithm for Bine {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut rounds = RoundTimes::new(task, true);
        for step in hops(&of_blocks(task)?)? {
            rounds.exchange_between(step);
        }
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(Plan::phase(Butterfly::new(&of_blocks(task)?).combining()))
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            ..Properties::PLAIN
        }
    }
}
