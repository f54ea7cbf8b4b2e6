//! Findings about the papers: how often each published figure holds over a sweep, and where it first fails.

use std::borrow::Cow;
use std::collections::BTreeMap;

use algorithms::catalogue::Entry;
use algorithms::cost::{Evaluation, Exact, Published};
use algorithms::logp::pipeline::Instance;
use algorithms::mesh::Sampling;
use serde::{Deserialize, Serialize};

use crate::grid::{Cell, WormholeCell};

/// A row of `findings.csv`.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Name in the catalogue.
    pub algorithm: Cow<'static, str>,
    /// Equation or theorem.
    pub published: Cow<'static, str>,
    /// The formula as the paper prints it.
    pub formula: Cow<'static, str>,
    /// How the paper relates the cost to it.
    pub relation: Cow<'static, str>,
    /// Points at which it was checked.
    pub points_checked: u64,
    /// Points at which it does not hold.
    pub points_failed: u64,
    /// The first of those, in the order of the sweep.
    pub first_counterexample: Option<String>,
}

/// Collects findings in the order in which points are recorded.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// By place in the catalogue. Not every claim is made at every point: those of an algorithm are told apart by
    /// what they say and stand in the order in which they first came up.
    found: BTreeMap<usize, Vec<Finding>>,
}

impl Findings {
    /// Counts the claims of one point.
    pub fn record(&mut self, entry: &Entry, cell: &Cell<'_>, evaluation: &Evaluation) {
        let Some(Exact::Integer(cost)) = evaluation.analytic else { return };
        let found = self.found.entry(entry.rank()).or_default();
        for claim in &evaluation.published {
            let same = |finding: &Finding| finding.published == claim.place && finding.formula == claim.formula;
            let number = found.iter().position(same).unwrap_or_else(|| {
                found.push(Finding {
                    algorithm: entry.name.into(),
                    published: claim.place.into(),
                    formula: claim.formula.into(),
                    relation: claim.relation.symbol().into(),
                    points_checked: 0,
                    points_failed: 0,
                    first_counterexample: None,
                });
                found.len() - 1
            });
            let finding = &mut found[number];
            finding.points_checked += 1;
            if !claim.relation.holds(cost, claim.value) {
                finding.points_failed += 1;
                finding.first_counterexample.get_or_insert_with(|| counterexample(cell, claim, cost));
            }
        }
    }

    /// Adds those of the points behind these.
    pub fn absorb(&mut self, later: Self) {
        for (rank, later) in later.found {
            let found = self.found.entry(rank).or_default();
            for finding in later {
                let same = |own: &&mut Finding| own.published == finding.published && own.formula == finding.formula;
                match found.iter_mut().find(same) {
                    None => found.push(finding),
                    Some(own) => {
                        own.points_checked = own.points_checked.saturating_add(finding.points_checked);
                        own.points_failed = own.points_failed.saturating_add(finding.points_failed);
                        own.first_counterexample = own.first_counterexample.take().or(finding.first_counterexample);
                    }
                }
            }
        }
    }

    /// The rows, in the order of the catalogue.
    pub fn rows(&self) -> impl Iterator<Item = &Finding> {
        self.found.values().flatten()
    }
}

fn counterexample(cell: &Cell<'_>, claim: &Published, cost: u64) -> String {
    format!("{}: cost {cost}, published {} {}", place(cell), claim.relation.symbol(), claim.value)
}

/// A cell in the words of the command line.
#[must_use]
pub fn place(cell: &Cell<'_>) -> String {
    match *cell {
        Cell::Logp { machine: None, parameters: (L, o, g), K, source } => {
            format!("-L {L} -o {o} -g {g} -K {K} --source {source}")
        }
        Cell::Logp { machine: Some((machine, bytes)), K, source, .. } => {
            format!("--machine {} --bytes {bytes} -K {K} --source {source}", machine.spelling())
        }
        Cell::Summation { parameters: (L, o, g), P, operands } => {
            format!("-L {L} -o {o} -g {g} -P {P} --operands {operands}")
        }
        Cell::Mesh { sides: (w, h), K, sampling } => {
            format!("--mesh {w}x{h} -K {K} --trials {} --seed {}", sampling.trials, sampling.seed)
        }
        Cell::Gossip { n } => format!("-n {n}"),
        Cell::KPort { n, k, m } => format!("-n {n} -k {k} -m {m}"),
        Cell::Pipelined { machine: None, parameters: (L, o, g), instance: Instance { K, n, k, m } } => {
            format!("-L {L} -o {o} -g {g} -K {K} -n {n} -k {k} -m {m}")
        }
        Cell::Pipelined { machine: Some(machine), instance: Instance { K, n, k, m }, .. } => {
            format!("--machine {} --bytes {n} -K {K} -k {k} -m {m}", machine.spelling())
        }
        Cell::Wormhole(WormholeCell { sides: (w, h), K, k, m, timing: (t_s, t_h, t_f, flits), sampling }) => {
            let timing = format!("--startup {t_s} --hop {t_h} --flit {t_f} --flits {flits}");
            let Sampling { trials, seed } = sampling;
            format!("--mesh {w}x{h} -K {K} -k {k} -m {m} {timing} --trials {trials} --seed {seed}")
        }
    }
}
