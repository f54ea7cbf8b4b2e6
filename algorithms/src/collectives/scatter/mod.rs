//! Scatter: every rank gets its block from the root.

pub(super) mod best_tree;
mod binomial;
mod linear;
mod optimal;

use super::k_nomial::KNomial;
use super::parameters::Parameters;
use super::{Collective, Goal, Set, Share, bine, bounds};
use crate::papers;
use crate::plan::{Load, Task};
use crate::problem::listed;
pub use binomial::BINOMIAL;
pub use linear::Linear;
pub use optimal::Optimal;

/// Every rank gets its block of n words from the root; `MPI_Scatter`.
#[derive(Debug)]
pub struct Scatter;

impl Goal for Scatter {
    fn blocks(&self, task: &Task) -> u128 {
        task.K.into()
    }

    fn starts_with(&self, task: &Task, rank: u64, _: u64) -> bool {
        rank == task.root
    }

    fn ends_with(&self, task: &Task, rank: u64, block: u64) -> Option<(u64, u64)> {
        (rank == block).then_some((task.root, 1))
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        let [inside, outside] = bounds::sides(task, set);
        if set.has_root {
            [0, outside]
        } else {
            [inside, 0]
        }
    }

    fn involved(&self, task: &Task) -> u64 {
        bounds::involved_by_root(task)
    }

    fn share(&self, task: &Task) -> Share {
        bounds::of_root(task)
    }
}

pub(super) const LOGGP: &str = "Alexandrov, Ionescu, Schauser, Scheiman 1995, LogGP: incorporating long messages into the LogP model";

/// The Bine tree.
const BINE: bine::Tree = bine::Tree::new(&BINOMIAL, Load::Blocks, false);

/// The row of the list.
pub static SCATTER: Collective = Collective {
    name: "scatter",
    title: "Scatter under LogGOPS",
    goal: &Scatter,
    parameters: Parameters::ROOTED,
    examples: &[&[("L", 6), ("o", 2), ("g", 4), ("K", 8), ("n", 64)]],
    limits: &[[
        "gather-optimal, scatter-optimal on a machine profile",
        "K = 4,096",
        "refused: all trees are compared",
    ]],
    entries: listed! {
        "scatter-linear" => Linear::SCATTER, (papers::FOLKLORE, "Open MPI: basic linear"):
            "the root sends every rank its block";
        "scatter-binomial" => BINOMIAL, (papers::BINOMIAL, "Open MPI and MPICH: binomial"):
            "blocks go down a binomial tree, the largest subtree first";
        "scatter-bine" => BINE, (papers::BINE, "trees"):
            "blocks go down a binomial tree whose subtrees are ranges of ranks, the largest first";
        "scatter-k-nomial-4" => KNomial::SCATTER_4, (papers::FOLKLORE, "UCC: knomial"):
            "blocks go down a k-nomial tree of radix 4";
        "scatter-optimal" => Optimal::SCATTER, (LOGGP, "scatter"): "blocks go down the best tree";
    },
};
