//! A machine that was learnt from measurements: its parameters, and what they leave.

use std::collections::BTreeMap;

use super::features::{COUNT, G, PARAMETERS};
use super::fit::{self, EAGER, Parameters, Sample};
use super::measured::{CellOf, Label, Row, Size};
use super::names;
use super::process::{NINETY, Process, Site};
use super::programs::{Call, Program};

/// A machine that was learnt.
#[derive(Debug)]
pub struct Learned {
    /// Its parameters.
    pub parameters: Parameters,
    /// The rows that it was learnt from, by label: of algorithms with a program, and of the library's default.
    pub rows: Vec<Row>,
    /// Algorithms whose times cannot be of what they are called, and why.
    pub rejected: BTreeMap<Label, String>,
    /// What the measured algorithms do; none for a default.
    programs: BTreeMap<Label, Option<(Program, Call)>>,
    process: Process,
}

/// What [`learn`] says beside the machine.
#[derive(Debug)]
pub struct Notes {
    /// Standard deviations of the logarithms of the parameters, if the rows were independent.
    pub deviations: [f64; COUNT],
    /// Algorithms with the time of the library's default in more than half of their cells.
    pub doubtful: Vec<Label>,
}

/// A predicted time.
#[derive(Debug, Clone, Copy)]
pub struct Prediction {
    /// The logarithm of the ns.
    pub log_ns: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl Prediction {
    /// Low end, middle and high end of the interval that holds 90 % of the times, ns.
    #[must_use]
    pub fn ns(&self) -> [f64; 3] {
        [-NINETY, 0.0, NINETY].map(|times| (self.log_ns + times * self.deviation).exp())
    }
}

/// A default is expected to take this much longer than the fastest program of its collective, as a logarithm.
const DEFAULT: f64 = 0.3;

/// Learns a machine from rows; those without a program count only as defaults.
#[must_use]
pub fn learn(rows: &[Row]) -> (Learned, Notes) {
    let defaults: BTreeMap<(CellOf<'_>, &str), u64> = rows
        .iter()
        .filter(|row| row.is_default())
        .map(|row| ((row.cell(), row.shape.as_str()), row.ns))
        .collect();
    let over_default = |row: &Row| {
        let default = *defaults.get(&(row.cell(), row.shape.as_str()))?;
        Some((row.ns as f64 / default as f64).ln())
    };
    let mut known: Vec<Row> = rows
        .iter()
        .filter(|row| row.program.is_some() || row.is_default())
        .cloned()
        .collect();
    // Sums then do not depend on the order of the table, and are those of a profile that is read.
    known.sort_by(|one, other| one.label.cmp(&other.label));
    let samples = |rejected: &BTreeMap<Label, String>| -> Vec<Sample> {
        known
            .iter()
            .filter(|row| !rejected.contains_key(&row.label))
            .filter_map(sample)
            .collect()
    };
    let (mut parameters, mut deviations) = fit::fit(&samples(&BTreeMap::new()), &EAGER);
    let rejected = impossible(&known, &parameters, over_default);
    if !rejected.is_empty() {
        (parameters, deviations) = fit::fit(&samples(&rejected), &[parameters.eager]);
    }
    parameters.values = parameters.values.map(six_digits);
    let mut equal: BTreeMap<&Label, Vec<bool>> = BTreeMap::new();
    for row in known.iter().filter(|row| row.program.is_some()) {
        equal
            .entry(&row.label)
            .or_default()
            .extend(over_default(row).map(|over| over.abs() < 0.02));
    }
    let is_doubtful =
        |cells: &Vec<bool>| 2 * cells.iter().filter(|&&is_equal| is_equal).count() > cells.len();
    let doubtful = equal
        .into_iter()
        .filter(|(label, cells)| is_doubtful(cells) && !rejected.contains_key(label));
    let notes = Notes {
        deviations,
        doubtful: doubtful.map(|(label, _)| label.clone()).collect(),
    };
    (Learned::new(parameters, known, rejected), notes)
}

fn sample(row: &Row) -> Option<Sample> {
    let (program, call) = row.program?;
    Some(Sample {
        program,
        call,
        log_ns: (row.ns as f64).ln(),
    })
}

/// The value as profiles and answers print it.
#[must_use]
pub fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Algorithms that did not run under their name: several of their times are those of the library's default and far below their
/// own program, or far below what their bytes take at the port.
fn impossible(
    rows: &[Row],
    parameters: &Parameters,
    over_default: impl Fn(&Row) -> Option<f64>,
) -> BTreeMap<Label, String> {
    let mut all: BTreeMap<&Label, [Vec<bool>; 2]> = BTreeMap::new();
    for row in rows {
        let Some((program, call)) = row.program else {
            continue;
        };
        let counts = parameters.counts(program, &call);
        let over = (row.ns as f64 / counts.time(&parameters.values)).ln();
        let [default, wire] = all.entry(&row.label).or_default();
        default
            .extend(over_default(row).map(|over_default| over_default.abs() < 0.05 && over < -0.5));
        // Of short blocks the port is a small part of the time.
        if call.bytes / call.ranks as f64 > 1e5 {
            wire.push((row.ns as f64) < 0.5 * counts.0[G] * parameters.values[G]);
        }
    }
    let why = |(label, [default, wire]): (&Label, [Vec<bool>; 2])| {
        let count = |cells: &[bool]| cells.iter().filter(|&&is| is).count();
        let (same, fast) = (count(&default), count(&wire));
        let of = |count: usize, cells: &[bool]| format!("{count} of {} times", cells.len());
        let explanation = match () {
            () if same >= 2 && 4 * same >= default.len() => {
                format!(
                    "{} are the default's, and below 0.6 of what the algorithm takes",
                    of(same, &default)
                )
            }
            () if fast >= 2 => format!("{} are below half of what its bytes take", of(fast, &wire)),
            () => return None,
        };
        Some((label.clone(), explanation))
    };
    all.into_iter().filter_map(why).collect()
}

impl Learned {
    /// The machine with these parameters, and what they leave of the times of rows that are not rejected.
    #[must_use]
    pub fn new(parameters: Parameters, rows: Vec<Row>, rejected: BTreeMap<Label, String>) -> Self {
        let programs = rows
            .iter()
            .map(|row| (row.label.clone(), row.program))
            .collect();
        let mut learned = Self {
            parameters,
            rows,
            rejected,
            programs,
            process: Process::new(&[]),
        };
        let residual = |row: &Row| {
            let modelled = learned.modelled(&row.label, row.size, row.program)?;
            Some((
                learned.site(&row.label, row.size),
                (row.ns as f64).ln() - modelled,
            ))
        };
        learned.process = Process::new(&learned.kept().filter_map(residual).collect::<Vec<_>>());
        learned
    }

    fn kept(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| !self.rejected.contains_key(&row.label))
    }

    /// Whether a time of an algorithm of the collective was measured.
    #[must_use]
    pub fn has_seen(&self, collective: &str) -> bool {
        self.kept()
            .any(|row| row.label.collective == collective && row.program.is_some())
    }

    /// The time of a call of an algorithm. Without a program only that of a library's default is known, if algorithms of the
    /// collective were measured.
    #[must_use]
    pub fn predict(
        &self,
        label: &Label,
        size: Size,
        program: Option<(Program, Call)>,
    ) -> Option<Prediction> {
        let modelled = self.modelled(label, size, program)?;
        let is_near = self
            .kept()
            .any(|row| row.label.collective == label.collective && row.size.ranks == size.ranks);
        let (mean, deviation) = self.process.at(&self.site(label, size), is_near);
        Some(Prediction {
            log_ns: modelled + mean,
            deviation,
        })
    }

    /// The logarithm of the ns before what was left of measured times is added.
    fn modelled(&self, label: &Label, size: Size, program: Option<(Program, Call)>) -> Option<f64> {
        if let Some((program, call)) = program {
            return Some(self.parameters.log_ns(program, &call));
        }
        let others = self.programs.iter().filter(|(other, _)| {
            other.collective == label.collective
                && names::is_default(&label.algorithm)
                && !self.rejected.contains_key(other)
        });
        let log_ns = |(program, call): (Program, Call)| {
            self.parameters.log_ns(
                program,
                &Call {
                    ranks: size.ranks,
                    bytes: size.bytes as f64,
                    ..call
                },
            )
        };
        Some(
            DEFAULT
                + others
                    .filter_map(|(_, program)| program.map(log_ns))
                    .min_by(f64::total_cmp)?,
        )
    }

    fn site(&self, label: &Label, size: Size) -> Site {
        let collective = self
            .programs
            .keys()
            .position(|known| known.collective == label.collective);
        let algorithm = self.programs.keys().position(|known| known == label);
        Site {
            collective: collective.unwrap_or(usize::MAX),
            algorithm: algorithm.unwrap_or(usize::MAX),
            log_bytes: (size.bytes as f64).ln(),
            log_ranks: (size.ranks as f64).ln(),
        }
    }
}

/// Parameters of which the measurements say nothing: their deviation is nearly what it was before.
#[must_use]
pub fn uninformed(deviations: &[f64; COUNT]) -> Vec<&'static str> {
    let all = PARAMETERS.iter().zip(deviations);
    all.filter(|(parameter, deviation)| **deviation > 0.9 * parameter.deviation)
        .map(|(parameter, _)| parameter.symbol)
        .collect()
}
