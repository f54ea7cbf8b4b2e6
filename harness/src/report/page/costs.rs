//! The costs: a summary of each algorithm.

use algorithms::problem::{AnyProblem, Kind};
use maud::{Markup, html};

use super::super::Report;
use super::super::costs::ProblemCosts;
use super::run;
use super::{code, ratio, table};
use crate::record::file_name;
use crate::units::grouped;

pub(super) fn section(report: &Report<'_>) -> Markup {
    html! {
        p {
            "Exact cost over the lower bound, over all points of the sweep. No algorithm can beat the bound. The points are chosen, \
             not random, so compare means only within one problem. Click on a column's title to sort."
        }
        @for costs in &report.costs { (problem(costs, report.is_neighbour)) }
    }
}

/// The unit of a problem's costs.
fn unit(problem: &dyn AnyProblem) -> String {
    let on_profile = problem.axes().iter().any(|axis| axis.kind == Kind::Profile);
    let or_ns = if on_profile { ", or ns on a machine profile" } else { "" };
    format!("{}{or_ns}", problem.unit(&[]).plural())
}

fn problem(costs: &ProblemCosts, is_neighbour: bool) -> Markup {
    let (title, unit) = (costs.problem.title(), unit(costs.problem));
    let file = run::file_name(&file_name(costs.problem), is_neighbour);
    html! {
        h3 #{ "costs-" (costs.problem.name()) } { (title) }
        p { "In " (unit) ". All rows: " (file) "." }
        (table(format!("{title}: each algorithm over the sweep"), &costs.algorithms)
            .text("algorithm", |costs| &costs.name)
            .number("points", |costs| grouped(costs.points))
            .number("executed", |costs| grouped(costs.simulated))
            .number("at the bound", |costs| format!("{:.1} %", costs.at_bound))
            .number("mean / bound", |costs| ratio(costs.mean))
            .number("worst / bound", |costs| costs.worst.as_ref().map(|(worst, _)| ratio(*worst)).unwrap_or_default())
            .text("worst at", |costs| {
                let at = costs.worst.as_ref().map(|(_, at)| code(&format!("castbench cost {} {at}", costs.name)));
                at.unwrap_or_default()
            }))
    }
}
