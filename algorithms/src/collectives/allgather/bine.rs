//! Allgather on a Bine butterfly.
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025 (arXiv 2508.17311): `allgather_bine_permute_remap`, and
//! `allgather_bine_block_by_block_any_even` for even K beside powers of two.
//!
//! For even K: [`reduce-scatter-bine`](crate::collectives::reduce_scatter::Bine) backwards. In step s, from the last one on, a rank sends
//! the b(s) blocks that its partner sent to it there, without combining them.
//!
//! **Cost** the sum over s of `D(b(s) n)` where no gap is longer than its hop; else rounds are as far apart as gaps require. All
//! ranks do the same at the same time.
//!
//! **When it wins.** Where near ranks are cheaper: the longest messages go to the nearest ranks. Elsewhere it costs what recursive
//! doubling does for `K = 2^p`.
//!
//! **Departures.** A message has all blocks of its step. The authors renumber blocks in memory for that, which takes no time here,
//! and send each block alone for other even K. Odd K are refused, as in their code.

use crate::collectives::negabinary::{Butterfly, hops, of_blocks};
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed};
use crate::error::Error;
use crate::plan::{Hop, Plan, Task};

/// See the module.
pub struct Bine;

impl Algorithm for Bine {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut rounds = RoundTimes::new(task, true);
        for step in hops(&of_blocks(task)?)?.into_iter().rev() {
            rounds.exchange_between(step.map(Hop::without_combining));
        }
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(Plan::phase(Butterfly::new(&of_blocks(task)?).finished()))
    }
}
