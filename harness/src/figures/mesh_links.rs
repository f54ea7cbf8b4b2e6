//! Figure 3 of the dual-path paper: links used against the number of destinations, with the exact
//! expectation drawn through the simulated means.

use std::collections::BTreeMap;

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

const METHODS: [&str; 3] = ["unicast", "dual-path", "broadcast"];

impl Figure for MeshLinks {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn wants(&self, row: &Row) -> bool {
        let Row::Mesh(row) = row else { return false };
        (row.mesh_width_nodes, row.mesh_height_nodes) == (self.n.0, self.n.0) && METHODS.contains(&&*row.algorithm)
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let methods = METHODS.map(|method| self.rows(rows, method));
        let all: Vec<&MeshRow> = methods.iter().flatten().copied().collect();
        if let Some(method) = METHODS.iter().zip(&methods).find_map(|(method, own)| own.is_empty().then_some(method)) {
            return Err(Missing(format!("`{method}` on the {0}x{0} mesh", self.n.0)));
        }
        let mut series = vec![curve("lower bound", Look::REFERENCE, &methods[0], |row| row.lower_bound_links_f64)];
        for (method, own) in METHODS.iter().zip(&methods) {
            series.push(curve(method, look_of(method), own, |row| row.analytic_links_f64));
        }
        let legend = series.iter().map(|series| (series.label.clone(), series.look)).collect();
        for (method, own) in METHODS.iter().zip(&methods) {
            let means = curve(&format!("{method}, simulated"), look_of(method), own, |row| row.simulated_links_f64);
            if !means.points.is_empty() {
                series.push(Series { markers: Markers::Every(3), line: Line::None, ..means });
            }
        }
        let highest = series.iter().flat_map(|series| &series.points).map(|point| point.1).fold(1.0, f64::max);
        let most = all.iter().map(|row| coordinate(row.K_destinations)).fold(1.0, f64::max);
        let panel = Panel {
            heading: None,
            width: 940,
            x: AxisSpec {
                title: "destinations K, without the source".to_owned(),
                scale: Scale::linear(0.0, most * 1.01),
            },
            y: AxisSpec { title: "links used, with repetition".to_owned(), scale: Scale::linear(0.0, highest * 1.02) },
            bands: Vec::new(),
            cells: Vec::new(),
            series,
            legend,
        };
        let n = self.n.0;
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!("{n}x{n} mesh, uniform source and destinations, {}", sampling(&all)),
            caption: caption(&methods, &all),
            panels: vec![panel],
            height: 460,
        })
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
fn sampling(rows: &[&MeshRow]) -> String {
    let counts = rows.iter().map(|row| row.trials);
    let trials = match (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0)) {
        (least, most) if least == most => grouped(most),
        (least, most) => format!("{} to {}", grouped(least), grouped(most)),
    };
    format!("{trials} trials for every K, seed {}", rows.first().map_or(0, |row| row.seed))
}

fn caption(methods: &[Vec<&MeshRow>; 3], all: &[&MeshRow]) -> Vec<String> {
    let points = match largest_deviation(all) {
        Some(errors) => format!(
            "Points: simulated means, every third K; the largest deviation at any K is {errors:.1} standard errors."
        ),
        None => "Nothing was simulated.".to_owned(),
    };
    let mean = |(method, rows): (&&str, &Vec<&MeshRow>)| {
        let values: Vec<f64> = rows.iter().filter_map(|row| row.analytic_links_f64).collect();
        format!("{method} {:.1}", values.iter().sum::<f64>() / coordinate(values.len() as u64))
    };
    let means: Vec<String> = METHODS.iter().zip(methods).map(mean).collect();
    vec![format!("Lines: exact expectations. {points}"), format!("Average over all K drawn: {}.", means.join(", "))]
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
