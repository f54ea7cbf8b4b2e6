//! Checks the Fibonacci paper's three statements about its figures 6 and 7 against measurements: (a) both times grow
//! with K and with the message, (b) halving is slower than Fibonacci at every K, (c) the difference grows with K.
//!
//! Their truth depends on `D/g`, the time of a hop over the gap between two sends. It is computed from the
//! measurement's machine, relay delay and size. Intervals decide: a time or a difference is greater than another if its
//! whole interval lies above the other's. The statement is *not decided* where intervals overlap, repetitions are too
//! few, or a tree was not measured.

mod checks;
mod found;
mod interval;
mod settings;

use algorithms::internals::claims::{FIGURES_PLACE, FIGURES_STATEMENTS, Paper};
use serde::Serialize;

use super::record::placing;
use super::results::{MeasuredPoint, Results};
use crate::audit::{AuditRow, Verdict};
use crate::units::{grouped, plural, show_bytes};
use checks::{Judgement, Times};
pub use found::{Found, Time};
pub use interval::order;
use settings::{Placing, Setting};

/// A statement and its verdict from the measurements of a directory, as in JSON.
#[derive(Debug, Clone, Serialize)]
pub struct MeasuredClaim {
    /// The nine keys of every claim, for all cases together.
    #[serde(flatten)]
    pub row: AuditRow,
    /// The letter of the statement here.
    #[serde(skip)]
    pub letter: &'static str,
    /// The cases.
    pub measured: Vec<Case>,
}

/// The verdict for one size in one setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Case {
    /// The transport.
    pub transport: String,
    /// The machine profile that the measurement names.
    pub machine: String,
    /// Position of the source; none for programs without a source.
    pub source: Option<u32>,
    /// Length of the message.
    pub bytes: u64,
    /// Number of hosts; none if each node has its own.
    pub hosts: Option<u32>,
    /// How nodes were placed on fewer hosts; none if each node has its own.
    pub mapping: Option<String>,
    /// Relay delay.
    pub hold_ps_per_byte: u64,
    /// Time of a hop on that machine, with the relay delay.
    pub D_ns: u64,
    /// Gap between two sends of one node on that machine.
    pub g_ns: u64,
    /// Their ratio; none if the gap is 0.
    pub D_over_g_f64: Option<f64>,
    /// Every measured K: nodes with the source.
    pub K: Vec<u32>,
    /// Fails if it fails at any K.
    pub verdict: Verdict,
    /// The number of K that the statement covers.
    pub points: u64,
    /// Number of K at which it fails.
    pub failures: u64,
    /// Number of K at which it is not decided.
    pub not_decided: u64,
    /// The smallest K at which it fails.
    pub counterexample: Option<Found>,
    /// The smallest K at which it is not decided.
    pub first_not_decided: Option<Found>,
}

impl Case {
    /// `D/g` to two digits.
    #[must_use]
    pub fn D_over_g(&self) -> String {
        told_ratio(self.D_over_g_f64)
    }

    /// The placement in words.
    #[must_use]
    pub fn placing(&self) -> String {
        placing(self.hosts.zip(self.mapping.as_deref()))
    }

    /// Size and setting in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let hold = match self.hold_ps_per_byte {
            0 => String::new(),
            hold => format!(", relay delay {} ps/B", grouped(hold)),
        };
        format!("D/g = {}, {}, {}{hold}", self.D_over_g(), show_bytes(self.bytes), self.placing())
    }

    /// The measured K.
    #[must_use]
    pub fn nodes(&self) -> String {
        self.K.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    }

    /// At how many points it fails or is not decided, and the first of them; none if it holds.
    #[must_use]
    pub fn found(&self) -> Option<String> {
        let points = plural(self.points, "point");
        match (&self.counterexample, &self.first_not_decided) {
            (Some(Found { K, found, .. }), _) => {
                Some(format!("at {} of {points}, first K = {K}: {found}", grouped(self.failures)))
            }
            (None, Some(Found { K, found, .. })) => {
                Some(format!("at {} of {points}, first K = {K}: {found}", grouped(self.not_decided)))
            }
            (None, None) => None,
        }
    }
}

/// `D/g` to two digits; a dash without a gap.
fn told_ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

type Check = fn(&Times<'_>, u64, u32) -> Option<Judgement>;

const CHECKS: [Check; 3] = [
    |times, bytes, K| times.grows(bytes, K),
    |times, bytes, K| times.slower(bytes, K),
    |times, bytes, K| times.difference_grows(bytes, K),
];

/// The id of a statement's measured claim.
#[must_use]
pub fn id(letter: &str) -> String {
    format!("figures-{letter}-measured")
}

/// The ids of all measured claims.
#[must_use]
pub fn ids() -> [String; 3] {
    FIGURES_STATEMENTS.map(|(letter, _)| id(letter))
}

/// The statements that these measurements cover, with their verdicts.
///
/// Cost: quadratic in the points of a setting, which are few.
#[must_use]
pub fn claims(results: &Results) -> Vec<MeasuredClaim> {
    let judged = FIGURES_STATEMENTS.into_iter().zip(CHECKS);
    let claims = judged.map(|((letter, statement), check)| (letter, statement, cases(&results.points, check)));
    claims
        .filter(|(_, _, cases)| !cases.is_empty())
        .map(|(letter, text, cases)| claim(letter, text, cases, results))
        .collect()
}

fn cases(points: &[MeasuredPoint], check: Check) -> Vec<Case> {
    let mut cases = Vec::new();
    for setting in Setting::all(points) {
        let members: Vec<&MeasuredPoint> = setting.members(points).collect();
        let times = Times::of(members.iter().copied());
        for bytes in times.sizes() {
            let model = members.iter().find(|point| point.row.bytes == bytes);
            cases.extend(model.and_then(|point| case(&setting, point, &times, check)));
        }
    }
    cases
}

/// The size of this point in its setting; none if the statement covers none of its K.
fn case(setting: &Setting, point: &MeasuredPoint, times: &Times<'_>, check: Check) -> Option<Case> {
    let bytes = point.row.bytes;
    let nodes = times.nodes(bytes);
    let checked: Vec<Judgement> = nodes.iter().filter_map(|&K| check(times, bytes, K)).collect();
    let mut failing = Vec::new();
    let mut open = Vec::new();
    for judgement in &checked {
        match judgement {
            Judgement::Holds => {}
            Judgement::NotDecided(found) => open.push(found),
            Judgement::Fails(found) => failing.push(found),
        }
    }
    let (hosts, mapping) = match &setting.placing {
        Placing::OwnHosts => (None, None),
        Placing::Shared { hosts, mapping } => (Some(*hosts), Some(mapping.clone())),
    };
    (!checked.is_empty()).then(|| Case {
        transport: setting.transport.clone(),
        machine: setting.machine.clone(),
        source: setting.source,
        bytes,
        hosts,
        mapping,
        hold_ps_per_byte: setting.hold_ps_per_byte,
        D_ns: point.model.D(),
        g_ns: point.model.gap(),
        D_over_g_f64: point.D_over_g(),
        K: nodes,
        verdict: verdict(failing.len(), open.len()),
        points: checked.len() as u64,
        failures: failing.len() as u64,
        not_decided: open.len() as u64,
        counterexample: failing.first().map(|&found| found.clone()),
        first_not_decided: open.first().map(|&found| found.clone()),
    })
}

fn verdict(failing: usize, open: usize) -> Verdict {
    match (failing, open) {
        (0, 0) => Verdict::Holds,
        (0, _) => Verdict::NotDecided,
        _ => Verdict::Fails,
    }
}

fn claim(letter: &'static str, statement: &str, cases: Vec<Case>, results: &Results) -> MeasuredClaim {
    let of = |wanted: Verdict| cases.iter().filter(move |case| case.verdict == wanted);
    let sum = |count: fn(&Case) -> u64| cases.iter().map(count).sum::<u64>();
    let found = of(Verdict::Fails).find_map(|case| Some((case, case.counterexample.as_ref()?)));
    let manifest = &results.manifest;
    let repetitions = results.points.iter().map(|point| point.row.repetitions).min().unwrap_or(0);
    let open = match sum(|case| case.not_decided) {
        0 => String::new(),
        open => format!("; {} of the {} not decided", grouped(open), plural(sum(|case| case.points), "point")),
    };
    let row = AuditRow {
        id: id(letter),
        paper: Paper::Fibonacci.title(),
        place: format!(
            "{FIGURES_PLACE}; measured in `{}`: {}, {}",
            results.directory.display(),
            manifest.transport(),
            manifest.date()
        ),
        statement: statement.to_owned(),
        verdict: verdict(of(Verdict::Fails).count(), of(Verdict::NotDecided).count()),
        points: sum(|case| case.points),
        failures: sum(|case| case.failures),
        counterexample: found.map(|(case, first)| format!("{}, K = {}: {}", case.describe(), first.K, first.found)),
        note: format!(
            "{}{open}. Medians of at least {repetitions} repetitions; intervals of 95 % or more decide, unless they \
             overlap",
            by_ratio(&cases)
        ),
    };
    MeasuredClaim { row, letter, measured: cases }
}

/// Each verdict with the `D/g` at which it was found. A ratio with several verdicts appears with each.
fn by_ratio(cases: &[Case]) -> String {
    let told = |verdict: Verdict| {
        let mut ratios: Vec<Option<f64>> =
            cases.iter().filter(|case| case.verdict == verdict).map(|case| case.D_over_g_f64).collect();
        ratios.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let mut ratios: Vec<String> = ratios.into_iter().map(told_ratio).collect();
        ratios.dedup();
        (!ratios.is_empty()).then(|| format!("{} at D/g = {}", verdict.word(), ratios.join(", ")))
    };
    let all = [Verdict::Holds, Verdict::Fails, Verdict::NotDecided].into_iter().filter_map(told);
    all.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests;
