//! Figure 3 of the dual-path paper: links used against the number of destinations, with the exact
//! expectation drawn through the simulated means, and with the floor under them all.

use std::collections::BTreeMap;

use algorithms::mesh::multicast::steiner::MAX_EXACT;
use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate, look_of};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Chart, Line, Markers, Panel, Series};
use crate::config::axis::Count;
use crate::record::{MeshRow, Row};
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
type Method<'a> = (&'static str, Vec<&'a MeshRow>);

impl Figure for MeshLinks {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn wants(&self, row: &Row) -> bool {
        let Row::Mesh(row) = row else { return false };
        let known = METHODS.contains(&&*row.algorithm) || row.algorithm == FLOOR;
        (row.mesh_width_nodes, row.mesh_height_nodes) == (self.n.0, self.n.0) && known
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
        let near =
            |(_, own): &&Method<'_>| own.iter().all(|row| row.analytic_links_f64.is_none_or(|links| links <= tree));
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
fn panel(heading: &str, width: u32, methods: &[&Method<'_>], floor: &[&MeshRow]) -> Panel {
    let mut series = vec![Series {
        line: Line::Dashed,
        ..curve("lower bound", Look::OTHER, &methods[0].1, |row| row.lower_bound_links_f64)
    }];
    let known = |row: &MeshRow| row.analytic_links_f64.or(row.simulated_links_f64);
    series.extend((!floor.is_empty()).then(|| curve(FLOOR, look_of(FLOOR), floor, known)));
    for (method, own) in methods {
        series.push(curve(method, look_of(method), own, |row| row.analytic_links_f64));
    }
    let legend = series.iter().map(|series| (series.label.clone(), series.look)).collect();
    for (method, own) in methods {
        let means = curve(&format!("{method}, simulated"), look_of(method), own, |row| row.simulated_links_f64);
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
    fn rows<'a>(&self, rows: &'a Rows, method: &str) -> Vec<&'a MeshRow> {
        let mut by_size: BTreeMap<u64, &MeshRow> = BTreeMap::new();
        for row in rows.mesh(self).filter(|row| row.algorithm == method) {
            let best = by_size.entry(row.K_destinations).or_insert(row);
            if row.trials > best.trials {
                *best = row;
            }
        }
        by_size.into_values().collect()
    }
}

fn curve(label: &str, look: Look, rows: &[&MeshRow], value: impl Fn(&MeshRow) -> Option<f64>) -> Series {
    let points = rows.iter().filter_map(|row| Some((coordinate(row.K_destinations), value(row)?))).collect();
    Series { label: label.to_owned(), look, points, markers: Markers::None, line: Line::Solid }
}

/// How the multicasts were drawn.
fn sampling(methods: &[Method<'_>]) -> String {
    let rows = || methods.iter().flat_map(|(_, own)| own);
    let counts = || rows().map(|row| row.trials);
    let trials = match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
        (least, most) if least == most => grouped(most),
        (least, most) => format!("{} to {}", grouped(least), grouped(most)),
    };
    format!("{trials} trials for every K, seed {}", rows().next().map_or(0, |row| row.seed))
}

fn caption(methods: &[Method<'_>], floor: &[&MeshRow]) -> Vec<String> {
    let all: Vec<&MeshRow> = methods.iter().flat_map(|(_, own)| own).copied().collect();
    let points = match largest_deviation(&all) {
        Some(errors) => format!(
            "Points: simulated means, every fourth K; the largest deviation at any K is {errors:.1} standard errors."
        ),
        None => "Nothing was simulated.".to_owned(),
    };
    let mean = |(method, rows): &Method<'_>| {
        let values: Vec<f64> = rows.iter().filter_map(|row| row.analytic_links_f64).collect();
        format!("{method} {:.1}", values.iter().sum::<f64>() / coordinate(values.len() as u64))
    };
    let means: Vec<String> = methods.iter().map(mean).collect();
    let mut caption = vec![format!("Lines: exact expectations. {points}")];
    if let Some(row) = floor.iter().find(|row| row.analytic_links_f64.is_none()) {
        let trials = grouped(row.trials);
        caption.push(format!(
            "steiner: the mean of {trials} trees, shortest ones up to {MAX_EXACT} destinations, beyond greedy ones that are at most 3/2 as long."
        ));
    }
    caption.push(format!("Average over all K drawn: {}.", means.join(", ")));
    caption
}

/// How many standard errors the simulated means lie from the expectations at most; none where nothing was simulated.
fn largest_deviation(rows: &[&MeshRow]) -> Option<f64> {
    let deviation = |row: &&MeshRow| {
        let error = row.simulated_standard_error_links_f64?;
        let off = (row.simulated_links_f64? - row.analytic_links_f64?).abs();
        Some(if error > 0.0 { off / error } else { 0.0 })
    };
    rows.iter().filter_map(deviation).reduce(f64::max)
}
