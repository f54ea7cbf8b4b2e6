//! Broadcast as a scatter down a binomial tree and an allgather by recursive doubling.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.2; MPICH:
//! `MPIR_Bcast_intra_scatter_recursive_doubling_allgather`; Open MPI: `scatter_allgather`.
//!
//! For `K = 2^p`. Ranks are numbered from the root, and so are K blocks of `b = n/K` words. The scatter is
//! [`scatter-binomial`](crate::collectives::scatter::Binomial). Then in round j, from 0 up, numbers that differ in bit j
//! exchange the `2^j` blocks that each of them should have.
//!
//! **Cost** where no gap is longer than its hop: that of [`scatter-binomial`](crate::collectives::scatter::Binomial) and that of
//! [`allgather-recursive-doubling`](crate::collectives::allgather::RecursiveDoubling) with b words; why is in
//! [`sequence`](crate::collectives::sequence). Else the messages of all ranks are followed, up to 2^22.
//!
//! **When it wins.** Vectors of medium length on powers of two: `2 log2 K` messages on the longest path, and a rank
//! receives each word once or twice.
//!
//! **Departures.** K has to divide n. MPICH takes other K, too; here they are refused. A rank that has more than its
//! block after the scatter is sent blocks that it holds, as in MPICH.

use super::scatter_allgather;
use crate::collectives::sequence::Sequence;
use crate::collectives::{Algorithm, Closed, allgather, scatter};
use crate::error::Error;
use crate::logp::pipeline;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
pub struct ScatterDoubling;

/// A scatter and an allgather with as many messages of as many words, between other ranks.
const HALVES: Sequence = Sequence::on_blocks([&[&scatter::Binomial], &[&allgather::RecursiveDoubling]], true);

impl Algorithm for ScatterDoubling {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        HALVES.formula(task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let held = |number: u64, bit: u64| Words::Dealt(number >> bit << bit, 1 << bit);
        let doubling = Phase::new(task, task.K.ilog2().into(), |number, bit| number ^ 1 << bit, held);
        Ok(scatter_allgather::scattered(task, doubling))
    }

    fn duplex(&self) -> Option<&dyn pipeline::Broadcast> {
        Some(&pipeline::scatter_allgather::ScatterAllgather::DOUBLING)
    }
}
