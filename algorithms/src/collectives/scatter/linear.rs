//! Linear scatter.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! The root sends every other rank its block, in the order of the ranks.
//!
//! **Cost** with `G = max(g(n), o(n))`: `(K-2)G + D(n)`, and 0 for K = 1. Sends are G apart; a rank receives once.
//!
//! **When it wins.** Where the gap of a message is proportional to its words, at any point: the root's port is busy for the
//! fewest words, and no block is sent twice.
//!
//! **Departures.** None.
//!
//! # Gather
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! Every rank sends its block to the root, which receives them in the order of the ranks.
//!
//! **Cost** with `G = max(g(n), o(n))`: `(K-2)G + D(n)`, and 0 for K = 1. All messages are at the root at `o(n) + L(n)`;
//! it receives them G apart.
//!
//! **When it wins.** Where the gap of a message is proportional to its words, at any point: the root's port is busy for the
//! fewest words, and no block is sent twice.
//!
//! **Departures.** None.

use crate::collectives::trees::flat;
use crate::collectives::{Algorithm, Closed};
use crate::error::Error;
use crate::plan::{Family, Load, Plan, Task, Tree};

/// See the module.
pub struct Linear {
    is_up: bool,
}

impl Linear {
    /// From the root.
    pub const SCATTER: Self = Self { is_up: false };
    /// To the root.
    pub const GATHER: Self = Self { is_up: true };
}

impl Algorithm for Linear {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        Closed::exact(flat(&Task { c: 0, ..*task })?)
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        task.k == 1
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (K, root) = (task.K, task.root);
        let family = move |number| Family::by_rank(K, root, number);
        Ok(Plan::Tree(Tree::new(Load::Blocks, self.is_up, family)))
    }
}
