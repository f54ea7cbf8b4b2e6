//! The audit: what the papers claim, and whether it holds.

use maud::{Markup, html};

use super::super::Report;
use super::{Count, badge, cell, code, count, number, table, text, verdict};
use crate::audit::AuditRow;
use crate::units::{grouped, plural};

pub(super) fn section(report: &Report) -> Markup {
    let papers: Vec<&[AuditRow]> = report.claims.chunk_by(|a, b| a.paper == b.paper).collect();
    html! {
        p {
            "Each claim was checked at every point of its grid while this page was made. A claim that fails is shown with the "
            "smallest point at which it fails. What castbench states instead is checked as a separate claim."
        }
        (table(
            "The verdicts by paper",
            &[text("paper"), number("claims"), number("hold"), number("fail"), number("points checked")],
            papers.iter().map(|rows| {
                let verdicts = Count::new(rows.iter());
                let tried = rows.iter().map(|row| row.points).sum();
                let [claims, holds, fails, tried] = [rows.len() as u64, verdicts.holds, verdicts.fails, tried].map(count);
                vec![cell(rows[0].paper), claims, holds, fails, tried]
            }),
        ))
        @for rows in papers {
            h3 { (rows[0].paper) }
            ul .claims { @for row in rows { (claim(row)) } }
        }
        h3 { "Published formulas over this sweep" }
        p { "The cost formulas of the same papers, checked at every point of the sweep to which they apply." }
        (table(
            "How often each published formula holds over the sweep",
            &[
                text("algorithm"), text("place"), text("formula"), number("points"), number("fails at"),
                text("first failure"),
            ],
            report.findings.iter().map(|finding| vec![
                cell(&finding.algorithm),
                cell(&finding.published),
                html! { "cost " (finding.relation) " " (finding.formula) },
                count(finding.points_checked),
                count(finding.points_failed),
                finding.first_counterexample.as_deref().map_or_else(|| badge(true, "none"), code),
            ]),
        ))
    }
}

/// Longer notes are folded.
const LONG: usize = 280;

fn claim(row: &AuditRow) -> Markup {
    html! {
        li #{ "claim-" (row.id) } {
            p .head {
                (verdict(row))
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
