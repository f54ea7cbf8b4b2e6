//! The decision map: a cell for each case of a plane of two axes, with the sign of the best algorithm, and with that of
//! the cost of a library's default over it.

use std::collections::BTreeMap;

use algorithms::internals::mpi::Function;
use algorithms::problem::{Axis, Kind};
use plotters::style::RGBColor;

use super::{Case, Question};
use crate::chart::scale::Scale;
use crate::chart::style::{Look, Marker};
use crate::chart::{self, AxisSpec, Cell as Area, Chart, ChartError, Panel};
use crate::figures::select::{self, Held, Place};
use crate::figures::signs::Signs;
use crate::units::grouped;

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
    /// The axes with several values, message sizes along, machines up; where these are fewer than two, others that are given.
    ///
    /// # Errors
    /// The question has no plane of two axes; the message states what to change.
    pub fn of(question: &Question) -> Result<Self, String> {
        let axis = |place: &usize| &question.problem.axes()[question.plane[*place].0];
        let has_several = |place: &usize| question.plane[*place].1.len() > 1;
        let (several, single): (Vec<usize>, Vec<usize>) = (0..question.plane.len()).partition(has_several);
        let single = single.into_iter().filter(|place| axis(place).kind != Kind::Profile);
        if several.len() > 2 {
            return Err("a map has two axes; give several values to two of them only".to_owned());
        }
        let mut all = several.into_iter().chain(single);
        let (Some(one), Some(other)) = (all.next(), all.next()) else {
            return Err("a map has two axes, but this problem has one".to_owned());
        };
        let rank = |place: usize| match axis(&place).kind {
            Kind::Profile => 0,
            Kind::Bytes => usize::MAX,
            _ => place + 1,
        };
        Ok(if rank(one) > rank(other) { Self(one, other) } else { Self(other, one) })
    }
}

/// Draws the map.
///
/// # Errors
/// Those of the chart.
pub fn svg(question: &Question, sides: Sides, cases: &[Case]) -> Result<String, ChartError> {
    let sets: Vec<Vec<&str>> = cases.iter().map(winners).collect();
    let shares = shares(&sets);
    let signs = Signs::new(shares.iter().map(|&(name, _)| name), &sets);
    let looks = sets.iter().map(|set| signs.look(set)).collect();
    let (panel, height) = panel((question, sides), cases, "the best algorithm", looks, signs.legend(str::to_owned));
    let mut panels = vec![panel];
    let near = cases.iter().filter_map(Case::over_bound).fold(1.0, f64::max);
    let mut caption = vec![
        "A cell is a computed case; values between two cells were not computed.".to_owned(),
        format!("The best costs at most {near:.2} times the lower bound."),
    ];
    if let Some(function) = question.problem.mpi() {
        let library = question.against.name();
        let heading = format!("cost of the default of {library} over the best");
        let looks = cases.iter().map(|case| library_over_best(case).map_or(unknown(), shade)).collect();
        panels.push(self::panel((question, sides), cases, &heading, looks, legend(cases)).0);
        caption.extend(against(function, library, cases));
    }
    let won: Vec<String> = shares.iter().map(|(name, won)| format!("{name} at {}", grouped(*won))).collect();
    caption.push(format!("Best, alone or with others, of {} cases: {}.", grouped(cases.len() as u64), won.join(", ")));
    let only = if question.only { "; algorithms of the library only" } else { "" };
    let machine = match question.machines.all() {
        [machine] => format!("{}; ", machine.name),
        _ => String::new(),
    };
    let cut = if question.problem.axes().iter().all(|axis| !axis.is_open) { "" } else { ", with the best cut of each" };
    let chart = Chart {
        title: question.problem.title().to_owned(),
        subtitle: format!("{machine}{}{only}; least cost of all algorithms{cut}", held(question)),
        caption,
        panels,
        height,
    };
    chart.to_svg()
}

fn on_machine(question: &Question) -> bool {
    question.machines.get(0).is_some()
}

/// The axes with one value.
fn held(question: &Question) -> String {
    let of = |(place, values): &(usize, Vec<u64>)| match (&question.problem.axes()[*place], &values[..]) {
        (Axis { kind: Kind::Profile, .. }, _) | (_, [_, _, ..] | []) => None,
        (axis, [value]) => Some((axis.key, Held::Number(*value))),
    };
    let place: Place = question.plane.iter().filter_map(of).collect();
    select::words(&place, question.problem.axes().iter(), on_machine(question)).join(", ")
}

/// The algorithms of least cost in a case, the best first.
fn winners(case: &Case) -> Vec<&'static str> {
    let equal = case.tied.iter().filter(|choice| choice.least == case.best.least);
    std::iter::once(&case.best).chain(equal).map(|choice| choice.entry.name).collect()
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

/// In how many cases each algorithm is among the best, the most often first.
fn shares(sets: &[Vec<&'static str>]) -> Vec<(&'static str, u64)> {
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for name in sets.iter().flatten() {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

fn shades() -> impl Iterator<Item = (f64, &'static str, Look)> {
    SHADES
        .into_iter()
        .zip('a'..)
        .map(|((most, name, colour), letter)| (most, name, Look { colour, marker: Marker::Letter(letter) }))
}

fn shade(ratio: f64) -> Look {
    shades().find(|(most, ..)| ratio <= *most).map_or(Look::OTHER, |(.., look)| look)
}

/// The look of a case whose default has no cost here.
fn unknown() -> Look {
    Look { marker: Marker::Letter('?'), ..Look::NEUTRAL }
}

fn legend(cases: &[Case]) -> Vec<(String, Look)> {
    let ratios: Vec<Option<f64>> = cases.iter().map(library_over_best).collect();
    let shown = |look: &Look| ratios.iter().flatten().any(|&ratio| shade(ratio) == *look);
    let mut legend: Vec<(String, Look)> =
        shades().map(|(_, name, look)| (name.to_owned(), look)).filter(|(_, look)| shown(look)).collect();
    if ratios.contains(&None) {
        legend.push((UNKNOWN.to_owned(), unknown()));
    }
    legend
}

/// A panel with a look for each case, and its height.
fn panel(
    (question, Sides(along, up)): (&Question, Sides),
    cases: &[Case],
    heading: &str,
    looks: Vec<Look>,
    legend: Vec<(String, Look)>,
) -> (Panel, u32) {
    let side = |place: usize| {
        let (axis, values) = (&question.problem.axes()[question.plane[place].0], &question.plane[place].1);
        let machine = |value: &u64| question.machines.get(*value).map_or_else(String::new, |own| own.name.clone());
        let scale = Scale::ordinal(match axis.kind {
            Kind::Profile => values.iter().map(machine).collect(),
            _ => select::labels(axis, values),
        });
        AxisSpec { title: select::title(axis, on_machine(question)), scale }
    };
    let at = |case: &Case, place: usize| {
        let (axis, values) = &question.plane[place];
        let value = case.values[*axis].unwrap_or_default();
        values.iter().position(|own| *own == value).unwrap_or_default() as f64
    };
    let cell = |(case, look): (&Case, Look)| Area { at: (at(case, along), at(case, up)), look };
    let cells = cases.iter().zip(looks).map(cell).collect();
    chart::map(Some(heading.to_owned()), [side(along), side(up)], cells, legend)
}
