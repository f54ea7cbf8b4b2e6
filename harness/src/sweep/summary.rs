//! What some points of a sweep found, and how it adds up.

use algorithms::catalogue::Entry;
use algorithms::cost::Agreement;
use serde::{Deserialize, Serialize};

use crate::grid::Cell;
use crate::record::findings::{Findings, place};
use crate::record::manifest::Tally;
use crate::record::{Outcome, Status};

/// What some consecutive points found. Those of neighbours add up: see [`Summary::absorb`].
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// How the points ended.
    pub tally: Tally,
    /// How the published figures fared.
    pub findings: Findings,
    /// The first point at which analytic and simulated cost differ, as the command that repeats it.
    pub disagreement: Option<String>,
    /// The first point that could not be evaluated.
    pub failed: Option<String>,
    /// The first point that does not apply, and why.
    pub not_applicable: Option<String>,
}

impl Summary {
    /// Counts one more point, behind all before.
    pub(super) fn record(&mut self, entry: &Entry, cell: &Cell<'_>, outcome: &Outcome) {
        let repeat = || format!("castbench cost {} {}", entry.name, place(cell));
        match outcome.status {
            Status::Ok => self.tally.ok += 1,
            Status::NotApplicable => {
                self.tally.not_applicable += 1;
                self.not_applicable
                    .get_or_insert_with(|| format!("{}: {}", repeat(), outcome.row.note().unwrap_or_default()));
            }
            Status::Failed => {
                self.tally.failed += 1;
                self.failed.get_or_insert_with(repeat);
            }
            Status::Disagree => {
                self.tally.disagree += 1;
                self.disagreement.get_or_insert_with(repeat);
            }
        }
        if let Some(evaluation) = &outcome.evaluation {
            if evaluation.agreement() == Agreement::Agree {
                self.tally.simulated += 1;
            }
            self.findings.record(entry, cell, evaluation);
        }
    }

    /// Adds what the points behind these found.
    pub fn absorb(&mut self, later: Self) {
        self.tally.add(&later.tally);
        self.findings.absorb(later.findings);
        let keep = |first: &mut Option<String>, later: Option<String>| *first = first.take().or(later);
        keep(&mut self.disagreement, later.disagreement);
        keep(&mut self.failed, later.failed);
        keep(&mut self.not_applicable, later.not_applicable);
    }

    /// All points.
    #[must_use]
    pub fn points(&self) -> u64 {
        let Tally { ok, simulated: _, not_applicable, failed, disagree } = self.tally;
        ok + not_applicable + failed + disagree
    }
}
