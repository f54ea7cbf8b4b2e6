//! A summary of a sweep's costs: cost over lower bound per algorithm.

use std::collections::BTreeMap;
use std::path::Path;

use algorithms::catalogue;
use algorithms::problem::AnyProblem;
use num_traits::ToPrimitive as _;

use crate::failure::Failure;
use crate::record::results::Sweep;
use crate::regress::costs::{Costs, OverBound};

/// The costs of one problem.
pub struct ProblemCosts {
    /// The problem.
    pub problem: &'static dyn AnyProblem,
    /// In the order of the catalogue.
    pub algorithms: Vec<AlgorithmCosts>,
}

/// An algorithm over all its points.
pub struct AlgorithmCosts {
    /// Its name in the catalogue.
    pub name: String,
    /// Different points with a cost.
    pub points: u64,
    /// Rows that were also simulated.
    pub simulated: u64,
    /// The part of the points at which the cost is the lower bound, in percent.
    pub at_bound: f64,
    /// The mean, over the points, of the cost over its lower bound, rounded.
    pub mean: f64,
    /// The largest such ratio, rounded, and its point as options of `castbench cost`.
    pub worst: Option<(f64, String)>,
}

/// Summarises a problem; `None` if the sweep has none of its points.
///
/// # Errors
/// Exit code 8 or 74 for rows that cannot be read.
pub fn summarise(
    problem: &'static dyn AnyProblem,
    from: &Path,
    sweep: &Sweep<'_>,
) -> Result<Option<ProblemCosts>, Failure> {
    // Rows first, because that checks their file against the manifest.
    let mut rows = sweep.rows(problem, |_| true)?;
    rows.retain(|row| row.simulated.is_some());
    let mut simulated: BTreeMap<&str, u64> = BTreeMap::new();
    for row in &rows {
        *simulated.entry(&row.algorithm).or_default() += 1;
    }
    if sweep.listed(&crate::record::file_name(problem))?.is_none() {
        return Ok(None);
    }
    let Some(costs) = Costs::read(from, problem)? else { return Ok(None) };
    let mut names: Vec<&String> = costs.algorithms.keys().collect();
    names.sort_by_key(|name| catalogue::find(name).map_or(usize::MAX, |entry| entry.rank()));
    let algorithms = names.iter().map(|name| summary(name, &costs, &simulated)).collect();
    Ok(Some(ProblemCosts { problem, algorithms }))
}

fn summary(name: &str, costs: &Costs, simulated: &BTreeMap<&str, u64>) -> AlgorithmCosts {
    let points = &costs.algorithms[name];
    let over = OverBound::new(points);
    #[expect(clippy::cast_precision_loss, reason = "means for people")]
    let [mean, at_bound] = [over.sum, 100.0 * over.at_bound as f64].map(|sum| sum / points.len() as f64);
    AlgorithmCosts {
        name: name.to_owned(),
        points: points.len() as u64,
        simulated: simulated.get(name).copied().unwrap_or(0),
        at_bound,
        mean,
        worst: over.worst.map(|(ratio, at)| {
            (ratio.to_f64().unwrap_or(f64::NAN), costs.problem.map_or_else(String::new, |problem| at.options(problem)))
        }),
    }
}
