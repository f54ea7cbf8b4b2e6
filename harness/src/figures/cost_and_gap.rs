//! Cost against one axis with the lower bound and the published figure, and what is above the bound.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue::{self, Axis, Entry, Problem};
use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate, look_of};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Chart, Markers, Panel, Series};
use crate::config::axis::{Count, WireSymbol};
use crate::record::{Row, WholeCosts};
use crate::units::{grouped, plural};

/// Algorithms of one problem along one axis, the others held.
#[derive(Deserialize)]
#[serde(try_from = "Wire")]
pub struct CostAndGap {
    file: Spanned<String>,
    title: String,
    algorithms: Vec<&'static Entry>,
    x: Axis,
    at: BTreeMap<Axis, u64>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    file: Spanned<String>,
    title: String,
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
        let find = |name: &String| catalogue::find(name).ok_or_else(|| format!("there is no algorithm `{name}`"));
        let algorithms = wire.algorithms.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = algorithms.first() else {
            return Err("expected at least one algorithm".to_owned());
        };
        if first.problem() == Problem::MeshMulticast {
            return Err(format!("`{}` costs fractions of links; use [[figures.mesh-links]]", first.name));
        }
        if let Some(other) = algorithms.iter().find(|entry| entry.problem() != first.problem()) {
            return Err(format!("`{}` and `{}` solve different problems; draw them apart", first.name, other.name));
        }
        let at: BTreeMap<Axis, u64> = wire.at.into_iter().map(|(axis, value)| (axis.0, value.0)).collect();
        let read: BTreeSet<Axis> = first.axes().iter().copied().collect();
        let given: BTreeSet<Axis> = at.keys().copied().chain([wire.x.0]).collect();
        if let Some(axis) = read.symmetric_difference(&given).next() {
            let wrong = if given.contains(axis) { "is not read by" } else { "is given no value for" };
            return Err(format!("axis {axis} {wrong} `{}`; `x` and `at` name the axes it reads", first.name));
        }
        if at.contains_key(&wire.x.0) {
            return Err(format!("axis {} is drawn, so `at` holds no value of it", wire.x.0));
        }
        Ok(Self { file: wire.file, title: wire.title, algorithms, x: wire.x.0, at, note: wire.note })
    }
}

/// The costs of one algorithm by the value on the axis drawn.
type Costs = BTreeMap<u64, WholeCosts>;

/// An algorithm whose cost is always below so many times the bound is shown beside it.
const NEAR: u64 = 3;

impl Figure for CostAndGap {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn wants(&self, row: &Row) -> bool {
        let plain = match row {
            Row::Logp(row) => row.machine.is_none() && row.source_position == 1,
            _ => true,
        };
        plain
            && self.algorithms.iter().any(|entry| entry.name == row.algorithm())
            && self.at.iter().all(|(&axis, &value)| row.value(axis) == Some(value))
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let costs = self.algorithms.iter().map(|entry| self.costs(rows, entry)).collect::<Result<Vec<_>, _>>()?;
        let mut bound: BTreeMap<u64, u64> = BTreeMap::new();
        for (&x, costs) in costs.iter().flatten() {
            bound.insert(x, costs.lower_bound);
        }
        let unit = unit(self.problem());
        let mut lines = vec![series("lower bound", Look::REFERENCE, bound.iter().map(|(&x, &cost)| (x, cost.into())))];
        for (entry, costs) in self.algorithms.iter().zip(&costs) {
            let published: Vec<(u64, u128)> =
                costs.iter().filter_map(|(&x, costs)| Some((x, costs.published?))).collect();
            if !published.is_empty() {
                lines.push(series(&format!("{}, published", entry.name), Look::PUBLISHED, published));
            }
        }
        for (entry, costs) in self.algorithms.iter().zip(&costs) {
            let points = costs.iter().map(|(&x, costs)| (x, costs.analytic.into()));
            lines.push(series(entry.name, look_of(entry.name), points));
        }
        let mut gaps = Vec::new();
        for (entry, costs) in self.algorithms.iter().zip(&costs) {
            if costs.values().all(|costs| costs.analytic < NEAR.saturating_mul(costs.lower_bound)) {
                let points = costs.iter().map(|(&x, costs)| (x, u128::from(costs.analytic - costs.lower_bound)));
                // Points only: between two of them the gap jumps up and down.
                let points = series(entry.name, look_of(entry.name), points);
                gaps.push(Series { markers: Markers::Every(1), line: false, ..points });
            }
        }
        let mut panels = vec![self.panel("Cost", 620, unit, lines)];
        if !gaps.is_empty() {
            panels.push(self.panel("Cost above the lower bound", 560, unit, gaps));
        }
        let mut caption: Vec<String> =
            self.algorithms.iter().zip(&costs).map(|(entry, costs)| self.verdict(entry, costs)).collect();
        caption.extend(self.note.clone());
        Ok(Chart { title: self.title.clone(), subtitle: self.subtitle(&bound), caption, panels, height: 400 })
    }
}

impl CostAndGap {
    fn problem(&self) -> Problem {
        self.algorithms[0].problem()
    }

    /// Where it costs anything at all: of a broadcast to oneself there is nothing to draw.
    fn costs(&self, rows: &Rows, entry: &Entry) -> Result<Costs, Missing> {
        let own = rows.of(self).filter(|row| row.algorithm() == entry.name);
        let costs: Costs = own
            .filter_map(|row| Some((row.value(self.x)?, row.costs()?)))
            .filter(|(x, costs)| *x > 0 && costs.lower_bound > 0)
            .collect();
        if costs.is_empty() {
            let place: Vec<String> = self.at.iter().map(|(axis, value)| format!("{axis} = {value}")).collect();
            let at = if place.is_empty() { String::new() } else { format!(" at {}", place.join(", ")) };
            return Err(Missing(format!("`{}` along {}{at}", entry.name, self.x)));
        }
        Ok(costs)
    }

    fn subtitle(&self, bound: &BTreeMap<u64, u64>) -> String {
        let mut parts: Vec<String> =
            self.at.iter().map(|(axis, value)| format!("{axis} = {}", grouped(*value))).collect();
        let ends = bound.keys().next().zip(bound.keys().next_back());
        parts.extend(ends.map(|(first, last)| format!("{} from {} to {}", self.x, grouped(*first), grouped(*last))));
        format!("{}; exact costs", parts.join(", "))
    }

    /// How near the bound an algorithm comes.
    fn verdict(&self, entry: &Entry, costs: &Costs) -> String {
        let met = costs.values().filter(|costs| costs.analytic == costs.lower_bound).count();
        let gap = |costs: &WholeCosts| costs.analytic - costs.lower_bound;
        let worst = costs.iter().max_by_key(|(x, costs)| (gap(costs), std::cmp::Reverse(**x)));
        let worst = worst.filter(|(_, costs)| gap(costs) > 0).map(|(x, costs)| {
            let most = plural(gap(costs), unit(self.problem()).trim_end_matches('s'));
            format!("; most above it: {most} at {} = {}", self.x, grouped(*x))
        });
        let values = plural(costs.len() as u64, "value");
        format!(
            "{}: at the lower bound for {} of {values}{}.",
            entry.name,
            grouped(met as u64),
            worst.unwrap_or_default()
        )
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
            x: AxisSpec { title: format!("{}{}", axis_title(self.problem(), self.x), mark(log_x)), scale: x },
            y: AxisSpec { title: format!("{unit}{}", mark(log_y)), scale: y },
            bands: Vec::new(),
            cells: Vec::new(),
            legend: series.iter().map(|series| (series.label.clone(), series.look)).collect(),
            series,
        }
    }
}

fn series(label: &str, look: Look, points: impl IntoIterator<Item = (u64, u128)>) -> Series {
    #[expect(clippy::cast_precision_loss, reason = "only to draw")]
    let points: Vec<(f64, f64)> = points.into_iter().map(|(x, y)| (coordinate(x), y as f64)).collect();
    let stride = points.len().div_ceil(12).max(1);
    Series { label: label.to_owned(), look, points, markers: Markers::Every(stride), line: true }
}

/// What costs of this problem are counted in.
fn unit(problem: Problem) -> &'static str {
    match problem {
        Problem::LogpMulticast | Problem::LogpSummation => "time units",
        Problem::MeshMulticast => "links",
        Problem::MeshGossip => "steps",
        Problem::KPortBroadcast => "rounds",
    }
}

fn axis_title(problem: Problem, axis: Axis) -> &'static str {
    match (axis, problem) {
        (Axis::L, _) => "latency L, in time units",
        (Axis::O, _) => "overhead o, in time units",
        (Axis::G, _) => "gap g, in time units",
        (Axis::K, _) => "nodes K, the source included",
        (Axis::N, Problem::KPortBroadcast) => "nodes n, the source included",
        (Axis::N, _) => "side n of the mesh",
        (Axis::Ports, _) => "ports k",
        (Axis::M, _) => "messages m",
        (Axis::P, _) => "processors P",
        (Axis::Operands, _) => "operands N",
    }
}
