//! Figures 6 and 7 of the Fibonacci paper: multicast time against K on a machine, with what the paper says
//! of the measured times checked on each machine drawn.

use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Band, Chart, Markers, Panel, Series};
use crate::config::axis::WireBytes;
use crate::record::LogpRow;
use crate::units::show_bytes;

/// One message size on several machines.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineTimes {
    file: Spanned<String>,
    title: String,
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
}

/// The trees drawn, in the order of the legend.
const TREES: [&str; 3] = ["halving", "fibonacci", "optimal"];

impl Figure for MachineTimes {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn wants_logp(&self, row: &LogpRow) -> bool {
        let sizes = [Some(self.message.0), Some(self.other_message.0)];
        TREES.contains(&row.algorithm.as_str())
            && row.source_position == 1
            && sizes.contains(&row.message_bytes)
            && row.machine.as_ref().is_some_and(|name| self.machines().any(|own| own == name))
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let times = |machine: &str, tree: &str| self.times(rows, machine, tree, self.message.0);
        let mut highest = 0.0f64;
        for machine in self.machines() {
            for tree in TREES {
                let points = times(machine, tree)?;
                highest = points.iter().map(|point| point.1).fold(highest, f64::max);
            }
        }
        let (unit, per_unit) = if highest >= 2e9 { ("s", 1e9) } else { ("ms", 1e6) };
        let top = highest / per_unit * 1.04;
        let mut panels = Vec::new();
        let mut caption = vec![
            "The paper says: (a) both times grow with K and with the message size; (b) halving is slower than Fibonacci at every K; (c) their difference grows with K.".to_owned(),
        ];
        for machine in std::iter::once(&self.machine).chain(&self.beside) {
            let large = *machine == self.machine;
            panels.push(self.panel(rows, machine, large, (unit, per_unit, top))?);
            caption.push(format!(
                "On {machine} (D = {} g): {}.",
                self.hop_in_gaps(rows, machine),
                self.verdict(rows, machine)?
            ));
        }
        caption.push(format!(
            "The paper gives no parameter of its machine: {} is an estimate, the bands are those between D = {} g and D = {} g.",
            self.machine,
            self.hop_in_gaps(rows, &self.band.0),
            self.hop_in_gaps(rows, &self.band.1),
        ));
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!(
                "message of {}; L, o and g by LogGOPS from the machine profiles in configs/machines; exact times",
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

    fn panel(
        &self,
        rows: &Rows,
        machine: &str,
        large: bool,
        (unit, per_unit, top): (&str, f64, f64),
    ) -> Result<Panel, Missing> {
        let times = |machine: &str, tree: &str| -> Result<Vec<(f64, f64)>, Missing> {
            let points = self.times(rows, machine, tree, self.message.0)?;
            Ok(points.into_iter().map(|(K, time)| (K, time / per_unit)).collect())
        };
        let mut series = Vec::new();
        let mut bands = Vec::new();
        for tree in TREES {
            let look = Look::of(tree);
            series.push(Series {
                label: tree.to_owned(),
                look,
                points: times(machine, tree)?,
                markers: Markers::Every(1),
                line: true,
            });
            if large && tree != "optimal" {
                let (low, high) = (times(&self.band.0, tree)?, times(&self.band.1, tree)?);
                let edges = low.iter().zip(&high).map(|(low, high)| (low.0, low.1, high.1)).collect();
                bands.push(Band { edges, look });
            }
        }
        let ticks = series[0].points.iter().map(|point| (point.0, point.0.to_string())).collect::<Vec<_>>();
        let first = ticks.first().map_or(0.0, |tick| tick.0) - 1.0;
        let last = ticks.last().map_or(1.0, |tick| tick.0) + 1.0;
        let basis = if large { "estimated: " } else { "" };
        Ok(Panel {
            heading: Some(format!("{basis}{machine}, D = {} g", self.hop_in_gaps(rows, machine))),
            width: if large { 480 } else { 360 },
            x: AxisSpec {
                title: "nodes K, the source included".to_owned(),
                scale: Scale::linear(first, last).with_ticks(ticks),
            },
            y: AxisSpec {
                title: format!("time until the last node holds the message ({unit})"),
                scale: Scale::linear(0.0, top),
            },
            bands,
            cells: Vec::new(),
            legend: series.iter().map(|series| (series.label.clone(), series.look)).collect(),
            series,
        })
    }

    fn rows<'a>(&self, rows: &'a Rows, machine: &str, tree: &str, bytes: u64) -> Vec<&'a LogpRow> {
        let own = |row: &&LogpRow| {
            row.algorithm == tree && row.machine.as_deref() == Some(machine) && row.message_bytes == Some(bytes)
        };
        let mut found: Vec<&LogpRow> = rows.logp.iter().filter(own).collect();
        found.sort_by_key(|row| row.K_nodes);
        found
    }

    /// `(K, time in ns)`, ascending in K.
    fn times(&self, rows: &Rows, machine: &str, tree: &str, bytes: u64) -> Result<Vec<(f64, f64)>, Missing> {
        let found = self.rows(rows, machine, tree, bytes);
        let points: Vec<_> =
            found.iter().filter_map(|row| Some((coordinate(row.K_nodes), super::time(row)?))).collect();
        if points.is_empty() {
            return Err(Missing(format!("`{tree}` on machine `{machine}` with messages of {}", show_bytes(bytes))));
        }
        Ok(points)
    }

    /// D as a multiple of g', to one decimal.
    fn hop_in_gaps(&self, rows: &Rows, machine: &str) -> String {
        let found = self.rows(rows, machine, TREES[0], self.message.0);
        let ratio = found.first().and_then(|row| {
            let (L, o, g) = (row.L_time?, row.o_time?, row.g_time?);
            Some(coordinate(L + 2 * o) / coordinate(g.max(o)))
        });
        let text = format!("{:.1}", ratio.unwrap_or(f64::NAN));
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    }

    /// Which of the paper's three statements hold on a machine, at both message sizes.
    fn verdict(&self, rows: &Rows, machine: &str) -> Result<String, Missing> {
        let mut sizes = [self.message.0, self.other_message.0];
        sizes.sort_unstable();
        let costs = |tree: &str, bytes| -> Result<Vec<f64>, Missing> {
            Ok(self.times(rows, machine, tree, bytes)?.into_iter().map(|point| point.1).collect())
        };
        let (mut grows, mut slower, mut widens) = (true, true, true);
        let rising = |values: &[f64]| values.windows(2).all(|pair| pair[0] < pair[1]);
        for tree in ["halving", "fibonacci"] {
            let (small, large) = (costs(tree, sizes[0])?, costs(tree, sizes[1])?);
            grows &= rising(&small) && rising(&large) && small.iter().zip(&large).all(|(small, large)| small < large);
        }
        for bytes in sizes {
            let (halving, fibonacci) = (costs("halving", bytes)?, costs("fibonacci", bytes)?);
            let gaps: Vec<f64> =
                halving.iter().zip(&fibonacci).map(|(halving, fibonacci)| halving - fibonacci).collect();
            slower &= gaps.iter().all(|&gap| gap > 0.0);
            widens &= rising(&gaps);
        }
        let say = |letter, holds| format!("({letter}) {}", if holds { "holds" } else { "does not hold" });
        Ok([say('a', grows), say('b', slower), say('c', widens)].join(", "))
    }
}
