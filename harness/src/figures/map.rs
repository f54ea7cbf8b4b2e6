//! A map: the algorithms of least cost in the cells of a plane, and beside it by which factor one choice costs more.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue;
use algorithms::cost::Exact;
use algorithms::problem::{Axis, Kind};

use super::caption::{listed, without_cost};
use super::curves::cost;
use super::looks::look_of;
use super::select;
use super::spec::{Panel, Rows, Spec, coordinate};
use crate::base::failure::Result;
use crate::base::units::{distinct, grouped, joined, plural};
use crate::draw::chart::scale::Scale;
use crate::draw::chart::style::{Look, Marker, RGBColor};
use crate::draw::chart::{self, Chart, MapCell};
use crate::record::Row;
use crate::space::Key;
use crate::space::machine::PORTS;

/// A computed point of a map.
pub struct Cell {
    /// Its values along and up.
    pub at: (u64, u64),
    /// The algorithms of least cost.
    pub best: Vec<&'static str>,
    /// The cost of the choice compared over the least; none where it has none, or only the least is 0.
    pub over: Option<f64>,
}

/// An axis of a map.
pub struct Line {
    /// The values in order.
    pub values: Vec<u64>,
    /// Where the cells of the values begin and end.
    edges: Vec<f64>,
    /// The axis.
    pub axis: Scale,
}

/// Most values that all have a tick.
const MOST_TICKS: usize = 12;
/// Most values in unequal steps that have equal room.
const MOST_NAMED: usize = 32;

impl Line {
    /// An axis with this title on which each value has as much room as its name.
    pub fn named(title: String, values: Vec<u64>, labels: Vec<String>) -> Self {
        let edges = (0..=values.len()).map(|edge| edge as f64 - 0.5).collect();
        let scale = Scale::ordinal(labels);
        Self {
            values,
            edges,
            axis: scale.titled(title),
        }
    }

    /// The axis of numbers: linear if they are in equal steps, logarithmic if by equal factors or if there are many, and otherwise one
    /// on which each has as much room as its sign. A cell ends in the middle between two values.
    pub fn new(title: String, axis: &Axis, values: Vec<u64>, on_machine: bool) -> Self {
        let labels = select::labels(axis, &values, on_machine);
        let is_even = values
            .windows(3)
            .all(|own| own[1] - own[0] == own[2] - own[1]);
        let at: Vec<f64> = values.iter().copied().map(coordinate).collect();
        let [first, .., last] = at[..] else {
            return Self::named(title, values, labels);
        };
        if matches!(axis.kind, Kind::Counts | Kind::Word(_)) || !is_even && first == 0.0 {
            return Self::named(title, values, labels);
        }
        let factor = at[1] / first;
        let is_geometric = at
            .windows(2)
            .map(|pair| pair[1] / pair[0])
            .all(|own| (own / factor - 1.0).abs() < 1e-9);
        if !is_even && !is_geometric && values.len() <= MOST_NAMED {
            return Self::named(format!("{title}, the values computed"), values, labels);
        }
        // The first and the last cell are as long on both sides of their values.
        let before = at[1];
        let behind = at[at.len() - 2];
        let (ends, middle): ([f64; 2], fn(f64, f64) -> f64) = if is_even {
            ([2.0 * first - before, 2.0 * last - behind], f64::midpoint)
        } else {
            (
                [first * first / before, last * last / behind],
                |one, other| (one * other).sqrt(),
            )
        };
        let all = [&ends[..1], &at, &ends[1..]].concat();
        let edges: Vec<f64> = all
            .windows(2)
            .map(|pair| middle(pair[0], pair[1]))
            .collect();
        let ends = [edges[0], edges[edges.len() - 1]];
        let scale = Scale::whole(ends, !is_even, select::is_bytes(axis, on_machine));
        let scale = if values.len() <= MOST_TICKS {
            scale.with_ticks(at.into_iter().zip(labels))
        } else {
            scale
        };
        let title = if is_even {
            title
        } else {
            format!("{title} (log scale)")
        };
        Self {
            values,
            edges,
            axis: scale.titled(title),
        }
    }

    /// Where the cell of a value begins and ends.
    pub fn cell(&self, value: u64) -> [f64; 2] {
        let place = self
            .values
            .iter()
            .position(|own| *own == value)
            .unwrap_or_default();
        [self.edges[place], self.edges[place + 1]]
    }
}

/// The looks of cells, what each means, and the looks of the algorithms that cost the same where one stands for several.
pub type Looks = (Vec<Look>, Vec<(String, Look)>, Vec<(Look, Vec<Look>)>);

/// A panel of areas, from where to where along and up.
pub fn panel(
    heading: Option<String>,
    axes: [Scale; 2],
    areas: impl Iterator<Item = [[f64; 2]; 2]>,
    (looks, legend, stripes): Looks,
) -> chart::Panel {
    chart::Panel {
        cells: areas
            .zip(looks)
            .map(|([x, y], look)| MapCell { x, y, look })
            .collect(),
        legend,
        stripes,
        ..chart::Panel::new(heading, axes, Vec::new())
    }
}

/// The panels of a map. `order` has the algorithms in the order of the legend, where `short` names them.
/// Of a choice that is `compared` with the best, its name, and what the legend says of cells where it has no cost.
pub fn panels(
    lines: &[Line; 2],
    cells: &[Cell],
    order: impl Iterator<Item = &'static str>,
    short: impl Fn(&str) -> String,
    compared: Option<(&str, &str)>,
) -> Vec<chart::Panel> {
    let [along, up] = lines;
    let area = |cell: &Cell| [along.cell(cell.at.0), up.cell(cell.at.1)];
    let panel = |heading, looks| {
        let axes = lines.each_ref().map(|line| line.axis.clone());
        panel(heading, axes, cells.iter().map(area), looks)
    };
    // One map needs no heading.
    let heading = compared.map(|_| "the best algorithm".to_owned());
    let first = panel(heading, signs(cells, order, short, " = "));
    let second = compared.map(|(name, absent)| {
        let heading = format!("cost of {name} over the best");
        panel(Some(heading), shades(cells, absent))
    });
    [first].into_iter().chain(second).collect()
}

/// A letter for each algorithm that is cheapest, beside the colour, so that a reader needs no colours; for several in a cell, a number
/// and stripes of their colours. The legend has the `joint` between their letters.
pub fn signs(
    cells: &[Cell],
    order: impl Iterator<Item = &'static str>,
    short: impl Fn(&str) -> String,
    joint: &str,
) -> Looks {
    let named = order.filter(|name| cells.iter().any(|cell| cell.best.contains(name)));
    let mut letters: Vec<(&str, Look)> = Vec::new();
    for (name, letter) in named.zip(('A'..='Z').chain('a'..='z')) {
        // Most colours of a map have a neighbour of any other, so each is given once; then the letter has to do.
        let look = std::iter::once(look_of(name))
            .chain(Look::ALL)
            .find(|look| letters.iter().all(|(_, own)| own.colour != look.colour))
            .unwrap_or(Look::OTHER);
        letters.push((name, look.with(Marker::Letter(letter))));
    }
    let several = cells.iter().filter(|cell| cell.best.len() > 1);
    let ties = distinct(several.map(|cell| &cell.best));
    let tie = |index| Look::NEUTRAL.with(Marker::Number(index + 1));
    let look = |cell: &Cell| match cell.best[..] {
        [name] => letters
            .iter()
            .find(|own| own.0 == name)
            .map_or(Look::OTHER, |own| own.1),
        _ => tie(ties
            .iter()
            .position(|own| **own == cell.best)
            .unwrap_or_default()),
    };
    let members = |set: &[&str]| -> Vec<Look> {
        set.iter()
            .filter_map(|name| letters.iter().find(|own| own.0 == *name))
            .map(|own| own.1)
            .collect()
    };
    let together = |set: &[&str]| {
        let signs = members(set).into_iter().map(Look::sign);
        joined(joint, signs)
    };
    let alone = letters.iter().map(|(name, look)| (short(name), *look));
    let ties = || ties.iter().enumerate();
    let several = ties().map(|(index, set)| (together(set), tie(index)));
    (
        cells.iter().map(look).collect(),
        alone.chain(several).collect(),
        ties()
            .map(|(index, set)| (tie(index), members(set)))
            .collect(),
    )
}

/// The largest ratio of each shade, its name, and its colour from light to dark.
const SHADES: [(f64, &str, RGBColor); 6] = [
    (1.02, "up to 1.02 times", RGBColor(0xf2, 0xf0, 0xf7)),
    (1.25, "up to 1.25 times", RGBColor(0xda, 0xda, 0xeb)),
    (2.0, "up to 2 times", RGBColor(0xbc, 0xbd, 0xdc)),
    (4.0, "up to 4 times", RGBColor(0x9e, 0x9a, 0xc8)),
    (16.0, "up to 16 times", RGBColor(0x75, 0x6b, 0xb1)),
    (f64::INFINITY, "more", RGBColor(0x3f, 0x00, 0x7d)),
];

/// A shade for each ratio, with a letter, so that a reader needs no colours; `absent` is what the legend says of a cell without a ratio.
fn shades(cells: &[Cell], absent: &str) -> Looks {
    let none = (absent, Look::NEUTRAL.with(Marker::Letter('?')));
    let shades: Vec<(&str, Look)> = SHADES
        .into_iter()
        .zip('a'..)
        .map(|((_, name, colour), letter)| {
            let look = Look::NEUTRAL.with(Marker::Letter(letter));
            (name, Look { colour, ..look })
        })
        .chain([none])
        .collect();
    let look = |cell: &Cell| {
        shades[cell
            .over
            .and_then(|ratio| SHADES.iter().position(|(most, ..)| ratio <= *most))
            .unwrap_or(SHADES.len())]
        .1
    };
    let looks: Vec<Look> = cells.iter().map(look).collect();
    let legend = shades
        .iter()
        .filter(|(_, look)| looks.contains(look))
        .map(|(name, look)| ((*name).to_owned(), *look))
        .collect();
    (looks, legend, Vec::new())
}

/// The median and the largest ratio in words; none if no cell has one.
pub fn summary(cells: &[Cell]) -> Option<String> {
    let mut ratios: Vec<f64> = cells.iter().filter_map(|cell| cell.over).collect();
    ratios.sort_by(f64::total_cmp);
    let largest = ratios.last()?;
    // Of an even number the mean of both in the middle.
    let middle = (ratios[(ratios.len() - 1) / 2] + ratios[ratios.len() / 2]) / 2.0;
    Some(format!(
        "median {middle:.2} times the best, largest {largest:.2} times"
    ))
}

/// The rows of a map.
struct Map<'a> {
    spec: &'a Spec,
    panel: &'a Panel,
    up: Key,
    /// Rows at the values held: of its algorithms, of these where they failed or are not defined, and of others.
    rows: [Vec<&'a Row>; 3],
    /// The points where each algorithm that is defined has a cost.
    cells: Vec<Cell>,
    /// How many points have costs of only some.
    partial: u64,
}

impl<'a> Map<'a> {
    fn new(spec: &'a Spec, panel: &'a Panel, up: Key, rows: &'a Rows) -> Self {
        let filter = spec.filter();
        let takes = |row: &&Row| filter(row);
        let is_own = |row: &&Row| panel.names().any(|name| name == row.algorithm);
        let (own, others) = rows.points.iter().filter(takes).partition(is_own);
        let undefined = rows.undefined.iter().filter(takes).filter(is_own);
        let mut map = Self {
            spec,
            panel,
            up,
            rows: [own, undefined.collect(), others],
            cells: Vec::new(),
            partial: 0,
        };
        for (at, costs) in map.costs() {
            match map.cell(at, &costs) {
                Some(cell) => map.cells.push(cell),
                None => map.partial += 1,
            }
        }
        map
    }

    /// The values of a row along and up.
    fn point(&self, row: &Row) -> Option<(u64, u64)> {
        select::along(row, self.spec.x).zip(select::along(row, self.up))
    }

    /// The costs at each point where at least one algorithm is defined; none of one that is not defined there.
    fn costs(&self) -> BTreeMap<(u64, u64), BTreeMap<&'a str, Option<u64>>> {
        let mut costs: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        let known = self.rows[0].iter().filter_map(|row| match cost(row) {
            Some(Exact::Integer(cost)) => Some((*row, Some(*cost))),
            _ => None,
        });
        let undefined = self.rows[1].iter().filter(|row| row.failure().is_none());
        for (row, cost) in known.chain(undefined.map(|row| (*row, None))) {
            if let Some(point) = self.point(row) {
                costs
                    .entry(point)
                    .or_default()
                    .entry(row.algorithm.as_str())
                    .or_insert(cost);
            }
        }
        costs.retain(|_, costs| costs.values().any(Option::is_some));
        costs
    }

    /// A point with the costs of all algorithms that are defined there.
    fn cell(&self, at: (u64, u64), costs: &BTreeMap<&'a str, Option<u64>>) -> Option<Cell> {
        let least = costs.values().copied().flatten().min()?;
        let of = |name: &str| costs.get(name).copied().flatten();
        let best = self.panel.names().filter(|name| of(name) == Some(least));
        let over = self.panel.over_algorithm().and_then(of);
        (costs.len() == self.panel.algorithms.len()).then(|| Cell {
            at,
            best: best.collect(),
            over: over.and_then(|cost| {
                if cost == least {
                    Some(1.0)
                } else {
                    (least > 0).then(|| coordinate(cost) / coordinate(least))
                }
            }),
        })
    }

    fn line(&self, key: Key, value: impl Fn(&Cell) -> u64) -> Line {
        let values: BTreeSet<u64> = self.cells.iter().map(value).collect();
        let values: Vec<u64> = values.into_iter().collect();
        let title = self.spec.title_of(key);
        match self.spec.axis(key) {
            Some(axis) => Line::new(title, axis, values, self.spec.on_machine()),
            None => Line::named(title, values, Vec::new()),
        }
    }

    /// How often each algorithm wins, and what is not drawn.
    fn caption(&self) -> Vec<String> {
        let spec = self.spec;
        let cells = &self.cells;
        let short = |name: &'static str| spec.short(name);
        let count = |is_one: &dyn Fn(&[&str]) -> bool| {
            cells.iter().filter(|cell| is_one(&cell.best)).count() as u64
        };
        let names = || self.panel.names();
        let points = plural(cells.len() as u64, "point");
        let alone = names()
            .map(|name| (name, count(&|set| set == [name])))
            .filter(|(_, won)| *won > 0)
            .map(|(name, won)| format!("{} at {}", short(name), grouped(won)));
        let several = count(&|set| set.len() > 1);
        let is_compared = |name: &&str| self.rows[0].iter().any(|row| row.algorithm == *name);
        let never = names()
            .filter(is_compared)
            .filter(|name| count(&|set| set.contains(name)) == 0);
        let over = self
            .panel
            .over_algorithm()
            .zip(summary(cells))
            .map(|(name, summary)| {
                let cheapest = grouped(count(&|set| set.contains(&name)));
                format!(
                    "Cost of {}: {summary}; among the best at {cheapest} of {points}.",
                    short(name)
                )
            });
        let [own, undefined, others] = &self.rows;
        let drawn: BTreeSet<(u64, u64)> = cells.iter().map(|cell| cell.at).collect();
        let undefined = undefined.iter().filter_map(|row| {
            let (x, y) = self
                .point(row)
                .filter(|at| row.failure().is_some() || drawn.contains(at))?;
            Some((*row, format!("{} = {x}, {} = {y}", spec.x, self.up)))
        });
        let others: BTreeSet<&str> = others
            .iter()
            .filter_map(|row| Some(catalogue::find(&row.algorithm)?.name))
            .collect();
        let several = (several > 0)
            .then(|| format!("Several cost the same at {} of {points}.", grouped(several)));
        let partial = (self.partial > 0).then(|| {
            let partial = plural(self.partial, "point");
            format!("Left out: {partial} without a cost of each algorithm that is defined.")
        });
        let cell = "A cell is a computed point; values between two cells were not computed.";
        let facts = [
            spec.about.note.clone(),
            Some(cell.to_owned()),
            listed(&format!("Cheapest alone, of {points}"), ", ", alone),
            several,
            listed("Nowhere cheapest", ", ", never.map(short)),
            over,
            select::ports(own.iter().copied()).filter(|_| !self.panel.held.contains_key(PORTS)),
        ];
        let without = without_cost(spec, undefined, cells.len() as u64);
        let others = [
            partial,
            listed("Swept, not compared", ", ", others),
            listed("Compared", ", ", names().filter(is_compared).map(short)),
        ];
        facts
            .into_iter()
            .flatten()
            .chain(without)
            .chain(others.into_iter().flatten())
            .collect()
    }
}

/// The chart of a figure with cells up this axis.
pub fn chart(spec: &Spec, panel: &Panel, up: Key, rows: &Rows) -> Result<Chart> {
    let map = Map::new(spec, panel, up, rows);
    let values = spec.words(&panel.held).join(", ");
    if map.cells.is_empty() {
        let what = format!("all of {} at {values}", joined(", ", panel.names()));
        return Err(spec.missing(rows, panel, &what));
    }
    let lines = [
        map.line(spec.x, |cell| cell.at.0),
        map.line(up, |cell| cell.at.1),
    ];
    let short = |name: &str| spec.short(name).to_owned();
    let over = panel
        .over_algorithm()
        .map(|name| (spec.short(name), "not defined, or no ratio to 0"));
    let panels = panels(&lines, &map.cells, panel.names(), short, over);
    let separator = if values.is_empty() { "" } else { "; " };
    Ok(Chart {
        title: spec.about.title.clone(),
        subtitle: format!("{values}{separator}least exact cost"),
        caption: map.caption(),
        panels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal steps make a linear axis, equal factors a logarithmic one, a few others equal room; a cell ends in the middle between two
    /// values.
    #[test]
    fn cells_end_between_values() {
        let axis = catalogue::axes()
            .iter()
            .find(|axis| axis.key == "K")
            .unwrap();
        let cells = |values: &[u64]| {
            let line = Line::new("K".to_owned(), axis, values.to_vec(), false);
            let cells = values.iter().map(|value| line.cell(*value));
            (line.axis.title.clone(), Vec::from_iter(cells))
        };
        let even = [[0.0, 2.0], [2.0, 4.0], [4.0, 6.0]].to_vec();
        assert_eq!(cells(&[1, 3, 5]), ("K".to_owned(), even));
        let (title, log) = cells(&[1, 4, 16]);
        assert_eq!((title.as_str(), &log[1]), ("K (log scale)", &[2.0, 8.0]));
        assert_eq!((log[0], log[2]), ([0.5, 2.0], [8.0, 32.0]));
        assert_eq!(cells(&[0, 1, 5]).1[1], [0.5, 1.5]);
        assert_eq!(cells(&[7]).1, [[-0.5, 0.5]]);
        assert_eq!(cells(&[2, 3, 5]).1[2], [1.5, 2.5]);
    }

    #[test]
    fn every_cell_has_a_sign_that_the_legend_names() {
        let sets = [
            vec!["flat"],
            vec!["halving", "chain"],
            vec!["chain"],
            vec!["halving", "chain"],
        ];
        let cell = |best: &Vec<&'static str>| Cell {
            at: (0, 0),
            best: best.clone(),
            over: None,
        };
        let cells: Vec<Cell> = sets.iter().map(cell).collect();
        let order = ["halving", "fibonacci", "flat", "chain"];
        let (looks, legend, stripes) = signs(&cells, order.into_iter(), str::to_owned, " = ");
        let text = |(name, look): &(String, Look)| format!("{}: {name}", look.sign());
        let texts: Vec<String> = legend.iter().map(text).collect();
        assert_eq!(texts, ["A: halving", "B: flat", "C: chain", "1: A = C"]);
        let tie = (legend[3].1, vec![legend[0].1, legend[2].1]);
        assert_eq!(stripes, [tie]);
        for look in looks {
            assert!(legend.iter().any(|(_, own)| *own == look), "{look:?}");
        }
        for (number, (_, look)) in legend.iter().enumerate() {
            let is_other = |(_, other): &(String, Look)| other.sign() != look.sign();
            assert!(legend[..number].iter().all(is_other), "{look:?}");
        }
    }
}
