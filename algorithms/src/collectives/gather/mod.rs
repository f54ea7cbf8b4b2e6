//! Gather: the root gets the block of every rank.

mod binomial;
mod linear_sync;

use super::k_nomial::KNomial;
use super::parameters::Parameters;
use super::scatter::{LOGGP, Linear, Optimal};
use super::{Collective, Goal, Set, Share, bine, bounds};
use crate::papers;
use crate::plan::{Load, Task};
use crate::problem::listed;
pub use binomial::BINOMIAL;

/// The root gets the block of n words of every rank; `MPI_Gather`.
#[derive(Debug)]
pub struct Gather;

impl Goal for Gather {
    fn blocks(&self, task: &Task) -> u128 {
        task.K.into()
    }

    fn starts_with(&self, _: &Task, rank: u64, block: u64) -> bool {
        rank == block
    }

    fn ends_with(&self, task: &Task, rank: u64, block: u64) -> Option<(u64, u64)> {
        (rank == task.root).then_some((block, 1))
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        let [inside, outside] = bounds::sides(task, set);
        if set.has_root {
            [outside, 0]
        } else {
            [0, inside]
        }
    }

    fn involved(&self, task: &Task) -> u64 {
        bounds::involved_by_root(task)
    }

    fn share(&self, task: &Task) -> Share {
        bounds::of_root(task)
    }
}

/// The Bine tree.
const BINE: bine::Tree = bine::Tree::new(&BINOMIAL, Load::Blocks, true);

/// The row of the list.
pub static GATHER: Collective = Collective {
    name: "gather",
    title: "Gather under LogGOPS",
    goal: &Gather,
    parameters: Parameters::ROOTED,
    examples: &[&[("L", 6), ("o", 2), ("g", 4), ("K", 8), ("n", 64)]],
    limits: &[],
    entries: listed! {
        "gather-linear" => Linear::GATHER, (papers::FOLKLORE, "Open MPI: basic linear"):
            "every rank sends its block to the root";
        "gather-linear-sync" => linear_sync::LinearSync::WHOLE, (papers::FOLKLORE, "Open MPI: linear_sync"):
            "the root asks one rank after the other for its block";
        "gather-binomial" => BINOMIAL, (papers::BINOMIAL, "Open MPI and MPICH: binomial"):
            "blocks go up a binomial tree, the smallest subtree first";
        "gather-bine" => BINE, (papers::BINE, "trees"):
            "blocks go up a binomial tree whose subtrees are ranges of ranks, the smallest first";
        "gather-k-nomial-4" => KNomial::GATHER_4, (papers::FOLKLORE, "UCC: knomial"):
            "blocks go up a k-nomial tree of radix 4";
        "gather-optimal" => Optimal::GATHER, (LOGGP, "scatter"): "blocks go up the best tree";
    },
};
