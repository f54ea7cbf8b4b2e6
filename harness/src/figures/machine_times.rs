//! Figures 6 and 7 of the Fibonacci paper: multicast time against K on a machine, with what the paper says
//! of the measured times checked on each machine drawn.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate};
use crate::chart::scale::Scale;
use crate::chart::{AxisSpec, Band, Chart, Line, Markers, Panel, Series};
use crate::config::axis::WireBytes;
use crate::figures::look_of;
use crate::record::Row;
use crate::units::show_bytes;

/// One message size on several machines.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineTimes {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    /// The size drawn.
    message: WireBytes,
    /// Another size, to tell whether times grow with the size.
    other_message: WireBytes,
    /// The machine of the large panel.
    machine: String,
    /// The machines between which a band is drawn behind it.
    band: (String, String),
    /// The machines of the small panels.
    beside: Vec<String>,
    /// A last line of the caption.
    note: Option<String>,
}

/// The trees drawn, in the order of the legend.
const TREES: [&str; 3] = ["halving", "fibonacci", "optimal"];

/// Time in ns by K.
type Times = BTreeMap<u64, f64>;

/// How the times of a panel are shown.
struct TimeAxis {
    unit: &'static str,
    nanoseconds: f64,
    top: f64,
}

impl Figure for MachineTimes {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn wants(&self, row: &Row) -> bool {
        let sizes = [Some(self.message.0), Some(self.other_message.0)];
        TREES.contains(&row.algorithm.as_str())
            && row.value("source") == Some(1)
            && sizes.contains(&row.value("bytes"))
            && row.machine().is_some_and(|name| self.machines().any(|own| own == name))
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let mut highest = 0.0f64;
        for machine in self.machines() {
            for tree in TREES {
                highest = self.times(rows, machine, tree, self.message.0)?.values().copied().fold(highest, f64::max);
            }
        }
        let (unit, nanoseconds) = if highest >= 2e9 { ("s", 1e9) } else { ("ms", 1e6) };
        let axis = TimeAxis { unit, nanoseconds, top: highest / nanoseconds * 1.04 };
        let mut panels = Vec::new();
        let mut caption = vec![
            "The paper says: (a) both times grow with K and with the message size; (b) halving is slower than Fibonacci at every K; (c) their difference grows with K.".to_owned(),
        ];
        for machine in std::iter::once(&self.machine).chain(&self.beside) {
            panels.push(self.panel(rows, machine, &axis)?);
            let verdict = self.verdict(rows, machine)?;
            caption.push(format!("On {machine} ({}): {verdict}.", self.hop_in_gaps(rows, machine)?));
        }
        caption.push(format!(
            "Differences below 1 % count as none. The bands behind {} lie between {} and {}.",
            self.machine,
            self.hop_in_gaps(rows, &self.band.0)?,
            self.hop_in_gaps(rows, &self.band.1)?,
        ));
        caption.extend(self.note.clone());
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!(
                "message of {}; exact times by LogGOPS on the machine profiles named, whose numbers were estimated or measured as said",
                show_bytes(self.message.0)
            ),
            caption,
            panels,
            height: 400,
        })
    }
}

impl MachineTimes {
    fn machines(&self) -> impl Iterator<Item = &String> {
        [&self.machine, &self.band.0, &self.band.1].into_iter().chain(&self.beside)
    }

    fn panel(&self, rows: &Rows, machine: &str, axis: &TimeAxis) -> Result<Panel, Missing> {
        let large = machine == self.machine;
        let times = |machine: &str, tree: &str| -> Result<Vec<(f64, f64)>, Missing> {
            let times = self.times(rows, machine, tree, self.message.0)?;
            Ok(times.into_iter().map(|(K, time)| (coordinate(K), time / axis.nanoseconds)).collect())
        };
        let mut series = Vec::new();
        let mut bands = Vec::new();
        for tree in TREES {
            let look = look_of(tree);
            let points = times(machine, tree)?;
            series.push(Series { label: tree.to_owned(), look, points, markers: Markers::Every(1), line: Line::Solid });
            if large && tree != "optimal" {
                let (low, high) = (times(&self.band.0, tree)?, times(&self.band.1, tree)?);
                let edges = low.iter().zip(&high).map(|(low, high)| (low.0, low.1, high.1)).collect();
                bands.push(Band { edges, look });
            }
        }
        let ticks = series[0].points.iter().map(|point| (point.0, point.0.to_string())).collect::<Vec<_>>();
        let first = ticks.first().map_or(0.0, |tick| tick.0) - 1.0;
        let last = ticks.last().map_or(1.0, |tick| tick.0) + 1.0;
        let basis = self
            .rows(rows, machine, TREES[0], self.message.0)
            .find_map(|row| row.machine.as_ref().map(|machine| machine.1.clone()));
        let basis = basis.map_or_else(String::new, |basis| format!("{basis}: "));
        Ok(Panel {
            heading: Some(format!("{basis}{machine}, {}", self.hop_in_gaps(rows, machine)?)),
            width: if large { 480 } else { 360 },
            x: AxisSpec {
                title: "nodes K, the source included".to_owned(),
                scale: Scale::linear(first, last).with_ticks(ticks),
            },
            y: AxisSpec {
                title: format!("time until the last node holds the message ({})", axis.unit),
                scale: Scale::linear(0.0, axis.top),
            },
            bands,
            cells: Vec::new(),
            legend: series.iter().map(|series| (series.label.clone(), series.look)).collect(),
            series,
        })
    }

    fn rows<'a>(&self, rows: &'a Rows, machine: &str, tree: &str, bytes: u64) -> impl Iterator<Item = &'a Row> {
        rows.of(self).filter(move |row| {
            row.algorithm == tree && row.machine() == Some(machine) && row.value("bytes") == Some(bytes)
        })
    }

    /// The times of a tree, at every K for which the sweep has anything that this figure compares.
    fn times(&self, rows: &Rows, machine: &str, tree: &str, bytes: u64) -> Result<Times, Missing> {
        let found = self.rows(rows, machine, tree, bytes);
        let times: Times = found.filter_map(|row| Some((row.value("K")?, super::cost(row)?))).collect();
        let mut wanted = rows.of(self).filter_map(|row| row.value("K"));
        let size = show_bytes(bytes);
        match wanted.find(|K| !times.contains_key(K)) {
            Some(K) => Err(Missing(format!("`{tree}` on machine `{machine}` with messages of {size} at K = {K}"))),
            None if times.is_empty() => {
                Err(Missing(format!("`{tree}` on machine `{machine}` with messages of {size}")))
            }
            None => Ok(times),
        }
    }

    /// `D = 2.5 g`, with g' for g, to one decimal.
    fn hop_in_gaps(&self, rows: &Rows, machine: &str) -> Result<String, Missing> {
        let mut found = self.rows(rows, machine, TREES[0], self.message.0);
        let ratio = found.find_map(|row| {
            let (L, o, g) = (coordinate(row.value("L")?), coordinate(row.value("o")?), coordinate(row.value("g")?));
            Some((L + 2.0 * o) / g.max(o))
        });
        match ratio.filter(|ratio| ratio.is_finite()) {
            None => Err(Missing(format!("machine `{machine}` with a gap between messages"))),
            Some(ratio) => Ok(match format!("{ratio:.1}").as_str() {
                "1.0" => "D = g".to_owned(),
                text => format!("D = {} g", text.strip_suffix(".0").unwrap_or(text)),
            }),
        }
    }

    /// Which of the paper's three statements hold on a machine, at both message sizes.
    fn verdict(&self, rows: &Rows, machine: &str) -> Result<String, Missing> {
        let mut sizes = [self.message.0, self.other_message.0];
        sizes.sort_unstable();
        let above = |more: f64, less: f64| more > less * 1.01;
        let rising = |values: &[f64]| values.windows(2).all(|pair| above(pair[1], pair[0]));
        let times = |tree: &str, bytes| Ok(self.times(rows, machine, tree, bytes)?.into_values().collect::<Vec<f64>>());
        let (mut grows, mut slower, mut widens) = (true, true, true);
        for tree in ["halving", "fibonacci"] {
            let (small, large) = (times(tree, sizes[0])?, times(tree, sizes[1])?);
            let with_size = small.iter().zip(&large).all(|(small, large)| above(*large, *small));
            grows &= rising(&small) && rising(&large) && with_size;
        }
        for bytes in sizes {
            let (halving, fibonacci) = (times("halving", bytes)?, times("fibonacci", bytes)?);
            slower &= halving.iter().zip(&fibonacci).all(|(halving, fibonacci)| above(*halving, *fibonacci));
            let differences: Vec<f64> =
                halving.iter().zip(&fibonacci).map(|(halving, fibonacci)| halving - fibonacci).collect();
            widens &= rising(&differences);
        }
        let say = |letter, holds| format!("({letter}) {}", if holds { "holds" } else { "does not hold" });
        Ok([say('a', grows), say('b', slower), say('c', widens)].join(", "))
    }
}
