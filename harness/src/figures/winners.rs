//! Who wins over the plane of K and g/D, among the trees that need no table of the machine.

use std::collections::BTreeMap;

use algorithms::cost::Exact;
use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate, look_of};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Cell, Chart, Panel};
use crate::config::axis::Count;
use crate::record::Row;
use crate::units::grouped;

/// One hop length, all gaps and sizes that the sweep has for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Winners {
    file: Spanned<String>,
    title: String,
    /// What it shows, for the page.
    shows: Option<String>,
    L: Count,
    o: Count,
}

/// The trees compared. The optimal tree would win or tie everywhere and is left out.
const TREES: [&str; 4] = ["halving", "fibonacci", "flat", "chain"];
const TIE: &str = "two or more alike";
const NAMES: [&str; 5] = ["halving", "fibonacci", "flat", "chain", TIE];

/// The winner at each (K, g), or [`TIE`].
type Winner<'a> = BTreeMap<(u64, u64), &'a str>;

impl Figure for Winners {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn shows(&self) -> Option<&str> {
        self.shows.as_deref()
    }

    fn wants(&self, row: &Row) -> bool {
        let at = [("L", self.L.0), ("o", self.o.0), ("source", 1)];
        row.machine.is_none()
            && at.iter().all(|&(key, value)| row.value(key) == Some(value))
            && row.value("K").is_some_and(|K| K >= 2)
            && TREES.contains(&row.algorithm.as_str())
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let hop = coordinate(self.L.0) + 2.0 * coordinate(self.o.0);
        let winners = self.winners(rows);
        if winners.is_empty() || hop == 0.0 {
            return Err(Missing(format!("{} at L = {}, o = {} with K >= 2", TREES.join(", "), self.L.0, self.o.0)));
        }
        let sizes = edges(winners.keys().map(|key| key.0), |a, b| (a * b).sqrt());
        let gaps = edges(winners.keys().map(|key| key.1), f64::midpoint);
        let in_hops = |(low, high): (f64, f64)| (low / hop, high / hop);
        let mut cells: Vec<Cell> = Vec::new();
        for ((K, gap), tree) in &winners {
            let (x, y, look) = (sizes[K], in_hops(gaps[gap]), look(tree));
            match cells.last_mut() {
                // Cells of one column that touch become one.
                Some(last) if last.x == x && last.look == look && last.y.1.total_cmp(&y.0).is_eq() => last.y.1 = y.1,
                _ => cells.push(Cell { x, y, look }),
            }
        }
        let ends = |low: f64, high: f64, (from, to): (f64, f64)| (low.min(from), high.max(to));
        let x = sizes.values().fold((f64::MAX, 0.0), |(low, high), &edges| ends(low, high, edges));
        let y = gaps.values().fold((f64::MAX, 0.0), |(low, high), &edges| ends(low, high, in_hops(edges)));
        let shown = |name: &&str| winners.values().any(|tree| tree == name);
        let panel = Panel {
            heading: None,
            width: 940,
            x: AxisSpec { title: "nodes K, the source included (log scale)".to_owned(), scale: Scale::log2(x.0, x.1) },
            y: AxisSpec { title: "gap over hop, g/D".to_owned(), scale: Scale::linear(y.0, y.1) },
            bands: Vec::new(),
            cells,
            series: Vec::new(),
            legend: NAMES.into_iter().filter(shown).map(|name| (name.to_owned(), look(name))).collect(),
        };
        let share = |name: &str| {
            let won = winners.values().filter(|tree| **tree == name).count();
            format!("{name} {:.0} %", 100.0 * coordinate(won as u64) / coordinate(winners.len() as u64))
        };
        let points = grouped(winners.len() as u64);
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!("LogP, D = L + 2o = {hop} time units, source at an edge; {}", TREES.join(", ")),
            caption: vec![format!("Share of the {points} points drawn: {}.", NAMES.map(share).join(", "))],
            panels: vec![panel],
            height: 460,
        })
    }
}

impl Winners {
    /// Who wins at each point that the sweep evaluated for all of the trees.
    fn winners<'a>(&self, rows: &'a Rows) -> Winner<'a> {
        let mut times: BTreeMap<(u64, u64), Vec<(u64, &str)>> = BTreeMap::new();
        for row in rows.of(self) {
            if let (Some(Exact::Integer(time)), Some(K), Some(gap)) = (&row.analytic, row.value("K"), row.value("g")) {
                times.entry((K, gap)).or_default().push((*time, &row.algorithm));
            }
        }
        let winner = |times: Vec<(u64, &'a str)>| {
            let best = times.iter().map(|(time, _)| *time).min()?;
            let mut first = times.iter().filter(|(time, _)| *time == best).map(|(_, tree)| *tree);
            let tree = first.next()?;
            (times.len() == TREES.len()).then(|| if first.next().is_some() { TIE } else { tree })
        };
        times.into_iter().filter_map(|(point, times)| Some((point, winner(times)?))).collect()
    }
}

fn look(tree: &str) -> Look {
    if tree == TIE { Look::NEUTRAL } else { look_of(tree) }
}

/// The edges of the cell around each value: half way to its neighbours by the given mean; the outer cells end
/// at their values.
fn edges(values: impl Iterator<Item = u64>, mean: impl Fn(f64, f64) -> f64) -> BTreeMap<u64, (f64, f64)> {
    let mut distinct: Vec<u64> = values.collect();
    distinct.sort_unstable();
    distinct.dedup();
    let at = |index: usize| distinct.get(index).map(|&value| coordinate(value));
    let around = |index: usize, value: u64| {
        let own = coordinate(value);
        let below = index.checked_sub(1).and_then(at).map_or(own, |below| mean(below, own));
        let above = at(index + 1).map_or(own, |above| mean(own, above));
        (value, (below, above))
    };
    distinct.iter().enumerate().map(|(index, &value)| around(index, value)).collect()
}
