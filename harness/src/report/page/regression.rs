//! The comparison with the baseline, and the history of acceptances.

use maud::{Markup, html};

use super::super::{Regression, Report};
use super::{badge, code, figures, ratio, table};
use crate::base::units::{grouped, plural};
use crate::record::history::{HistoryRow, acceptances};
use crate::regress::Comparison;

pub fn section(report: &Report<'_>) -> Markup {
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
        @for figure in report.figures.drawn.iter().filter(|figure| figure.is_history()) { (figures::shown(figure)) }
    }
}

/// The points that differ most.
const SHOWN: usize = 20;

fn compared(comparison: &Comparison) -> Markup {
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
        (table("Costs compared with the baseline, in points", &comparison.algorithms)
            .text("algorithm", |tally| &tally.algorithm)
            .number("equal", |tally| grouped(tally.equal))
            .number("better", |tally| grouped(tally.better))
            .number("worse", |tally| grouped(tally.worse))
            .number("new", |tally| grouped(tally.new))
            .number("gone", |tally| grouped(tally.gone))
            .number("incomparable", |tally| grouped(tally.incomparable)))
        @if moved > 0 { p .note { "The lower bound changed at " (plural(moved, "point")) " whose cost is equal." } }
        @if reported > 0 {
            (table(
                format!("Points whose cost changed, the worst first: {} of {reported}", reported.min(SHOWN)),
                comparison.reported().take(SHOWN),
            )
                .text("point", |change| code(&format!("{} {}", change.algorithm, change.point)))
                .text("verdict", |change| change.verdict.word())
                .number("before", |change| change.old.as_deref().unwrap_or("none"))
                .number("now", |change| change.new.as_deref().unwrap_or("none"))
                .number("now / before", |change| change.ratio().map(ratio).unwrap_or_default())
                .number("lower bound", |change| &change.lower_bound))
        }
    }
}

fn history(rows: &[HistoryRow]) -> Markup {
    // The latest comes first.
    let acceptances: Vec<&[HistoryRow]> = acceptances(rows).rev().collect();
    let sum =
        |rows: &[HistoryRow], of: fn(&HistoryRow) -> u64| grouped(rows.iter().map(of).sum::<u64>());
    html! {
        (table("Acceptances, the latest first", acceptances.iter().copied())
            .text("date", |rows| &rows[0].date)
            .text("revision", |rows| code(&rows[0].revision))
            .text("reason", |rows| &rows[0].reason)
            .number("points", move |rows| sum(rows, |row| row.points))
            .number("changed", move |rows| sum(rows, |row| row.points_changed))
            .number("better", move |rows| sum(rows, |row| row.points_better))
            .number("worse", move |rows| sum(rows, |row| row.points_worse)))
        @if let Some(latest) = acceptances.first() {
            (table(
                "Cost over lower bound of each algorithm at the latest acceptance, over the regression grid",
                *latest,
            )
                .text("algorithm", |row| &row.algorithm)
                .number("points", |row| grouped(row.points))
                .number("mean / bound", |row| ratio(mean(row)))
                .number("worst / bound", |row| ratio(row.worst_over_bound_f64))
                .text("worst at", |row| code(&format!("castbench cost {} {}", row.algorithm, row.worst_point))))
        }
    }
}

fn mean(row: &HistoryRow) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let points = row.points as f64;
    row.sum_over_bound_f64 / points
}
