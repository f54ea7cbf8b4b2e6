//! The costs of a sweep.

use std::collections::BTreeMap;
use std::path::Path;

use algorithms::problem::Problem;

use crate::base::failure::Result;
use crate::record::file_name;
use crate::record::results::Sweep;
use crate::regress::costs::Costs;

/// The costs of one problem.
pub struct ProblemCosts {
    /// The problem.
    pub problem: &'static Problem,
    /// The cost at each point.
    pub costs: Costs,
    /// For each algorithm, the number of rows that were also simulated.
    pub simulated: BTreeMap<String, u64>,
}

/// The costs of a problem; `None` if the sweep has none of its points.
///
/// # Errors
/// Exit code 8 or 74 for rows that cannot be read.
pub fn read(
    problem: &'static Problem,
    from: &Path,
    sweep: &Sweep<'_>,
) -> Result<Option<ProblemCosts>> {
    // Rows first, because that checks their file against the manifest.
    let mut simulated = BTreeMap::new();
    for row in sweep
        .rows(problem, |_| true)?
        .into_iter()
        .filter(|row| row.simulated.is_some())
    {
        *simulated.entry(row.algorithm).or_default() += 1;
    }
    if sweep.listed(&file_name(problem))?.is_none() {
        return Ok(None);
    }
    Ok(Costs::read(from, problem)?.map(|costs| ProblemCosts {
        problem,
        costs,
        simulated,
    }))
}
