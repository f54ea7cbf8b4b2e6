//! Scatter down the best tree.
//!
//! **Source.** Alexandrov, Ionescu, Schauser, Scheiman, "LogGP: incorporating long messages into the LogP model", SPAA 1995.
//! The paper has the model and the trade-off: a tree sends blocks more than once, but its root sends fewer messages.
//!
//! Ranks are numbered from the root. The tree and the order of children are those of the least time among all trees in
//! which a message carries whole blocks, for a subtree of ranks: the last numbers of those that are left. Blocks have one size.
//!
//! **Cost** P(K) of the [table](super::best_tree). On a machine that is given by L, o and g a gap is proportional to the
//! words, `g(s) = s·max(g, o)`. There the root sends every block itself, in the order of ranks: `(K-2)g(n) + D(n)`, which is the lower bound by
//! words of any scatter.
//!
//! **When it wins.** Never loses to another tree.
//!
//! **Departures.** The tree is found by comparing all, on machine profiles for K <= 4096.

use super::best_tree::{family, scatter_time};
use super::linear::Linear;
use crate::collectives::{Algorithm, Blocks, Closed, Properties};
use crate::engine::Machine;
use crate::error::Error;
use crate::plan::{Load, Plan, Task, Tree};

/// See the module.
pub struct Optimal;

impl Algorithm for Optimal {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        match task.machine {
            Machine::LogGops(_) => scatter_time(task).map(Closed::Exact),
            Machine::Words(_) | Machine::LogP(_) => Linear.formula(task),
        }
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        task.k == 1
    }

    /// The tree is the best one for equal blocks.
    fn properties(&self) -> Properties {
        Properties {
            has_equal_blocks: true,
            ..Properties::PLAIN
        }
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        if !matches!(task.machine, Machine::LogGops(_)) {
            return Linear.plan(task);
        }
        let task = Task {
            n: task.block_words(),
            blocks: Blocks::Equal,
            ..*task
        };
        Ok(Plan::Tree(Tree::down(Load::Blocks, move |number| {
            family(&task, number)
        })))
    }
}
