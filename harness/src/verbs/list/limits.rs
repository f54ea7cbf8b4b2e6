//! The limits of castbench and what happens beyond. The tests `limits` and those of each verb show them.

use super::keys::cells;
use crate::print::Columns;
use algorithms::catalogue::PROBLEMS;

/// What is limited, the largest accepted value, and what happens beyond it.
pub type Limit = [&'static str; 3];

/// The columns of a limit.
pub fn columns() -> Columns<'static, Limit> {
    Columns::<Limit>::empty()
        .column("what", "what is limited", |limit| limit[0])
        .column("largest", "the largest that is accepted", |limit| limit[1])
        .column("beyond", "what happens beyond that", |limit| limit[2])
}

/// All limits: of numbers, of problems, of simulation, of verbs, of files.
pub fn limits() -> Vec<Limit> {
    let [before, after] = cells(include_str!("limits.txt"));
    before
        .chain(PROBLEMS.iter().flat_map(|problem| problem.limits).copied())
        .chain(after)
        .collect()
}
