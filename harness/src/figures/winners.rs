//! Who wins over the plane of K and g/D, among the trees that need no table of the machine.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{Figure, Missing, Rows, coordinate};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Cell, Chart, Panel};
use crate::config::axis::Count;
use crate::record::LogpRow;

/// One hop length, all gaps and sizes that the sweep has for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Winners {
    file: Spanned<String>,
    title: String,
    L: Count,
    o: Count,
}

/// The trees compared. The optimal tree would win or tie everywhere and is left out.
const TREES: [&str; 4] = ["halving", "fibonacci", "flat", "chain"];
const TIE: &str = "two or more alike";

/// The best time at a point, who has it, and the optimum.
struct Best<'a> {
    time: u64,
    tree: &'a str,
}

impl Figure for Winners {
    fn file(&self) -> &Spanned<String> {
        &self.file
    }

    fn wants_logp(&self, row: &LogpRow) -> bool {
        row.machine.is_none()
            && (row.L_time, row.o_time) == (Some(self.L.0), Some(self.o.0))
            && row.source_position == 1
            && row.K_nodes >= 2
            && TREES.contains(&row.algorithm.as_str())
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Missing> {
        let hop = self.L.0 + 2 * self.o.0;
        let mut best: BTreeMap<(u64, u64), Best<'_>> = BTreeMap::new();
        for row in rows.logp.iter().filter(|row| self.wants_logp(row)) {
            let (Some(time), Some(gap)) = (row.analytic_time, row.g_time) else { continue };
            let place = best.entry((row.K_nodes, gap)).or_insert(Best { time: u64::MAX, tree: TIE });
            if time < place.time {
                *place = Best { time, tree: &row.algorithm };
            } else if time == place.time {
                place.tree = TIE;
            }
        }
        if best.is_empty() {
            return Err(Missing(format!("{} at L = {}, o = {} with K >= 2", TREES.join(", "), self.L.0, self.o.0)));
        }
        let sizes = edges(best.keys().map(|key| key.0), |a, b| (a * b).sqrt());
        let gaps = edges(best.keys().map(|key| key.1), f64::midpoint);
        let in_hops = |(low, high): (f64, f64)| (low / coordinate(hop), high / coordinate(hop));
        let mut cells: Vec<Cell> = Vec::new();
        for ((K, gap), winner) in &best {
            let (x, y) = (sizes[K], in_hops(gaps[gap]));
            let look = if winner.tree == TIE { Look::NEUTRAL } else { Look::of(winner.tree) };
            match cells.last_mut() {
                // Cells of one column that touch become one.
                Some(last) if last.x == x && last.look == look && last.y.1.total_cmp(&y.0).is_eq() => last.y.1 = y.1,
                _ => cells.push(Cell { x, y, look }),
            }
        }
        let last_size = sizes.values().map(|edges| edges.1).fold(4.0, f64::max);
        let first_size = sizes.values().map(|edges| edges.0).fold(last_size, f64::min);
        let last_gap = gaps.values().map(|&edges| in_hops(edges).1).fold(0.0, f64::max);
        let first_gap = gaps.values().map(|&edges| in_hops(edges).0).fold(last_gap, f64::min);
        let mut legend: Vec<(String, Look)> = Vec::new();
        for name in TREES {
            if best.values().any(|winner| winner.tree == name) {
                legend.push((name.to_owned(), Look::of(name)));
            }
        }
        if best.values().any(|winner| winner.tree == TIE) {
            legend.push((TIE.to_owned(), Look::NEUTRAL));
        }
        let panel = Panel {
            heading: None,
            width: 940,
            x: AxisSpec { title: "nodes K, the source included".to_owned(), scale: Scale::log2(first_size, last_size) },
            y: AxisSpec { title: "gap over hop, g/D".to_owned(), scale: Scale::linear(first_gap, last_gap) },
            bands: Vec::new(),
            cells,
            series: Vec::new(),
            legend,
        };
        let share = |name: &str| {
            let won = best.values().filter(|winner| winner.tree == name).count();
            format!("{name} {:.0} %", 100.0 * coordinate(won as u64) / coordinate(best.len() as u64))
        };
        let shares: Vec<String> = TREES.into_iter().chain([TIE]).map(share).collect();
        Ok(Chart {
            title: self.title.clone(),
            subtitle: format!("LogP, D = L + 2o = {hop} time units, source at an edge; {}", TREES.join(", ")),
            caption: vec![format!("Share of the {} points drawn: {}.", best.len(), shares.join(", "))],
            panels: vec![panel],
            height: 460,
        })
    }
}

/// The edges of the cell around each value: half way to its neighbours, by the given mean, and as far on
/// the outer sides.
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
