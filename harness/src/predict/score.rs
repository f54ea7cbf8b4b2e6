//! Compares predictions with measured times that they were not learnt from.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::LN_2;

use super::calibration::Distance;
use super::decision::Margin;
use super::learned::{Learned, Prediction, Saving, learn, six_digits};
use super::measured::{CellOf, Label, Row, Table};
use super::names;
use super::process::quantile;
use crate::base::failure::Result;
use rayon::prelude::*;

/// A cell that was not learnt from: all times of a collective at a size, on one shape.
#[derive(Debug, Clone)]
pub struct HeldOut {
    /// Its collective.
    pub collective: String,
    /// How far it is from what was learnt from.
    pub distance: Distance,
    /// Whether it is of less than half or more than twice the bytes of all cells that were learnt from.
    pub is_far: bool,
    /// Slowdowns; none if one of the algorithms learnt from, or the default, is there alone.
    pub choice: Option<Choice>,
    /// Of each algorithm with a program: predicted over measured time, less 1, and whether the interval holds the time.
    errors: Vec<(f64, bool)>,
    /// The same of the library's default, which rules are compared with.
    default: Option<(f64, bool)>,
}

impl HeldOut {
    /// What was predicted of the default alone.
    fn of_default(&self) -> Option<Self> {
        Some(Self {
            errors: vec![self.default?],
            choice: None,
            ..self.clone()
        })
    }

    /// An allreduce that latency and bandwidth of pairs predict.
    pub fn from_pairs(error: (f64, bool)) -> Self {
        Self {
            collective: "allreduce".to_owned(),
            distance: Distance::Unseen,
            is_far: false,
            choice: None,
            errors: vec![error],
            default: None,
        }
    }
}

/// How much longer than the best measured algorithm some choices take.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Bytes of the vector.
    pub bytes: u64,
    /// The least prediction, over the best that has a program.
    pub ours: f64,
    /// The least prediction, over the best of all measured.
    pub over_all: f64,
    /// The library's default.
    pub default: Option<f64>,
    /// The algorithm of a rule; none where no rule leaves the default.
    pub rule: Option<f64>,
    /// The best of the nearest cell that was learnt from, or the default; none without either.
    pub nearest: Option<f64>,
}

/// What is left out in turn, to be predicted from the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LeaveOut {
    /// Each number of nodes.
    Nodes,
    /// Every other size of a collective and number of nodes, then the others.
    Sizes,
    /// All but 16 cells, ten times.
    Cells,
    /// Each collective.
    Collective,
}

/// The default is left for an algorithm that is faster with this probability.
const CHOSEN: f64 = 0.6;
/// The same in a collective without a measured time, of whose default little is known.
const CHOSEN_UNSEEN: f64 = 0.65;

/// The most rows of a collective that a machine is learnt from: the time grows with their cube.
pub const MAX_ROWS: usize = 3000;

/// Refuses rows that no machine can be learnt from: too many, or with doubt about the default.
///
/// # Errors
/// Exit code 2.
pub fn check_rows(rows: &[Row]) -> Result {
    let mut of: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.program.is_some()) {
        *of.entry(&row.label.collective).or_default() += 1;
    }
    match of.into_iter().find(|(_, count)| *count > MAX_ROWS) {
        None => check_defaults(rows, "--train"),
        Some((collective, count)) => Err(failure!(
            Usage,
            "{collective}: {count} rows to learn from are more than {MAX_ROWS}; select fewer with --train"
        )),
    }
}

/// Refuses two defaults of a collective, and a name that looks like one but is not known.
///
/// # Errors
/// Exit code 2.
pub fn check_defaults(rows: &[Row], option: &str) -> Result {
    let mut of: BTreeMap<&str, &str> = BTreeMap::new();
    for Row {
        label: Label {
            collective,
            algorithm,
        },
        program,
        ..
    } in rows
    {
        let known = names::like_default(algorithm).filter(|_| program.is_none());
        if let Some(known) = known {
            bail!(
                "{collective}: `{algorithm}` looks like the library's own choice, whose name begins with `default`; write --map {algorithm}={known}, or leave it out with {option} 'algorithm!={algorithm}'"
            );
        }
        if names::is_default(algorithm) {
            let other = of.entry(collective).or_insert(algorithm);
            if other != algorithm {
                bail!(
                    "{collective}: both `{other}` and `{algorithm}` are the library's own choice; keep one, as with {option} 'algorithm!={algorithm}'"
                );
            }
        }
    }
    Ok(())
}

/// Scores of machines that were learnt from parts of a table, each on these rows of the rest.
///
/// # Errors
/// Exit code 2 for too many rows, 3 for a cell that is there twice, 4 where nothing would be left to learn from.
pub fn leave_out(
    table: &Table,
    test: &[Row],
    what: LeaveOut,
    margin: Margin,
) -> Result<Vec<HeldOut>> {
    let rows = table.whole()?;
    let modelled = || rows.iter().filter(|row| row.program.is_some());
    let part =
        |is_in: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is_in(row)).cloned().collect();
    let parts: Vec<Vec<Row>> = match what {
        LeaveOut::Nodes => {
            let all: BTreeSet<u64> = modelled().map(|row| row.size.nodes()).collect();
            all.into_iter()
                .map(|nodes| part(&|row| row.size.nodes() != nodes))
                .collect()
        }
        LeaveOut::Collective => {
            let all: BTreeSet<&str> = modelled()
                .map(|row| row.label.collective.as_str())
                .collect();
            all.into_iter()
                .map(|name| part(&|row| row.label.collective != name))
                .collect()
        }
        LeaveOut::Sizes => {
            let indices = table.size_indices();
            [1, 0]
                .map(|odd| {
                    part(&|row| {
                        indices
                            .get(&row.cell())
                            .is_some_and(|index| index % 2 == odd)
                    })
                })
                .into()
        }
        LeaveOut::Cells => (0..10)
            .map(|seed| {
                let draws = table.draws(seed);
                part(&|row| draws.get(&row.cell()).is_some_and(|&draw| draw < 16))
            })
            .collect(),
    };
    let score = |train: &Vec<Row>| {
        check_rows(train)?;
        if !train.iter().any(|row| row.program.is_some()) {
            bail!(
                Nothing,
                "--leave-out: nothing would be left to learn from; measure more, or leave out something else"
            );
        }
        Ok(cells(&learn(train).0, test, margin).0)
    };
    let scores: Result<Vec<Vec<HeldOut>>> = parts.par_iter().map(score).collect();
    Ok(scores?.concat())
}

/// Compares a machine with rows; those of cells that it was learnt from are left out, and counted.
pub fn cells(learned: &Learned, test: &[Row], margin: Margin) -> (Vec<HeldOut>, usize) {
    // A time of the default alone says nothing of algorithms.
    let of_algorithms = learned.rows.iter().filter(|row| row.program.is_some());
    let trained: BTreeSet<CellOf<'_>> = of_algorithms.map(Row::cell).collect();
    let mut all: BTreeMap<(CellOf<'_>, &str), Vec<&Row>> = BTreeMap::new();
    let (known, held_out): (Vec<&Row>, Vec<&Row>) =
        test.iter().partition(|row| trained.contains(&row.cell()));
    for row in held_out {
        all.entry((row.cell(), &row.shape)).or_default().push(row);
    }
    (
        all.values()
            .filter_map(|rows| cell(learned, rows, margin))
            .collect(),
        known.len(),
    )
}

fn cell(learned: &Learned, rows: &[&Row], margin: Margin) -> Option<HeldOut> {
    let mut all: Vec<(&Row, Prediction)> = Vec::new();
    for row in rows.iter().filter(|row| row.program.is_some()) {
        all.push((row, learned.predict(&row.label, row.size, row.program)?));
    }
    let collective = &rows[0].label.collective;
    let best = all.iter().map(|(row, _)| row.ns).min()? as f64;
    let error = |row: &Row, prediction: &Prediction| {
        let ([low, middle, high], ns) = (prediction.ns(), row.ns as f64);
        (middle / ns - 1.0, low < ns && ns < high)
    };
    let default = rows.iter().find(|row| row.is_default()).and_then(|row| {
        let prediction = learned.predict(&row.label, row.size, None)?;
        Some(error(row, &prediction))
    });
    Some(HeldOut {
        distance: learned.distance(collective, rows[0].size),
        is_far: learned.beyond(collective, rows[0].size.bytes) > LN_2,
        collective: collective.clone(),
        choice: choice(learned, rows, best, margin),
        errors: all
            .iter()
            .map(|(row, prediction)| error(row, prediction))
            .collect(),
        default,
    })
}

/// What is chosen in a cell, over the best time of an algorithm with a program; none where there is nothing to choose from.
fn choice(learned: &Learned, rows: &[&Row], best: f64, margin: Margin) -> Option<Choice> {
    let (size, collective) = (rows[0].size, &rows[0].label.collective);
    let known = learned.choices(collective, size.node);
    let is_candidate = |row: &&&Row| {
        row.program.is_some()
            && known
                .as_ref()
                .is_none_or(|known| known.contains(&row.label))
            && !learned.rejected.contains_key(&row.label)
    };
    let candidates = || rows.iter().filter(is_candidate).copied();
    let default = rows.iter().find(|row| row.is_default()).copied();
    if candidates().count() + usize::from(default.is_some()) < 2 {
        return None;
    }
    let fastest = learned.fastest(candidates().map(|row| (row, row.algorithm())), size)?;
    let needed = match learned.distance(collective, size) {
        Distance::Node => margin.confidence(),
        Distance::Unseen => CHOSEN_UNSEEN,
        _ => CHOSEN,
    };
    let saving = |default: &&Row| learned.saving(fastest.algorithm(), default.algorithm(), size);
    let is_faster = |saving: Saving| saving.probability(0.0) >= needed;
    let ours = default
        .filter(|default| !saving(default).is_some_and(is_faster))
        .unwrap_or(fastest);
    let rule = |default: &Row| {
        let saving = learned.known_saving(fastest.algorithm(), default.algorithm(), size);
        saving
            .is_ok_and(|saving| margin.is_met(saving))
            .then_some(fastest)
    };
    let over_best = |row: &Row| row.ns as f64 / best;
    let best_of_all = rows.iter().map(|row| row.ns).min()? as f64;
    let default_over_best = default.map(over_best);
    Some(Choice {
        bytes: size.bytes,
        ours: over_best(ours),
        over_all: ours.ns as f64 / best_of_all,
        rule: default.and_then(rule).map(over_best),
        default: default_over_best,
        nearest: nearest(learned, rows)
            .map(|ns| ns / best)
            .or(default_over_best),
    })
}

/// The time of the algorithm that is best in the nearest cell that was learnt from and has one of these algorithms.
fn nearest(learned: &Learned, rows: &[&Row]) -> Option<f64> {
    let own = rows[0].size;
    let apart = |one: u64, other: u64| (one as f64 / other as f64).ln().abs();
    let here = |known: &Row| {
        let same = rows.iter().find(|row| row.label == known.label)?;
        let away = 2.0 * apart(known.size.nodes(), own.nodes())
            + 2.0 * apart(known.size.node, own.node)
            + apart(known.size.bytes, own.bytes);
        Some((away, known.size, known.ns, same.ns as f64))
    };
    learned
        .rows
        .iter()
        .filter(|row| row.program.is_some())
        .filter_map(here)
        .min_by(|one, other| {
            one.0
                .total_cmp(&other.0)
                .then((one.1, one.2).cmp(&(other.1, other.2)))
        })
        .map(|(.., ns)| ns)
}

/// Geometric mean, 90th percentile and largest of some slowdowns.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Slowdown {
    /// The geometric mean.
    pub geomean: Option<f64>,
    /// Nine in ten are not above it.
    pub p90: Option<f64>,
    /// The largest.
    pub worst: Option<f64>,
}

/// The scores of a collective, or of several.
#[derive(Debug, Clone)]
pub struct Score {
    /// The collective, `all`, or `all unseen`.
    pub collective: String,
    /// Whether no time of it was learnt from.
    pub is_unseen: bool,
    /// Cells with a choice; all if none has one.
    pub cells: usize,
    /// The slowdown of our choice, over the best with a program.
    pub slowdown: Slowdown,
    /// The slowdown of our choice, over the best of all measured.
    pub over_all: Slowdown,
    /// The slowdown of the library's default.
    pub default: Slowdown,
    /// The slowdown of rules, which leave the default where no algorithm is probably faster.
    pub rules: Slowdown,
    /// Cells in which a rule decides.
    pub decided: usize,
    /// Those in which it is slower than the default.
    pub slower: usize,
    /// The slowdown of the best of the nearest cell.
    pub nearest: Slowdown,
    /// The median share by which a prediction is off.
    pub median_error: f64,
    /// The share of times within the 90 % interval.
    pub coverage: f64,
}

/// Scores of each collective, of all that were seen and of all that were not; then of all at each distance, and of defaults.
pub fn summary(cells: &[HeldOut]) -> Vec<Score> {
    let mut scores = Vec::new();
    let mut add = |name: &str, is_in: &dyn Fn(&HeldOut) -> bool| {
        let own: Vec<&HeldOut> = cells.iter().filter(|cell| is_in(cell)).collect();
        scores.extend(
            own.first()
                .map(|one| score(name, one.distance == Distance::Unseen, &own)),
        );
    };
    for (is_unseen, all) in [(false, "all"), (true, "all unseen")] {
        let is_in = |cell: &HeldOut| (cell.distance == Distance::Unseen) == is_unseen;
        let names: BTreeSet<&str> = cells
            .iter()
            .filter(|cell| is_in(cell))
            .map(|cell| cell.collective.as_str())
            .collect();
        for name in names {
            add(name, &|cell| is_in(cell) && cell.collective == name);
        }
        add(all, &is_in);
    }
    for (distance, name) in DISTANCES {
        add(name, &|cell| cell.distance == distance);
    }
    add("beyond 2 x the sizes", &|cell| cell.is_far);
    let defaults: Vec<HeldOut> = cells.iter().filter_map(HeldOut::of_default).collect();
    let defaults: Vec<&HeldOut> = defaults.iter().collect();
    scores.extend((!defaults.is_empty()).then(|| score("the default", false, &defaults)));
    scores
}

/// What a row of scores is of, by distance; unseen collectives have rows of their own.
const DISTANCES: [(Distance, &str); 4] = [
    (Distance::Near, "at learnt nodes"),
    (Distance::Nodes, "up to 2 x the nodes"),
    (Distance::Beyond, "beyond 2 x the nodes"),
    (Distance::Node, "other ranks per node"),
];

fn score(collective: &str, is_unseen: bool, cells: &[&HeldOut]) -> Score {
    let choices = || cells.iter().filter_map(|cell| cell.choice);
    let errors = || cells.iter().flat_map(|cell| &cell.errors);
    let covered = errors().filter(|(_, is_covered)| *is_covered).count();
    let rules = || choices().filter_map(|choice| Some((choice.rule, choice.default?)));
    let decided = || rules().filter_map(|(rule, default)| Some((rule?, default)));
    Score {
        collective: collective.to_owned(),
        is_unseen,
        cells: match choices().count() {
            0 => cells.len(),
            count => count,
        },
        slowdown: slowdown(choices().map(|choice| choice.ours)),
        over_all: slowdown(choices().map(|choice| choice.over_all)),
        default: slowdown(choices().filter_map(|choice| choice.default)),
        rules: slowdown(rules().map(|(rule, default)| rule.unwrap_or(default))),
        decided: decided().count(),
        slower: decided().filter(|(rule, default)| rule > default).count(),
        nearest: slowdown(choices().filter_map(|choice| choice.nearest)),
        median_error: six_digits(quantile(
            errors().map(|(share, _)| share.abs()).collect(),
            0.5,
        )),
        coverage: six_digits(covered as f64 / errors().count() as f64),
    }
}

fn slowdown(all: impl Iterator<Item = f64>) -> Slowdown {
    let all: Vec<f64> = all.collect();
    if all.is_empty() {
        return Slowdown {
            geomean: None,
            p90: None,
            worst: None,
        };
    }
    let logs: f64 = all.iter().map(|ratio| ratio.ln()).sum();
    let geomean = (logs / all.len() as f64).exp();
    let [geomean, p90, worst] = [geomean, quantile(all.clone(), 0.9), quantile(all, 1.0)]
        .map(|ratio| Some(six_digits(ratio)));
    Slowdown {
        geomean,
        p90,
        worst,
    }
}
