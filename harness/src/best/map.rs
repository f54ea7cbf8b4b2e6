//! The decision map: a plane of two axes, coloured by the best algorithm, and by the cost of a library's default over
//! it.

use std::collections::BTreeMap;

use algorithms::internals::mpi::Function;
use algorithms::problem::{Axis, Kind, spelled};
use plotters::style::RGBColor;

use super::{Case, Question};
use crate::chart::scale::Scale;
use crate::chart::style::{Look, Marker};
use crate::chart::{AxisSpec, Cell as Area, Chart, ChartError, Panel};
use crate::figures::some;
use crate::units::show_bytes;

/// Colours of the algorithms that are best most often.
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

/// The largest factor by which the library's default is slower, its name, and its colour from light to dark.
const SHADES: [(f64, &str, RGBColor); 6] = [
    (1.02, "up to 1.02 times", RGBColor(0xf2, 0xf0, 0xf7)),
    (1.25, "up to 1.25 times", RGBColor(0xda, 0xda, 0xeb)),
    (2.0, "up to 2 times", RGBColor(0xbc, 0xbd, 0xdc)),
    (4.0, "up to 4 times", RGBColor(0x9e, 0x9a, 0xc8)),
    (16.0, "up to 16 times", RGBColor(0x75, 0x6b, 0xb1)),
    (f64::INFINITY, "more", RGBColor(0x3f, 0x00, 0x7d)),
];
const UNKNOWN: &str = "not in castbench";

/// Two axes of a question, by their places in its plane: along, then up.
#[derive(Clone, Copy)]
pub struct Sides(usize, usize);

impl Sides {
    /// The axes with several values, message sizes along; where these are fewer than two, others that are given.
    ///
    /// # Errors
    /// The question has no plane of two axes; the message states what to change.
    pub fn of(question: &Question) -> Result<Self, String> {
        let axis = |place: &usize| &question.problem.axes()[question.plane[*place].0];
        let numbers = (0..question.plane.len()).filter(|place| axis(place).kind != Kind::Profile);
        let (several, single): (Vec<usize>, Vec<usize>) = numbers.partition(|place| question.plane[*place].1.len() > 1);
        let is_profile = |place: &usize| axis(place).kind == Kind::Profile;
        let machines = (0..question.plane.len()).filter(is_profile).map(|place| question.plane[place].1.len()).max();
        if several.len() > 2 || machines.is_some_and(|machines| machines > 1) {
            return Err("a map has two axes; give several values to two of them only, and to no machine".to_owned());
        }
        let mut all = several.into_iter().chain(single);
        let (Some(one), Some(other)) = (all.next(), all.next()) else {
            return Err("a map has two axes, but this problem has one".to_owned());
        };
        if [one, other].iter().any(|place| question.plane[*place].1.contains(&0)) {
            return Err("a map has logarithmic axes, which have no 0; remove it".to_owned());
        }
        let is_along = |place: &usize| axis(place).kind == Kind::Bytes;
        Ok(if is_along(&one) || !is_along(&other) && one > other { Self(one, other) } else { Self(other, one) })
    }
}

/// Draws the map.
///
/// # Errors
/// Those of the chart.
pub fn svg(question: &Question, sides: Sides, cases: &[Case]) -> Result<String, ChartError> {
    let best = by_share(cases);
    let looks: BTreeMap<&str, Look> = best.iter().zip(0..).map(|(&(name, _), place)| (name, look(place))).collect();
    let mut panels = vec![panel(
        (question, sides),
        cases,
        "the best algorithm",
        |case| looks.get(case.best.entry.name).copied().unwrap_or(Look::OTHER),
        best.iter().map(|&(name, _)| (name.to_owned(), looks[name])).collect(),
    )];
    let share = |(name, count): &(&str, usize)| format!("{name} {:.0} %", 100.0 * *count as f64 / cases.len() as f64);
    let shares: Vec<String> = best.iter().map(share).collect();
    let near = cases.iter().filter_map(Case::over_bound).fold(1.0, f64::max);
    let mut caption = vec![
        format!("The best costs at most {near:.2} times the lower bound."),
        format!("Share of the cases: {}.", some(&shares, ", ")),
    ];
    if let Some(function) = question.problem.mpi() {
        let library = question.against.name();
        let heading = format!("cost of the default of {library} over the best");
        let shaded = |case: &Case| library_over_best(case).map_or(Look::NEUTRAL, shade);
        panels.push(panel((question, sides), cases, &heading, shaded, legend(cases)));
        caption.splice(1..1, against(function, library, cases));
    }
    let only = if question.only { "; algorithms of the library only" } else { "" };
    let machine = question.machines.get(0).map_or_else(String::new, |machine| format!("{}; ", machine.name));
    let cut = if question.problem.open().is_empty() { "" } else { ", with the best cut of each" };
    let chart = Chart {
        title: question.problem.title().to_owned(),
        subtitle: format!("{machine}{}{only}; least cost of all algorithms{cut}", held(question)),
        caption,
        panels,
        height: 430,
    };
    chart.to_svg()
}

/// The axes with one value.
fn held(question: &Question) -> String {
    let of = |(place, values): &(usize, Vec<u64>)| match (&question.problem.axes()[*place], values[..].as_ref()) {
        (Axis { kind: Kind::Profile, .. }, _) | (_, [_, _, ..] | []) => None,
        (axis, [value]) => Some(format!("{} = {}", axis.key, label(axis, *value))),
    };
    question.plane.iter().filter_map(of).collect::<Vec<_>>().join(", ")
}

fn label(axis: &Axis, value: u64) -> String {
    if axis.kind == Kind::Bytes { show_bytes(value) } else { spelled(axis, value).into_owned() }
}

fn library_over_best(case: &Case) -> Option<f64> {
    case.library.as_ref().and_then(|choice| case.over_best(choice))
}

/// The cost of a library's defaults over the best, as a sentence.
fn against(function: &Function, library: &str, cases: &[Case]) -> Option<String> {
    let mut ratios: Vec<f64> = cases.iter().filter_map(library_over_best).collect();
    ratios.sort_by(f64::total_cmp);
    let (middle, worst) = (ratios.get(ratios.len() / 2)?, ratios.last()?);
    let name = function.name;
    Some(format!("{name} of {library} by default: median {middle:.2} times the best, at most {worst:.1} times."))
}

/// The algorithms, the most often best first.
fn by_share(cases: &[Case]) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for case in cases {
        *counts.entry(case.best.entry.name).or_default() += 1;
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

fn legend(cases: &[Case]) -> Vec<(String, Look)> {
    let ratios: Vec<Option<f64>> = cases.iter().map(library_over_best).collect();
    let shown = |look: &Look| ratios.iter().flatten().any(|&ratio| shade(ratio) == *look);
    let shades = SHADES.iter().map(|&(_, name, colour)| (name.to_owned(), Look { colour, marker: Marker::Square }));
    let mut legend: Vec<(String, Look)> = shades.filter(|(_, look)| shown(look)).collect();
    if ratios.contains(&None) {
        legend.push((UNKNOWN.to_owned(), Look::NEUTRAL));
    }
    legend
}

fn panel(
    (question, Sides(along, up)): (&Question, Sides),
    cases: &[Case],
    heading: &str,
    look: impl Fn(&Case) -> Look,
    legend: Vec<(String, Look)>,
) -> Panel {
    let side = |place: usize| (&question.problem.axes()[question.plane[place].0], &question.plane[place].1);
    let (x, y) = (edges(side(along).1), edges(side(up).1));
    let at = |case: &Case, place: usize| case.values[question.plane[place].0].unwrap_or_default();
    let area = |case: &Case| Area { x: x[&at(case, along)], y: y[&at(case, up)], look: look(case) };
    Panel {
        heading: Some(heading.to_owned()),
        width: 620,
        x: spec(side(along), &x, 7),
        y: spec(side(up), &y, 12),
        bands: Vec::new(),
        cells: cases.iter().map(area).collect(),
        series: Vec::new(),
        legend,
    }
}

/// An axis with at most `most` labels, so that they do not touch.
fn spec((axis, values): (&Axis, &Vec<u64>), edges: &BTreeMap<u64, (f64, f64)>, most: usize) -> AxisSpec {
    let low = edges.values().map(|edge| edge.0).fold(f64::MAX, f64::min);
    let high = edges.values().map(|edge| edge.1).fold(0.0, f64::max);
    let step = values.len().div_ceil(most).max(1);
    let ticks: Vec<(f64, String)> =
        values.iter().step_by(step).map(|&value| (value as f64, label(axis, value))).collect();
    AxisSpec { title: format!("{} (log scale)", axis.title), scale: Scale::log2(low, high).with_ticks(ticks) }
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
