//! Barrier: no rank leaves before every rank has entered.
//!
//! All ranks enter at time 0. A message has one word, on a machine profile one byte; it tells of which ranks its sender
//! knows that they have entered. The cost is the time at which all ranks know that of all, and every operation has ended.

mod dissemination;
mod double_ring;
mod linear;
mod tree;

use super::allreduce::RECURSIVE_DOUBLING;
use super::k_nomial::KNomial;
use super::parameters::Parameters;
use super::switched::Switched;
use super::{Collective, Goal, Share};
use crate::papers;
use crate::plan::{self, Family, Load, Part, Plan, Task};
use crate::problem::listed;
use crate::wide::Wide;

/// Reports go up a tree to rank 0, and releases go down.
fn reported<'a>(
    task: &Task,
    up: impl Fn(u64) -> Family + 'a,
    down: impl Fn(u64) -> Family + 'a,
) -> Plan<'a> {
    let part = |tree, tag| Part {
        task: *task,
        plan: Plan::Tree(tree),
        tag,
    };
    Plan::Then(vec![
        part(plan::Tree::up(Load::Vector, up), 0),
        part(plan::Tree::down(Load::Vector, down), 1),
    ])
}

/// Every rank knows that all ranks have entered; `MPI_Barrier`.
#[derive(Debug)]
pub struct Barrier;

impl Goal for Barrier {
    fn ends_with(&self, task: &Task, _: u64, _: u64) -> Option<(u64, u64)> {
        Some((0, task.K))
    }

    /// A rank may hear of another one twice.
    fn is_idempotent(&self) -> bool {
        true
    }

    /// Each rank's entry must reach all others, at best by the optimal multicast.
    fn share(&self, task: &Task) -> Share {
        Share {
            words: task.n.into(),
            combined: Wide::ZERO,
            is_multicast: false,
        }
    }
}

/// The row of the list.
pub static BARRIER: Collective = Collective {
    name: "barrier",
    title: "Barrier under LogGOPS",
    goal: &Barrier,
    parameters: Parameters::BARE,
    examples: &[&[("L", 6), ("o", 2), ("g", 4), ("K", 18)], &[("ports", 2)]],
    limits: &[],
    entries: listed! {
        "barrier-dissemination" => dissemination::DISSEMINATION,
            (papers::DISSEMINATION, "section 3; Open MPI: bruck; MPICH: dissemination; r > 2: Hoefler et al. 2006"):
            "in round x every rank tells the ranks r^x, 2r^x, .. (r-1)r^x further on what it knows";
        "barrier-linear" => linear::LINEAR, (papers::FOLKLORE, "Open MPI: basic linear"):
            "every rank reports to rank 0, which releases every rank";
        "barrier-recursive-doubling" => RECURSIVE_DOUBLING, (papers::FOLKLORE, "Open MPI: recursive doubling"):
            "in round r ranks whose numbers differ in bit r tell each other what they know";
        "barrier-recursive-exchange-4" => KNomial::ALLREDUCE_4, (papers::FOLKLORE, "UCC: knomial"):
            "recursive doubling with radix 4";
        "barrier-recexch-4" => KNomial::RECEXCH_ALLREDUCE_4, (papers::FOLKLORE, "MPICH: recexch"):
            "as barrier-recursive-exchange of radix 4 among the last ranks of groups of 4";
        "barrier-tree" => tree::TREE, (papers::FOLKLORE, "Open MPI: tree"):
            "reports go up a binomial tree to rank 0, and releases go down";
        "barrier-double-ring" => double_ring::DOUBLE_RING, (papers::FOLKLORE, "Open MPI: double ring"):
            "a message goes around a ring twice";
        "barrier-switch" => Switched::Allreduce, (papers::SHARP, "section III"):
            "a switch combines the reports of all ranks and releases them at once";
    },
};
