//! A machine that was learnt from measurements: its parameters, and what they leave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use super::calibration::{Calibration, Correction, Distance, Group, Trial, Without, correction};
use super::features::{COUNT, Counts, G, PARAMETERS};
use super::fit::{self, EAGER, Parameters, Sample};
use super::linear::Matrix;
use super::measured::{CellOf, Label, Row, Size};
use super::names;
use super::process::{self, NINETY, Process, Site, VARIANCE, below};
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
    /// The covariance of the logarithms of the parameters, if the rows were independent.
    uncertainty: Matrix,
    process: Process,
    calibration: Calibration,
    /// Corrections of times, and of savings, that were asked before.
    corrections: Mutex<BTreeMap<(bool, Distance, Group), Correction>>,
}

/// An algorithm, with what it does; a default has no program.
pub type Algorithm<'a> = (&'a Label, Option<(Program, Call)>);

/// What [`learn`] says beside the machine.
#[derive(Debug)]
pub struct Notes {
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
    pub fn ns(&self) -> [f64; 3] {
        [-NINETY, 0.0, NINETY].map(|times| (self.log_ns + times * self.deviation).exp())
    }
}

/// What the model leaves of a measured time.
struct Residual<'a> {
    row: &'a Row,
    site: Site,
    /// The shares of the parameters in the modelled time.
    shares: [f64; COUNT],
    /// The logarithm of the measured time over the modelled one.
    error: f64,
}

/// What an algorithm saves over another one.
#[derive(Debug, Clone, Copy)]
pub struct Saving {
    /// The share of the time, as the median.
    pub share: f64,
    /// How probable it is that it takes less time.
    pub probability: f64,
}

/// A default is expected to take this much longer than the fastest program of its collective, as a logarithm.
const DEFAULT: f64 = 0.3;

/// Learns a machine from rows; those without a program count only as defaults.
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
    let mut parameters = fit::fit(&samples(&BTreeMap::new()), &EAGER);
    let rejected = impossible(&known, &parameters, over_default);
    if !rejected.is_empty() {
        parameters = fit::fit(&samples(&rejected), &[parameters.eager]);
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
            uncertainty: Matrix::new(0, |_, _| 0.0),
            process: Process::new(&[]),
            calibration: Calibration::default(),
            corrections: Mutex::default(),
        };
        learned.uncertainty = fit::uncertainty(&learned.samples(None), &learned.parameters);
        let residuals: Vec<(Site, f64)> = learned
            .residuals(&learned.parameters, None)
            .into_iter()
            .map(|left| (left.site, left.error))
            .collect();
        learned.process = Process::new(&residuals);
        learned.calibration = learned.calibrated();
        learned
    }

    /// What the model with these parameters leaves of the times that are not rejected, of all collectives or of one.
    fn residuals<'a>(&'a self, parameters: &Parameters, only: Option<&str>) -> Vec<Residual<'a>> {
        let residual = |row: &'a Row| {
            let (counts, more) = self.modelled(parameters, (&row.label, row.program), row.size)?;
            let shares = counts.shares(&parameters.values);
            Some(Residual {
                row,
                site: self.site(&row.label, row.size, &shares),
                shares,
                error: (row.ns as f64).ln() - counts.time(&parameters.values).ln() - more,
            })
        };
        self.kept()
            .filter(|row| only.is_none_or(|only| row.label.collective == only))
            .filter_map(residual)
            .collect()
    }

    /// The rows to fit parameters to, without those of a collective.
    fn samples(&self, without: Option<&str>) -> Vec<Sample> {
        self.kept()
            .filter(|row| without != Some(&row.label.collective))
            .filter_map(sample)
            .collect()
    }

    /// Predicts rows that are left out, and what is chosen for them.
    fn calibrated(&self) -> Calibration {
        let mut all = Calibration::default();
        let known = self.residuals(&self.parameters, None);
        for (without, key) in [
            (Without::Size, (|site| site.log_bytes) as fn(&Site) -> f64),
            (Without::Nodes, |site| site.log_nodes),
        ] {
            for left_out in self.process.left_out(key) {
                let rows = left_out
                    .numbers
                    .iter()
                    .map(|&number| known[number].row)
                    .collect::<Vec<_>>();
                self.tried(
                    &mut all,
                    without,
                    &rows,
                    &left_out.errors,
                    &*left_out.covariance,
                );
            }
        }
        let collectives: BTreeSet<&str> = known
            .iter()
            .map(|left| left.row.label.collective.as_str())
            .collect();
        for collective in collectives.iter().filter(|_| collectives.len() > 1) {
            let parameters = fit::again(&self.samples(Some(collective)), &self.parameters);
            let own = self.residuals(&parameters, Some(collective));
            let (rows, errors): (Vec<&Row>, Vec<f64>) =
                own.iter().map(|left| (left.row, left.error)).unzip();
            let covariance = |one: usize, other: usize| {
                let noise = if one == other { VARIANCE } else { 0.0 };
                let (one, other) = (&own[one], &own[other]);
                process::covariance(&one.site, &other.site)
                    + noise
                    + self.uncertainty.between(&one.shares, &other.shares)
            };
            self.tried(&mut all, Without::Collective, &rows, &errors, &covariance);
        }
        all
    }

    /// Adds what was predicted for rows of a collective that were left out: each time, and what the choice saves over the default.
    fn tried(
        &self,
        all: &mut Calibration,
        without: Without,
        rows: &[&Row],
        errors: &[f64],
        covariance: &dyn Fn(usize, usize) -> f64,
    ) {
        let collective = self.collective(&rows[0].label);
        let measured = |at: usize| (rows[at].ns as f64).ln();
        let predicted = |at: usize| measured(at) - errors[at];
        let mut cells: BTreeMap<(Size, &str), Vec<usize>> = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            cells.entry((row.size, &row.shape)).or_default().push(at);
            let deviation = covariance(at, at).sqrt();
            all.times.entry(without).or_default().push(Trial {
                group: (collective, row.size.node),
                predicted: predicted(at),
                deviation,
                measured: measured(at),
            });
        }
        for cell in cells.into_values() {
            let (defaults, others): (Vec<usize>, Vec<usize>) =
                cell.into_iter().partition(|&at| rows[at].is_default());
            let best = others
                .into_iter()
                .min_by(|&one, &other| predicted(one).total_cmp(&predicted(other)));
            if let ([default], Some(best)) = (&*defaults, best) {
                let variance = covariance(*default, *default) + covariance(best, best)
                    - 2.0 * covariance(*default, best);
                all.savings.entry(without).or_default().push(Trial {
                    group: (collective, rows[best].size.node),
                    predicted: predicted(*default) - predicted(best),
                    deviation: variance.max(VARIANCE).sqrt(),
                    measured: measured(*default) - measured(best),
                });
            }
        }
    }

    fn kept(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| !self.rejected.contains_key(&row.label))
    }

    /// Whether a time of an algorithm of the collective was measured.
    pub fn has_seen(&self, collective: &str) -> bool {
        self.kept()
            .any(|row| row.label.collective == collective && row.program.is_some())
    }

    /// How far a call of a collective is from what was measured of it.
    pub fn distance(&self, collective: &str, size: Size) -> Distance {
        let own = || {
            self.kept()
                .filter(|row| row.label.collective == collective)
                .map(|row| row.size)
        };
        let same = || {
            own()
                .filter(|other| other.node == size.node)
                .map(|other| other.nodes())
        };
        let (most, fewest) = (same().max().unwrap_or(0), same().min().unwrap_or(0));
        match () {
            () if !self.has_seen(collective) => Distance::Unseen,
            () if same().next().is_none() => Distance::Node,
            () if same().any(|nodes| nodes == size.nodes()) => Distance::Near,
            () if fewest <= 2 * size.nodes() && size.nodes() <= 2 * most => Distance::Nodes,
            () => Distance::Beyond,
        }
    }

    /// The time of a call of an algorithm. Without a program only that of a library's default is known, if algorithms of the
    /// collective were measured.
    pub fn predict(
        &self,
        label: &Label,
        size: Size,
        program: Option<(Program, Call)>,
    ) -> Option<Prediction> {
        let (log_ns, variance) = self.sum(&[(1.0, (label, program))], size)?;
        let distance = self.distance(&label.collective, size);
        let wider = self
            .correction(false, distance, (self.collective(label), size.node))
            .wider;
        Some(Prediction {
            log_ns,
            deviation: variance.sqrt() * wider,
        })
    }

    /// How much an algorithm saves over another one of the collective: with what they have in common, and corrected by what such choices
    /// saved on this machine. Of a default without any measured time of its collective only `DEFAULT` is known.
    pub fn saving(&self, of: Algorithm<'_>, over: Algorithm<'_>, size: Size) -> Option<Saving> {
        let sum = |over| self.sum(&[(1.0, over), (-1.0, of)], size);
        let (log, variance) = match sum(over) {
            Some(known) => known,
            None => sum((over.0, of.1)).map(|(log, variance)| (log + DEFAULT, variance))?,
        };
        let distance = self.distance(&of.0.collective, size);
        // Of what a library is known to run the time is predicted, as any other.
        let is_saving = over.1.is_none();
        let group = (self.collective(of.0), size.node);
        let found = self.correction(is_saving, distance, group);
        let log = log - found.bias;
        Some(Saving {
            share: 1.0 - (-log).exp(),
            probability: below(log / (variance.sqrt() * found.wider)),
        })
    }

    fn correction(&self, is_saving: bool, distance: Distance, group: Group) -> Correction {
        let mut known = self
            .corrections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *known
            .entry((is_saving, distance, group))
            .or_insert_with(|| {
                let Calibration { times, savings } = &self.calibration;
                correction(
                    if is_saving { savings } else { times },
                    distance,
                    group,
                    is_saving,
                )
            })
    }

    /// The sum of logarithms of times, each times a factor, and its variance.
    fn sum(&self, sum: &[(f64, Algorithm<'_>)], size: Size) -> Option<(f64, f64)> {
        let values = &self.parameters.values;
        let (mut log, mut all, mut sites) = (0.0, [0.0; COUNT], Vec::new());
        for &(factor, algorithm) in sum {
            let (counts, more) = self.modelled(&self.parameters, algorithm, size)?;
            log += factor * (counts.time(values).ln() + more);
            let shares = counts.shares(values);
            sites.push((factor, self.site(algorithm.0, size, &shares)));
            all.iter_mut()
                .zip(shares)
                .for_each(|(all, own)| *all += factor * own);
        }
        let (mean, variance) = self.process.at(&sites);
        Some((log + mean, variance + self.uncertainty.between(&all, &all)))
    }

    /// The counts of a call, and the logarithm of what it takes more, before what was left of measured times is added.
    fn modelled(
        &self,
        parameters: &Parameters,
        (label, program): Algorithm<'_>,
        size: Size,
    ) -> Option<(Counts, f64)> {
        if let Some((program, call)) = program {
            return Some((parameters.counts(program, &call), 0.0));
        }
        let others = self.programs.iter().filter(|(other, _)| {
            other.collective == label.collective
                && names::is_default(&label.algorithm)
                && !self.rejected.contains_key(other)
        });
        let counts = |(program, call): (Program, Call)| {
            let call = Call {
                ranks: size.ranks,
                node: size.node,
                bytes: size.bytes as f64,
                ..call
            };
            parameters.counts(program, &call)
        };
        let least = others
            .filter_map(|(_, program)| program.map(counts))
            .min_by(|one, other| {
                one.time(&parameters.values)
                    .total_cmp(&other.time(&parameters.values))
            });
        Some((least?, DEFAULT))
    }

    /// Standard deviations of the logarithms of the parameters, if the rows were independent.
    pub fn deviations(&self) -> [f64; COUNT] {
        std::array::from_fn(|index| self.uncertainty[(index, index)].sqrt())
    }

    /// Parameters of which the measurements say nothing: their deviation is nearly what it was before.
    pub fn uninformed(&self) -> Vec<&'static str> {
        PARAMETERS
            .iter()
            .zip(self.deviations())
            .filter(|(parameter, deviation)| *deviation > 0.9 * parameter.deviation)
            .map(|(parameter, _)| parameter.symbol)
            .collect()
    }

    /// The number of a label's collective.
    fn collective(&self, label: &Label) -> usize {
        self.programs
            .keys()
            .position(|known| known.collective == label.collective)
            .unwrap_or(usize::MAX)
    }

    /// Where the residual of a call is in whose time the parameters have these shares.
    fn site(&self, label: &Label, size: Size, shares: &[f64; COUNT]) -> Site {
        let number = self.programs.keys().position(|known| known == label);
        Site {
            collective: self.collective(label),
            // A default is not what else was not measured.
            algorithm: number
                .unwrap_or(usize::MAX - usize::from(names::is_default(&label.algorithm))),
            log_bytes: (size.bytes as f64).ln(),
            log_nodes: (size.nodes() as f64).ln(),
            log_node: (size.node as f64).ln(),
            deviation: Counts::varies(shares),
        }
    }
}
