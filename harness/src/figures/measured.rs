//! The times of real multicasts against the number of nodes, with intervals, over the lines of what was predicted for them.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::Deserialize;
use toml::Spanned;

use super::looks::{Looks, look_of};
use super::{About, Figure, Missing, Rows, coordinate};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Chart, Line, Markers, Panel, Series};
use crate::config::axis::WireBytes;
use crate::config::diagnostics::{Complaint, Source};
use crate::failure::Failure;
use crate::measured::claims::order;
use crate::measured::record::{SummaryRow, off};
use crate::record::Row;
use crate::units::show_bytes;

/// One message size, a panel a setting.
pub struct Measured {
    about: About,
    wire: WireMeasured,
}

/// A table `[[figures.measured]]`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireMeasured {
    file: Spanned<String>,
    title: String,
    shows: Option<String>,
    note: Option<String>,
    /// The directory of the measurements, below that of the sweep.
    measurements: String,
    /// What is drawn, in the order of the legend.
    algorithms: Spanned<Vec<String>>,
    /// The size drawn.
    message: WireBytes,
    /// The settings.
    panels: Vec<Setting>,
}

/// Which measurements a panel shows.
#[derive(Clone, Deserialize)]
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
    fn about(&self) -> &About {
        &self.about
    }

    fn measurements(&self) -> Option<&str> {
        Some(&self.wire.measurements)
    }

    fn wants(&self, _: &Row) -> bool {
        false
    }

    fn applies(&self, rows: &Rows) -> bool {
        rows.measured.get(&self.wire.measurements).is_some_and(|rows| !rows.is_empty())
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let rows = rows.measured.get(&self.wire.measurements).map_or(&[][..], Vec::as_slice);
        let settings =
            self.wire.panels.iter().map(|setting| self.rows(rows, setting)).collect::<Result<Vec<_>, _>>()?;
        let all = || settings.iter().flatten().flatten();
        let highest = all()
            .map(|row| ms(Some(row.high_ns).max(row.model_ns).max(row.predicted_ns()).unwrap_or_default()))
            .fold(0.0, f64::max);
        let unit = if highest >= 2000.0 { ("s", 1000.0) } else { ("ms", 1.0) };
        let mut caption = vec![
            "Points: medians, with the interval that holds the true median. Lines: what is predicted, by LogP where each node has a host of its own;".to_owned(),
            "where nodes share hosts, with their links shared max-min fairly. Dashed where that makes a difference: LogP, which knows no shared links.".to_owned(),
        ];
        for (setting, rows) in self.wire.panels.iter().zip(&settings) {
            caption.push(format!("{}: {}.", setting.heading, verdict(rows)));
        }
        caption.extend(self.left_out(rows));
        caption.extend(self.about.note.clone());
        let repetitions = all().map(|row| row.repetitions).min().unwrap_or(0);
        let panels = self.wire.panels.iter().zip(&settings);
        let mut looks = Looks::default();
        let looks: Vec<Look> =
            self.names().map(|name| looks.of(name, Some(look_of(name))).unwrap_or(Look::OTHER)).collect();
        Ok(Chart {
            title: self.about.title.clone(),
            subtitle: format!(
                "message of {}; real messages between processes, every byte checked, at least {repetitions} repetitions",
                show_bytes(self.wire.message.0)
            ),
            caption,
            panels: panels.map(|(setting, rows)| panel(&setting.heading, rows, &looks, unit, highest)).collect(),
            height: 360,
        })
    }
}

impl Measured {
    /// Checks a figure of a configuration.
    ///
    /// # Errors
    /// Exit code 3 where it names no algorithm.
    pub fn check(source: &Source, wire: WireMeasured) -> Result<Self, Failure> {
        if wire.algorithms.get_ref().is_empty() {
            return Err(source.failure(&Complaint {
                span: wire.algorithms.span(),
                title: "`algorithms` is empty".to_owned(),
                label: "expected a name".to_owned(),
                help: "name what the figure draws",
            }));
        }
        let WireMeasured { file, title, shows, note, .. } = wire.clone();
        Ok(Self { about: About { file, title, shows, note }, wire })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.wire.algorithms.get_ref().iter().map(String::as_str)
    }

    /// Measured here and not drawn.
    fn left_out<'a>(&self, rows: &'a [SummaryRow]) -> Option<String> {
        let drawn = |name: &str| self.names().any(|own| own == name);
        let rows = rows.iter().filter(|row| row.bytes == self.wire.message.0);
        let others: BTreeSet<&'a str> = rows.map(|row| row.algorithm.as_str()).filter(|name| !drawn(name)).collect();
        let others: Vec<&str> = others.into_iter().collect();
        (!others.is_empty()).then(|| format!("Measured and not in this figure: {}.", others.join(", ")))
    }

    /// The rows of a panel by K, for each algorithm.
    fn rows<'a>(&self, rows: &'a [SummaryRow], setting: &Setting) -> Result<Vec<Vec<&'a SummaryRow>>, Missing> {
        let fits = |row: &&SummaryRow| {
            row.bytes == self.wire.message.0
                && row.hold_ps_per_byte == setting.hold_ps_per_byte
                && setting.hosts.map_or(row.hosts == row.K, |hosts| row.hosts == hosts)
                && (row.hosts == row.K || setting.mapping.as_ref().is_none_or(|mapping| *mapping == row.mapping))
        };
        let of = |name: &str| {
            let mut own: Vec<&SummaryRow> = rows.iter().filter(fits).filter(|row| row.algorithm == name).collect();
            own.sort_by_key(|row| row.K);
            own.dedup_by_key(|row| row.K);
            let missing = || Missing(format!("{name} in `{}` for `{}`", self.wire.measurements, setting.heading));
            if own.is_empty() { Err(missing()) } else { Ok(own) }
        };
        self.names().map(of).collect()
    }
}

fn panel(
    heading: &str,
    curves: &[Vec<&SummaryRow>],
    looks: &[Look],
    (unit, unit_ms): (&str, f64),
    highest: f64,
) -> Panel {
    let shared = curves.iter().flatten().any(|row| shares_links(row));
    let mut series = Vec::new();
    let mut legend = Vec::new();
    for (rows, &look) in curves.iter().zip(looks) {
        let name = rows.first().map_or("", |row| row.algorithm.as_str());
        let points = |time: &dyn Fn(&SummaryRow) -> Option<u64>| {
            rows.iter().filter_map(|row| Some((f64::from(row.K), ms(time(row)?) / unit_ms))).collect::<Vec<_>>()
        };
        let curve = |label: String, points, line| Series { label, look, points, markers: Markers::None, line };
        if rows.iter().any(|row| shares_links(row)) {
            let label = format!("{name}, LogP");
            legend.push((label.clone(), look));
            series.push(curve(label, points(&|row| row.model_ns), Line::Dashed));
        }
        series.push(curve("predicted".to_owned(), points(&SummaryRow::predicted_ns), Line::Solid));
        series.extend(rows.iter().map(|row| interval(row, unit_ms, look)));
        legend.push((name.to_owned(), look));
        let points = points(&|row| Some(row.median_ns));
        series.push(Series { label: name.to_owned(), look, points, markers: Markers::Every(1), line: Line::None });
    }
    let Ks: BTreeSet<u32> = curves.iter().flatten().map(|row| row.K).collect();
    let ticks: Vec<(f64, String)> = Ks.into_iter().map(|K| (f64::from(K), K.to_string())).collect();
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

/// Which algorithm was faster, and how far the predictions are from the medians.
fn verdict(curves: &[Vec<&SummaryRow>]) -> String {
    // A K at which another was not measured decides nothing.
    let beats = |row: &SummaryRow, other: &[&SummaryRow]| {
        other.iter().find(|other| other.K == row.K).and_then(|other| order(row, other)) == Some(Ordering::Less)
    };
    let wins = |(number, rows): &(usize, &Vec<&SummaryRow>)| {
        let mut others = curves.iter().enumerate().filter(|(other, _)| other != number);
        others.all(|(_, other)| rows.iter().all(|row| beats(row, other)))
    };
    let winner = curves.iter().enumerate().find(wins).and_then(|(_, rows)| rows.first());
    let winner = match winner {
        Some(row) => format!("{} is faster at every K", row.algorithm),
        None => "none is faster at every K".to_owned(),
    };
    let rows = || curves.iter().flatten();
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
