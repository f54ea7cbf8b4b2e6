//! Scans: rank r gets the combination of the words of the ranks up to r, or below r.

mod binary_tree;
mod direct;
mod linear;
mod recursive_doubling;

use super::parameters::Parameters;
use super::{Algorithm, Collective, Goal, Set, Share};
use crate::papers;
use crate::plan::Task;
use crate::problem::{Example, listed};
use crate::wide::Wide;

/// Which words a rank gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanKind {
    /// Its own included.
    Scan,
    /// Its own excluded.
    Exscan,
}

/// Rank r gets the combination of the n words of ranks 0 to r; `MPI_Scan`.
#[derive(Debug)]
pub struct Scan;

/// Rank r > 0 gets the combination of the n words of ranks 0 to r-1, rank 0 anything; `MPI_Exscan`.
#[derive(Debug)]
pub struct Exscan;

impl Goal for Scan {
    fn ends_with(&self, _: &Task, rank: u64, _: u64) -> Option<(u64, u64)> {
        Some((0, rank + 1))
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        crossing(task, set)
    }

    /// The last rank needs all words: it collects them, and receives n words or more. Each of the other ranks' results
    /// is another combination, so that each takes n combinings of its own: (K-1)n on K ranks.
    fn share(&self, task: &Task) -> Share {
        share(task, task.K - 1)
    }
}

impl Goal for Exscan {
    fn ends_with(&self, _: &Task, rank: u64, _: u64) -> Option<(u64, u64)> {
        (rank > 0).then_some((0, rank))
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        crossing(task, set)
    }

    /// The bound of [`Scan`] with one result fewer to combine: ranks 0 and 1 combine nothing.
    fn share(&self, task: &Task) -> Share {
        share(task, task.K.saturating_sub(2))
    }
}

const EXAMPLES: &[Example] = &[&[("L", 6), ("o", 2), ("g", 4), ("K", 8), ("n", 64), ("c", 1)]];

const SANDERS_TRAEFF: &str = "Sanders, Traeff 2006, Parallel prefix (scan) algorithms for MPI";

/// The row of the list.
pub static SCAN: Collective = Collective {
    name: "scan",
    title: "Scan under LogGOPS",
    goal: &Scan,
    parameters: Parameters::PLAIN,
    examples: EXAMPLES,
    limits: &[],
    entries: listed! {
        "scan-linear" => linear::Linear(ScanKind::Scan), (papers::FOLKLORE, "Open MPI: basic linear"):
            "along the chain of ranks, each combines what it receives and sends that on";
        "scan-recursive-doubling" => recursive_doubling::RecursiveDoubling(ScanKind::Scan),
            (papers::FOLKLORE, "Open MPI and MPICH: recursive doubling"):
            "in round r ranks whose numbers differ in bit r exchange all that they combined";
        "scan-binary-tree" => binary_tree::BinaryTree(ScanKind::Scan),
            (SANDERS_TRAEFF, "the binary tree, without segments"):
            "up and down a binary tree whose subtrees are ranges of ranks";
        "scan-direct" => direct::Direct(ScanKind::Scan), (papers::FOLKLORE, "collectives::scan::direct"):
            "every rank sends its words to all ranks after it, which combine them";
    },
};

/// The row of the list.
pub static EXSCAN: Collective = Collective {
    name: "exscan",
    title: "Exclusive scan under LogGOPS",
    goal: &Exscan,
    parameters: Parameters::PLAIN,
    examples: EXAMPLES,
    limits: &[],
    entries: listed! {
        "exscan-linear" => linear::Linear(ScanKind::Exscan), (papers::FOLKLORE, "Open MPI: basic linear"):
            "exclusive: along the chain of ranks, each combines what it receives and sends that on";
        "exscan-recursive-doubling" => recursive_doubling::RecursiveDoubling(ScanKind::Exscan),
            (papers::FOLKLORE, "Open MPI and MPICH: recursive doubling"):
            "exclusive: in round r ranks whose numbers differ in bit r exchange all that they combined";
        "exscan-binary-tree" => binary_tree::BinaryTree(ScanKind::Exscan),
            (SANDERS_TRAEFF, "the binary tree, without segments"):
            "exclusive: up and down a binary tree whose subtrees are ranges of ranks";
        "exscan-direct" => direct::Direct(ScanKind::Exscan), (papers::FOLKLORE, "collectives::scan::direct"):
            "exclusive: every rank sends its words to all ranks after it, which combine them";
    },
};

/// The share of a rank where `results` results have to be combined.
fn share(task: &Task, results: u64) -> Share {
    let n = Wide::from(task.n);
    Share {
        words: n,
        combined: (n * Wide::from(results)).div_ceil(task.K),
        is_multicast: false,
    }
}

/// A set of ranks needs words of lower ones unless it has the first ranks only, and higher ones need its words unless it has the last ones.
fn crossing(task: &Task, set: &Set) -> [u128; 2] {
    let n = u128::from(task.n);
    [set.last >= set.ranks, set.first < task.K - set.ranks]
        .map(|is_needed| if is_needed { n } else { 0 })
}
