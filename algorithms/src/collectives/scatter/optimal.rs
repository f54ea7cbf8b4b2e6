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
//!
//! # Gather
//!
//! **Source.** As of the scatter.
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

use super::best_tree::{first, gather_time, scatter_time};
use super::linear::Linear;
use crate::collectives::{Algorithm, Blocks, Closed, Properties};
use crate::engine::Machine;
use crate::error::Error;
use crate::plan::subtrees::by_ranges;
use crate::plan::{Load, Plan, Task, Tree};

/// See the module.
pub struct Optimal {
    is_up: bool,
}

impl Optimal {
    /// From the root.
    pub const SCATTER: Self = Self { is_up: false };
    /// To the root.
    pub const GATHER: Self = Self { is_up: true };

    /// The best algorithm where a gap is proportional to the words.
    fn linear(&self) -> &'static Linear {
        if self.is_up {
            &Linear::GATHER
        } else {
            &Linear::SCATTER
        }
    }
}

impl Algorithm for Optimal {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        match task.machine {
            Machine::LogGops(_) if self.is_up => gather_time(task).map(Closed::Exact),
            Machine::LogGops(_) => scatter_time(task).map(Closed::Exact),
            Machine::Words(_) | Machine::LogP(_) => self.linear().formula(task),
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
            return self.linear().plan(task);
        }
        let task = Task {
            n: task.block_words(),
            blocks: Blocks::Equal,
            ..*task
        };
        let family = by_ranges(task.K, move |size| first(&task, size));
        let tree = Tree::down(Load::Blocks, family);
        Ok(match self.is_up {
            true => Plan::Tree(tree).reversed(false),
            false => Plan::Tree(tree),
        })
    }
}
