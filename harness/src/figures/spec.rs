//! What a figure draws of which rows, whether a configuration, the command line or an answer asks for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::PathBuf;

use algorithms::problem::{Axis, Entry, Problem};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::select::{self, Held, HeldAxes, Test, any, filter, short};
use crate::base::failure::{Code, Failure};
use crate::base::units::{distinct, grouped, joined};
use crate::draw::chart::PageFit;
use crate::figures::table::Table;
use crate::record::Row;
use crate::record::history::HistoryRow;
use crate::record::measurement::Algorithm;
use crate::record::on_network::NETWORK;
use crate::record::results::Sweep;
use crate::space::Key;
use crate::space::Rules;

/// The file and texts of a figure; also a table `[[figures.history]]`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The file it is drawn into.
    pub file: Spanned<String>,
    /// The title above it.
    pub title: String,
    /// What it shows, in a sentence for the page of `castbench report`.
    pub shows: Option<String>,
    /// The first sentence of the caption.
    pub note: Option<String>,
    /// Its size and parts, where the command line does not give them.
    #[serde(default)]
    pub page: PageFit,
}

/// A figure: panels that share the axis drawn along.
#[derive(Clone)]
pub struct Spec {
    /// File and texts.
    pub about: About,
    /// The directory beside the sweep with the measurements that are drawn instead of it.
    pub measurements: Option<String>,
    /// The table beside the sweep whose times are points beside the lines.
    pub table: Option<String>,
    /// The axis drawn along.
    pub x: Key,
    /// The axis of which each value has a line of its own for each algorithm; none if only each algorithm has.
    pub by: Option<Key>,
    /// Two algorithms whose costs the caption compares, point by point.
    pub compare: Option<(&'static str, &'static str)>,
    /// None if it draws the history of accepted costs and not the sweep.
    pub panels: Vec<Panel>,
    /// The networks drawn along the axis of networks, in their order; before rows are there, those that are asked for, if any.
    pub networks: Vec<String>,
    /// What profiles state where a figure holds no value.
    pub rules: Rules,
}

/// What one panel draws.
#[derive(Clone)]
pub struct Panel {
    /// The text above it; if none, the values of the axes in `own`.
    pub heading: Option<String>,
    /// The axes by whose values the panels differ.
    pub own: Vec<Key>,
    /// The algorithms whose rows are drawn.
    pub algorithms: Vec<Algorithm>,
    /// The values of the axes that are not drawn.
    pub held: HeldAxes,
    /// The column drawn.
    pub y: Quantity,
    /// The value by which the column is divided.
    pub over: Option<Over>,
    /// The axes with a logarithmic scale.
    pub log: Vec<Side>,
    /// The axes whose range is that of this panel's values only.
    pub free: Vec<Side>,
    /// What is drawn beside or instead of lines of the column.
    pub layers: Vec<Layer>,
}

/// What is drawn: a column of the rows, or a difference of two.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Quantity {
    /// `analytic`, or `simulated` where there is no formula.
    #[default]
    Cost,
    /// The exact cost by formula.
    Analytic,
    /// The cost of execution, or the mean of drawn instances.
    Simulated,
    /// The cost that the paper states.
    Published,
    /// The cost that no algorithm can beat.
    LowerBound,
    /// Cost above the lower bound.
    Excess,
    /// The median of measured times.
    Median,
    /// How long the busiest link of a network takes.
    LinkTime,
    /// The link time that no algorithm can beat.
    LinkBound,
    /// Link time over that bound.
    LinkRatio,
}

/// What a column is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The lower bound of the same row.
    LowerBound,
    /// The cost of an algorithm at the same point.
    Algorithm(&'static str),
}

/// One of the two axes of a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Horizontal.
    X,
    /// Vertical.
    Y,
}

/// What a panel draws beside or instead of lines.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The lower bound, as a line.
    LowerBound,
    /// What the papers state, as points.
    Published,
    /// Simulated costs, as points on the lines.
    Simulated,
    /// Predictions of measured times, as lines.
    Predicted,
    /// Predictions over measured times, in a last panel of those of all panels.
    Errors,
    /// Beside link times over the bound: the schedule of `castbench generate`, where it takes the bound.
    Generated,
    /// Beside link times over the bound: the least time of a reduce-scatter and then an allgather.
    Halves,
    /// An area behind each line, between its values at two values of an axis.
    #[serde(skip)]
    Band(Key, [Held; 2]),
    /// Instead of lines, the algorithms of least cost in cells up this axis.
    #[serde(skip)]
    Cells(Key),
}

/// The rows that any figure reads.
#[derive(Default)]
pub struct Rows {
    /// The directory with their files.
    pub from: PathBuf,
    /// Rows of the sweep.
    pub points: Vec<Row>,
    /// Rows of the sweep without a cost: an algorithm is not defined there, or the point failed.
    pub undefined: Vec<Row>,
    /// Rows of the history beside it.
    pub history: Vec<HistoryRow>,
    /// Rows of the measurements beside it, by their directory.
    pub measured: BTreeMap<String, Vec<Row>>,
    /// Tables of `castbench read` beside it, by their names.
    pub tables: BTreeMap<String, Table>,
}

impl Quantity {
    /// The name of the column in titles.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Analytic => "analytic cost",
            Self::Simulated => "simulated cost",
            Self::Published => "published cost",
            Self::LowerBound => "lower bound",
            Self::Excess => "cost above the lower bound",
            Self::Median => "median of measured times",
            Self::LinkTime => "link time",
            Self::LinkBound => "least link time",
            Self::LinkRatio => "link time over the network's bound",
        }
    }

    /// Whether it is about links, and no cost of the model.
    pub fn is_of_links(self) -> bool {
        matches!(self, Self::LinkTime | Self::LinkBound | Self::LinkRatio)
    }
}

impl Panel {
    /// Whether it draws this.
    pub fn has(&self, layer: &Layer) -> bool {
        self.layers.contains(layer)
    }

    /// Whether a scale is logarithmic.
    pub fn is_log(&self, side: Side) -> bool {
        self.log.contains(&side)
    }

    /// Whether it draws a ratio.
    pub fn is_ratio(&self) -> bool {
        self.over.is_some() || self.y == Quantity::LinkRatio
    }

    /// The algorithm whose cost its values are divided by.
    pub fn over_algorithm(&self) -> Option<&'static str> {
        match self.over {
            Some(Over::Algorithm(name)) => Some(name),
            _ => None,
        }
    }

    /// The column of what its values are divided by.
    pub fn divisor(&self) -> Quantity {
        match (self.over, self.y) {
            (Some(Over::LowerBound), y) if y.is_of_links() => Quantity::LinkBound,
            (Some(Over::LowerBound), _) => Quantity::LowerBound,
            (_, y) if y == Quantity::Median || y.is_of_links() => y,
            _ => Quantity::Cost,
        }
    }

    /// The names of its algorithms.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.algorithms.iter().map(|algorithm| algorithm.name())
    }

    /// The axis up which it has cells.
    pub fn up(&self) -> Option<Key> {
        self.layers.iter().find_map(|layer| match layer {
            Layer::Cells(up) => Some(*up),
            _ => None,
        })
    }

    /// The values held at both edges of its band, if it has one.
    pub fn edges(&self) -> Vec<HeldAxes> {
        self.layers
            .iter()
            .filter_map(|layer| match layer {
                Layer::Band(key, values) => Some(values.clone().map(|value| (*key, value))),
                _ => None,
            })
            .flatten()
            .map(|edge| self.held.clone().into_iter().chain([edge]).collect())
            .collect()
    }

    fn problems(&self) -> Vec<&'static Problem> {
        let mut problems: Vec<_> = self
            .algorithms
            .iter()
            .map(|algorithm| algorithm.entry().problem())
            .collect();
        problems.dedup();
        problems
    }

    /// Whether its algorithms solve one problem.
    pub fn has_one_problem(&self) -> bool {
        self.problems().len() == 1
    }
}

impl Spec {
    /// The history of accepted costs.
    pub fn history(about: About) -> Self {
        Self {
            about,
            measurements: None,
            table: None,
            x: "",
            by: None,
            compare: None,
            panels: Vec::new(),
            networks: Vec::new(),
            rules: Rules::new(),
        }
    }

    /// The name of the file it is drawn into.
    pub fn file(&self) -> &str {
        self.about.file.get_ref()
    }

    /// Whether it draws the history of accepted costs and not the sweep.
    pub fn is_history(&self) -> bool {
        self.panels.is_empty()
    }

    /// Whether there is anything to draw: not every directory has a history, or measurements.
    pub fn applies(&self, rows: &Rows) -> bool {
        if self.is_history() {
            !rows.history.is_empty()
        } else {
            self.measurements.is_none() || !self.rows(rows).is_empty()
        }
    }

    /// The algorithms that it draws, each once.
    pub fn algorithms(&self) -> Vec<Entry> {
        let all = self.panels.iter().flat_map(|panel| &panel.algorithms);
        distinct(all.map(|algorithm| algorithm.entry()))
    }

    /// The panels that draw a sweep.
    pub fn of_sweep(&self) -> impl Iterator<Item = &Panel> {
        self.panels.iter().filter(|_| self.measurements.is_none())
    }

    /// Whether it draws algorithms of this problem.
    pub fn draws(&self, problem: &Problem) -> bool {
        let mut all = self.algorithms().into_iter();
        all.any(|entry| entry.problem() == problem)
    }

    /// The rows of a sweep that it reads: those that any panel takes, of any algorithm, because the caption names those that are not drawn.
    pub fn filter(&self) -> Test {
        let held = |panel: &Panel| [vec![panel.held.clone()], panel.edges()].concat();
        any(self
            .of_sweep()
            .flat_map(|panel| {
                held(panel)
                    .into_iter()
                    .map(move |held| self.filter_at(panel, &held))
            })
            .collect())
    }

    /// The rows of a panel at these values.
    pub fn filter_at(&self, panel: &Panel, held: &HeldAxes) -> Test {
        let measured = self.measurements.is_some();
        let free = self.free();
        any(panel
            .problems()
            .into_iter()
            .map(|problem| filter(problem, measured, held, &free, &self.rules))
            .collect())
    }

    /// It cannot be drawn.
    pub fn refused(&self, code: Code, why: impl Display) -> Failure {
        Failure::new(code, format_args!("figure {}: {why}", self.file()))
    }

    /// There are no rows of a panel, `what` in words; what there is instead.
    pub fn missing(&self, rows: &Rows, panel: &Panel, what: &str) -> Failure {
        let advice = match &self.measurements {
            Some(directory) => {
                let directory = rows.from.join(directory);
                let directory = directory.display();
                format!("measurement in `{directory}` has no rows of {what}; measure them")
            }
            None => {
                let names: Vec<&str> = panel.names().collect();
                let failed = rows
                    .undefined
                    .iter()
                    .filter(|row| names.contains(&row.algorithm.as_str()))
                    .find_map(Row::failure);
                if let Some(why) = failed {
                    let from = rows.from.display();
                    let why = format!("sweep in `{from}` has no costs of {what}: {why}");
                    return self.refused(Code::Nothing, format_args!("the {why}"));
                }
                let instead = Sweep::open(&rows.from)
                    .and_then(|sweep| select::instead(&sweep, &names, &panel.held));
                let instead = match instead {
                    Ok(instead) => instead,
                    Err(failure) => return failure,
                };
                let before = if instead.is_empty() { "" } else { "; " };
                let from = rows.from.display();
                format!(
                    "sweep in `{from}` has no rows of {what}{before}{instead}; sweep a grid that has them"
                )
            }
        };
        let why = format_args!("the {advice}, or remove the figure");
        self.refused(Code::Nothing, why)
    }

    /// The rows that it draws.
    pub fn rows<'a>(&self, rows: &'a Rows) -> &'a [Row] {
        match &self.measurements {
            None => &rows.points,
            Some(directory) => rows.measured.get(directory).map_or(&[], Vec::as_slice),
        }
    }

    /// The axes that are drawn.
    pub fn free(&self) -> Vec<Key> {
        let up = self.panels.iter().find_map(Panel::up);
        [self.x].into_iter().chain(self.by).chain(up).collect()
    }

    /// The axes of its problems, each once.
    pub fn axes(&self) -> impl Iterator<Item = &'static Axis> {
        let problems = self.panels.iter().flat_map(Panel::problems);
        let mut known = BTreeSet::new();
        problems
            .flat_map(|problem| select::axes(problem, self.measurements.is_some()))
            .filter(move |axis| known.insert(axis.key))
    }

    /// One of its axes.
    pub fn axis(&self, key: Key) -> Option<&'static Axis> {
        self.axes().find(|axis| axis.key == key)
    }

    /// The title of one of its axes.
    pub fn title_of(&self, key: Key) -> String {
        if let Some((number, _)) = self.numbers().filter(|_| key == NETWORK) {
            let first = self.networks[0].split(',').next().unwrap_or_default();
            return format!("{number} of {}", in_words(first));
        }
        self.axis(key)
            .map_or_else(String::new, |axis| select::title(axis, self.on_machine()))
    }

    /// The axes in whose values panels differ.
    pub fn own(&self) -> BTreeSet<Key> {
        self.panels
            .iter()
            .flat_map(|panel| &panel.own)
            .copied()
            .collect()
    }

    /// Whether a profile gives the times.
    pub fn on_machine(&self) -> bool {
        self.panels
            .iter()
            .any(|panel| select::on_machine(&panel.held, &self.free()))
    }

    /// Values of axes in words.
    pub fn words(&self, held: &HeldAxes) -> Vec<String> {
        select::words(held, self.axes(), self.on_machine())
    }

    /// The coordinate of a row on one of its axes; a network has its number in the list.
    pub fn along(&self, row: &Row, key: Key) -> Option<u64> {
        if key != NETWORK {
            return select::along(row, key);
        }
        let own = row.on_network.as_ref()?;
        let found = self.networks.iter().position(|name| *name == own.network)?;
        let number = self.numbers().map(|(_, numbers)| numbers[found]);
        Some(number.unwrap_or(found as u64))
    }

    /// The key and the values of the number in which alone the networks drawn along differ, as of `taper=2` and `taper=4`.
    fn numbers(&self) -> Option<(&str, Vec<u64>)> {
        let all: Vec<Vec<String>> = self
            .networks
            .iter()
            .map(|name| name.split(',').map(str::to_owned).collect())
            .collect();
        let first = all.first().filter(|_| self.x == NETWORK)?;
        let at =
            (0..first.len()).find(|at| all.iter().any(|own| own.get(*at) != first.get(*at)))?;
        let key = self.networks[0].split(',').nth(at)?.split_once('=')?.0;
        Some((
            key,
            all.iter()
                .map(|own| {
                    let (own_key, number) = own.get(at)?.split_once('=')?;
                    let is_one = own_key == key && own[..at] == first[..at];
                    let is_one = is_one && own[at + 1..] == first[at + 1..];
                    number.parse().ok().filter(|_| is_one)
                })
                .collect::<Option<_>>()?,
        ))
    }

    /// The key of the axis drawn along.
    pub fn along_key(&self) -> &str {
        self.numbers().map_or(self.x, |(key, _)| key)
    }

    /// Whether networks are drawn along, and are not numbers.
    pub fn is_over_names(&self) -> bool {
        self.x == NETWORK && self.numbers().is_none()
    }

    /// The figure with the networks of these rows, where it is drawn along these and does not name them.
    pub fn with_networks_of(mut self, rows: &Rows) -> Self {
        if self.free().contains(&NETWORK) && self.networks.is_empty() {
            let takes = self.filter();
            let names = self
                .rows(rows)
                .iter()
                .filter(|row| takes(row))
                .filter_map(|row| Some(row.on_network.as_ref()?.network.clone()));
            self.networks = distinct(names);
        }
        self
    }

    /// A value of an axis.
    pub fn show(&self, key: Key, held: &Held) -> String {
        if let (NETWORK, Held::Number(number)) = (key, held) {
            if !self.is_over_names() && self.x == NETWORK {
                return grouped(*number);
            }
            let number = usize::try_from(*number).ok();
            let name = number.and_then(|number| self.networks.get(number));
            return name.map_or_else(String::new, |name| in_words(name));
        }
        self.axis(key)
            .map_or_else(String::new, |axis| held.show(axis, self.on_machine()))
    }

    /// A value of the axis drawn along.
    pub fn value(&self, x: u64) -> String {
        self.show(self.x, &Held::Number(x))
    }

    /// A value of the axis drawn along, with its axis: `K = 18`.
    pub fn at(&self, x: u64) -> String {
        format!("{} = {}", self.along_key(), self.value(x))
    }

    /// The name of an algorithm, without that of the problem where all drawn have it.
    pub fn short<'a>(&self, name: &'a str) -> &'a str {
        short(name, self.panels.iter().flat_map(Panel::names))
    }
}

/// The name of a network in words: `torus 8x8, link 0-1 dead`.
fn in_words(name: &str) -> String {
    joined(
        ", ",
        name.split(',')
            .map(|word| match word.split_once(['=', ':']) {
                Some(("without", links)) => {
                    let s = if links.contains('+') { "s" } else { "" };
                    format!("link{s} {} dead", links.replace('+', " and "))
                }
                Some(("slow", slow)) => format!("node {}", slow.replace(':', " slowed to ")),
                Some((key, value)) => format!("{key} {value}"),
                None => word.to_owned(),
            }),
    )
}

/// A count, for drawing.
pub fn coordinate(count: u64) -> f64 {
    count as f64
}
