//! The audit: what the papers claim, and whether it holds.

use maud::{Markup, html};

use super::super::Report;
use super::{badge, code, count, table};
use crate::base::units::{grouped, plural};
use crate::regress::audit::AuditRow;

pub fn section(report: &Report<'_>) -> Markup {
    let papers: Vec<&[AuditRow]> = report.claims.chunk_by(|a, b| a.paper == b.paper).collect();
    html! {
        p {
            "Each claim was checked at every point of its grid while this page was made. A claim that fails is shown with the "
            "smallest point at which it fails. What castbench states instead is checked as a separate claim."
        }
        (table("The verdicts by paper", papers.iter().copied())
            .text("paper", |rows| rows[0].paper)
            .number("claims", |rows| grouped(rows.len() as u64))
            .number("hold", |rows| grouped(count(rows, true) as u64))
            .number("fail", |rows| grouped(count(rows, false) as u64))
            .number("points checked", |rows| grouped(rows.iter().map(|row| row.points).sum::<u64>())))
        @for rows in papers {
            h3 { (rows[0].paper) }
            ul .claims { @for row in rows { (claim(row)) } }
        }
        h3 { "Published formulas over this sweep" }
        p { "The cost formulas of the same papers, checked at every point of the sweep to which they apply." }
        (table("How often each published formula holds over the sweep", &report.findings)
            .text("algorithm", |finding| &finding.algorithm)
            .text("place", |finding| &finding.published)
            .text("formula", |finding| format!("cost {} {}", finding.relation, finding.formula))
            .number("points", |finding| grouped(finding.points_checked))
            .number("fails at", |finding| grouped(finding.points_failed))
            .text("first failure", |finding| {
                finding.first_counterexample.as_deref().map_or_else(|| badge(true, "none"), code)
            }))
    }
}

/// Longer notes are folded.
const LONG: usize = 280;

fn claim(row: &AuditRow) -> Markup {
    html! {
        li #{ "claim-" (row.id) } {
            p .head {
                (badge(row.holds(), row.verdict()))
                " " code { (row.id) } " " span .place { (row.place) }
            }
            p .statement { (row.statement) }
            @match &row.counterexample {
                None => p { "on all " (plural(row.points, "point")) },
                Some(found) => p {
                    "at " (grouped(row.failures)) " of " (plural(row.points, "point")) ", first "
                    @match found.split_once("; castbench ") {
                        Some((found, command)) => { (found) br; code { "castbench " (command) } }
                        None => (found),
                    }
                },
            }
            @if row.note.chars().count() > LONG {
                details { summary { "Why, what holds instead, and the grid" } p .note { (row.note) } }
            } @else { p .note { (row.note) } }
        }
    }
}
