//! Scatter down the best tree.
//!
//! **Source.** Alexandrov, Ionescu, Schauser, Scheiman, "LogGP: incorporating long messages into the LogP model", SPAA 1995.
//! The paper has the model and the trade-off: a tree sends blocks more than once, but its root sends fewer messages.
//!
//! Ranks are numbered from the root. The tree and the order of children are those of the least time among all trees in
//! which a message carries whole blocks, for a subtree of ranks.
//!
//! **Cost** P(K) of the [table](super::best_tree). On a machine that is given by L, o and g a gap is proportional to the
//! words, `g(s) = s·max(g, o)`. There the root sends every block itself: `(K-2)g(n) + D(n)`, which is the lower bound by
//! words of any scatter.
//!
//! **When it wins.** Never loses to another tree.
//!
//! **Departures.** The tree is found by comparing all, on machine profiles for K <= 4096.

use super::best_tree::{Place, place, scatter_time};
use super::linear::Linear;
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
            Machine::LogGops(_) => scatter_time(task).map(Some),
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
pub(super) fn write(task: &Task, rank: u32, place: Place, script: &mut Script) {
    if let Some(parent) = place.parent {
        script.receive(task.rank(parent), 0, task.blocks(rank.into(), place.size));
    }
    for (child, size) in place.children {
        script.send(task.rank(child), 0, task.blocks(task.root + child, size));
    }
}
