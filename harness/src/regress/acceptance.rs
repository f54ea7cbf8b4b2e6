//! The rows that an acceptance adds to `history.csv`.

use std::collections::BTreeMap;

use algorithms::catalogue;
use num_traits::ToPrimitive as _;

use super::comparison::Comparison;
use super::costs::{Cost, Costs, OverBound, PointKey};
use crate::base::revision::revision;
use crate::record::history::HistoryRow;

/// The rows of one acceptance, in the order of the catalogue; an algorithm that is gone has no points.
pub fn rows<'a>(
    comparison: &'a Comparison,
    (before, costs): (&'a [Costs], &'a [Costs]),
    (date, reason): (&'a str, &'a str),
) -> impl Iterator<Item = HistoryRow> + 'a {
    comparison.algorithms.iter().map(move |tally| {
        let has = |costs: &&Costs| costs.algorithms.contains_key(&tally.algorithm);
        let of = |costs: &'a Costs| &costs.algorithms[&tally.algorithm];
        let costs = costs.iter().find(has);
        let points = costs.map(of);
        let old = before.iter().find(has).map(of);
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
            over_before_f64: points.zip(old).and_then(|(now, old)| over_before(now, old)),
        }
    })
}

type Points = BTreeMap<PointKey, Cost>;

/// The sum of the costs now over that of the costs before, each over the lower bound now, at the points of both.
fn over_before(now: &Points, old: &Points) -> Option<f64> {
    let common = |costs: &Points| -> Points {
        let cost = |(point, cost): (&PointKey, &Cost)| {
            old.get(point)?;
            let cost = Cost {
                lower_bound: now.get(point)?.lower_bound.clone(),
                cost: cost.cost.clone(),
            };
            Some((point.clone(), cost))
        };
        costs.iter().filter_map(cost).collect()
    };
    let [now, before] = [now, old].map(|costs| OverBound::new(&common(costs)).sum);
    (before > 0.0).then(|| now / before)
}
