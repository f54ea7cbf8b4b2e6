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
//! g, every rank sends to the root, which receives in the order of ranks: `(K-2)g(n) + D(n)`.
//!
//! **When it wins.** Where the overhead does not grow with the size, it never loses to another tree.
//!
//! **Departures.** On machine profiles K <= 4096. Where the overhead grows with the size another tree may be better.

use super::linear::Linear;
use crate::collectives::scatter::best_tree::gather_time;
use crate::collectives::{Algorithm, Closed, Properties, scatter};
use crate::engine::Machine;
use crate::error::Error;
use crate::plan::{Plan, Task};

/// See the module.
pub struct Optimal;

impl Algorithm for Optimal {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        match task.machine {
            Machine::LogGops(_) => gather_time(task).map(Closed::Exact),
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
        Ok(scatter::Optimal.plan(task)?.reversed(false))
    }
}
