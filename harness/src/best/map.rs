//! The decision map: the plane of message sizes and nodes, coloured by the algorithm that is best, and by how much slower
//! a library's own choice is.

use std::collections::BTreeMap;

use plotters::style::RGBColor;

use super::{Cell, Question};
use crate::chart::scale::Scale;
use crate::chart::style::{Look, Marker};
use crate::chart::{AxisSpec, Cell as Area, Chart, ChartError, Panel};
use crate::units::show_bytes;

/// Colours of algorithms, for those that are best most often.
const COLOURS: [RGBColor; 8] = [
    Look::FIRST.colour,
    Look::FIFTH.colour,
    Look::THIRD.colour,
    Look::SECOND.colour,
    Look::FOURTH.colour,
    Look::SIXTH.colour,
    RGBColor(0xf0, 0xe4, 0x42),
    RGBColor(0x55, 0x55, 0x55),
];

/// Up to which factor the library's choice is slower, and the colour of that: from light to dark.
const SHADES: [(f64, &str, RGBColor); 6] = [
    (1.02, "up to 1.02 times", RGBColor(0xf2, 0xf0, 0xf7)),
    (1.25, "up to 1.25 times", RGBColor(0xda, 0xda, 0xeb)),
    (2.0, "up to 2 times", RGBColor(0xbc, 0xbd, 0xdc)),
    (4.0, "up to 4 times", RGBColor(0x9e, 0x9a, 0xc8)),
    (16.0, "up to 16 times", RGBColor(0x75, 0x6b, 0xb1)),
    (f64::INFINITY, "more", RGBColor(0x3f, 0x00, 0x7d)),
];
const UNKNOWN: &str = "not in castbench";

/// Draws it. Both axes must have two values and more.
///
/// # Errors
/// Where that cannot be drawn.
pub fn svg(question: &Question, cells: &[Cell]) -> Result<String, ChartError> {
    let best = by_share(cells);
    let looks: BTreeMap<&str, Look> = best.iter().zip(0..).map(|(&(name, _), place)| (name, look(place))).collect();
    let algorithms = panel(
        question,
        cells,
        "which broadcast is best",
        |cell| looks.get(cell.best.entry.name).copied().unwrap_or(Look::OTHER),
        best.iter().map(|&(name, _)| (name.to_owned(), looks[name])).collect(),
    );
    let library = question.against.name();
    let losses = panel(
        question,
        cells,
        &format!("how much longer {library} takes by itself"),
        |cell| cell.library_over_best().map_or(Look::NEUTRAL, shade),
        legend(cells),
    );
    let share = |(name, count): &(&str, usize)| format!("{name} {:.0} %", 100.0 * *count as f64 / cells.len() as f64);
    let shares: Vec<String> = best.iter().map(share).collect();
    let mut ratios: Vec<f64> = cells.iter().filter_map(Cell::library_over_best).collect();
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.get(ratios.len() / 2).copied().unwrap_or(1.0);
    let worst = ratios.last().copied().unwrap_or(1.0);
    let near = cells.iter().map(|cell| cell.best.time as f64 / cell.lower_bound.max(1) as f64).fold(1.0, f64::max);
    let only = if question.only { ", of what the library has" } else { "" };
    let chart = Chart {
        title: format!("Broadcast on {}: the best algorithm and segment size", question.machine),
        subtitle: format!("LogGOPS, {}; {} cells{only}", crate::units::plural(question.ports, "port"), cells.len()),
        caption: vec![
            format!("Best in so many of the cells: {}.", shares.join(", ")),
            format!(
                "{library} by itself: {middle:.2} times as long in the middle, {worst:.1} times at worst. The best is at most {near:.2} times the lower bound."
            ),
        ],
        panels: vec![algorithms, losses],
        height: 430,
    };
    chart.to_svg()
}

/// The algorithms by how often they are best.
fn by_share(cells: &[Cell]) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for cell in cells {
        *counts.entry(cell.best.entry.name).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

fn look(place: usize) -> Look {
    COLOURS.get(place).map_or(Look::OTHER, |&colour| Look { colour, marker: Marker::Square })
}

fn shade(ratio: f64) -> Look {
    let found = SHADES.iter().find(|(most, _, _)| ratio <= *most).unwrap_or(&SHADES[SHADES.len() - 1]);
    Look { colour: found.2, marker: Marker::Square }
}

fn legend(cells: &[Cell]) -> Vec<(String, Look)> {
    let ratios: Vec<Option<f64>> = cells.iter().map(Cell::library_over_best).collect();
    let shown = |look: &Look| ratios.iter().flatten().any(|&ratio| shade(ratio) == *look);
    let shades = SHADES.iter().map(|&(_, name, colour)| (name.to_owned(), Look { colour, marker: Marker::Square }));
    let mut legend: Vec<(String, Look)> = shades.filter(|(_, look)| shown(look)).collect();
    if ratios.contains(&None) {
        legend.push((UNKNOWN.to_owned(), Look::NEUTRAL));
    }
    legend
}

fn panel(
    question: &Question,
    cells: &[Cell],
    heading: &str,
    look: impl Fn(&Cell) -> Look,
    legend: Vec<(String, Look)>,
) -> Panel {
    let (x, y) = (edges(&question.bytes), edges(&question.K));
    let areas = cells.iter().map(|cell| Area { x: x[&cell.bytes], y: y[&cell.K], look: look(cell) }).collect();
    let scale = |edges: &BTreeMap<u64, (f64, f64)>, ticks: Vec<(f64, String)>| {
        let low = edges.values().map(|edge| edge.0).fold(f64::MAX, f64::min);
        let high = edges.values().map(|edge| edge.1).fold(0.0, f64::max);
        Scale::log2(low, high).with_ticks(ticks)
    };
    let tick = |value: &u64, name: String| (*value as f64, name);
    // A few of many: labels must not touch.
    let sparse = |values: &[u64], most: usize| {
        let step = values.len().div_ceil(most).max(1);
        values.iter().step_by(step).copied().collect::<Vec<u64>>()
    };
    let bytes = sparse(&question.bytes, 7).iter().map(|bytes| tick(bytes, show_bytes(*bytes))).collect();
    let nodes = sparse(&question.K, 12).iter().map(|K| tick(K, K.to_string())).collect();
    Panel {
        heading: Some(heading.to_owned()),
        width: 620,
        x: AxisSpec { title: "length of the message (log scale)".to_owned(), scale: scale(&x, bytes) },
        y: AxisSpec { title: "nodes K, the source included (log scale)".to_owned(), scale: scale(&y, nodes) },
        bands: Vec::new(),
        cells: areas,
        series: Vec::new(),
        legend,
    }
}

/// The edges of the cell around each value, half way to its neighbours on a logarithmic scale.
fn edges(values: &[u64]) -> BTreeMap<u64, (f64, f64)> {
    let at = |place: usize| values.get(place).map(|&value| value as f64);
    let around = |(place, &value): (usize, &u64)| {
        let own = value as f64;
        let below = place.checked_sub(1).and_then(at);
        let above = at(place + 1);
        let ratio = |a: f64, b: f64| (b / a).sqrt();
        let down = below.map(|below| ratio(below, own)).or(above.map(|above| ratio(own, above))).unwrap_or(1.4);
        let up = above.map(|above| ratio(own, above)).or(below.map(|below| ratio(below, own))).unwrap_or(1.4);
        (value, (own / down, own * up))
    };
    values.iter().enumerate().map(around).collect()
}
