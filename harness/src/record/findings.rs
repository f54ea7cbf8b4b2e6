//! Findings about the papers: how often each published figure holds in a sweep, and where it first fails.

use std::collections::BTreeMap;

use algorithms::cost::{Evaluation, Exact, Published};
use serde::{Deserialize, Serialize};

use crate::print::column::tabled;
use crate::space::Cell;

tabled! {
    /// A row of `findings.csv`: how often a published figure holds.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Finding {
        /// name in the catalogue
        pub algorithm: String,
        /// equation or theorem
        pub published: String,
        /// as the paper prints it
        pub formula: String,
        /// relation of the cost to it in the paper
        pub relation: String,
        /// number of checked points
        pub points_checked: u64,
        /// number of points at which it fails
        pub points_failed: u64,
        /// the first of these, as options of `castbench cost`
        pub first_counterexample: Option<String>,
    }
}

/// A finding with its order, so that findings of several shards can be merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Ordered {
    /// The number of the cell with the first claim, and its index among the claims there.
    first: (u64, usize),
    /// The number of the cell of the first counterexample.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_failed: Option<u64>,
    #[serde(flatten)]
    finding: Finding,
}

/// Collects findings, in the order of their first claim in the sweep.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// By rank in the catalogue. Claims of an algorithm differ from point to point and are identified by their texts.
    found: BTreeMap<usize, Vec<Ordered>>,
}

impl Findings {
    /// Counts the claims of the cell with this number, which comes after all earlier ones.
    pub fn record(&mut self, cell_number: u64, cell: &Cell<'_>, evaluation: &Evaluation) {
        let Some(Exact::Integer(cost)) = evaluation.analytic else {
            return;
        };
        let entry = cell.entry;
        let found = self.found.entry(entry.rank()).or_default();
        for (index, claim) in evaluation.published.iter().enumerate() {
            let number = found
                .iter()
                .position(|found| {
                    found.finding.published == claim.section
                        && found.finding.formula == claim.formula
                })
                .unwrap_or_else(|| {
                    let finding = Finding {
                        algorithm: entry.name.into(),
                        published: claim.section.into(),
                        formula: claim.formula.into(),
                        relation: claim.relation.symbol().into(),
                        points_checked: 0,
                        points_failed: 0,
                        first_counterexample: None,
                    };
                    found.push(Ordered {
                        first: (cell_number, index),
                        first_failed: None,
                        finding,
                    });
                    found.len() - 1
                });
            let Ordered {
                first_failed,
                finding,
                ..
            } = &mut found[number];
            finding.points_checked += 1;
            if !claim.relation.holds(cost, claim.value) {
                finding.points_failed += 1;
                finding
                    .first_counterexample
                    .get_or_insert_with(|| counterexample(cell, claim, cost));
                first_failed.get_or_insert(cell_number);
            }
        }
    }

    /// Adds the findings of other points.
    pub fn absorb(&mut self, other: Self) {
        for (rank, other) in other.found {
            let found = self.found.entry(rank).or_default();
            for other in other {
                let same = |own: &&mut Ordered| {
                    own.finding.published == other.finding.published
                        && own.finding.formula == other.finding.formula
                };
                match found.iter_mut().find(same) {
                    None => found.push(other),
                    Some(own) => own.add(other),
                }
            }
            found.sort_by_key(|found| found.first);
        }
    }

    /// The rows, in the order of the catalogue.
    pub fn rows(&self) -> impl Iterator<Item = &Finding> {
        self.found.values().flatten().map(|found| &found.finding)
    }
}

impl Ordered {
    /// Adds the same claim at other points.
    fn add(&mut self, other: Self) {
        self.first = self.first.min(other.first);
        let (own, finding) = (&mut self.finding, other.finding);
        own.points_checked = own.points_checked.saturating_add(finding.points_checked);
        own.points_failed = own.points_failed.saturating_add(finding.points_failed);
        if other
            .first_failed
            .is_some_and(|other| self.first_failed.is_none_or(|own| other < own))
        {
            self.first_failed = other.first_failed;
            own.first_counterexample = finding.first_counterexample;
        }
    }
}

fn counterexample(cell: &Cell<'_>, claim: &Published, cost: u64) -> String {
    format!(
        "{}: cost {cost}, published {} {}",
        cell.options(),
        claim.relation.symbol(),
        claim.value
    )
}
