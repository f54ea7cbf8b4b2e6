//! Broadcast as a scatter down a binomial tree and an allgather by recursive doubling.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.2; MPICH:
//! `MPIR_Bcast_intra_scatter_recursive_doubling_allgather`; Open MPI: `scatter_allgather`.
//!
//! Ranks are numbered from the root, and the words are dealt out to K blocks, the first `n mod K` of them one word longer. The scatter
//! is [`scatter-binomial`](crate::collectives::scatter::Binomial), and the allgather
//! [`allgather-recursive-doubling`](crate::collectives::allgather::RecursiveDoubling).
//!
//! **Cost** where K is a power of two that divides n and no gap is longer than its hop: the sum of both costs with n/K words; why is in
//! [`sequence`](crate::collectives::sequence). Else the messages of all ranks are followed, up to 2^22. With one duplex
//! port it is the same.
//!
//! **When it wins.** Vectors of medium length on powers of two: `2 log2 K` messages on the longest path, and a rank
//! receives each word once or twice.
//!
//! **Departures.** MPICH's blocks have `ceil(n/K)` words, the last ones fewer or none. A rank that has more than its block after the
//! scatter is sent blocks that it holds, as in MPICH.

use super::scattered;
use crate::collectives::sequence::Sequence;
use crate::collectives::{Algorithm, Closed, allgather, scatter};
use crate::error::Error;
use crate::plan::{Plan, Task, Words};

/// See the module.
pub struct ScatterDoubling;

/// A scatter and an allgather with as many messages of as many words, between other ranks.
const HALVES: Sequence = Sequence::on_blocks(
    [&[&scatter::Binomial], &[&allgather::RecursiveDoubling]],
    true,
);

impl Algorithm for ScatterDoubling {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        HALVES.formula(task)
    }

    fn duplex_formula(&self, task: &Task) -> Result<Closed, Error> {
        scattered::duplex(&HALVES, task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(scattered::plan(
            task,
            allgather::recursive_doubling::phases(task.K, Words::Dealt),
        ))
    }
}
