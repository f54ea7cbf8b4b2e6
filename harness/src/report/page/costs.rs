//! The costs: a summary of each algorithm, and all of a problem side by side at a few points.

use algorithms::problem::{AnyProblem, Kind};
use maud::{Markup, html};
use num_rational::BigRational;
use num_traits::ToPrimitive as _;

use super::super::Report;
use super::super::costs::{AlgorithmCosts, ProblemCosts, Sample, SamplePoint};
use super::run;
use super::{Column, cell, count, number, ratio, table, text};
use crate::record::file_name;
use crate::units::{group, plural};

pub(super) fn section(report: &Report) -> Markup {
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
    let columns = [
        text("algorithm"),
        number("points"),
        number("executed"),
        number("at the bound"),
        number("mean / bound"),
        number("worst / bound"),
        text("worst at"),
    ];
    html! {
        h3 #{ "costs-" (costs.problem.name()) } { (title) }
        p { "In " (unit) ". All rows: " (file) "." }
        (table(&format!("{title}: each algorithm over the sweep"), &columns, costs.algorithms.iter().map(summary)))
        (sample(title, &costs.algorithms, &costs.sample))
    }
}

fn summary(costs: &AlgorithmCosts) -> Vec<Markup> {
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    let share = 100.0 * costs.at_bound as f64 / costs.points as f64;
    let worst = costs.worst.as_ref();
    vec![
        cell(&costs.name),
        count(costs.points),
        count(costs.simulated),
        html! { (format!("{share:.1}")) " %" },
        cell(ratio(costs.mean)),
        worst.map(|(worst, _)| cell(ratio(*worst))).unwrap_or_default(),
        worst.map(|(_, at)| html! { code { "castbench cost " (costs.name) " " (at) } }).unwrap_or_default(),
    ]
}

fn sample(title: &str, algorithms: &[AlgorithmCosts], sample: &Sample) -> Markup {
    let shown = sample.points.len() as u64;
    let caption = format!(
        "{title}: {} of {} at which {} have a cost; the lowest is bold",
        shown,
        plural(sample.of as u64, "point"),
        plural(sample.algorithms as u64, "algorithm"),
    );
    let names = algorithms.iter().map(|costs| number(&costs.name));
    let columns: Vec<Column<'_>> =
        sample.columns.iter().map(|column| number(column)).chain([number("lower bound")]).chain(names).collect();
    table(&caption, &columns, sample.points.iter().map(point))
}

fn point(point: &SamplePoint) -> Vec<Markup> {
    let least = point.costs.iter().flatten().min();
    let all_alike = point.costs.iter().flatten().all(|cost| Some(cost) == least);
    let cost_cell = |cost: &Option<BigRational>| match cost {
        None => Markup::default(),
        Some(cost) if Some(cost) == least && !all_alike => html! { b { (amount(cost)) } },
        Some(cost) => cell(amount(cost)),
    };
    let values = point.values.iter().map(|value| cell(amount_of(value)));
    let bound = point.lower_bound.as_ref().map(|bound| cell(amount(bound))).unwrap_or_default();
    values.chain([bound]).chain(point.costs.iter().map(cost_cell)).collect()
}

/// Digits in groups; other text as it is.
fn amount_of(value: &str) -> String {
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { group(value) } else { value.to_owned() }
}

/// A cost. Fractions are rounded here and exact in the CSV file.
fn amount(cost: &BigRational) -> String {
    if cost.is_integer() { amount_of(&cost.to_string()) } else { ratio(cost.to_f64().unwrap_or(f64::NAN)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        let amount = |text: &str| super::amount(&text.parse().unwrap());
        assert_eq!(amount("1234567"), "1,234,567");
        assert_eq!(amount("290/31"), "9.355");
        assert_eq!(amount("9876543/2"), "4,938,271.500");
        assert_eq!((amount_of("ethernet100"), amount_of("")), ("ethernet100".to_owned(), String::new()));
    }
}
