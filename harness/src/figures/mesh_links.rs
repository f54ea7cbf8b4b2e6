//! Figure 3 of the dual-path paper: links used against the number of destinations, with the exact
//! expectation drawn through the simulated means, and with the floor under them all.

use std::collections::BTreeMap;

use algorithms::mesh::multicast::steiner::MAX_EXACT;
use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate, cost, look_of};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Chart, Line, Markers, Panel, Series};
use crate::config::axis::Count;
use crate::record::{Row, rounded};
use crate::units::grouped;

/// Every mesh multicast on one square mesh.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshLinks {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    /// Side of the mesh.
    n: Count,
}

/// What is drawn; those behind the first three, and the floor, where the sweep has them.
const METHODS: [&str; 7] = ["unicast", "dual-path", "broadcast", "multi-path", "fixed-path", "column-path", "xy-tree"];
const NEEDED: usize = 3;
const FLOOR: &str = "steiner";

/// A method and its rows, ascending in K.
type Method<'a> = (&'static str, Vec<&'a Row>);

impl Figure for MeshLinks {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn wants(&self, row: &Row) -> bool {
        let known = METHODS.contains(&row.algorithm.as_str()) || row.algorithm == FLOOR;
        known && row.value("n") == Some(self.n.0)
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let all = METHODS.map(|method| (method, self.rows(rows, method)));
        if let Some((method, _)) = all[..NEEDED].iter().find(|(_, own)| own.is_empty()) {
            return Err(Missing(format!("`{method}` on the {0}x{0} mesh", self.n.0)));
        }
        let methods: Vec<Method<'_>> = all.into_iter().filter(|(_, own)| !own.is_empty()).collect();
        let floor = self.rows(rows, FLOOR);
        // Those that never need more than a tree over all nodes.
        let tree = coordinate(self.n.0 * self.n.0 - 1);
        let near = |(_, own): &&Method<'_>| own.iter().all(|row| cost(row).is_none_or(|links| links <= tree));
        let near: Vec<&Method<'_>> = methods.iter().filter(near).collect();
        let everything: Vec<&Method<'_>> = methods.iter().collect();
        let n = self.n.0;
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!("{n}x{n} mesh, uniform source and destinations, {}", sampling(&methods)),
            caption: caption(&methods, &floor),
            panels: vec![
                panel("All ways", 620, &everything, &floor),
                panel("Those that never use more than a tree over all nodes", 620, &near, &floor),
            ],
            height: 460,
        })
    }
}

/// Expectations as lines, simulated means as points, above the floor and the bound.
fn panel(heading: &str, width: u32, methods: &[&Method<'_>], floor: &[&Row]) -> Panel {
    let mut series = vec![Series {
        line: Line::Dashed,
        ..curve("lower bound", Look::OTHER, &methods[0].1, |row| row.lower_bound.as_ref().and_then(rounded))
    }];
    let known = |row: &Row| cost(row).or(simulated(row));
    series.extend((!floor.is_empty()).then(|| curve(FLOOR, look_of(FLOOR), floor, known)));
    for (method, own) in methods {
        series.push(curve(method, look_of(method), own, cost));
    }
    let legend = series.iter().map(|series| (series.label.clone(), series.look)).collect();
    for (method, own) in methods {
        let means = curve(&format!("{method}, simulated"), look_of(method), own, simulated);
        if !means.points.is_empty() {
            series.push(Series { markers: Markers::Every(4), line: Line::None, ..means });
        }
    }
    let points = || series.iter().flat_map(|series| &series.points);
    let highest = points().map(|point| point.1).fold(1.0, f64::max);
    let most = points().map(|point| point.0).fold(1.0, f64::max);
    Panel {
        heading: Some(heading.to_owned()),
        width,
        x: AxisSpec { title: "destinations K, without the source".to_owned(), scale: Scale::linear(0.0, most * 1.01) },
        y: AxisSpec { title: "links used, with repetition".to_owned(), scale: Scale::linear(0.0, highest * 1.02) },
        bands: Vec::new(),
        cells: Vec::new(),
        series,
        legend,
    }
}

impl MeshLinks {
    /// The rows of a method, ascending in K; of several with the same K the one with the most trials.
    fn rows<'a>(&self, rows: &'a Rows, method: &str) -> Vec<&'a Row> {
        let mut by_size: BTreeMap<u64, &Row> = BTreeMap::new();
        for row in rows.of(self).filter(|row| row.algorithm == method) {
            let Some(K) = row.value("K") else { continue };
            let best = by_size.entry(K).or_insert(row);
            if row.value("trials") > best.value("trials") {
                *best = row;
            }
        }
        by_size.into_values().collect()
    }
}

/// The mean of the simulated multicasts.
fn simulated(row: &Row) -> Option<f64> {
    row.simulated.as_ref().and_then(rounded)
}

fn curve(label: &str, look: Look, rows: &[&Row], value: impl Fn(&Row) -> Option<f64>) -> Series {
    let points = rows.iter().filter_map(|row| Some((coordinate(row.value("K")?), value(row)?))).collect();
    Series { label: label.to_owned(), look, points, markers: Markers::None, line: Line::Solid }
}

/// How the multicasts were drawn.
fn sampling(methods: &[Method<'_>]) -> String {
    let rows = || methods.iter().flat_map(|(_, own)| own);
    let counts = || rows().filter_map(|row| row.value("trials"));
    let trials = match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
        (least, most) if least == most => grouped(most),
        (least, most) => format!("{} to {}", grouped(least), grouped(most)),
    };
    format!("{trials} trials for every K, seed {}", rows().find_map(|row| row.value("seed")).unwrap_or(0))
}

fn caption(methods: &[Method<'_>], floor: &[&Row]) -> Vec<String> {
    let all: Vec<&Row> = methods.iter().flat_map(|(_, own)| own).copied().collect();
    let points = match largest_deviation(&all) {
        Some(errors) => format!(
            "Points: simulated means, every fourth K; the largest deviation at any K is {errors:.1} standard errors."
        ),
        None => "Nothing was simulated.".to_owned(),
    };
    let mean = |(method, rows): &Method<'_>| {
        let values: Vec<f64> = rows.iter().filter_map(|row| cost(row)).collect();
        format!("{method} {:.1}", values.iter().sum::<f64>() / coordinate(values.len() as u64))
    };
    let means: Vec<String> = methods.iter().map(mean).collect();
    let mut caption = vec![format!("Lines: exact expectations. {points}")];
    if let Some(row) = floor.iter().find(|row| row.analytic.is_none()) {
        let trials = grouped(row.value("trials").unwrap_or(0));
        caption.push(format!(
            "steiner: the mean of {trials} trees, shortest ones up to {MAX_EXACT} destinations, beyond greedy ones that are at most 3/2 as long."
        ));
    }
    caption.push(format!("Average over all K drawn: {}.", means.join(", ")));
    caption
}

/// How many standard errors the simulated means lie from the expectations at most; none where nothing was simulated.
fn largest_deviation(rows: &[&Row]) -> Option<f64> {
    let deviation = |row: &&Row| {
        let error = row.standard_error?;
        let off = (simulated(row)? - cost(row)?).abs();
        Some(if error > 0.0 { off / error } else { 0.0 })
    };
    rows.iter().filter_map(deviation).reduce(f64::max)
}
