//! A machine that was learnt from measurements: its parameters, and what they leave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use super::calibration::{
    Correction, Distance, FAR, Group, Trial, Trials, What, Without, correction,
};
use super::features::{COUNT, Counts, G, PARAMETERS};
use super::fit::{self, EAGER, Parameters, Sample};
use super::measured::{Algorithm, CellOf, Label, Row, Size};
use super::names;
use super::process::{self, NINETY, Process, Site, VARIANCE, below, quantile};
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
    /// Times that are far from what all others of their collective say, with the logarithm of measured over said: nothing is learnt from them.
    pub surprising: BTreeMap<(Label, Size), f64>,
    /// What the measured algorithms do, of a vector of one byte; none for a default.
    programs: BTreeMap<Label, Option<(Program, Call)>>,
    process: Process,
    trials: Trials,
    /// Corrections that were asked before.
    corrections: Mutex<BTreeMap<(What, Distance, Group), Correction>>,
}

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
    /// The logarithm of the measured time over the modelled one.
    error: f64,
}

/// What an algorithm saves over another one.
#[derive(Debug, Clone, Copy)]
pub struct Saving {
    /// The logarithm of the other time over its own.
    log: f64,
    /// The standard deviation of that.
    deviation: f64,
}

impl Saving {
    /// The share of the time, as the median.
    pub fn share(self) -> f64 {
        1.0 - (-self.log).exp()
    }

    /// How probable it is that it saves more than a share of the time.
    pub fn probability(self, share: f64) -> f64 {
        below((self.log + (-share).ln_1p()) / self.deviation)
    }
}

/// A default runs an algorithm if their times differ by less than this, as logarithms, in each of the nearest cells.
const EQUAL: f64 = 0.08;
/// How many cells are compared.
const NEAREST: usize = 3;
/// Cells are near up to this difference of the logarithms of bytes and of nodes together.
const NEAR: f64 = 3.0;

/// A time is surprising if it is this many standard deviations from what all others say.
const SURPRISING: f64 = 5.0;
/// A busy network makes calls slower, so a longer time is surprising only above this, the logarithm of eight times what others say.
const SLOWER: f64 = 2.08;
/// The most rounds in which surprising times are removed.
const SIFTED: usize = 5;

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
        // A protocol has a latency of its own, which is not in the model.
        if !names::has_protocol(&row.label.collective, &row.label.algorithm) {
            default.extend(
                over_default(row).map(|over_default| over_default.abs() < 0.05 && over < -0.5),
            );
        }
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
        // A protocol adds to the bytes.
        let of_a_byte = |row: &Row| {
            let (program, call) = row.program?;
            let bytes = call.bytes / row.size.bytes as f64;
            Some((program, Call { bytes, ..call }))
        };
        let programs = rows
            .iter()
            .map(|row| (row.label.clone(), of_a_byte(row)))
            .collect();
        let mut learned = Self {
            parameters,
            rows,
            rejected,
            surprising: BTreeMap::new(),
            programs,
            process: Process::new(&[], &fit::precision()),
            trials: Trials::new(),
            corrections: Mutex::default(),
        };
        learned.process = learned.processed();
        for _ in 0..SIFTED {
            let more = learned.surprises();
            if more.is_empty() {
                break;
            }
            learned.surprising.extend(more);
            learned.process = learned.processed();
        }
        learned.trials = learned.calibrated();
        learned
    }

    fn processed(&self) -> Process {
        let residuals = self.residuals(&self.parameters, None).into_iter();
        let residuals: Vec<(Site, f64)> = residuals.map(|left| (left.site, left.error)).collect();
        Process::new(&residuals, &fit::precision())
    }

    /// The surprising times of algorithms, and by how much each is off. One wrong time makes its neighbours seem wrong, so only times more than
    /// half as far off as the farthest are given. Times of a default are never surprising, because it changes its algorithm from size to size.
    fn surprises(&self) -> Vec<((Label, Size), f64)> {
        let known = self.residuals(&self.parameters, None);
        let all = self.process.surprises();
        let scale = quantile(all.iter().map(|far| far.deviations).collect(), 0.9) / NINETY;
        let is_possible = |error: f64| (0.0..SLOWER).contains(&error);
        let of_programs = all
            .iter()
            .filter(|far| !known[far.number].row.is_default() && !is_possible(far.error));
        let most = of_programs.clone().map(|far| far.deviations);
        let least = (SURPRISING * scale.max(1.0)).max(most.fold(0.0, f64::max) / 2.0);
        of_programs
            .filter(|far| far.deviations > least)
            .map(|far| {
                let row = known[far.number].row;
                ((row.label.clone(), row.size), far.error)
            })
            .collect()
    }

    /// What the model with these parameters leaves of the times that are not rejected, of all collectives or of one.
    fn residuals<'a>(&'a self, parameters: &Parameters, only: Option<&str>) -> Vec<Residual<'a>> {
        let residual = |row: &'a Row| {
            let (counts, more) = self.modelled(parameters, (&row.label, row.program), row.size)?;
            let shares = counts.shares(&parameters.values);
            Some(Residual {
                row,
                site: self.site(&row.label, row.size, shares),
                error: (row.ns as f64).ln() - counts.time(&parameters.values).ln() - more,
            })
        };
        self.kept()
            .filter(|row| only.is_none_or(|only| row.label.collective == only))
            .filter(|row| {
                self.surprising.is_empty()
                    || !self.surprising.contains_key(&(row.label.clone(), row.size))
            })
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
    fn calibrated(&self) -> Trials {
        let mut all = Trials::new();
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
                let has_node = |row: &Row| {
                    known.iter().enumerate().any(|(number, other)| {
                        other.row.label.collective == row.label.collective
                            && other.row.size.node == row.size.node
                            && !left_out.numbers.contains(&number)
                    })
                };
                let without = if without == Without::Nodes && !has_node(rows[0]) {
                    Without::Node
                } else {
                    without
                };
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
            let uncertain = self.process.without(self.collective(&rows[0].label));
            let covariance = |one: usize, other: usize| {
                let noise = if one == other { VARIANCE } else { 0.0 };
                let (one, other) = (&own[one].site, &own[other].site);
                process::covariance(one, other)
                    + noise
                    + uncertain.between(&one.shares, &other.shares)
            };
            self.tried(&mut all, Without::Collective, &rows, &errors, &covariance);
        }
        all
    }

    /// Adds what was predicted for rows of a collective that were left out: each time, and what the choice saves over the default.
    fn tried(
        &self,
        all: &mut Trials,
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
            let what = if row.is_default() {
                What::Default
            } else {
                What::Time
            };
            all.entry((what, without)).or_default().push(Trial {
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
                all.entry((What::Saving, without)).or_default().push(Trial {
                    group: (collective, rows[best].size.node),
                    predicted: predicted(*default) - predicted(best),
                    deviation: variance.max(VARIANCE).sqrt(),
                    measured: measured(*default) - measured(best),
                });
            }
        }
    }

    /// The median of measured over modelled times of each collective.
    pub fn median_ratios(&self) -> BTreeMap<&str, f64> {
        let mut of: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for Residual { row, error, .. } in self.residuals(&self.parameters, None) {
            of.entry(&row.label.collective).or_default().push(error);
        }
        let median = |(name, errors)| (name, quantile(errors, 0.5).exp());
        of.into_iter().map(median).collect()
    }

    fn kept(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| !self.rejected.contains_key(&row.label))
    }

    /// The algorithms of a collective that were measured, with the default.
    pub fn labels(&self, collective: &str) -> BTreeSet<&Label> {
        let own = |label: &&Label| label.collective == collective;
        self.programs.keys().filter(own).collect()
    }

    /// The algorithms to choose from: those that were measured. None, for all with a program, where none was with as many ranks of a node.
    pub fn choices(&self, collective: &str, node: u64) -> Option<BTreeSet<&Label>> {
        let is_own = |row: &Row| row.label.collective == collective && row.size.node == node;
        self.kept()
            .any(|row| is_own(row) && row.program.is_some())
            .then(|| self.labels(collective))
    }

    /// Whether a time of an algorithm of the collective was measured.
    pub fn has_seen(&self, collective: &str) -> bool {
        self.kept()
            .any(|row| row.label.collective == collective && row.program.is_some())
    }

    /// How far a call of a collective is from what was measured of its algorithms.
    pub fn distance(&self, collective: &str, size: Size) -> Distance {
        if !self.has_seen(collective) {
            return Distance::Unseen;
        }
        self.away(size, |row| {
            row.label.collective == collective && row.program.is_some()
        })
    }

    /// The same for a label; of a default from what was measured of it.
    fn distance_of(&self, label: &Label, size: Size) -> Distance {
        let is_own = |row: &Row| row.is_default() && row.label == *label;
        if names::is_default(&label.algorithm) && self.kept().any(is_own) {
            self.away(size, is_own)
        } else {
            self.distance(&label.collective, size)
        }
    }

    /// Whether times of a label were measured with as many ranks of a node.
    pub fn has_node(&self, label: &Label, node: u64) -> bool {
        self.kept()
            .any(|row| row.label == *label && row.size.node == node)
    }

    /// The fewest and the most nodes on which algorithms of a collective were measured with as many ranks each; 0 without any.
    pub fn nodes(&self, collective: &str, node: u64) -> [u64; 2] {
        let is_own = |row: &&Row| {
            row.label.collective == collective && row.size.node == node && row.program.is_some()
        };
        let all = || self.kept().filter(is_own).map(|row| row.size.nodes());
        [all().min(), all().max()].map(Option::unwrap_or_default)
    }

    /// How far the ranks of a call are from those of some rows.
    fn away(&self, size: Size, is_of: impl Fn(&Row) -> bool) -> Distance {
        let same = || {
            self.kept()
                .filter(|row| row.size.node == size.node && is_of(row))
                .map(|row| row.size.nodes())
        };
        let (most, fewest) = (same().max().unwrap_or(0), same().min().unwrap_or(0));
        match () {
            () if most == 0 => Distance::Node,
            () if same().any(|nodes| nodes == size.nodes()) => Distance::Near,
            () if fewest <= 2 * size.nodes() && size.nodes() <= 2 * most => Distance::Nodes,
            () => Distance::Beyond,
        }
    }

    /// How far bytes are from all that were measured of a collective, as a logarithm; 0 between them.
    pub fn beyond(&self, collective: &str, bytes: u64) -> f64 {
        let is_own = |row: &&Row| row.label.collective == collective && row.program.is_some();
        let away = self
            .kept()
            .filter(is_own)
            .map(|row| (bytes as f64 / row.size.bytes as f64).ln());
        let [least, most] = away.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], away| {
            [least.min(away), most.max(away)]
        });
        if self.has_seen(collective) {
            least.max(-most).max(0.0)
        } else {
            0.0
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
        // Its own time was measured, and is not believed.
        if self.surprising.contains_key(&(label.clone(), size)) {
            return None;
        }
        let run = self.run_by_default((label, program), size);
        let (log_ns, variance) = self.sum(&[(1.0, run.unwrap_or((label, program)))], size)?;
        let distance = self.distance_of(label, size);
        let what = if program.is_none() {
            What::Default
        } else {
            What::Time
        };
        let wider = self
            .correction(what, distance, self.group(label, size))
            .wider
            * self.apart(label, size);
        let forgotten = 1.0 - process::in_common(self.beyond(&label.collective, size.bytes));
        Some(Prediction {
            log_ns,
            deviation: variance.sqrt() * wider * (1.0 + (FAR - 1.0) * forgotten),
        })
    }

    /// How much an algorithm saves over another one of the collective: with what they have in common, and corrected by what such choices
    /// saved on this machine. Of a default without any measured time of its collective only `DEFAULT` is known.
    ///
    /// Where the default seems to run an algorithm, also this one must be slower; if that is the algorithm itself, only this counts.
    pub fn saving(&self, of: Algorithm<'_>, over: Algorithm<'_>, size: Size) -> Option<Saving> {
        let saving = self.saved(of, over, size)?;
        let run = self.run_by_default(over, size);
        let over_run = run.and_then(|run| self.saved(of, run, size));
        let is_itself = run.is_some_and(|run| run.0 == of.0);
        Some(over_run.map_or(saving, |over_run| {
            if is_itself || over_run.probability(0.0) < saving.probability(0.0) {
                over_run
            } else {
                saving
            }
        }))
    }

    fn saved(&self, of: Algorithm<'_>, over: Algorithm<'_>, size: Size) -> Option<Saving> {
        let sum = |over| self.sum(&[(1.0, over), (-1.0, of)], size);
        let (log, variance) = match sum(over) {
            Some(known) => known,
            None => sum((over.0, of.1)).map(|(log, variance)| (log + DEFAULT, variance))?,
        };
        let [own, other] = [of, over].map(|algorithm| self.distance_of(algorithm.0, size));
        let distance = own.max(other);
        // Of what a library is known to run the time is predicted, as any other.
        let what = if over.1.is_none() {
            What::Saving
        } else {
            What::Time
        };
        let found = self.correction(what, distance, self.group(of.0, size));
        Some(Saving {
            log: log - found.bias,
            deviation: variance.sqrt() * found.wider,
        })
    }

    fn group(&self, label: &Label, size: Size) -> Group {
        (self.collective(label), size.node)
    }

    /// How much wider the interval is where neither the collective was measured nor any other on these ranks.
    fn apart(&self, label: &Label, size: Size) -> f64 {
        if self.has_seen(&label.collective) || self.away(size, |_| true) == Distance::Near {
            1.0
        } else {
            FAR
        }
    }

    fn correction(&self, what: What, distance: Distance, group: Group) -> Correction {
        let mut known = self
            .corrections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *known
            .entry((what, distance, group))
            .or_insert_with(|| correction(&self.trials, what, distance, group))
    }

    /// The sum of logarithms of times, each times a factor, and its variance.
    fn sum(&self, sum: &[(f64, Algorithm<'_>)], size: Size) -> Option<(f64, f64)> {
        let values = &self.parameters.values;
        let (mut log, mut sites) = (0.0, Vec::new());
        for &(factor, algorithm) in sum {
            let (counts, more) = self.modelled(&self.parameters, algorithm, size)?;
            log += factor * (counts.time(values).ln() + more);
            let site = self.site(algorithm.0, size, counts.shares(values));
            sites.push((factor, site));
        }
        let (mean, variance) = self.process.at(&sites);
        Some((log + mean, variance))
    }

    /// The algorithm that a default runs: that has its time in all of the nearest cells with both.
    fn run_by_default(&self, default: Algorithm<'_>, size: Size) -> Option<Algorithm<'_>> {
        if default.1.is_some() || !names::is_default(&default.0.algorithm) {
            return None;
        }
        let away = |other: Size| {
            let apart = |one: u64, other: u64| (one as f64 / other as f64).ln().abs();
            apart(size.bytes, other.bytes) + apart(size.nodes(), other.nodes())
        };
        let own = || {
            self.kept().filter(|row| {
                row.label.collective == default.0.collective && row.size.node == size.node
            })
        };
        let mut cells: Vec<&Row> = own().filter(|row| row.is_default()).collect();
        cells.retain(|cell| away(cell.size) <= NEAR);
        cells.sort_by(|one, other| away(one.size).total_cmp(&away(other.size)));
        cells.truncate(NEAREST);
        if cells.len() < NEAREST {
            return None;
        }
        let is_equal = |default: &Row, label: &Label| {
            let mut same = own().filter(|row| row.label == *label && row.cell() == default.cell());
            same.next()
                .map(|row| (row.ns as f64 / default.ns as f64).ln().abs())
        };
        let all = self.programs.iter().filter_map(|(label, program)| {
            let (program, call) = (*program)?;
            if label.collective != default.0.collective {
                return None;
            }
            let mut most = 0.0f64;
            for cell in &cells {
                most = most.max(is_equal(cell, label)?);
            }
            let call = call.of(size);
            (most < EQUAL).then_some((most, (label, Some((program, call)))))
        });
        all.min_by(|one, other| one.0.total_cmp(&other.0))
            .map(|(_, algorithm)| algorithm)
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
        if !names::is_default(&label.algorithm) {
            return None;
        }
        let collective = &label.collective;
        let measured = self.programs.iter().filter(|(other, _)| {
            other.collective == *collective && !self.rejected.contains_key(other)
        });
        let mut all: Vec<(Program, Call)> = measured
            .filter_map(|(_, program)| program.map(|(program, call)| (program, call.of(size))))
            .collect();
        if all.is_empty() && self.programs.contains_key(label) {
            let known = names::program_names(collective).into_iter();
            all.extend(known.filter_map(|name| names::find(collective, &name, size)));
        }
        let least = all
            .into_iter()
            .map(|(program, call)| parameters.counts(program, &call))
            .min_by(|one, other| {
                one.time(&parameters.values)
                    .total_cmp(&other.time(&parameters.values))
            });
        Some((least?, DEFAULT))
    }

    /// Standard deviations of the logarithms of the parameters.
    pub fn deviations(&self) -> [f64; COUNT] {
        std::array::from_fn(|index| self.process.parameters[(index, index)].sqrt())
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
    fn site(&self, label: &Label, size: Size, shares: [f64; COUNT]) -> Site {
        let number = self.programs.keys().position(|known| known == label);
        Site {
            collective: self.collective(label),
            // A default is not what else was not measured.
            algorithm: number
                .unwrap_or(usize::MAX - usize::from(names::is_default(&label.algorithm))),
            log_bytes: (size.bytes as f64).ln(),
            log_nodes: (size.nodes() as f64).ln(),
            log_node: (size.node as f64).ln(),
            deviation: Counts::varies(&shares),
            shares,
        }
    }
}
