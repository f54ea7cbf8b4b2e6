//! A summary of a sweep's costs: cost over lower bound per algorithm, and the costs of all algorithms at a few points.

use std::collections::BTreeMap;
use std::path::Path;

use algorithms::catalogue;
use algorithms::problem::AnyProblem;
use num_rational::BigRational;
use num_traits::ToPrimitive as _;

use crate::failure::Failure;
use crate::record::results::Sweep;
use crate::regress::costs::{Costs, OverBound, PointKey, exact, point_columns};

/// The costs of one problem.
pub struct ProblemCosts {
    /// The problem.
    pub problem: &'static dyn AnyProblem,
    /// In the order of the catalogue.
    pub algorithms: Vec<AlgorithmCosts>,
    /// Their costs at a few points.
    pub sample: Sample,
}

/// An algorithm over all its points.
pub struct AlgorithmCosts {
    /// Its name in the catalogue.
    pub name: String,
    /// Different points with a cost.
    pub points: u64,
    /// Rows that were also simulated.
    pub simulated: u64,
    /// Points at which the cost is the lower bound.
    pub at_bound: u64,
    /// The mean, over the points, of the cost over its lower bound, rounded.
    pub mean: f64,
    /// The largest such ratio, rounded, and its point as options of `castbench cost`.
    pub worst: Option<(f64, String)>,
}

/// Costs side by side.
pub struct Sample {
    /// The columns that distinguish the points, as in the CSV file, without those that are empty at all points shown.
    pub columns: Vec<String>,
    /// The number of algorithms with a cost at each point shown, which is the most at any point.
    pub algorithms: usize,
    /// The number of points where that many algorithms have a cost.
    pub of: usize,
    /// The points shown.
    pub points: Vec<SamplePoint>,
}

/// A point and its costs.
pub struct SamplePoint {
    /// The values of the sample's columns.
    pub values: Vec<String>,
    /// No algorithm can cost less.
    pub lower_bound: Option<BigRational>,
    /// In the order of the algorithms; missing if an algorithm does not apply.
    pub costs: Vec<Option<BigRational>>,
}

/// Points shown of a problem.
const SHOWN: usize = 24;

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
    let sample = sample(&names, &costs);
    Ok(Some(ProblemCosts { problem, algorithms, sample }))
}

fn summary(name: &str, costs: &Costs, simulated: &BTreeMap<&str, u64>) -> AlgorithmCosts {
    let points = &costs.algorithms[name];
    let over = OverBound::new(points);
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let mean = over.sum / points.len() as f64;
    AlgorithmCosts {
        name: name.to_owned(),
        points: points.len() as u64,
        simulated: simulated.get(name).copied().unwrap_or(0),
        at_bound: over.at_bound,
        mean,
        worst: over.worst.map(|(ratio, at)| {
            (ratio.to_f64().unwrap_or(f64::NAN), costs.problem.map_or_else(String::new, |problem| at.options(problem)))
        }),
    }
}

/// The points at which the most algorithms can be compared, evenly spread over their order.
fn sample(names: &[&String], costs: &Costs) -> Sample {
    let mut known: BTreeMap<&PointKey, usize> = BTreeMap::new();
    for point in costs.algorithms.values().flat_map(BTreeMap::keys) {
        *known.entry(point).or_default() += 1;
    }
    let most = known.values().copied().max().unwrap_or(0);
    let mut points: Vec<&PointKey> =
        known.into_iter().filter(|&(_, count)| count == most).map(|(point, _)| point).collect();
    points.sort_by_cached_key(|point| point.in_order());
    let shown: Vec<&PointKey> = spread(points.len(), SHOWN).map(|index| points[index]).collect();
    let has_value =
        |column: &usize| shown.iter().any(|point| point.values().nth(*column).is_some_and(|v| !v.is_empty()));
    let names_of = costs.problem.map(point_columns).unwrap_or_default();
    let columns: Vec<usize> = (0..names_of.len()).filter(has_value).collect();
    let sample_point = |point: &&PointKey| SamplePoint {
        values: columns.iter().map(|&column| point.values().nth(column).unwrap_or_default().to_owned()).collect(),
        lower_bound: names.iter().find_map(|name| exact(&costs.algorithms[*name].get(*point)?.lower_bound)),
        costs: names.iter().map(|name| exact(&costs.algorithms[*name].get(*point)?.cost)).collect(),
    };
    Sample {
        columns: columns.iter().map(|&column| names_of[column].to_owned()).collect(),
        algorithms: most,
        of: points.len(),
        points: shown.iter().map(sample_point).collect(),
    }
}

/// At most `most` of the numbers below `count`, evenly spread, the first and the last among them.
fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let shown = count.min(most);
    (0..shown).map(move |number| if shown < 2 { 0 } else { number * (count - 1) / (shown - 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_from_end_to_end() {
        let spread = |count, most| spread(count, most).collect::<Vec<_>>();
        assert_eq!(spread(0, 3), [0; 0]);
        assert_eq!(spread(1, 3), [0]);
        assert_eq!(spread(3, 3), [0, 1, 2]);
        assert_eq!(spread(101, 3), [0, 50, 100]);
        assert_eq!(spread(5, 1), [0]);
    }
}
