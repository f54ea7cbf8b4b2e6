//! Figures 6 and 7 of the Fibonacci paper, measured: the times of real multicasts against K, with intervals, over the lines
//! of what LogP and fairly shared links predict for them.

use std::cmp::Ordering;

use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate, look_of};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Chart, Line, Markers, Panel, Series};
use crate::config::axis::WireBytes;
use crate::measured::claims::order;
use crate::measured::record::{SummaryRow, off};
use crate::record::Row;
use crate::units::show_bytes;

/// One message size, a panel a setting.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    /// The directory of the measurements, below that of the sweep.
    measurements: String,
    /// The size drawn.
    message: WireBytes,
    /// The settings.
    panels: Vec<Setting>,
    /// A last line of the caption.
    note: Option<String>,
}

/// Which measurements a panel shows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    heading: String,
    /// How many hosts; without it, one for each node.
    hosts: Option<u32>,
    /// How more nodes than hosts are placed; any way where they are not more.
    mapping: Option<String>,
    /// The relay delay.
    #[serde(default)]
    hold_ps_per_byte: u64,
}

/// The trees drawn, in the order of the legend.
const TREES: [&str; 2] = ["halving", "fibonacci"];

/// Half the width of the bars at the ends of an interval, in K.
const BAR: f64 = 0.32;

/// Two predictions differ by more than a line is thick.
fn shares_links(row: &SummaryRow) -> bool {
    row.model_ns.zip(row.predicted_ns()).is_some_and(|(model, predicted)| off(model, predicted).abs() > 0.005)
}

fn ms(ns: u64) -> f64 {
    coordinate(ns) / 1e6
}

impl Figure for Measured {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn measurements(&self) -> Option<&str> {
        Some(&self.measurements)
    }

    fn wants(&self, _: &Row) -> bool {
        false
    }

    fn applies(&self, rows: &Rows) -> bool {
        rows.measured.get(&self.measurements).is_some_and(|rows| !rows.is_empty())
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let rows = rows.measured.get(&self.measurements).map_or(&[][..], Vec::as_slice);
        let settings = self.panels.iter().map(|setting| self.rows(rows, setting)).collect::<Result<Vec<_>, _>>()?;
        let all = || settings.iter().flatten().flatten();
        let highest = all()
            .map(|row| ms(Some(row.high_ns).max(row.model_ns).max(row.predicted_ns()).unwrap_or_default()))
            .fold(0.0, f64::max);
        let unit = if highest >= 2000.0 { ("s", 1000.0) } else { ("ms", 1.0) };
        let mut caption = vec![
            "Points: medians, with the interval that holds the true median. Lines: what is predicted, by LogP where each node has a host of its own;".to_owned(),
            "where nodes share hosts, with their links shared max-min fairly. Dashed where that makes a difference: LogP, which knows no shared links.".to_owned(),
        ];
        for (setting, rows) in self.panels.iter().zip(&settings) {
            caption.push(format!("{}: {}.", setting.heading, verdict(rows)));
        }
        caption.extend(self.note.clone());
        let repetitions = all().map(|row| row.repetitions).min().unwrap_or(0);
        let panels = self.panels.iter().zip(&settings);
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!(
                "message of {}; real messages between processes, every byte checked, at least {repetitions} repetitions",
                show_bytes(self.message.0)
            ),
            caption,
            panels: panels.map(|(setting, rows)| panel(&setting.heading, rows, unit, highest)).collect(),
            height: 360,
        })
    }
}

impl Measured {
    /// The rows of a panel by K, for each tree.
    fn rows<'a>(&self, rows: &'a [SummaryRow], setting: &Setting) -> Result<Vec<Vec<&'a SummaryRow>>, Missing> {
        let fits = |row: &&SummaryRow| {
            row.bytes == self.message.0
                && row.hold_ps_per_byte == setting.hold_ps_per_byte
                && setting.hosts.map_or(row.hosts == row.K, |hosts| row.hosts == hosts)
                && (row.hosts == row.K || setting.mapping.as_ref().is_none_or(|mapping| *mapping == row.mapping))
        };
        let of = |tree: &str| {
            let mut own: Vec<&SummaryRow> = rows.iter().filter(fits).filter(|row| row.algorithm == tree).collect();
            own.sort_by_key(|row| row.K);
            own.dedup_by_key(|row| row.K);
            let missing = || Missing(format!("{tree} in `{}` for `{}`", self.measurements, setting.heading));
            if own.is_empty() { Err(missing()) } else { Ok(own) }
        };
        TREES.into_iter().map(of).collect()
    }
}

fn panel(heading: &str, trees: &[Vec<&SummaryRow>], (unit, unit_ms): (&str, f64), highest: f64) -> Panel {
    let shared = trees.iter().flatten().any(|row| shares_links(row));
    let mut series = Vec::new();
    let mut legend = Vec::new();
    for (tree, rows) in TREES.into_iter().zip(trees) {
        let look = look_of(tree);
        let points = |time: &dyn Fn(&SummaryRow) -> Option<u64>| {
            rows.iter().filter_map(|row| Some((f64::from(row.K), ms(time(row)?) / unit_ms))).collect::<Vec<_>>()
        };
        let curve = |label: String, points, line| Series { label, look, points, markers: Markers::None, line };
        if rows.iter().any(|row| shares_links(row)) {
            let label = format!("{tree}, LogP");
            legend.push((label.clone(), look));
            series.push(curve(label, points(&|row| row.model_ns), Line::Dashed));
        }
        series.push(curve("predicted".to_owned(), points(&SummaryRow::predicted_ns), Line::Solid));
        series.extend(rows.iter().map(|row| interval(row, unit_ms, look)));
        legend.push((tree.to_owned(), look));
        let points = points(&|row| Some(row.median_ns));
        series.push(Series { label: tree.to_owned(), look, points, markers: Markers::Every(1), line: Line::None });
    }
    let ticks: Vec<(f64, String)> = trees[0].iter().map(|row| (f64::from(row.K), row.K.to_string())).collect();
    let first = ticks.first().map_or(0.0, |tick| tick.0) - 1.0;
    let last = ticks.last().map_or(1.0, |tick| tick.0) + 1.0;
    Panel {
        heading: Some(heading.to_owned()),
        width: if shared { 500 } else { 410 },
        x: AxisSpec {
            title: "nodes K, the source included".to_owned(),
            scale: Scale::linear(first, last).with_ticks(ticks),
        },
        y: AxisSpec {
            title: format!("time until the last node holds the message ({unit})"),
            scale: Scale::linear(0.0, highest / unit_ms * 1.04),
        },
        bands: Vec::new(),
        cells: Vec::new(),
        legend,
        series,
    }
}

/// A bar from the lower to the upper end of the interval, wider at its ends than a marker.
fn interval(row: &SummaryRow, unit_ms: f64, look: Look) -> Series {
    let (K, low, high) = (f64::from(row.K), ms(row.low_ns) / unit_ms, ms(row.high_ns) / unit_ms);
    let points = vec![(K - BAR, low), (K + BAR, low), (K, low), (K, high), (K - BAR, high), (K + BAR, high)];
    Series { label: "interval".to_owned(), look, points, markers: Markers::None, line: Line::Solid }
}

/// Which tree was faster, and how far the predictions are from the medians.
fn verdict(trees: &[Vec<&SummaryRow>]) -> String {
    let (halving, fibonacci) = (&trees[0], &trees[1]);
    // A K at which the other tree was not measured decides nothing.
    let partner = |row: &SummaryRow| fibonacci.iter().find(|other| other.K == row.K).copied();
    let orders: Vec<_> = halving.iter().map(|row| partner(row).and_then(|other| order(row, other))).collect();
    let winner = if orders.iter().all(|order| *order == Some(Ordering::Less)) {
        "halving is faster at every K"
    } else if orders.iter().all(|order| *order == Some(Ordering::Greater)) {
        "Fibonacci is faster at every K"
    } else {
        "neither is faster at every K"
    };
    let rows = || trees.iter().flatten();
    let farthest = |predicted: &dyn Fn(&SummaryRow) -> Option<u64>| {
        rows()
            .filter_map(|row| Some(row.error_of(predicted(row)?)))
            .max_by(|a, b| a.abs().total_cmp(&b.abs()))
            .unwrap_or(0.0)
    };
    let logp = farthest(&|row| row.model_ns) * 100.0;
    if rows().any(|row| shares_links(row)) {
        let shared = farthest(&SummaryRow::predicted_ns) * 100.0;
        return format!("{winner}; farthest from fairly shared links {shared:+.1} %, from LogP {logp:+.1} %");
    }
    format!("{winner}; farthest from LogP {logp:+.1} %")
}
