//! Times of multicasts with wormhole switching along one axis, a panel for each number of ports.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue::{self, entries};
use algorithms::problem::AnyProblem;
use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate, look_of};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Chart, Line, Markers, Panel, Series};
use crate::config::axis::{Count, Key, WireSymbol};
use crate::record::{Row, rounded};
use crate::units::{grouped, plural};

/// All schemes along one axis, the others held.
#[derive(Deserialize)]
#[serde(try_from = "Wire")]
pub struct WormholeTimes {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    x: Key,
    ports: Vec<u64>,
    at: BTreeMap<Key, u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    /// The axis drawn.
    x: WireSymbol,
    /// A panel for each.
    ports: Vec<Count>,
    /// The values of the other axes.
    at: BTreeMap<WireSymbol, Count>,
}

/// The least and the greatest value.
type Ends = (f64, f64);

/// The problem that is drawn.
const PROBLEM: &str = "wormhole-multicast";

/// The axes of the problem but the ports.
const AXES: [&str; 7] = ["n", "K", "m", "t_s", "t_h", "t_f", "flits"];

impl TryFrom<Wire> for WormholeTimes {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let Wire { file, title, shows, x: WireSymbol(x), ports, at } = wire;
        let at: BTreeMap<&str, u64> = at.into_iter().map(|(axis, value)| (axis.0, value.0)).collect();
        let given: BTreeSet<&str> = at.keys().copied().chain([x]).collect();
        if at.contains_key(&x) || !given.iter().eq(&BTreeSet::from(AXES)) {
            let axes = AXES.join(" ");
            return Err(format!("expected each of the axes {axes} once, one as `x` and the others in `at`"));
        }
        if ports.is_empty() {
            return Err("expected at least one number of `ports`".to_owned());
        }
        Ok(Self { file, title, shows, x, ports: ports.into_iter().map(|ports| ports.0).collect(), at })
    }
}

impl Figure for WormholeTimes {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn wants(&self, row: &Row) -> bool {
        row.problem.name() == PROBLEM
            && row.value("k").is_some_and(|k| self.ports.contains(&k))
            && self.at.iter().all(|(axis, &value)| row.value(axis) == Some(value))
            && row.value(self.x).is_some_and(|x| x > 0)
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let curves = self.ports.iter().map(|&ports| self.curves(rows, ports)).collect::<Result<Vec<_>, _>>()?;
        // The same times at the same height in every panel.
        let points = || curves.iter().flatten().flat_map(|series| &series.points);
        let ends = |value: fn(&(f64, f64)) -> f64| {
            points().map(value).fold((f64::INFINITY, 0.0_f64), |(low, high), value| (value.min(low), value.max(high)))
        };
        let ends = (ends(|point| point.0), ends(|point| point.1));
        let panels = self.ports.iter().zip(curves).map(|(&ports, curves)| self.panel(ports, curves, ends)).collect();
        let draws = || rows.of(self).filter_map(|row| row.value("trials"));
        let draws = match (draws().min().unwrap_or(0), draws().max().unwrap_or(0)) {
            (least, most) if least == most => plural(most, "random draw"),
            (least, most) => format!("{} to {}", grouped(least), plural(most, "random draw")),
        };
        let at = |axis: &str| self.at.get(axis).copied();
        let held = |axis: &str| at(axis).map(|value| format!("{axis} = {}", grouped(value)));
        let side = at("n").map(|n| format!("{n}x{n} mesh"));
        let several = at("m").filter(|&m| m > 1).map(|m| format!("{m} multicasts at once"));
        let flits = at("flits").map(|flits| plural(flits, "flit"));
        let parts = [side, held("K"), several, held("t_s"), held("t_h"), held("t_f"), flits];
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!("{}; times in time units", parts.into_iter().flatten().collect::<Vec<_>>().join(", ")),
            caption: vec![
                format!("Mean time until the last destination has the message, over {draws}."),
                "Simulated: a worm waits where a link is taken. Where there is a formula the simulation equals it."
                    .to_owned(),
            ],
            panels,
            height: 430,
        })
    }
}

impl WormholeTimes {
    /// The lower bound and every scheme.
    fn curves(&self, rows: &Rows, ports: u64) -> Result<Vec<Series>, Missing> {
        let along = |name: Option<&str>, value: fn(&Row) -> Option<f64>| {
            // Of several numbers of draws the most.
            let mut best: BTreeMap<u64, &Row> = BTreeMap::new();
            for row in rows.of(self).filter(|row| row.value("k") == Some(ports)) {
                if let Some(x) = row.value(self.x).filter(|_| name.is_none_or(|name| row.algorithm == name)) {
                    let known = best.entry(x).or_insert(row);
                    if row.value("trials") > known.value("trials") {
                        *known = row;
                    }
                }
            }
            best.into_iter().filter_map(|(x, row)| Some((coordinate(x), value(row)?))).collect::<Vec<_>>()
        };
        let series = |label: &str, look: Look, points: Vec<(f64, f64)>| Series {
            label: label.to_owned(),
            look,
            markers: Markers::Every(points.len().div_ceil(10).max(1)),
            points,
            line: Line::Solid,
        };
        let schemes = entries().iter().filter(|entry| entry.problem().name() == PROBLEM);
        let curves = schemes.map(|entry| {
            let time = |row: &Row| row.simulated.as_ref().or(row.analytic.as_ref()).and_then(rounded);
            series(entry.name.trim_start_matches("worm-"), look_of(entry.name), along(Some(entry.name), time))
        });
        let curves: Vec<Series> = curves.filter(|series| !series.points.is_empty()).collect();
        if curves.is_empty() {
            return Err(Missing(format!("any worm along {} with k = {ports}", self.x)));
        }
        let bound =
            series("lower bound", Look::REFERENCE, along(None, |row| row.lower_bound.as_ref().and_then(rounded)));
        Ok([Series { markers: Markers::None, ..bound }].into_iter().chain(curves).collect())
    }

    fn panel(&self, ports: u64, series: Vec<Series>, ((first, last), (least, most)): (Ends, Ends)) -> Panel {
        let wide = last / first > 40.0 && self.x != "K";
        let (mark, scale) =
            if wide { (" (log scale)", Scale::log2(first, last)) } else { ("", Scale::counts(0.0, last)) };
        Panel {
            heading: Some(format!("{} a node", plural(ports, "port"))),
            width: 600,
            x: AxisSpec { title: format!("{}{mark}", title(self.x)), scale },
            y: AxisSpec { title: "time units (log scale)".to_owned(), scale: Scale::log2(least * 0.9, most * 1.2) },
            bands: Vec::new(),
            cells: Vec::new(),
            legend: series.iter().map(|series| (series.label.clone(), series.look)).collect(),
            series,
        }
    }
}

/// The title of an axis of the problem.
fn title(key: &str) -> &'static str {
    let axes = catalogue::problem(PROBLEM).map_or(&[][..], AnyProblem::axes);
    axes.iter().find(|axis| axis.key == key).map_or("", |axis| axis.title)
}
