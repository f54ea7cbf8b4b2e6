//! Gather up the best tree.
//!
//! **Source.** As [`scatter-optimal`](crate::collectives::scatter::Optimal): Alexandrov, Ionescu, Schauser, Scheiman 1995.
//!
//! The tree of `scatter-optimal`. A rank receives from its children in the opposite order, the last one first.
//!
//! **Cost.** Let a tree of S ranks have a first subtree of s. Its root has all blocks at R(S) and began its last receive at
//! B(S): `B(S) = max(R(s) + o(s) + L(s), R(S-s), B(S-s) + g(s))` for messages of s blocks, `R(S) = B(S) + o(s)`, `R(1) = 0`,
//! without the last term for S-s = 1. The cost is R(K). Where the overhead is the same for all sizes, a gather is a
//! scatter backwards, and so the best. Where a gap is proportional to the words, as on a machine that is given by L, o and
//! g, every rank sends to the root: `(K-2)g(n) + D(n)`.
//!
//! **When it wins.** Where the overhead does not grow with the size, it never loses to another tree.
//!
//! **Departures.** On machine profiles K <= 4096. Where the overhead grows with the size another tree may be better.

use super::linear::Linear;
use crate::collectives::scatter::best_tree::{Place, gather_time, place};
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task};
use crate::engine::Machine;
use crate::error::Error;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Optimal;

impl Algorithm for Optimal {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        match task.machine {
            Machine::LogGops(_) => gather_time(task).map(Some),
            Machine::Words(_) | Machine::LogP(_) => Linear.time(task),
        }
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K - 1)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        if !matches!(task.machine, Machine::LogGops(_)) {
            return Linear.script(task, rank, script);
        }
        write(task, rank, place(task, task.number(rank)), script);
    }
}

/// What a rank does at this place of a tree.
pub(in crate::collectives) fn write(task: &Task, rank: u32, place: Place, script: &mut Script) {
    for (child, size) in place.children.into_iter().rev() {
        script.receive(task.rank(child), 0, task.blocks(task.root + child, size));
    }
    if let Some(parent) = place.parent {
        script.send(task.rank(parent), 0, task.blocks(rank.into(), place.size));
    }
}
