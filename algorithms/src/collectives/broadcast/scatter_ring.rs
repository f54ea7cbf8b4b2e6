//! Broadcast as a scatter down a binomial tree and an allgather around a ring.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.2, after van de Geijn; MPICH:
//! `MPIR_Bcast_intra_scatter_ring_allgather`; Open MPI: `scatter_allgather_ring`.
//!
//! Ranks are numbered from the root, and the words are dealt out to K blocks, the first `n mod K` of them one word longer. The scatter
//! is [`scatter-binomial`](crate::collectives::scatter::Binomial). Then in round r of K-1 number i sends block i - r to number i+1 and
//! receives block `i-1-r` from number i-1, all modulo K.
//!
//! **Cost** where K divides n and no gap is longer than its hop: that of [`scatter-binomial`](crate::collectives::scatter::Binomial)
//! and that of [`allgather-ring`](crate::collectives::allgather::Ring) with n/K words; why is in
//! [`sequence`](crate::collectives::sequence). Else the messages of all ranks are followed, up to 2^22. With one duplex
//! port it is the same.
//!
//! **When it wins.** Long vectors: every rank receives n words, and sends about as many. With strict ports
//! [`broadcast-scatter-allgather`](super::scatter_allgather) takes no longer, because it leaves out messages with blocks that their
//! receiver holds.
//!
//! **Departures.** MPICH's blocks have `ceil(n/K)` words, the last ones fewer or none.

use super::scattered;
use crate::collectives::sequence::Sequence;
use crate::collectives::{Algorithm, Closed, allgather, scatter};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
pub struct ScatterRing;

/// A scatter and an allgather with as many messages of as many words, between other ranks.
const HALVES: Sequence = Sequence::on_blocks([&[&scatter::Binomial], &[&allgather::Ring]], true);

impl Algorithm for ScatterRing {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        HALVES.formula(task)
    }

    fn duplex_formula(&self, task: &Task) -> Result<Closed, Error> {
        scattered::duplex(&HALVES, task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        let block = move |number, round| Words::Dealt(number + K - round, 1);
        Ok(scattered::plan(
            task,
            vec![Phase::new(
                task,
                K - 1,
                move |number, _| (number + 1) % K,
                block,
            )],
        ))
    }
}
