//! Cost against one axis with the lower bound and the published figure, and what is above the bound.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue::{self, entries};
use algorithms::cost::Exact;
use algorithms::problem::{AnyProblem, Axis, Entry};
use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate, look_of};
use crate::chart::scale::Scale;
use crate::chart::style::{Look, Marker};
use crate::chart::{AxisSpec, Chart, Line, Markers, Panel, Series};
use crate::config::axis::{Count, Key, WireSymbol};
use crate::record::Row;
use crate::units::{grouped, plural};

/// Algorithms of one problem along one axis, the others held.
#[derive(Deserialize)]
#[serde(try_from = "Wire")]
pub struct CostAndGap {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    algorithms: Vec<Entry>,
    x: Key,
    at: BTreeMap<Key, u64>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    /// Names in the catalogue, all of one problem.
    algorithms: Vec<String>,
    /// The axis drawn.
    x: WireSymbol,
    /// The values of the other axes.
    #[serde(default)]
    at: BTreeMap<WireSymbol, Count>,
    /// A last line of the caption.
    note: Option<String>,
}

impl TryFrom<Wire> for CostAndGap {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let find = |name: &String| {
            catalogue::find(name).ok_or_else(|| {
                let names: Vec<&str> = entries().iter().map(|entry| entry.name).collect();
                format!("there is no algorithm `{name}`; the algorithms are {}", names.join(" "))
            })
        };
        let mut algorithms = wire.algorithms.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        algorithms.sort_by_key(Entry::rank);
        algorithms.dedup();
        let Some(first) = algorithms.first() else {
            return Err("expected at least one algorithm".to_owned());
        };
        if first.problem().fractions() {
            return Err(format!("`{}` costs fractions; use another kind of figure", first.name));
        }
        if let Some(other) = algorithms.iter().find(|entry| entry.problem() != first.problem()) {
            return Err(format!("`{}` and `{}` solve different problems; draw them apart", first.name, other.name));
        }
        let at: BTreeMap<&str, u64> = wire.at.into_iter().map(|(axis, value)| (axis.0, value.0)).collect();
        let form = first.problem().forms().first();
        let is_read = |axis: &&Axis| form.is_none_or(|form| form.contains(&axis.key));
        let read: Vec<&Axis> = first.axes().iter().filter(is_read).collect();
        let given: BTreeSet<&str> = at.keys().copied().chain([wire.x.0]).collect();
        if let Some(key) = given.iter().find(|key| read.iter().all(|axis| axis.key != **key)) {
            return Err(format!("axis {key} is not read by `{}`; `x` and `at` name the axes it reads", first.name));
        }
        if let Some(axis) = read.iter().find(|axis| axis.default.is_none() && !given.contains(axis.key)) {
            let key = axis.key;
            return Err(format!(
                "axis {key} is given no value for `{}`; `x` and `at` name the axes it reads",
                first.name
            ));
        }
        if at.contains_key(&wire.x.0) {
            return Err(format!("axis {} is drawn, so `at` holds no value of it", wire.x.0));
        }
        Ok(Self { file: wire.file, title: wire.title, shows: wire.shows, algorithms, x: wire.x.0, at, note: wire.note })
    }
}

/// What a row says of a cost that is a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WholeCosts<'a> {
    /// No algorithm can cost less.
    lower_bound: u64,
    /// The paper's headline figure, if it gives one, and how it relates the cost to it.
    published: Option<(u128, &'a str)>,
    /// The exact cost.
    analytic: u64,
}

impl<'a> WholeCosts<'a> {
    fn of(row: &'a Row) -> Option<Self> {
        let (Some(Exact::Integer(lower_bound)), Some(Exact::Integer(analytic))) = (&row.lower_bound, &row.analytic)
        else {
            return None;
        };
        let published = row.published.as_ref().map(|(value, relation)| (*value, relation.as_str()));
        Some(Self { lower_bound: *lower_bound, published, analytic: *analytic })
    }
}

/// The costs of one algorithm by the value on the axis drawn.
type Costs<'a> = BTreeMap<u64, WholeCosts<'a>>;

/// What is drawn as one: algorithms that cost the same wherever the sweep has them.
struct Curve<'a> {
    label: String,
    look: Look,
    costs: Costs<'a>,
}

impl Curve<'_> {
    /// Joined by a line unless values are missing in between, as those of an algorithm for powers of two.
    fn cost(&self, bound: &BTreeMap<u64, u64>) -> Series {
        let points = self.costs.iter().map(|(&x, costs)| (x, coordinate(costs.analytic)));
        let whole = match self.costs.keys().next().zip(self.costs.keys().next_back()) {
            Some((&first, &last)) => bound.range(first..=last).count() == self.costs.len(),
            None => false,
        };
        let curve = series(&self.label, self.look, points);
        if whole { curve } else { Series { markers: Markers::Every(1), line: Line::None, ..curve } }
    }

    fn is_near(&self) -> bool {
        self.costs.values().all(|costs| costs.analytic < NEAR.saturating_mul(costs.lower_bound))
    }

    /// Points only: between two of them the gap jumps up and down. One below zero has no place on the axis.
    fn gap(&self) -> Series {
        let gap = |costs: &WholeCosts<'_>| coordinate(costs.analytic) - coordinate(costs.lower_bound);
        let points = series(&self.label, self.look, self.costs.iter().map(|(&x, costs)| (x, gap(costs))));
        Series { markers: Markers::Every(1), line: Line::None, ..points }
    }
}

/// An algorithm whose cost is always below so many times the bound is shown beside it.
const NEAR: u64 = 3;

impl Figure for CostAndGap {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn wants(&self, row: &Row) -> bool {
        // What is not held elsewhere stands at its default.
        let held = |axis: &Axis| self.at.get(axis.key).copied().or(axis.default).filter(|_| axis.key != self.x);
        row.machine.is_none()
            && self.algorithms.iter().any(|entry| entry.name == row.algorithm)
            && row.problem.axes().iter().all(|axis| {
                let value = row.value(axis.key);
                value.is_none() || held(axis).is_none_or(|held| value == Some(held))
            })
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let costs = self.algorithms.iter().map(|entry| self.costs(rows, entry)).collect::<Result<Vec<_>, _>>()?;
        let mut bound: BTreeMap<u64, u64> = BTreeMap::new();
        for (&x, costs) in costs.iter().flatten() {
            bound.insert(x, costs.lower_bound);
        }
        let unit = self.unit();
        let bounds = bound.iter().map(|(&x, &cost)| (x, coordinate(cost)));
        let mut lines = vec![series("lower bound", Look::REFERENCE, bounds)];
        lines.extend(self.algorithms.iter().zip(&costs).flat_map(|(entry, costs)| published(entry, costs)));
        let curves = self.curves(costs);
        lines.extend(curves.iter().map(|curve| curve.cost(&bound)));
        let mut panels = vec![self.panel("Cost", 620, unit, lines)];
        let mut caption: Vec<String> = curves.iter().map(|curve| self.verdict(curve)).collect();
        let (near, far): (Vec<_>, Vec<_>) = curves.iter().partition(|curve| curve.is_near());
        if near.iter().any(|curve| curve.costs.values().any(|costs| costs.analytic != costs.lower_bound)) {
            panels.push(self.panel(
                "Cost above the lower bound",
                560,
                unit,
                near.into_iter().map(Curve::gap).collect(),
            ));
            if !far.is_empty() {
                let names: Vec<&str> = far.iter().map(|curve| curve.label.as_str()).collect();
                let names = names.join(", ");
                caption.push(format!("Not in the right panel, at {NEAR} times the bound or more somewhere: {names}."));
            }
        }
        caption.extend(self.note.clone());
        Ok(Chart { title: self.title.clone(), subtitle: self.subtitle(&bound), caption, panels, height: 400 })
    }
}

impl CostAndGap {
    fn problem(&self) -> &'static dyn AnyProblem {
        self.algorithms[0].problem()
    }

    fn unit(&self) -> &'static str {
        self.problem().unit(&[]).plural()
    }

    fn axis_title(&self) -> &'static str {
        self.problem().axes().iter().find(|axis| axis.key == self.x).map_or("", |axis| axis.title)
    }

    fn curves<'a>(&self, costs: Vec<Costs<'a>>) -> Vec<Curve<'a>> {
        let analytic = |costs: &Costs<'_>| costs.iter().map(|(&x, costs)| (x, costs.analytic)).collect::<Vec<_>>();
        let mut curves: Vec<Curve<'_>> = Vec::new();
        for (entry, costs) in self.algorithms.iter().zip(costs) {
            match curves.iter_mut().find(|curve| analytic(&curve.costs) == analytic(&costs)) {
                Some(curve) => curve.label = format!("{}, {}", curve.label, entry.name),
                None => curves.push(Curve { label: entry.name.to_owned(), look: look_of(entry.name), costs }),
            }
        }
        curves
    }

    /// Where it costs anything at all: of a broadcast to oneself there is nothing to draw.
    fn costs<'a>(&self, rows: &'a Rows, entry: &Entry) -> Result<Costs<'a>, Missing> {
        let own = rows.of(self).filter(|row| row.algorithm == entry.name);
        let costs: Costs<'_> = own
            .filter_map(|row| Some((row.value(self.x)?, WholeCosts::of(row)?)))
            .filter(|(_, costs)| costs.lower_bound > 0)
            .collect();
        if costs.is_empty() {
            let place: Vec<String> = self.at.iter().map(|(axis, value)| format!("{axis} = {value}")).collect();
            let at = if place.is_empty() { String::new() } else { format!(" at {}", place.join(", ")) };
            return Err(Missing(format!("`{}` along {}{at}", entry.name, self.x)));
        }
        Ok(costs)
    }

    fn subtitle(&self, bound: &BTreeMap<u64, u64>) -> String {
        let axes = self.algorithms.first().map_or(&[][..], |entry| entry.problem().axes());
        let held = axes.iter().filter_map(|axis| Some((axis.key, *self.at.get(axis.key)?)));
        let mut parts: Vec<String> = held.map(|(axis, value)| format!("{axis} = {}", grouped(value))).collect();
        let ends = bound.keys().next().zip(bound.keys().next_back());
        parts.extend(ends.map(|(first, last)| format!("{} from {} to {}", self.x, grouped(*first), grouped(*last))));
        format!("{}; exact costs", parts.join(", "))
    }

    /// How near the bound a curve comes.
    fn verdict(&self, Curve { label, costs, .. }: &Curve<'_>) -> String {
        let met = costs.values().filter(|costs| costs.analytic == costs.lower_bound).count();
        let gap = |costs: &WholeCosts<'_>| costs.analytic.saturating_sub(costs.lower_bound);
        let worst = costs.iter().max_by_key(|(x, costs)| (gap(costs), std::cmp::Reverse(**x)));
        let worst = worst.filter(|(_, costs)| gap(costs) > 0).map(|(x, costs)| {
            let most = plural(gap(costs), self.unit().trim_end_matches('s'));
            format!("; most above it: {most}, first at {} = {}", self.x, grouped(*x))
        });
        let values = plural(costs.len() as u64, "value");
        format!("{label}: at the lower bound for {} of {values}{}.", grouped(met as u64), worst.unwrap_or_default())
    }

    fn panel(&self, heading: &str, width: u32, unit: &str, series: Vec<Series>) -> Panel {
        let points = || series.iter().flat_map(|series| &series.points);
        let ends = |value: fn(&(f64, f64)) -> f64| {
            points()
                .map(value)
                .fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)))
        };
        let (first, last) = ends(|point| point.0);
        let (least, most) = ends(|point| point.1);
        let wide = |low: f64, high: f64| low > 0.0 && high / low > 40.0;
        let mark = |logarithmic: bool| if logarithmic { " (log scale)" } else { "" };
        let (log_x, log_y) = (wide(first, last), wide(least, most));
        let x = if log_x { Scale::log2(first, last) } else { Scale::counts(first.min(1.0), last) };
        let y = if log_y { Scale::log10(least, most * 1.2) } else { Scale::counts(0.0, (most * 1.04).max(1.0)) };
        Panel {
            heading: Some(heading.to_owned()),
            width,
            x: AxisSpec { title: format!("{}{}", self.axis_title(), mark(log_x)), scale: x },
            y: AxisSpec { title: format!("{unit}{}", mark(log_y)), scale: y },
            bands: Vec::new(),
            cells: Vec::new(),
            legend: series.iter().map(|series| (series.label.clone(), series.look)).collect(),
            series,
        }
    }
}

fn series(label: &str, look: Look, points: impl IntoIterator<Item = (u64, f64)>) -> Series {
    let points: Vec<(f64, f64)> = points.into_iter().map(|(x, y)| (coordinate(x), y)).collect();
    let stride = points.len().div_ceil(12).max(1);
    Series { label: label.to_owned(), look, points, markers: Markers::Every(stride), line: Line::Solid }
}

/// What the paper states, for each way in which it relates the cost to that: crosses in the algorithm's colour.
fn published(entry: &Entry, costs: &Costs<'_>) -> Vec<Series> {
    let look = Look { marker: Marker::Cross, ..look_of(entry.name) };
    let relations: BTreeSet<&str> = costs.values().filter_map(|costs| Some(costs.published?.1)).collect();
    let stated = |relation: &str| {
        let points = costs.iter().filter_map(|(&x, costs)| Some((x, costs.published?)));
        #[expect(clippy::cast_precision_loss, reason = "only to draw")]
        let points = points.filter(|(_, (_, own))| *own == relation).map(|(x, (value, _))| (x, value as f64));
        series(&format!("{}, published: {relation}", entry.name), look, points)
    };
    relations.into_iter().map(stated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::PointValues;
    use crate::record::Status;

    fn figure(algorithms: &str) -> CostAndGap {
        let text = format!(
            "file = \"f.svg\"\ntitle = \"t\"\nalgorithms = [{algorithms}]\nx = \"n\"\nat = {{ k = 3, m = 1 }}\n"
        );
        toml::from_str(&text).unwrap()
    }

    /// Rows of one algorithm with (n, lower bound, cost) as given, for k = 3 and m = 1.
    fn rows(algorithm: &str, costs: &[(u64, u64, u64)]) -> Vec<Row> {
        let row = |&(n, bound, cost): &(u64, u64, u64)| {
            let problem = catalogue::problem("k-port-broadcast").unwrap();
            let mut values = PointValues::none(problem.axes());
            values.copy_from_slice(&[Some(n), Some(3), Some(1)]);
            Row {
                problem,
                algorithm: algorithm.to_owned(),
                values,
                machine: None,
                status: Status::Ok,
                unit: "rounds".to_owned(),
                lower_bound: Some(Exact::Integer(bound)),
                published: None,
                analytic: Some(Exact::Integer(cost)),
                simulated: None,
                standard_error: None,
                note: String::new(),
            }
        };
        costs.iter().map(row).collect()
    }

    fn chart(algorithms: &str, given: Vec<Row>) -> Chart {
        figure(algorithms)
            .chart(&Rows { points: given, ..Rows::default() })
            .unwrap_or_else(|Missing(what)| panic!("{what}"))
    }

    fn labels(panel: &Panel) -> Vec<&str> {
        panel.series.iter().map(|series| series.label.as_str()).collect()
    }

    #[test]
    fn equal_costs_are_one_curve_and_far_ones_have_no_gap() {
        let mut given = rows("k-tree", &[(2, 1, 1), (4, 2, 3), (8, 3, 4)]);
        given.extend(rows("k-tree-packed", &[(2, 1, 1), (4, 2, 3), (8, 3, 4)]));
        given.extend(rows("repeated", &[(2, 1, 1), (4, 2, 2), (8, 3, 9)]));
        let chart = chart("\"repeated\", \"k-tree-packed\", \"k-tree\", \"k-tree\"", given);
        assert_eq!(labels(&chart.panels[0]), ["lower bound", "k-tree, k-tree-packed", "repeated"]);
        assert_eq!(labels(&chart.panels[1]), ["k-tree, k-tree-packed"]);
        assert_eq!(chart.panels[1].series[0].points, [(2.0, 0.0), (4.0, 1.0), (8.0, 1.0)]);
        assert_eq!(
            chart.caption,
            [
                "k-tree, k-tree-packed: at the lower bound for 1 of 3 values; most above it: 1 round, first at n = 4.",
                "repeated: at the lower bound for 2 of 3 values; most above it: 6 rounds, first at n = 8.",
                "Not in the right panel, at 3 times the bound or more somewhere: repeated.",
            ]
        );
    }

    #[test]
    fn values_that_are_missing_are_not_joined() {
        let mut given = rows("k-tree", &[(2, 1, 2), (4, 2, 2), (8, 3, 3), (16, 4, 4)]);
        given.extend(rows("hypercube", &[(2, 1, 1), (16, 4, 4)]));
        given.extend(rows("repeated", &[(4, 2, 2), (8, 3, 3)]));
        let chart = chart("\"k-tree\", \"hypercube\", \"repeated\"", given);
        let joined: Vec<bool> = chart.panels[0].series.iter().map(|series| series.line != Line::None).collect();
        assert_eq!(labels(&chart.panels[0]), ["lower bound", "k-tree", "hypercube", "repeated"]);
        assert_eq!(joined, [true, true, false, true]);
    }

    /// A cost below the bound is no cost of ours: such a file is told of, not drawn.
    #[test]
    fn a_cost_below_the_bound_has_no_place() {
        let chart = chart("\"k-tree\"", rows("k-tree", &[(2, 5, 4), (4, 5, 6)]));
        let message = chart.to_svg().unwrap_err().to_string();
        assert!(message.contains("lies outside the axis"), "{message}");
    }

    #[test]
    fn where_all_meet_the_bound_there_is_no_gap_to_draw() {
        let chart = chart("\"k-tree\"", rows("k-tree", &[(2, 1, 1), (4, 2, 2), (1, 0, 0)]));
        assert_eq!(chart.panels.len(), 1);
        assert_eq!(chart.panels[0].series[1].points, [(2.0, 1.0), (4.0, 2.0)]);
        assert!(chart.to_svg().is_ok());
    }
}
