//! The summary of some points of a sweep, and the sum of summaries.

use algorithms::cost::{Agreement, Evaluation, Simulated};
use algorithms::problem::Refused;
use serde::{Deserialize, Serialize};

use super::Status;
use super::findings::Findings;
use crate::space::Cell;

/// Counts of points by status.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Points that were evaluated.
    pub ok: u64,
    /// Evaluated points where analytic and simulated agree.
    pub simulated: u64,
    /// Evaluated points that were executed, without a formula to compare.
    #[serde(default)]
    pub executed: u64,
    /// The algorithm is not defined there.
    pub not_applicable: u64,
    /// Could not be evaluated.
    pub failed: u64,
    /// Analytic and simulated differ.
    pub disagree: u64,
}

impl Tally {
    /// Adds the counts of other points.
    pub fn add(&mut self, other: &Self) {
        let Self {
            ok,
            simulated,
            executed,
            not_applicable,
            failed,
            disagree,
        } = other;
        // Saturating, because a file may contain any number.
        let add = |sum: &mut u64, more: &u64| *sum = sum.saturating_add(*more);
        add(&mut self.ok, ok);
        add(&mut self.simulated, simulated);
        add(&mut self.executed, executed);
        add(&mut self.not_applicable, not_applicable);
        add(&mut self.failed, failed);
        add(&mut self.disagree, disagree);
    }
}

/// The first point with some property, as the command that repeats it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct First {
    cell: u64,
    /// The command.
    pub point: String,
}

/// The summary of some points. Summaries may be added in any order: see [`Summary::absorb`].
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Counts by status.
    pub tally: Tally,
    /// How often the published figures hold.
    pub findings: Findings,
    /// The first point where analytic and simulated cost differ.
    pub disagreement: Option<First>,
    /// The first point that could not be evaluated, and why.
    pub failed: Option<First>,
    /// The first point that does not apply, and why.
    pub not_applicable: Option<First>,
}

impl Summary {
    /// Counts the cell with this number, which comes after all earlier ones.
    pub fn record(&mut self, number: u64, cell: &Cell<'_>, result: &Result<Evaluation, Refused>) {
        let repeat = || cell.command();
        let first = |point| First {
            cell: number,
            point,
        };
        let reason = || {
            result
                .as_ref()
                .err()
                .map_or_else(String::new, Refused::to_string)
        };
        match Status::from_result(result) {
            Status::Ok => self.tally.ok += 1,
            Status::NotApplicable => {
                self.tally.not_applicable += 1;
                self.not_applicable
                    .get_or_insert_with(|| first(format!("{}: {}", repeat(), reason())));
            }
            Status::Failed => {
                self.tally.failed += 1;
                self.failed
                    .get_or_insert_with(|| first(format!("{}: {}", repeat(), reason())));
            }
            Status::Disagree => {
                self.tally.disagree += 1;
                self.disagreement.get_or_insert_with(|| first(repeat()));
            }
        }
        if let Ok(evaluation) = result {
            match evaluation.agreement() {
                Agreement::Agree => self.tally.simulated += 1,
                Agreement::NotCompared if evaluation.analytic.is_none() => {
                    self.tally.executed +=
                        u64::from(!matches!(evaluation.simulated, Simulated::Skipped(_)));
                }
                Agreement::NotCompared | Agreement::Differ | Agreement::BelowBound => {}
            }
            self.findings.record(number, cell, evaluation);
        }
    }

    /// Adds a summary of other points, and keeps the first of each kind in the order of the sweep.
    pub fn absorb(&mut self, other: Self) {
        self.tally.add(&other.tally);
        self.findings.absorb(other.findings);
        let keep =
            |own: &mut Option<First>, other| *own = own.take().into_iter().chain(other).min();
        keep(&mut self.disagreement, other.disagreement);
        keep(&mut self.failed, other.failed);
        keep(&mut self.not_applicable, other.not_applicable);
    }

    /// All points.
    pub fn points(&self) -> u64 {
        let Tally {
            ok,
            simulated: _,
            executed: _,
            not_applicable,
            failed,
            disagree,
        } = self.tally;
        [not_applicable, failed, disagree]
            .into_iter()
            .fold(ok, u64::saturating_add)
    }
}
