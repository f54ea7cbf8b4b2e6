//! Broadcasts as a scatter down a binomial tree and an allgather in which all ranks exchange: around a ring, or by recursive doubling.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.2, the ring after van de Geijn; MPICH:
//! `MPIR_Bcast_intra_scatter_ring_allgather` and `MPIR_Bcast_intra_scatter_recursive_doubling_allgather`; Open MPI:
//! `scatter_allgather_ring` and `scatter_allgather`.
//!
//! Ranks are numbered from the root, and the words are dealt out to K blocks, the first `n mod K` of them one word longer. The scatter
//! is [`scatter-binomial`](crate::collectives::scatter::BINOMIAL). On the ring, in round r of K-1 number i then sends block i - r to
//! number i+1 and receives block `i-1-r` from number i-1, all modulo K. By doubling the allgather is
//! [`allgather-recursive-doubling`](crate::collectives::allgather::RECURSIVE_DOUBLING).
//!
//! **Cost** where K divides n and no gap is longer than its hop, by doubling also K is a power of two: that of the scatter and that of
//! [`allgather-ring`](crate::collectives::ring) or `allgather-recursive-doubling` with n/K words; why is in
//! [`sequence`](crate::collectives::sequence). Else the messages of all ranks are followed, up to 2^22. With one duplex
//! port it is the same.
//!
//! **When it wins.** The ring: long vectors; every rank receives n words, and sends about as many. With strict ports
//! [`broadcast-scatter-allgather`](super::scatter_allgather) takes no longer, because it leaves out messages with blocks that their
//! receiver holds. Doubling: vectors of medium length on powers of two; `2 log2 K` messages are on the longest path, and a rank
//! receives each word once or twice.
//!
//! **Departures.** MPICH's blocks have `ceil(n/K)` words, the last ones fewer or none. A rank that has more than its block after the
//! scatter is sent blocks that it holds, as in MPICH.

use crate::collectives::sequence::Sequence;
use crate::collectives::{Algorithm, Closed, allgather, ring, scatter};
use crate::error::Error;
use crate::plan::{Family, Load, Part, Phase, Plan, Task, Tree, Words};

/// See the module.
pub struct Scattered {
    /// A scatter and an allgather with as many messages of as many words, between other ranks.
    halves: Sequence,
    /// The allgather.
    phases: fn(&Task) -> Vec<Phase<'static>>,
}

impl Scattered {
    /// Around a ring.
    pub const RING: Self = Self {
        halves: Sequence::on_blocks([&[&scatter::BINOMIAL], &[&ring::ALLGATHER]], true),
        phases: |task| vec![ring::around(task, Words::Dealt, task.K)],
    };

    /// By recursive doubling.
    pub const DOUBLING: Self = Self {
        halves: Sequence::on_blocks(
            [&[&scatter::BINOMIAL], &[&allgather::RECURSIVE_DOUBLING]],
            true,
        ),
        phases: |task| allgather::recursive_doubling::phases(task.K, Words::Dealt),
    };
}

impl Algorithm for Scattered {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        self.halves.formula(task)
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        task.k == 1
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(plan(task, (self.phases)(task)))
    }
}

/// A scatter down a binomial tree, then phases of numbers from the root.
pub(super) fn plan<'a>(task: &Task, phases: Vec<Phase<'a>>) -> Plan<'a> {
    let K = task.K;
    let scatter = Tree::down(Load::Dealt, move |number| {
        Family::binomial(K, number).reversed()
    });
    let phases = phases.into_iter().map(Phase::numbered_from_root).collect();
    let part = |plan, tag| Part {
        task: *task,
        plan,
        tag,
    };
    Plan::Then(vec![
        part(Plan::Tree(scatter), 0),
        part(Plan::Rounds(phases), 1),
    ])
}
