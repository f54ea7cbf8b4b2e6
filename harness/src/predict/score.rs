//! Compares predictions with measured times that they were not learnt from.

use std::collections::{BTreeMap, BTreeSet};

use super::calibration::Distance;
use super::learned::{Learned, Prediction, learn, six_digits};
use super::measured::{CellOf, Row, Size, Table};
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
    /// Slowdowns; none if only one algorithm has a program.
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
    /// The least prediction where it is probably faster than the default, else the default: what rules decide.
    pub rule: f64,
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

/// Refuses more rows than a machine can be learnt from.
///
/// # Errors
/// Exit code 2.
pub fn check_count(rows: &[Row]) -> Result {
    let mut of: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.program.is_some()) {
        *of.entry(&row.label.collective).or_default() += 1;
    }
    match of.into_iter().find(|(_, count)| *count > MAX_ROWS) {
        None => Ok(()),
        Some((collective, count)) => Err(failure!(
            Usage,
            "{collective}: {count} rows to learn from are more than {MAX_ROWS}; select fewer with --train"
        )),
    }
}

/// Scores of machines that were learnt from parts of a table, each on these rows of the rest.
///
/// # Errors
/// Exit code 2 for too many rows, 3 for a cell that is there twice, 4 where nothing would be left to learn from.
pub fn leave_out(
    table: &Table,
    test: &[Row],
    what: LeaveOut,
    confidence: f64,
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
        check_count(train)?;
        if !train.iter().any(|row| row.program.is_some()) {
            bail!(
                Nothing,
                "--leave-out: nothing would be left to learn from; measure more, or leave out something else"
            );
        }
        Ok(cells(&learn(train).0, test, confidence).0)
    };
    let scores: Result<Vec<Vec<HeldOut>>> = parts.par_iter().map(score).collect();
    Ok(scores?.concat())
}

/// Compares a machine with rows; those of cells that it was learnt from are left out, and counted.
pub fn cells(learned: &Learned, test: &[Row], confidence: f64) -> (Vec<HeldOut>, usize) {
    let trained: BTreeSet<CellOf<'_>> = learned.rows.iter().map(Row::cell).collect();
    let mut all: BTreeMap<(CellOf<'_>, &str), Vec<&Row>> = BTreeMap::new();
    let (known, held_out): (Vec<&Row>, Vec<&Row>) =
        test.iter().partition(|row| trained.contains(&row.cell()));
    for row in held_out {
        all.entry((row.cell(), &row.shape)).or_default().push(row);
    }
    (
        all.values()
            .filter_map(|rows| cell(learned, rows, confidence))
            .collect(),
        known.len(),
    )
}

fn cell(learned: &Learned, rows: &[&Row], confidence: f64) -> Option<HeldOut> {
    let mut all: Vec<(&Row, Prediction)> = Vec::new();
    for row in rows.iter().filter(|row| row.program.is_some()) {
        all.push((row, learned.predict(&row.label, row.size, row.program)?));
    }
    let (Size { bytes, .. }, collective) = (rows[0].size, &rows[0].label.collective);
    let least = |times: &mut dyn Iterator<Item = f64>| times.min_by(f64::total_cmp);
    let best = least(&mut all.iter().map(|(row, _)| row.ns as f64))?;
    let best_of_all = least(&mut rows.iter().map(|row| row.ns as f64))?;
    let fastest = |is_right: bool| {
        all.iter()
            .filter(|(row, _)| is_right != learned.rejected.contains_key(&row.label))
            .min_by(|one, other| one.1.log_ns.total_cmp(&other.1.log_ns))
    };
    let (fastest, _) = fastest(true).or_else(|| fastest(false))?;
    let default = rows.iter().find(|row| row.is_default());
    let probability = default.and_then(|default| {
        let (of, over) = ((&fastest.label, fastest.program), (&default.label, None));
        Some(learned.saving(of, over, fastest.size)?.probability)
    });
    let error = |row: &Row, prediction: &Prediction| {
        let ([low, middle, high], ns) = (prediction.ns(), row.ns as f64);
        (middle / ns - 1.0, low < ns && ns < high)
    };
    let default_error = default.and_then(|row| {
        let prediction = learned.predict(&row.label, row.size, None)?;
        Some(error(row, &prediction))
    });
    let default = default.map(|row| row.ns as f64);
    let over_default = |confidence: f64| match default {
        Some(default) if probability.is_none_or(|probability| probability < confidence) => default,
        _ => fastest.ns as f64,
    };
    let distance = learned.distance(collective, rows[0].size);
    let ours = over_default(match distance {
        Distance::Node => confidence,
        Distance::Unseen => CHOSEN_UNSEEN,
        _ => CHOSEN,
    });
    let default = default.map(|ns| ns / best);
    let nearest = nearest(learned, rows).map(|ns| ns / best).or(default);
    let choice = Choice {
        bytes,
        ours: ours / best,
        over_all: ours / best_of_all,
        rule: over_default(confidence) / best,
        default,
        nearest,
    };
    Some(HeldOut {
        distance,
        collective: collective.clone(),
        choice: (all.len() > 1).then_some(choice),
        errors: all
            .iter()
            .map(|(row, prediction)| error(row, prediction))
            .collect(),
        default: default_error,
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
        rules: slowdown(rules().map(|(rule, _)| rule)),
        decided: rules().filter(|(rule, default)| rule != default).count(),
        slower: rules().filter(|(rule, default)| rule > default).count(),
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
