//! Linear gather in which the root asks for each block.
//!
//! **Source.** Folklore; Open MPI: `linear_sync` (`ompi_coll_base_gather_intra_linear_sync`).
//!
//! In the order of the ranks the root sends a rank a message of 0 words and receives the first part of its block. The rank sends the
//! rest in a second message, also one of 0 words; the root receives these behind all first parts. `gather-linear-sync:N` has N words
//! in a first part, or the block if it is shorter; without N that is the block.
//!
//! **Cost** at least that of `gather-linear`; the times of all ranks are followed, for up to 2^22 messages.
//!
//! **When it wins.** Never by this cost: it keeps blocks that the root has no room for from arriving all at once.
//!
//! **Departures.** Open MPI receives a second part when it is there, between first parts, too.

use crate::collectives::{Algorithm, Closed};
use crate::cost::LARGEST;
use crate::error::Error;
use crate::plan::{Plan, Task, narrow};
use crate::wide::Wide;

/// See the module.
pub struct LinearSync {
    /// Words of a first part.
    first: u64,
}

impl LinearSync {
    /// The block in one part.
    pub const WHOLE: Self = Self { first: u64::MAX };
}

impl Algorithm for LinearSync {
    fn formula(&self, _: &Task) -> Result<Closed, Error> {
        Ok(Closed::Between([0, LARGEST]))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        let root = narrow(task.root);
        let parts = move |rank: u32| {
            let block = task.words(rank.into()..u64::from(rank) + 1);
            let cut = block.start + self.first.min(block.end - block.start);
            [block.start..cut, cut..block.end].map(Some)
        };
        let messages = 3 * Wide::from(task.K - 1);
        Ok(Plan::script(messages, 3, move |rank, script| {
            if rank != root {
                let [first, second] = parts(rank);
                script.receive(root, 0, None);
                script.send(root, 1, first);
                script.send(root, 2, second);
                return;
            }
            let others = || (0..narrow(task.K)).filter(|&other| other != root);
            for other in others() {
                script.send(other, 0, None);
                script.receive(other, 1, parts(other)[0].clone());
            }
            others().for_each(|other| script.receive(other, 2, parts(other)[1].clone()));
        }))
    }

    fn with_number(&self, first: u64) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(Self { first }))
    }
}
