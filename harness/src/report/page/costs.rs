//! The costs: a summary of each algorithm.

use algorithms::catalogue;
use algorithms::problem::{Kind, Problem};
use maud::{Markup, html};
use num_traits::ToPrimitive as _;

use super::super::Report;
use super::super::costs::ProblemCosts;
use super::run;
use super::{code, ratio, table};
use crate::base::units::grouped;
use crate::record::file_name;
use crate::regress::costs::OverBound;

pub fn section(report: &Report<'_>) -> Markup {
    html! {
        p {
            "Exact cost over the lower bound, over all points of the sweep. No algorithm can beat the bound. The points are chosen, \
             not random, so compare means only within one problem. Click on a column's title to sort."
        }
        @for costs in &report.costs { (problem(costs, report.is_neighbour)) }
    }
}

/// The unit of a problem's costs.
fn unit(problem: &Problem) -> String {
    let on_profile = problem.axes.iter().any(|axis| axis.kind == Kind::Profile);
    let or_ns = if on_profile {
        ", or ns on a machine profile"
    } else {
        ""
    };
    format!("{}{or_ns}", problem.unit(&[]).plural())
}

fn problem(costs: &ProblemCosts, is_neighbour: bool) -> Markup {
    let (title, unit) = (costs.problem.title, unit(costs.problem));
    let file = run::file_name(&file_name(costs.problem), is_neighbour);
    let mut rows: Vec<_> = costs
        .costs
        .algorithms
        .iter()
        .map(|(name, points)| (name, points.len(), OverBound::new(points)))
        .collect();
    rows.sort_by_key(|(name, ..)| catalogue::find(name).map_or(usize::MAX, |entry| entry.rank()));
    let simulated = |name: &String| costs.simulated.get(name).copied().unwrap_or(0);
    let worst = |over: &OverBound<'_>| {
        over.worst
            .as_ref()
            .and_then(|(worst, _)| worst.to_f64())
            .map(ratio)
    };
    html! {
        h3 #{ "costs-" (costs.problem.name) } { (title) }
        p { "In " (unit) ". All rows: " (file) "." }
        (table(format!("{title}: each algorithm over the sweep"), &rows)
            .text("algorithm", |(name, ..)| name)
            .number("points", |(_, points, _)| grouped(*points as u64))
            .number("executed", |(name, ..)| grouped(simulated(name)))
            .number("at the bound", |(_, points, over)| format!("{:.1} %", 100.0 * over.at_bound as f64 / *points as f64))
            .number("mean / bound", |(_, points, over)| ratio(over.sum / *points as f64))
            .number("worst / bound", |(.., over)| worst(over).unwrap_or_default())
            .text("worst at", |(name, _, over)| {
                let at = over.worst.as_ref().map(|(_, at)| at.options(costs.problem));
                at.map(|at| code(&format!("castbench cost {name} {at}"))).unwrap_or_default()
            }))
    }
}
