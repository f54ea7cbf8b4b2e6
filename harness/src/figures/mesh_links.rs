//! Figure 3 of the dual-path paper: links used against the number of destinations, with the exact
//! expectation drawn through the simulated means.

use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Chart, Markers, Panel, Series};
use crate::config::axis::Count;
use crate::record::MeshRow;
use crate::units::grouped;

/// Every mesh multicast on one square mesh.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshLinks {
    file: Spanned<String>,
    title: String,
    /// Side of the mesh.
    n: Count,
}

const METHODS: [&str; 3] = ["unicast", "dual-path", "broadcast"];

impl Figure for MeshLinks {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn wants_mesh(&self, row: &MeshRow) -> bool {
        row.mesh_width_nodes == self.n.0
            && row.mesh_height_nodes == self.n.0
            && METHODS.contains(&row.algorithm.as_str())
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let n = self.n.0;
        let mut series = Vec::new();
        let mut legend = Vec::new();
        let mut caption = Vec::new();
        let mut sampled = Vec::new();
        for method in METHODS {
            let own = self.rows(rows, method)?;
            let look = Look::of(method);
            let line = |value: fn(&MeshRow) -> Option<f64>| -> Vec<(f64, f64)> {
                own.iter().filter_map(|row| Some((coordinate(row.K_destinations), value(row)?))).collect()
            };
            if method == METHODS[0] {
                let bound = line(|row| row.lower_bound_links_f64);
                legend.push(("lower bound".to_owned(), Look::REFERENCE));
                series.push(Series {
                    label: "lower bound".to_owned(),
                    look: Look::REFERENCE,
                    points: bound,
                    markers: Markers::None,
                    line: true,
                });
            }
            legend.push((method.to_owned(), look));
            series.push(Series {
                label: method.to_owned(),
                look,
                points: line(|row| row.analytic_links_f64),
                markers: Markers::None,
                line: true,
            });
            let means = line(|row| row.simulated_links_f64);
            if !means.is_empty() {
                sampled.push(Series {
                    label: format!("{method}, simulated"),
                    look,
                    points: means,
                    markers: Markers::Every(3),
                    line: false,
                });
            }
            caption.push(average(method, &own));
        }
        series.extend(sampled);
        let lines: Vec<&MeshRow> =
            METHODS.iter().flat_map(|method| self.rows(rows, method).unwrap_or_default()).collect();
        caption = vec![
            format!(
                "Lines: exact expectations. Points: simulated means, every third K; the largest deviation at any K is {:.1} standard errors.",
                largest_deviation(&lines)
            ),
            format!("Average over all K drawn: {}.", caption.join(", ")),
        ];
        let highest = series.iter().flat_map(|series| &series.points).map(|point| point.1).fold(1.0, f64::max);
        let panel = Panel {
            heading: None,
            width: 940,
            x: AxisSpec {
                title: "destinations K, without the source".to_owned(),
                scale: Scale::linear(0.0, series[0].points.last().map_or(1.0, |point| point.0) * 1.01),
            },
            y: AxisSpec { title: "links used, with repetition".to_owned(), scale: Scale::linear(0.0, highest * 1.02) },
            bands: Vec::new(),
            cells: Vec::new(),
            series,
            legend,
        };
        let counts = lines.iter().map(|row| row.trials);
        let trials = match (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0)) {
            (least, most) if least == most => grouped(most),
            (least, most) => format!("{} to {}", grouped(least), grouped(most)),
        };
        let seed = lines.first().map_or(0, |row| row.seed);
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!(
                "{n}x{n} mesh, uniform source and destinations, {} trials for every K, seed {seed}",
                grouped(trials)
            ),
            caption,
            panels: vec![panel],
            height: 460,
        })
    }
}

impl MeshLinks {
    fn rows<'a>(&self, rows: &'a Rows, method: &str) -> Result<Vec<&'a MeshRow>, Missing> {
        let mut own: Vec<&MeshRow> =
            rows.mesh.iter().filter(|row| row.mesh_width_nodes == self.n.0 && row.algorithm == method).collect();
        own.sort_by_key(|row| row.K_destinations);
        if own.is_empty() {
            return Err(Missing(format!("`{method}` on the {0}x{0} mesh", self.n.0)));
        }
        Ok(own)
    }
}

fn average(method: &str, rows: &[&MeshRow]) -> String {
    let values: Vec<f64> = rows.iter().filter_map(|row| row.analytic_links_f64).collect();
    format!("{method} {:.1}", values.iter().sum::<f64>() / coordinate(values.len() as u64))
}

/// How many standard errors the simulated means lie from the expectations at most.
fn largest_deviation(rows: &[&MeshRow]) -> f64 {
    let deviation = |row: &&MeshRow| {
        let error = row.simulated_standard_error_links_f64.filter(|&error| error > 0.0)?;
        Some((row.simulated_links_f64? - row.analytic_links_f64?).abs() / error)
    };
    rows.iter().filter_map(deviation).fold(0.0, f64::max)
}
