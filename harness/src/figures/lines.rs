//! Any column of the rows against any axis: a line for each algorithm, machine or value of another axis.

mod caption;
mod curves;
mod definition;
mod scales;

use std::collections::BTreeSet;

use algorithms::problem::{AnyProblem, Axis, Entry};
use clap::ValueEnum;
use serde::Deserialize;

use super::looks::Looks;
use super::select::{self, Filter, Held, HeldAxes};
use super::{About, Figure, Need, Rows, Undrawn};
use crate::chart::Chart;
use crate::measured::config::Algorithm;
use crate::record::Row;
use crate::space::Key;
use crate::space::Rules;
use crate::units::{grouped, together};

use curves::Drawn;
pub use definition::{Reader, WireHeldAxes, WireLines};

/// A figure of lines.
pub struct Lines {
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
    /// At least one.
    pub panels: Vec<Panel>,
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
    /// Bounds, other costs and predictions that are drawn beside the column.
    pub beside: Vec<Beside>,
    /// An axis and the two values of it between which an area is drawn behind each line.
    pub band: Option<(Key, [Held; 2])>,
}

/// What is drawn: a column of the rows, or a difference of two.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Horizontal.
    X,
    /// Vertical.
    Y,
}

/// What else a panel draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beside {
    /// The lower bound, as a line.
    LowerBound,
    /// What the papers state, as points.
    Published,
    /// Simulated costs, as points on the lines.
    Simulated,
    /// Predictions of measured times, as lines.
    Predicted,
}

impl Quantity {
    /// The name of the column in titles.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Analytic => "analytic cost",
            Self::Simulated => "simulated cost",
            Self::Published => "published cost",
            Self::LowerBound => "lower bound",
            Self::Excess => "cost above the lower bound",
            Self::Median => "median of measured times",
        }
    }
}

impl Panel {
    fn has(&self, beside: Beside) -> bool {
        self.beside.contains(&beside)
    }

    fn is_log(&self, side: Side) -> bool {
        self.log.contains(&side)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.algorithms.iter().map(|algorithm| algorithm.name())
    }

    fn problems(&self) -> Vec<&'static dyn AnyProblem> {
        let mut problems: Vec<_> = self
            .algorithms
            .iter()
            .map(|algorithm| algorithm.entry().problem())
            .collect();
        problems.dedup();
        problems
    }

    /// The held values whose rows it reads: its own and those of the edges of its band.
    fn held_and_edges(&self) -> Vec<HeldAxes> {
        let edges = self
            .band
            .iter()
            .flat_map(|(key, values)| values.iter().map(move |value| (*key, value.clone())));
        let edges = edges.map(|edge| self.held.clone().into_iter().chain([edge]).collect());
        std::iter::once(self.held.clone()).chain(edges).collect()
    }
}

impl Figure for Lines {
    fn about(&self) -> &About {
        &self.about
    }

    fn measurements(&self) -> Option<&str> {
        self.measurements.as_deref()
    }

    fn table(&self) -> Option<&str> {
        self.table.as_deref()
    }

    fn applies(&self, rows: &Rows) -> bool {
        self.measurements.is_none() || !self.rows(rows).is_empty()
    }

    /// Rows of any algorithm: the caption names those that are not drawn.
    fn filters(&self) -> Vec<Filter> {
        let panels = self.panels.iter().filter(|_| self.measurements.is_none());
        panels
            .flat_map(|panel| {
                panel
                    .held_and_edges()
                    .into_iter()
                    .flat_map(|held| self.filters_at(panel, &held))
            })
            .collect()
    }

    fn algorithms(&self) -> Vec<Entry> {
        let all = self
            .panels
            .iter()
            .flat_map(|panel| &panel.algorithms)
            .map(|algorithm| (algorithm.entry(), ()));
        together(all).into_iter().map(|(entry, _)| entry).collect()
    }

    fn needs(&self) -> Vec<Need<'_>> {
        let panels = self.panels.iter().filter(|_| self.measurements.is_none());
        let algorithms = |panel: &Panel| {
            panel
                .algorithms
                .iter()
                .map(|algorithm| algorithm.entry())
                .collect()
        };
        panels
            .map(|panel| Need {
                algorithms: algorithms(panel),
                held: &panel.held,
                free: self.free(),
            })
            .collect()
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Undrawn> {
        let mut looks = Looks::default();
        for panel in &self.panels {
            curves::give_looks(self, panel, rows, &mut looks)?;
        }
        let drawn = self
            .panels
            .iter()
            .map(|panel| Drawn::new(self, panel, rows, &mut looks))
            .collect::<Result<Vec<_>, _>>()?;
        let panels = scales::panels(self, &drawn);
        let caption = caption::facts(self, &drawn, &panels);
        let height = if panels.len() > 3 { 320 } else { 410 };
        Ok(Chart {
            title: self.about.title.clone(),
            subtitle: self.subtitle(&drawn),
            caption,
            panels,
            height,
        })
    }
}

impl Lines {
    fn free(&self) -> Vec<Key> {
        [self.x].into_iter().chain(self.by).collect()
    }

    /// The rows that it draws.
    fn rows<'a>(&self, rows: &'a Rows) -> &'a [Row] {
        match &self.measurements {
            None => &rows.points,
            Some(directory) => rows.measured.get(directory).map_or(&[], Vec::as_slice),
        }
    }

    /// The rows of a panel at these values, a filter for each problem.
    fn filters_at(&self, panel: &Panel, held: &HeldAxes) -> Vec<Filter> {
        let new = |problem| {
            Filter::new(
                problem,
                self.measurements.is_some(),
                held,
                &self.free(),
                &self.rules,
            )
        };
        panel.problems().into_iter().map(new).collect()
    }

    /// The axes of its problems, each once.
    fn axes(&self) -> impl Iterator<Item = &'static Axis> {
        let problems = self.panels.iter().flat_map(Panel::problems);
        let mut known = BTreeSet::new();
        let all = problems.flat_map(|problem| select::axes(problem, self.measurements.is_some()));
        all.filter(move |axis| known.insert(axis.key))
    }

    fn axis(&self, key: Key) -> Option<&'static Axis> {
        self.axes().find(|axis| axis.key == key)
    }

    /// The axes in whose values panels differ.
    fn own(&self) -> BTreeSet<Key> {
        self.panels
            .iter()
            .flat_map(|panel| panel.own.iter().copied())
            .collect()
    }

    /// Whether a profile gives the times.
    fn on_machine(&self) -> bool {
        self.panels
            .iter()
            .any(|panel| select::on_machine(&panel.held, &self.free()))
    }

    /// A value of the axis drawn along.
    fn show(&self, x: u64) -> String {
        let held = Held::Number(x);
        self.axis(self.x)
            .map_or_else(String::new, |axis| held.show(axis, self.on_machine()))
    }

    /// A value of the axis drawn along, with its axis: `K = 18`.
    fn at(&self, x: u64) -> String {
        format!("{} = {}", self.x, self.show(x))
    }

    /// What all panels share: the values of axes, the range drawn, and the number of random instances.
    fn subtitle(&self, drawn: &[Drawn<'_>]) -> String {
        let own = self.own();
        let shared = self
            .panels
            .first()
            .map(|panel| panel.held.clone())
            .unwrap_or_default();
        let shared: HeldAxes = shared
            .into_iter()
            .filter(|(key, _)| !own.contains(key))
            .collect();
        let mut parts = select::words(&shared, self.axes(), self.on_machine());
        let rows = || {
            drawn
                .iter()
                .flat_map(|drawn| &drawn.curves)
                .flat_map(|curve| curve.rows.iter())
        };
        let points = drawn
            .iter()
            .flat_map(|drawn| &drawn.curves)
            .flat_map(|curve| &curve.points);
        let xs: BTreeSet<u64> = points.map(|point| point.0).collect();
        parts.extend(xs.first().zip(xs.last()).map(|(&first, &last)| {
            if first == last {
                self.at(first)
            } else {
                format!(
                    "{} from {} to {}",
                    self.x,
                    self.show(first),
                    self.show(last)
                )
            }
        }));
        if let Some(least) = rows()
            .filter_map(|(_, row)| Some(row.measured.as_ref()?.repetitions))
            .min()
        {
            return format!(
                "{}; real messages between processes, every byte checked, at least {least} repetitions",
                parts.join(", ")
            );
        }
        let draws: BTreeSet<u64> = rows().filter_map(|(_, row)| row.value("trials")).collect();
        let Some((&least, &most)) = draws.first().zip(draws.last()) else {
            return format!("{}; exact costs", parts.join(", "));
        };
        let times = if least == most {
            grouped(most)
        } else {
            format!("{} to {}", grouped(least), grouped(most))
        };
        let seed = rows().find_map(|(_, row)| row.value("seed")).unwrap_or(0);
        format!(
            "{}; {times} random instances for each point, seed {seed}",
            parts.join(", ")
        )
    }
}

#[cfg(test)]
mod tests;
