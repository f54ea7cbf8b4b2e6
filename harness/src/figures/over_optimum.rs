//! Cost over optimum against K for every tree on one machine.

use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate, look_of};
use crate::chart::scale::{Scale, group_digits};
use crate::chart::{AxisSpec, Chart, Line, Markers, Panel, Series};
use crate::config::axis::Count;
use crate::record::{Row, rounded};

/// One machine, all trees.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverOptimum {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    L: Count,
    o: Count,
    g: Count,
}

impl Figure for OverOptimum {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn wants(&self, row: &Row) -> bool {
        let at = [("L", self.L.0), ("o", self.o.0), ("g", self.g.0), ("source", 1)];
        row.machine.is_none()
            && at.iter().all(|&(key, value)| row.value(key) == Some(value))
            && row.value("K").is_some_and(|K| K >= 2)
            && row.algorithm != "optimal"
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let machine = format!("L = {}, o = {}, g = {}", self.L.0, self.o.0, self.g.0);
        let own: Vec<&Row> = rows.of(self).collect();
        let mut names: Vec<&str> = Vec::new();
        for row in &own {
            if !names.contains(&row.algorithm.as_str()) {
                names.push(&row.algorithm);
            }
        }
        let all: Vec<Series> =
            names.iter().map(|name| series(name, &own)).filter(|series| !series.points.is_empty()).collect();
        if all.is_empty() {
            return Err(Missing(format!("any tree at {machine} with K >= 2")));
        }
        let largest = |series: &Series| series.points.iter().map(|point| point.1).fold(1.0, f64::max);
        // The trees that stay near the optimum, which the logarithmic panel presses flat.
        let near: Vec<Series> = all.iter().filter(|series| largest(series) < 4.0).map(clone).collect();
        let last = all.iter().filter_map(|series| series.points.last()).map(|point| point.0).fold(4.0, f64::max);
        let x =
            || AxisSpec { title: "nodes K, the source included (log scale)".to_owned(), scale: Scale::log2(2.0, last) };
        let mut panels = Vec::new();
        if !near.is_empty() {
            let top = near.iter().map(largest).fold(1.1, f64::max);
            let y = AxisSpec { title: "time / optimal time".to_owned(), scale: Scale::linear(1.0, top * 1.02) };
            panels.push(panel("Trees that stay near the optimum", 640, x(), y, near));
        }
        let top = all.iter().map(largest).fold(10.0, f64::max);
        let y = AxisSpec { title: "time / optimal time (log scale)".to_owned(), scale: Scale::log10(1.0, top * 1.2) };
        let worst: Vec<String> = all
            .iter()
            .map(|series| format!("{} {}", series.label, group_digits(&format!("{:.3}", largest(series)))))
            .collect();
        panels.push(panel("All trees", 480, x(), y, all));
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!("LogP, {machine} time units, source at an edge; exact times"),
            caption: vec![format!("Largest ratio at any K drawn: {}.", worst.join(", "))],
            panels,
            height: 420,
        })
    }
}

fn series(name: &str, rows: &[&Row]) -> Series {
    let ratio = |row: &&Row| {
        let optimum = row.lower_bound.as_ref().and_then(rounded).filter(|&time| time > 0.0)?;
        Some((coordinate(row.value("K")?), super::cost(row)? / optimum))
    };
    let mut points: Vec<(f64, f64)> = rows.iter().filter(|row| row.algorithm == name).filter_map(ratio).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let stride = points.len().div_ceil(12).max(1);
    Series { label: name.to_owned(), look: look_of(name), points, markers: Markers::Every(stride), line: Line::Solid }
}

fn clone(series: &Series) -> Series {
    Series { label: series.label.clone(), points: series.points.clone(), ..*series }
}

fn panel(heading: &str, width: u32, x: AxisSpec, y: AxisSpec, series: Vec<Series>) -> Panel {
    Panel {
        heading: Some(heading.to_owned()),
        width,
        x,
        y,
        bands: Vec::new(),
        cells: Vec::new(),
        legend: series.iter().map(|series| (series.label.clone(), series.look)).collect(),
        series,
    }
}
