//! A figure of any results, requested on the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use algorithms::catalogue::{self, PROBLEMS};
use algorithms::problem::{AnyProblem, Axis, Entry, Kind};
use clap::{Args, ValueEnum as _};
use toml::Spanned;

use super::lines::{Beside, Lines, Over, Panel, Quantity, Side};
use super::looks::Looks;
use super::select::{self, Filter, Held, HeldAxes, is_draw, key_of};
use super::{About, Picture, Rows, picture};
use crate::chart::PageFit;
use crate::failure::{Code, Failure};
use crate::machine::Machine;
use crate::measured::config::Algorithm;
use crate::measured::results::Results;
use crate::near;
use crate::record::results::Sweep;
use crate::record::{Row, Status};
use crate::space::Key;
use crate::space::Rules;
use crate::units::plural;

/// What to draw: the options beside `--x`.
#[derive(Debug, Args)]
pub struct Request {
    /// Column to draw; `cost` is analytic, or simulated where there is no formula
    #[arg(
        long,
        value_name = "COLUMN",
        value_enum,
        default_value_t,
        requires = "x"
    )]
    pub y: Quantity,
    /// One line for each algorithm, machine or value of another axis
    #[arg(long, value_name = "AXIS", default_value = "algorithm", requires = "x")]
    pub by: String,
    /// The axes with a logarithmic scale
    #[arg(
        long,
        value_name = "SIDES",
        value_enum,
        value_delimiter = ',',
        requires = "x"
    )]
    pub log: Vec<Side>,
    /// The axes whose range each panel has for itself
    #[arg(
        long,
        value_name = "SIDES",
        value_enum,
        value_delimiter = ',',
        requires = "x"
    )]
    pub free: Vec<Side>,
    /// Divide by the cost of an algorithm, or by `lower_bound`
    #[arg(long, value_name = "ALGORITHM", requires = "x")]
    pub over: Option<String>,
    /// The problem, if several have rows with these axes
    #[arg(long, requires = "x")]
    pub problem: Option<String>,
    /// Algorithms to draw [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "x")]
    pub algorithms: Vec<String>,
    /// Fix axes: L=6,o=2, machine=ethernet100-switched, bytes=1MiB
    #[arg(long, value_name = "AXIS=VALUE", value_delimiter = ',', requires = "x")]
    pub at: Vec<String>,
}

impl Request {
    /// The options as typed.
    #[must_use]
    pub fn typed(&self, x: &str) -> Vec<String> {
        fn names(sides: &[Side]) -> Vec<String> {
            sides
                .iter()
                .filter_map(Side::to_possible_value)
                .map(|side| side.get_name().to_owned())
                .collect()
        }
        let y = self
            .y
            .to_possible_value()
            .map(|column| column.get_name().to_owned());
        let options = [
            ("--x", vec![x.to_owned()]),
            ("--y", y.into_iter().collect()),
            ("--by", vec![self.by.clone()]),
            ("--log", names(&self.log)),
            ("--free", names(&self.free)),
            ("--over", self.over.iter().cloned().collect()),
            ("--problem", self.problem.iter().cloned().collect()),
            ("--algorithms", self.algorithms.clone()),
            ("--at", self.at.clone()),
        ];
        let given = options.into_iter().filter(|(_, values)| !values.is_empty());
        given
            .flat_map(|(option, values)| [option.to_owned(), values.join(",")])
            .collect()
    }
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
) -> Result<Picture, Failure> {
    let resolved = ResolvedRequest::new(request, x)?;
    let (problem, rows) = resolved.rows(request, from)?;
    let lines = resolved.lines(request, file, problem, &rows)?;
    let rows = match &lines.measurements {
        None => Rows {
            points: rows,
            ..Rows::default()
        },
        Some(directory) => Rows {
            measured: BTreeMap::from([(directory.clone(), rows)]),
            ..Rows::default()
        },
    };
    picture(&lines, &rows, from, fit)
}

/// A request with its names resolved.
struct ResolvedRequest {
    x: Key,
    by: Option<Key>,
    over: Option<Over>,
    algorithms: Vec<Algorithm>,
    /// Whether it draws measurements.
    measured: bool,
    /// Values as typed.
    at: BTreeMap<Key, String>,
}

fn wrong(option: &str, explanation: impl std::fmt::Display) -> Failure {
    Failure::usage(format_args!("--{option}: {explanation}"))
}

fn algorithm(option: &str, name: &str) -> Result<Algorithm, Failure> {
    Algorithm::find(name).ok_or_else(|| {
        wrong(
            option,
            format_args!("there is no algorithm `{name}`; {}", near::algorithms(name)),
        )
    })
}

impl ResolvedRequest {
    fn new(request: &Request, x: &str) -> Result<Self, Failure> {
        let x = key_of(x).map_err(|explanation| wrong("x", explanation))?;
        let by = match request.by.as_str() {
            "algorithm" => None,
            key => Some(key_of(key).map_err(|explanation| {
                wrong("by", format_args!("{explanation}, or write `algorithm`"))
            })?),
        };
        let over = match request.over.as_deref() {
            None => None,
            Some("lower_bound") => Some(Over::LowerBound),
            Some(name) => Some(Over::Algorithm(algorithm("over", name)?.name())),
        };
        let mut algorithms = request
            .algorithms
            .iter()
            .map(|name| algorithm("algorithms", name))
            .collect::<Result<Vec<_>, _>>()?;
        algorithms.sort_by_key(|algorithm| algorithm.rank());
        algorithms.dedup();
        let mut at = BTreeMap::new();
        for held in &request.at {
            let (key, value) = held.split_once('=').ok_or_else(|| {
                wrong(
                    "at",
                    format_args!("`{held}` holds no axis; write AXIS=VALUE, as in L=6,o=2"),
                )
            })?;
            let key = key_of(key.trim()).map_err(|explanation| wrong("at", explanation))?;
            if key == x || by == Some(key) {
                return Err(wrong(
                    "at",
                    format_args!("axis {key} is drawn; remove it, or draw along another axis"),
                ));
            }
            at.insert(key, value.trim().to_owned());
        }
        Ok(Self {
            x,
            by,
            over,
            algorithms,
            measured: request.y == Quantity::Median,
            at,
        })
    }

    /// The axes that the request names.
    fn keys(&self) -> impl Iterator<Item = Key> {
        [self.x]
            .into_iter()
            .chain(self.by)
            .chain(self.at.keys().copied())
    }

    fn axis(&self, problem: &'static dyn AnyProblem, key: Key) -> Option<&'static Axis> {
        select::axes(problem, self.measured).find(|axis| axis.key == key)
    }

    /// The one problem that has these axes, and its rows at the values held.
    fn rows(
        &self,
        request: &Request,
        from: &Path,
    ) -> Result<(&'static dyn AnyProblem, Vec<Row>), Failure> {
        let problems = match request.problem.as_deref() {
            None => PROBLEMS.to_vec(),
            Some(name) => vec![catalogue::problem(name).ok_or_else(|| {
                let names: Vec<&str> = PROBLEMS.iter().map(|problem| problem.name()).collect();
                wrong(
                    "problem",
                    format_args!(
                        "there is no problem `{name}`; the problems are {}",
                        names.join(" ")
                    ),
                )
            })?],
        };
        let over = match self.over {
            Some(Over::Algorithm(name)) => Algorithm::find(name),
            _ => None,
        };
        let has = |problem: &'static dyn AnyProblem| {
            self.keys().all(|key| self.axis(problem, key).is_some())
                && self
                    .algorithms
                    .iter()
                    .chain(&over)
                    .all(|algorithm| algorithm.entry().problem() == problem)
        };
        let (sweep, measured) = match self.measured {
            true => (
                None,
                Results::choose(Some(from), from)?.map_or_else(Vec::new, Results::into_rows),
            ),
            false => (Some(Sweep::open(from)?), Vec::new()),
        };
        let (mut found, mut all_held) = (Vec::new(), HeldAxes::new());
        for problem in problems.into_iter().filter(|problem| has(*problem)) {
            let held = self.held(problem)?;
            all_held.extend(held.clone());
            let is_held = |row: &Row| {
                let of = |key: Key| Held::from_row(row, self.axis(problem, key)?);
                row.status == Status::Ok
                    && held
                        .iter()
                        .all(|(key, value)| of(key).as_ref() == Some(value))
                    && self.keys().all(|key| of(key).is_some())
            };
            let free: Vec<Key> = [self.x].into_iter().chain(self.by).collect();
            let filter = Filter::new(problem, true, &held, &free, &Rules::new());
            let rows: Vec<Row> = match &sweep {
                Some(sweep) => sweep.rows(problem, is_held)?,
                None => measured
                    .iter()
                    .filter(|row| filter.takes(row))
                    .cloned()
                    .collect(),
            };
            found.extend((!rows.is_empty()).then_some((problem, rows)));
        }
        if found.len() > 1 {
            let names: Vec<&str> = found.iter().map(|(problem, _)| problem.name()).collect();
            let explanation = format!(
                "several problems have such rows: {}; name one of them",
                names.join(", ")
            );
            return Err(wrong("problem", explanation));
        }
        if let Some(found) = found.pop() {
            return Ok(found);
        }
        let drawn = |entry: &&Entry| {
            has(entry.problem())
                && (self.algorithms.is_empty()
                    || self
                        .algorithms
                        .iter()
                        .any(|algorithm| algorithm.name() == entry.name))
        };
        let drawn: Vec<&str> = catalogue::entries()
            .iter()
            .filter(drawn)
            .map(|entry| entry.name)
            .collect();
        let instead = sweep.map_or(Ok(String::new()), |sweep| {
            select::instead(&sweep, &drawn, &all_held)
        })?;
        let axes: Vec<Key> = self.keys().collect();
        let (from, axes) = (from.display(), axes.join(", "));
        let (what, advice) = match self.measured {
            true => ("measurement", "hold `hosts` where nodes share hosts"),
            false if instead.is_empty() => {
                ("sweep", "`castbench list` names the axes of each algorithm")
            }
            false => ("sweep", instead.as_str()),
        };
        let explanation = format_args!(
            "the {what} in `{from}` has no rows with the axes {axes} at these values; {advice}"
        );
        Err(Failure::new(Code::Nothing, explanation))
    }

    fn held(&self, problem: &'static dyn AnyProblem) -> Result<HeldAxes, Failure> {
        let axes = select::axes(problem, self.measured)
            .filter_map(|axis| Some((axis, self.at.get(axis.key)?)));
        let read = |(axis, text): (&Axis, &String)| {
            if axis.key == "machine" {
                return Ok((
                    axis.key,
                    Held::Name(Machine::name_of(text, Path::new(text))?),
                ));
            }
            let held = Held::parse(axis, text);
            Ok((
                axis.key,
                held.map_err(|explanation| {
                    wrong("at", format_args!("{}={text}: {explanation}", axis.key))
                })?,
            ))
        };
        axes.map(read).collect()
    }

    /// The figure: every axis that is neither drawn nor held is held at its one value, or makes panels.
    fn lines(
        &self,
        request: &Request,
        file: String,
        problem: &'static dyn AnyProblem,
        rows: &[Row],
    ) -> Result<Lines, Failure> {
        let mut held = self.held(problem)?;
        // Measurements of several values are refused when they are drawn.
        let panels = if self.measured {
            None
        } else {
            self.open(problem, rows, &mut held)?
        };
        let known: BTreeSet<&str> = rows.iter().map(|row| row.algorithm.as_str()).collect();
        let mut all: Vec<Algorithm> = known.into_iter().filter_map(Algorithm::find).collect();
        all.retain(|algorithm| self.over != Some(Over::Algorithm(algorithm.name())));
        all.sort_by_key(|algorithm| algorithm.rank());
        let algorithms = if self.algorithms.is_empty() {
            all
        } else {
            self.algorithms.clone()
        };
        let by = self.by.and_then(|key| self.axis(problem, key));
        let values: BTreeSet<Option<Held>> = rows
            .iter()
            .map(|row| by.and_then(|axis| Held::from_row(row, axis)))
            .collect();
        let series = values.len() * algorithms.len();
        if series > Looks::MOST {
            let (lines, most) = (plural(series as u64, "line"), Looks::MOST);
            let (by, than) = (
                self.by.unwrap_or("an axis"),
                "that can be told apart; name fewer with --algorithms",
            );
            return Err(wrong(
                "by",
                format_args!("{lines} are more than the {most} {than}, or hold {by} with --at"),
            ));
        }
        let panel = |own: Option<&Held>| Panel {
            heading: None,
            own: panels.iter().map(|(key, _)| *key).collect(),
            algorithms: algorithms.clone(),
            held: held
                .clone()
                .into_iter()
                .chain(panels.iter().map(|(key, _)| *key).zip(own.cloned()))
                .collect(),
            y: request.y,
            over: self.over,
            log: request.log.clone(),
            free: request.free.clone(),
            beside: if self.measured && self.over.is_none() {
                vec![Beside::Predicted]
            } else {
                Vec::new()
            },
            band: None,
        };
        let along = self.axis(problem, self.x).map_or("", |axis| axis.title);
        let title = format!("{}: {} against {along}", problem.title(), column(request));
        Ok(Lines {
            about: About {
                file: Spanned::new(0..0, file),
                title,
                shows: None,
                note: None,
                page: PageFit::default(),
            },
            measurements: self.measured.then(String::new),
            table: None,
            x: self.x,
            by: self.by,
            compare: None,
            panels: match &panels {
                None => vec![panel(None)],
                Some((_, values)) => values.iter().map(|value| panel(Some(value))).collect(),
            },
            // Without a value the rows have one, or their default is held.
            rules: Rules::new(),
        })
    }

    /// Holds each axis that has one value, and returns the one that has a few.
    ///
    /// # Errors
    /// Exit code 2 where several axes are open, or one has many values.
    fn open(
        &self,
        problem: &'static dyn AnyProblem,
        rows: &[Row],
        held: &mut HeldAxes,
    ) -> Result<Option<(Key, Vec<Held>)>, Failure> {
        let on_machine = problem
            .axes()
            .iter()
            .any(|axis| axis.kind == Kind::Profile && self.keys().any(|key| key == axis.key))
            || !rows.is_empty() && rows.iter().all(|row| row.machine.is_some());
        let is_free =
            |axis: &&Axis| self.x == axis.key || self.by == Some(axis.key) || is_draw(axis);
        let axes = problem
            .axes()
            .iter()
            .filter(|axis| axis.applies(on_machine) && !is_free(axis));
        let mut open: Vec<(&Axis, Vec<Held>)> = Vec::new();
        for axis in axes.filter(|axis| !self.at.contains_key(axis.key)) {
            let rows = rows
                .iter()
                .filter(|row| row.machine.is_some() == on_machine);
            let values: BTreeSet<Held> = rows.filter_map(|row| Held::from_row(row, axis)).collect();
            let default = axis
                .default
                .map(Held::Number)
                .filter(|default| values.contains(default));
            match default.or_else(|| values.first().filter(|_| values.len() == 1).cloned()) {
                Some(value) => drop(held.insert(axis.key, value)),
                None => open.push((axis, values.into_iter().collect())),
            }
        }
        match &open[..] {
            [] => Ok(None),
            [(axis, values)] if values.len() <= MOST_PANELS => Ok(Some((axis.key, values.clone()))),
            _ => {
                let listed = |(axis, values): &(&Axis, Vec<Held>)| {
                    let shown: Vec<String> = values
                        .iter()
                        .take(MOST_PANELS)
                        .map(|value| value.typed(axis))
                        .collect();
                    let more = if values.len() > MOST_PANELS {
                        ", ..."
                    } else {
                        ""
                    };
                    format!("{} ({}{more})", axis.key, shown.join(", "))
                };
                let axes: Vec<String> = open.iter().map(listed).collect();
                let first = |(axis, values): &(&Axis, Vec<Held>)| {
                    format!(
                        "{}={}",
                        axis.key,
                        values
                            .first()
                            .map_or_else(String::new, |value| value.typed(axis))
                    )
                };
                let example: Vec<String> = open.iter().map(first).collect();
                Err(Failure::usage(format_args!(
                    "the rows have several values of {}; hold all of them, or all but one with up to six values, as in `--at {}`",
                    axes.join(" and "),
                    example.join(",")
                )))
            }
        }
    }
}

/// The column as titles spell it.
fn column(request: &Request) -> String {
    let column = request.y.title();
    match request.over.as_deref() {
        None => column.to_owned(),
        Some("lower_bound") => format!("{column} over the lower bound"),
        Some(name) => format!("{column} over that of {name}"),
    }
}
