//! The comparison with the baseline, and the history of acceptances.

use maud::{Markup, html};

use super::super::{Regression, Report};
use super::{badge, cell, code, count, figures, number, ratio, table, text};
use crate::regress::history::HistoryRow;
use crate::regress::{Change, Comparison};
use crate::units::plural;

pub(super) fn section(report: &Report) -> Markup {
    let accept = html! { code { "castbench regress accept --reason \"...\"" } };
    html! {
        @match &report.regression {
            Regression::NoBaseline => p {
                "There is no baseline to compare the costs with. " (accept) " makes the present costs the baseline."
            },
            Regression::Incomparable(why) => p { (badge(false, "not comparable")) " " (why) },
            Regression::Compared(comparison) => (compared(comparison)),
        }
        h3 { "History" }
        @if report.history.is_empty() {
            p {
                "There is no acceptance yet. " (accept) " begins the history in " code { "history.csv" } " beside the sweep."
            }
        } @else {
            (history(&report.history))
        }
        @for figure in report.figures.drawn.iter().filter(|figure| figure.is_history) { (figures::shown(figure)) }
    }
}

/// The points that differ most.
const SHOWN: usize = 20;

fn compared(comparison: &Comparison) -> Markup {
    let columns = ["algorithm", "equal", "better", "worse", "new", "gone", "incomparable"];
    let columns: Vec<_> =
        columns.iter().enumerate().map(|(index, title)| if index == 0 { text(title) } else { number(title) }).collect();
    let word = comparison.word();
    let moved = comparison.count(|tally| tally.bound_moved);
    let reported = comparison.reported().count();
    html! {
        p {
            (badge(matches!(word, "equal" | "better"), word))
            " Costs are exact, so any difference is real. The points are those of "
            code { "castbench init regress" } ", evaluated while this page was made; " code { "castbench regress" }
            " gives the same verdict as an exit code."
        }
        @if !comparison.changed_grids.is_empty() {
            p { "The grids differ from the baseline's, so only the points in common were compared." }
            ul { @for change in &comparison.changed_grids { li { (change.to_string()) } } }
        }
        (table(
            "Costs compared with the baseline, in points",
            &columns,
            comparison.algorithms.iter().map(|tally| {
                let counts = [tally.equal, tally.better, tally.worse, tally.new, tally.gone, tally.incomparable];
                [cell(&tally.algorithm)].into_iter().chain(counts.map(count)).collect()
            }),
        ))
        @if moved > 0 { p .note { "The lower bound changed at " (plural(moved, "point")) " whose cost is equal." } }
        @if reported > 0 {
            (table(
                &format!("Points whose cost changed, the worst first: {} of {reported}", reported.min(SHOWN)),
                &[
                    text("point"), text("verdict"), number("before"), number("now"), number("now / before"),
                    number("lower bound"),
                ],
                comparison.reported().take(SHOWN).map(change),
            ))
        }
    }
}

fn change(change: &Change) -> Vec<Markup> {
    let cost = |cost: &Option<String>| cell(cost.as_deref().unwrap_or("none"));
    vec![
        code(&format!("{} {}", change.algorithm, change.point)),
        cell(change.verdict.word()),
        cost(&change.old),
        cost(&change.new),
        change.ratio().map(|value| cell(ratio(value))).unwrap_or_default(),
        cell(&change.lower_bound),
    ]
}

fn history(rows: &[HistoryRow]) -> Markup {
    // The rows of an acceptance are adjacent; the latest comes first.
    let acceptances: Vec<&[HistoryRow]> =
        rows.chunk_by(|a, b| (&a.date, &a.revision, &a.reason) == (&b.date, &b.revision, &b.reason)).rev().collect();
    let sum = |rows: &[HistoryRow], of: fn(&HistoryRow) -> u64| count(rows.iter().map(of).sum());
    html! {
        (table(
            "Acceptances, the latest first",
            &[
                text("date"), text("revision"), text("reason"), number("points"), number("changed"), number("better"),
                number("worse"),
            ],
            acceptances.iter().map(|rows| vec![
                cell(&rows[0].date),
                code(&rows[0].revision),
                cell(&rows[0].reason),
                sum(rows, |row| row.points),
                sum(rows, |row| row.points_changed),
                sum(rows, |row| row.points_better),
                sum(rows, |row| row.points_worse),
            ]),
        ))
        @if let Some(latest) = acceptances.first() {
            (table(
                "Cost over lower bound of each algorithm at the latest acceptance, over the regression grid",
                &[text("algorithm"), number("points"), number("mean / bound"), number("worst / bound"), text("worst at")],
                latest.iter().map(|row| vec![
                    cell(&row.algorithm),
                    count(row.points),
                    cell(ratio(mean(row))),
                    cell(ratio(row.worst_over_bound_f64)),
                    html! { code { "castbench cost " (row.algorithm) " " (row.worst_point) } },
                ]),
            ))
        }
    }
}

fn mean(row: &HistoryRow) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let points = row.points as f64;
    row.sum_over_bound_f64 / points
}
