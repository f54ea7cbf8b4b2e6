//! The rows that an acceptance adds to `history.csv`.

use std::collections::BTreeMap;

use algorithms::catalogue;
use num_traits::ToPrimitive as _;

use super::comparison::Comparison;
use super::costs::{Costs, OverBound};
use super::history::HistoryRow;
use crate::revision::revision;

/// The rows of one acceptance, in the order of the catalogue; an algorithm that is gone has no points.
pub fn rows<'a>(
    comparison: &'a Comparison,
    costs: &'a [Costs],
    (date, reason): (&'a str, &'a str),
) -> impl Iterator<Item = HistoryRow> + 'a {
    comparison.algorithms.iter().map(move |tally| {
        let costs = costs
            .iter()
            .find(|costs| costs.algorithms.contains_key(&tally.algorithm));
        let points = costs.map(|costs| &costs.algorithms[&tally.algorithm]);
        let over = points.map(OverBound::new).unwrap_or_default();
        let worst = over.worst.as_ref();
        let problem = costs.and_then(|costs| costs.problem);
        HistoryRow {
            date: date.to_owned(),
            revision: revision().to_owned(),
            reason: reason.to_owned(),
            algorithm: tally.algorithm.clone(),
            algorithm_revision: catalogue::find(&tally.algorithm).map_or(0, |entry| entry.revision),
            points: points.map_or(0, BTreeMap::len) as u64,
            points_changed: tally.better + tally.worse + tally.new + tally.gone,
            points_better: tally.better,
            points_worse: tally.worse,
            sum_over_bound_f64: over.sum,
            worst_over_bound_f64: worst
                .map_or(0.0, |(ratio, _)| ratio.to_f64().unwrap_or(f64::NAN)),
            worst_point: worst
                .zip(problem)
                .map_or_else(String::new, |((_, at), problem)| at.options(problem)),
        }
    })
}
