//! The algorithm of least cost over the plane of two axes.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue;
use algorithms::cost::Exact;
use algorithms::problem::{Axis, Entry};
use serde::Deserialize;
use toml::Spanned;

use super::lines::{Reader, Side, WirePlace};
use super::looks::look_of;
use super::select::{self, Place, WireKey, is_at, short};
use super::{About, Figure, Rows, Undrawn, coordinate, some};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{AxisSpec, Cell, Chart, Panel};
use crate::config::axis::Key;
use crate::config::diagnostics::{Complaint, Source};
use crate::failure::Failure;
use crate::record::Row;
use crate::units::{grouped, plural};

/// Some algorithms of one problem over two axes, the others held.
pub struct Winners {
    about: About,
    x: Key,
    y: Key,
    algorithms: Vec<Entry>,
    place: Place,
    log: Vec<Side>,
}

/// A table `[[figures.winners]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireWinners {
    file: Spanned<String>,
    title: String,
    shows: Option<String>,
    note: Option<String>,
    x: Spanned<WireKey>,
    y: Spanned<WireKey>,
    algorithms: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    at: WirePlace,
    #[serde(default)]
    log: Vec<Side>,
}

/// Shown instead of a name where several algorithms have the least cost.
const TIE: &str = "two or more alike";

/// The winner at each point of the plane, or [`TIE`].
type Winner<'a> = BTreeMap<(u64, u64), &'a str>;

impl Winners {
    /// Checks a figure of a configuration.
    ///
    /// # Errors
    /// Exit code 3, with the place.
    pub fn check(source: &Source, wire: WireWinners) -> Result<Self, Failure> {
        let reader = Reader { source, measured: false };
        let algorithms = reader.algorithms(&wire.algorithms)?;
        let [WireKey(x), WireKey(y)] = [*wire.x.get_ref(), *wire.y.get_ref()];
        for (key, span) in [(x, wire.x.span()), (y, wire.y.span())] {
            reader.axis(key, span, &algorithms)?;
        }
        let place = reader.place(&wire.at, &algorithms)?;
        if x == y || place.contains_key(x) || place.contains_key(y) {
            return Err(source.failure(&Complaint {
                span: wire.y.span(),
                title: format!("{x} and {y} do not make a plane"),
                label: "expected another axis, which `at` does not hold".to_owned(),
                help: "write two axes as `x` and `y`, and the others in `at`",
            }));
        }
        reader.refuse_open(wire.algorithms.span(), &place, &[x, y], &algorithms)?;
        let algorithms: Vec<Entry> = algorithms.into_iter().map(|algorithm| algorithm.entry()).collect();
        if let Some(entry) = algorithms.iter().find(|entry| entry.problem().fractions()) {
            return Err(source.failure(&Complaint {
                span: wire.algorithms.span(),
                title: format!("`{}` costs fractions", entry.name),
                label: "expected algorithms with integer costs, because ties are exact".to_owned(),
                help: "draw it in a [[figures.lines]]",
            }));
        }
        let about = About { file: wire.file, title: wire.title, shows: wire.shows, note: wire.note };
        Ok(Self { about, x, y, algorithms, place, log: wire.log })
    }

    fn short<'a>(&self, name: &'a str) -> &'a str {
        short(name, self.algorithms.iter().map(|entry| entry.name))
    }

    fn axes(&self) -> &'static [Axis] {
        self.algorithms.first().map_or(&[], Entry::axes)
    }

    /// The coordinates of a row; a logarithmic scale has no 0.
    fn point(&self, row: &Row) -> Option<(u64, u64)> {
        let along = |key, side| select::along(row, key).filter(|value| *value > 0 || !self.log.contains(&side));
        along(self.x, Side::X).zip(along(self.y, Side::Y))
    }

    /// The algorithm of least cost at each point where all that are defined have a cost, and the number of points where
    /// only some of them have.
    fn winners<'a>(&self, rows: &'a Rows) -> (Winner<'a>, usize) {
        // Of an algorithm that is not defined at a point no cost.
        let mut costs: BTreeMap<(u64, u64), BTreeMap<&str, Option<u64>>> = BTreeMap::new();
        let known = rows.points.iter().filter_map(|row| match &row.analytic {
            Some(Exact::Integer(cost)) => Some((row, Some(*cost))),
            _ => None,
        });
        for (row, cost) in known.chain(rows.undefined.iter().map(|row| (row, None))) {
            if let Some(point) = self.point(row).filter(|_| self.is_drawn(row) && self.wants(row)) {
                costs.entry(point).or_default().entry(&row.algorithm).or_insert(cost);
            }
        }
        // A point where no algorithm is defined is not one of the plane.
        costs.retain(|_, costs| costs.values().any(Option::is_some));
        let winner = |costs: BTreeMap<&'a str, Option<u64>>| {
            let known = || costs.iter().filter_map(|(name, cost)| Some((*name, (*cost)?)));
            let best = known().map(|(_, cost)| cost).min()?;
            let mut first = known().filter(|(_, cost)| *cost == best).map(|(name, _)| name);
            let name = first.next()?;
            (costs.len() == self.algorithms.len()).then(|| if first.next().is_some() { TIE } else { name })
        };
        let all = costs.len();
        let winners: Winner<'a> =
            costs.into_iter().filter_map(|(point, costs)| Some((point, winner(costs)?))).collect();
        let partial = all - winners.len();
        (winners, partial)
    }

    fn is_drawn(&self, row: &Row) -> bool {
        self.algorithms.iter().any(|entry| entry.name == row.algorithm)
    }

    fn spec(&self, key: Key, side: Side, (low, high): (f64, f64)) -> AxisSpec {
        let title = self.axes().iter().find(|axis| axis.key == key).map_or("", |axis| axis.title);
        match self.log.contains(&side) {
            true => AxisSpec { title: format!("{title} (log scale)"), scale: Scale::log2(low, high) },
            false => AxisSpec { title: title.to_owned(), scale: Scale::linear(low, high) },
        }
    }

    /// The shares of the algorithms, and what is not drawn.
    fn caption(&self, rows: &Rows, winners: &Winner<'_>, partial: usize) -> Vec<String> {
        let names = || self.algorithms.iter().map(|entry| entry.name).chain([TIE]);
        let share = |name: &str| {
            let won = winners.values().filter(|winner| **winner == name).count();
            format!("{} {:.0} %", self.short(name), 100.0 * coordinate(won as u64) / coordinate(winners.len() as u64))
        };
        let shares: Vec<String> = names().map(share).collect();
        let points = grouped(winners.len() as u64);
        let mut caption: Vec<String> = self.about.note.iter().cloned().collect();
        caption.push(format!("Share of the {points} points drawn: {}.", some(&shares, ", ")));
        if partial > 0 {
            caption.push(format!(
                "Left out: {} without a cost of each algorithm that is defined.",
                plural(partial as u64, "point")
            ));
        }
        let others = rows.points.iter().filter(|row| self.wants(row) && !self.is_drawn(row));
        let others: BTreeSet<&str> = others.filter_map(|row| Some(catalogue::find(&row.algorithm)?.name)).collect();
        if !others.is_empty() {
            let others: Vec<&str> = others.into_iter().collect();
            caption.push(format!("Swept, not compared: {}.", some(&others, ", ")));
        }
        caption
    }
}

impl Figure for Winners {
    fn about(&self) -> &About {
        &self.about
    }

    fn wants(&self, row: &Row) -> bool {
        self.algorithms.iter().any(|entry| entry.problem() == row.problem) && is_at(row, &self.place, &[self.x, self.y])
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Undrawn> {
        let (winners, partial) = self.winners(rows);
        let names: Vec<&str> = self.algorithms.iter().map(|entry| entry.name).collect();
        let place = select::told(&self.place, self.axes().iter()).join(", ");
        if winners.is_empty() {
            return Err(Undrawn::Missing(format!("all of {} at {place}", names.join(", "))));
        }
        let shown = |name: &&str| winners.values().any(|winner| winner == name);
        let looks = colours(names.iter().copied().filter(shown));
        let look = |name: &str| looks.iter().find(|(own, _)| *own == name).map_or(Look::NEUTRAL, |(_, look)| *look);
        let mean = |side| if self.log.contains(&side) { |a: f64, b: f64| (a * b).sqrt() } else { f64::midpoint };
        let columns = edges(winners.keys().map(|key| key.0), mean(Side::X));
        let lines = edges(winners.keys().map(|key| key.1), mean(Side::Y));
        let mut cells: Vec<Cell> = Vec::new();
        for ((x, y), name) in &winners {
            let (x, y, look) = (columns[x], lines[y], look(name));
            match cells.last_mut() {
                // Cells of one column that touch become one.
                Some(last) if last.x == x && last.look == look && last.y.1.total_cmp(&y.0).is_eq() => last.y.1 = y.1,
                _ => cells.push(Cell { x, y, look }),
            }
        }
        let ends = |edges: &BTreeMap<u64, (f64, f64)>| {
            edges.values().fold((f64::MAX, 0.0), |(low, high): (f64, f64), edge| (low.min(edge.0), high.max(edge.1)))
        };
        let legend = names.iter().copied().chain([TIE]);
        let short_names: Vec<&str> = names.iter().map(|name| self.short(name)).collect();
        let panel = Panel {
            heading: None,
            width: 940,
            x: self.spec(self.x, Side::X, ends(&columns)),
            y: self.spec(self.y, Side::Y, ends(&lines)),
            bands: Vec::new(),
            cells,
            series: Vec::new(),
            legend: legend.filter(shown).map(|name| (self.short(name).to_owned(), look(name))).collect(),
        };
        Ok(Chart {
            title: self.about.title.clone(),
            subtitle: format!("{place}; least exact cost of {}", short_names.join(", ")),
            caption: self.caption(rows, &winners, partial),
            panels: vec![panel],
            height: 460,
        })
    }
}

/// Algorithms with their looks, of which only colours are shown: each has its own, or the next that is free.
fn colours<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, Look)> {
    let mut looks: Vec<(&str, Look)> = Vec::new();
    for name in names {
        let is_free = |look: &Look| looks.iter().all(|(_, other)| other.colour != look.colour);
        let free = std::iter::once(look_of(name)).chain(Look::ALL).find(is_free);
        looks.push((name, free.unwrap_or(Look::OTHER)));
    }
    looks
}

/// The edges of the cell around each value: the given mean with its neighbours. The outer cells end at their values.
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
