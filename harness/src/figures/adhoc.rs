//! A figure of any results, requested on the command line: its options, completed from the rows that are there, are what
//! a table of a configuration would be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use algorithms::catalogue::{self, PROBLEMS};
use algorithms::problem::{Axis, Kind, Problem};
use clap::Args;
use serde::Serialize;
use toml::{Spanned, Value};

use super::by_cost;
use super::looks::Looks;
use super::read::{Reader, WireHeldAxes, WireLines, WirePanel};
use super::select::{self, Held, HeldAxes, WireKey, is_draw, key_of};
use super::spec::{Layer, Over, Quantity, Rows, Side};
use super::{Picture, picture};
use crate::base::failure::{Failure, Result};
use crate::base::units::{joined, plural};
use crate::draw::chart::PageFit;
use crate::record::measured::Results;
use crate::record::measurement::Algorithm;
use crate::record::on_network::NETWORK;
use crate::record::results::Sweep;
use crate::record::{Row, Status};
use crate::space::Key;
use crate::space::Rules;

/// Options of the figures of a configuration.
const WHOLE: [&str; 2] = ["config", "only"];

/// What to draw: the options beside `--x`.
#[derive(Debug, Args, Serialize)]
#[group(requires = "x")]
pub struct Request {
    /// Column to draw; `cost` is analytic, or simulated where there is no formula
    #[arg(long, value_name = "COLUMN", value_enum, default_value_t, conflicts_with_all = WHOLE)]
    pub y: Quantity,
    /// One line for each algorithm, machine or value of another axis
    #[arg(long, value_name = "AXIS", default_value = "algorithm", conflicts_with_all = WHOLE)]
    pub by: String,
    /// The axes with a logarithmic scale
    #[arg(long, value_name = "SIDES", value_enum, value_delimiter = ',', conflicts_with_all = WHOLE)]
    pub log: Vec<Side>,
    /// The axes whose range each panel has for itself
    #[arg(long, value_name = "SIDES", value_enum, value_delimiter = ',', conflicts_with_all = WHOLE)]
    pub free: Vec<Side>,
    /// Divide by the cost of an algorithm, or by `lower_bound`
    #[arg(long, value_name = "ALGORITHM", conflicts_with_all = WHOLE)]
    pub over: Option<String>,
    /// The problem, if several have rows with these axes
    #[arg(long, conflicts_with_all = WHOLE)]
    pub problem: Option<String>,
    /// Algorithms to draw [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = WHOLE)]
    pub algorithms: Vec<String>,
    /// Also know the algorithms that these configurations add
    #[arg(long, value_name = "FILES", value_delimiter = ',', conflicts_with_all = WHOLE)]
    pub with: Vec<PathBuf>,
    /// Fix axes: L=6,o=2, machine=ethernet100-switched, bytes=1MiB
    #[arg(long, value_name = "AXIS=VALUE", value_delimiter = ',', conflicts_with_all = WHOLE)]
    pub at: Vec<String>,
}

/// Most values of one axis that become a panel each.
const MOST_PANELS: usize = 6;

/// Draws the request along the axis `x` from the results in `from`; medians, from the measurements there. `file` is its
/// name, for messages.
///
/// # Errors
/// Exit code 2 where the request does not fit the results, 4 where they have no such rows, 74 where they cannot be read.
pub fn draw(
    request: &Request,
    (x, file): (&str, String),
    from: &Path,
    fit: &PageFit,
) -> Result<Picture> {
    let asked = Asked::new(request, x)?;
    let (problem, rows) = asked.rows(from)?;
    let (points, undefined) = by_cost(rows);
    let wire = asked.wire(file, problem, [&points, &undefined])?;
    let spec = asked.reader().lines(wire, None)?;
    let mut all = Rows {
        from: from.to_owned(),
        ..Rows::default()
    };
    match &spec.measurements {
        None => (all.points, all.undefined) = (points, undefined),
        Some(directory) => drop(all.measured.insert(directory.clone(), points)),
    }
    picture(&spec, &all, fit)
}

/// A request with its names resolved.
struct Asked<'a> {
    request: &'a Request,
    x: Key,
    by: Option<Key>,
    over: Option<Algorithm>,
    algorithms: Vec<Algorithm>,
    /// Values as typed.
    at: WireHeldAxes,
}

fn wrong(option: &str, explanation: impl std::fmt::Display) -> Failure {
    failure!(Usage, "--{option}: {explanation}")
}

/// A word of the command line, which has no place in a document.
fn word<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

/// What profiles state does not matter: without a value the rows have one, or their default is held.
static RULES: Rules = Rules::new();

impl<'a> Asked<'a> {
    fn new(request: &'a Request, x: &str) -> Result<Self> {
        let mut asked = Self {
            request,
            x: key_of(x).map_err(|explanation| wrong("x", explanation))?,
            by: None,
            over: None,
            algorithms: Vec::new(),
            at: WireHeldAxes::new(),
        };
        let by = Some(request.by.as_str())
            .filter(|by| *by != "algorithm")
            .map(key_of);
        asked.by = by.transpose().map_err(|explanation| {
            wrong("by", format_args!("{explanation}, or write `algorithm`"))
        })?;
        let reader = asked.reader();
        let names: Vec<Spanned<String>> = request
            .algorithms
            .iter()
            .map(|name| word(name.clone()))
            .collect();
        let over = request.over.clone().map(word);
        let over = over.map(|over| reader.over(&over, request.y, &[]));
        let all = (!names.is_empty()).then(|| reader.algorithms(&word(names)));
        asked.over = match over.transpose()? {
            Some(Over::Algorithm(name)) => Algorithm::find(name),
            _ => None,
        };
        asked.algorithms = all.transpose()?.unwrap_or_default();
        for held in &request.at {
            let (key, value) = held.split_once('=').ok_or_else(|| {
                let example = "write AXIS=VALUE, as in L=6,o=2";
                wrong("at", format_args!("`{held}` holds no axis; {example}"))
            })?;
            let key = key_of(key.trim()).map_err(|explanation| wrong("at", explanation))?;
            if asked.free().contains(&key) {
                let advice = "remove it, or draw along another axis";
                return Err(wrong("at", format_args!("axis {key} is drawn; {advice}")));
            }
            let value = word(Value::String(value.trim().to_owned()));
            if asked.at.insert(WireKey(key), value).is_some() {
                let advice = "it holds one value; name one";
                return Err(wrong(
                    "at",
                    format_args!("axis {key} is there twice: {advice}"),
                ));
            }
        }
        Ok(asked)
    }

    /// Whether it draws measurements.
    fn measured(&self) -> bool {
        self.request.y == Quantity::Median
    }

    fn reader(&self) -> Reader<'static> {
        Reader {
            source: None,
            measured: self.measured(),
            rules: &RULES,
        }
    }

    /// The axes that are drawn.
    fn free(&self) -> Vec<Key> {
        [self.x].into_iter().chain(self.by).collect()
    }

    /// The axes that the request names.
    fn keys(&self) -> impl Iterator<Item = Key> {
        self.free()
            .into_iter()
            .chain(self.at.keys().map(|key| key.0))
    }

    fn axis(&self, problem: &'static Problem, key: Key) -> Option<&'static Axis> {
        select::axes(problem, self.measured()).find(|axis| axis.key == key)
    }

    /// Whether a problem has these axes and algorithms.
    fn is_of(&self, problem: &'static Problem) -> bool {
        let mut algorithms = self.algorithms.iter().copied().chain(self.over);
        self.keys().all(|key| self.axis(problem, key).is_some())
            && algorithms.all(|algorithm| algorithm.entry().problem() == problem)
    }

    /// The one problem that has these axes, and its rows at the values held.
    fn rows(&self, from: &Path) -> Result<(&'static Problem, Vec<Row>)> {
        let problems = match self.request.problem.as_deref() {
            None => PROBLEMS.iter().collect(),
            Some(name) => vec![catalogue::problem(name).ok_or_else(|| {
                let names = joined(" ", PROBLEMS.iter().map(|problem| problem.name));
                let explanation = format!("there is no problem `{name}`; the problems are {names}");
                wrong("problem", explanation)
            })?],
        };
        let (sweep, measured) = if self.measured() {
            let results = Results::choose(Some(from), from)?;
            (None, results.map_or_else(Vec::new, Results::into_rows))
        } else {
            (Some(Sweep::open(from)?), Vec::new())
        };
        let mut found = Vec::new();
        let mut failed = Vec::new();
        let mut all_held = HeldAxes::new();
        for problem in problems.into_iter().filter(|problem| self.is_of(problem)) {
            let held = self.held(problem)?;
            all_held.extend(held.clone());
            let of = |row: &Row, key| Held::from_row(row, self.axis(problem, key)?);
            let is_held = |row: &Row| {
                held.iter()
                    .all(|(key, value)| of(row, key).as_ref() == Some(value))
                    && self.keys().all(|key| of(row, key).is_some())
            };
            let takes = select::filter(problem, true, &held, &self.free(), &RULES);
            let rows: Vec<Row> = match &sweep {
                Some(sweep) => sweep.rows(problem, is_held)?,
                None => measured.iter().filter(|row| takes(row)).cloned().collect(),
            };
            let is_there = |rows: &[Row]| rows.iter().any(|row| row.status == Status::Ok);
            if is_there(&rows) {
                found.push((problem, rows))
            } else {
                failed.extend(rows.into_iter().filter(|row| row.failure().is_some()))
            }
        }
        if found.len() > 1 {
            let names = joined(", ", found.iter().map(|(problem, _)| problem.name));
            let explanation = format!("several problems have such rows: {names}; name one of them");
            return Err(wrong("problem", explanation));
        }
        if let (None, Some(why)) = (found.first(), failed.iter().find_map(Row::failure)) {
            let rows = plural(failed.len() as u64, "row");
            let from = from.display();
            bail!(
                Nothing,
                "the sweep in `{from}` has no costs at these values: {rows} failed: {why}"
            );
        }
        found
            .pop()
            .map_or_else(|| Err(self.nothing(from, sweep, &all_held)), Ok)
    }

    /// There are no such rows; what there is instead.
    fn nothing(&self, from: &Path, sweep: Option<Sweep<'_>>, held: &HeldAxes) -> Failure {
        let names: Vec<&str> = self.algorithms.iter().map(|own| own.name()).collect();
        let drawn: Vec<&str> = catalogue::entries()
            .iter()
            .filter(|entry| {
                self.is_of(entry.problem()) && (names.is_empty() || names.contains(&entry.name))
            })
            .map(|entry| entry.name)
            .collect();
        let instead = sweep
            .map(|sweep| select::instead(&sweep, &drawn, held))
            .transpose();
        let instead = match instead {
            Ok(instead) => instead,
            Err(failure) => return failure,
        };
        let (what, advice) = match instead.as_deref() {
            None => ("measurement", "hold `hosts` where nodes share hosts"),
            Some("") => ("sweep", "`castbench list` names the axes of each algorithm"),
            Some(instead) => ("sweep", instead),
        };
        let from = from.display();
        let axes = joined(", ", self.keys());
        failure!(
            Nothing,
            "the {what} in `{from}` has no rows with the axes {axes} at these values; {advice}"
        )
    }

    /// The values held, of a problem that has these axes.
    fn held(&self, problem: &'static Problem) -> Result<HeldAxes> {
        let all: Vec<Algorithm> = catalogue::entries()
            .iter()
            .find(|entry| entry.problem() == problem)
            .copied()
            .map(Algorithm::Program)
            .into_iter()
            .collect();
        self.reader().held_axes(&self.at, &all)
    }

    /// The figure: every axis that is neither drawn nor held is held at its one value, or makes panels.
    fn wire(
        &self,
        file: String,
        problem: &'static Problem,
        [points, undefined]: [&[Row]; 2],
    ) -> Result<WireLines> {
        let request = self.request;
        let mut at = self.at.clone();
        // Measurements of several values are refused when they are drawn.
        let panels = if self.measured() {
            Vec::new()
        } else {
            self.open(problem, points, &mut at)?
        };
        let mut algorithms = self.algorithms.clone();
        if algorithms.is_empty() {
            let names: BTreeSet<&str> = points
                .iter()
                .chain(undefined)
                .map(|row| row.algorithm.as_str())
                .collect();
            let (known, unknown): (Vec<&str>, Vec<&str>) = names
                .into_iter()
                .partition(|name| Algorithm::find(name).is_some());
            if !unknown.is_empty() {
                let unknown = joined("`, `", unknown);
                let why = format!(
                    "the rows of `{unknown}` are not drawn: castbench has no such algorithm; give its configuration with --with"
                );
                if known.is_empty() {
                    bail!(Nothing, "{why}");
                } else {
                    tell!("warning: {why}")
                }
            }
            let found = known.into_iter().filter_map(Algorithm::find);
            algorithms.extend(found.filter(|own| self.over != Some(*own)));
        }
        let by = self.by.and_then(|key| self.axis(problem, key));
        let values: BTreeSet<Option<Held>> = points
            .iter()
            .map(|row| by.and_then(|axis| Held::from_row(row, axis)))
            .collect();
        let series = values.len()
            * algorithms
                .iter()
                .filter(|own| points.iter().any(|row| row.algorithm == own.name()))
                .count();
        if series > Looks::MOST {
            let lines = plural(series as u64, "line");
            let most = Looks::MOST;
            let by = self.by.unwrap_or("an axis");
            let advice = format!("name fewer with --algorithms, or hold {by} with --at");
            let explanation =
                format!("{lines} are more than the {most} that can be told apart; {advice}");
            return Err(wrong("by", explanation));
        }
        let is_predicted = self.measured() && self.over.is_none();
        let along = self.axis(problem, self.x).map_or("", |axis| axis.title);
        let column = request.y.title();
        let column = match request.over.as_deref() {
            None => column.to_owned(),
            Some("lower_bound") => format!("{column} over the lower bound"),
            Some(name) => format!("{column} over that of {name}"),
        };
        let names = algorithms.iter().map(|own| word(own.name().to_owned()));
        Ok(WireLines {
            file: word(file),
            title: format!("{}: {column} against {along}", problem.title),
            shows: None,
            note: None,
            page: PageFit::default(),
            measurements: self.measured().then(String::new),
            table: None,
            x: word(WireKey(self.x)),
            by: Some(word(request.by.clone())),
            compare: None,
            algorithms: word(names.collect()),
            at,
            y: Some(request.y),
            over: request.over.clone().map(word),
            log: request.log.clone(),
            free: request.free.clone(),
            networks: None,
            layers: is_predicted.then(|| word(vec![Layer::Predicted])),
            panels,
        })
    }

    /// Holds each axis that has one value, and returns a panel for each value of the one that has a few.
    ///
    /// # Errors
    /// Exit code 2 where several axes are open, or one has many values.
    fn open(
        &self,
        problem: &'static Problem,
        rows: &[Row],
        at: &mut WireHeldAxes,
    ) -> Result<Vec<WirePanel>> {
        let is_named = |axis: &Axis| self.keys().any(|key| key == axis.key);
        let on_machine = problem
            .axes
            .iter()
            .filter(|axis| axis.kind == Kind::Profile)
            .any(is_named)
            || !rows.is_empty() && rows.iter().all(|row| row.machine.is_some());
        let has_networks = rows.iter().any(|row| row.on_network.is_some());
        let typed = |axis: &Axis, value: &Held| word(Value::String(value.typed(axis)));
        let mut open: Vec<(&Axis, Vec<Held>)> = Vec::new();
        for axis in select::axes(problem, false).filter(|axis| {
            axis.applies(on_machine)
                && !is_named(axis)
                && !is_draw(axis)
                && (axis.key != NETWORK || has_networks)
        }) {
            let values: BTreeSet<Held> = rows
                .iter()
                .filter(|row| row.machine.is_some() == on_machine)
                .filter_map(|row| Held::from_row(row, axis))
                .collect();
            let default = axis.default.map(Held::Number);
            let default = default.filter(|default| values.contains(default));
            let one = values.first().filter(|_| values.len() == 1);
            match default.as_ref().or(one) {
                Some(value) => drop(at.insert(WireKey(axis.key), typed(axis, value))),
                None => open.push((axis, values.into_iter().collect())),
            }
        }
        let (axis, values) = match &open[..] {
            [] => return Ok(Vec::new()),
            [(axis, values)] if values.len() <= MOST_PANELS => (axis, values),
            _ => return Err(several(&open)),
        };
        Ok(values
            .iter()
            .map(|value| WirePanel {
                at: BTreeMap::from([(WireKey(axis.key), typed(axis, value))]),
                ..WirePanel::default()
            })
            .collect())
    }
}

/// These axes have several values.
fn several(open: &[(&Axis, Vec<Held>)]) -> Failure {
    let axes = joined(
        " and ",
        open.iter().map(|(axis, values)| {
            let shown = values.iter().take(MOST_PANELS);
            let shown = joined(", ", shown.map(|value| value.typed(axis)));
            let more = if values.len() > MOST_PANELS {
                ", ..."
            } else {
                ""
            };
            format!("{} ({shown}{more})", axis.key)
        }),
    );
    let example = joined(
        ",",
        open.iter().map(|(axis, values)| {
            let value = values
                .first()
                .map_or_else(String::new, |value| value.typed(axis));
            format!("{}={value}", axis.key)
        }),
    );
    failure!(
        Usage,
        "the rows have several values of {axes}; hold all of them, or all but one with up to six values, as in `--at {example}`"
    )
}
