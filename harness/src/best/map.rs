//! The decision map: a cell for each case of a plane of two axes, with the sign of the best algorithm, and beside it with
//! the shade of the cost of one algorithm, or of a library's default, over the best.

use std::collections::BTreeMap;

use algorithms::problem::{Axis, Entry, Kind};

use super::{Case, Question};
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{self, AxisSpec, Chart, MapCell, Panel};
use crate::failure::{Code, Failure};
use crate::figures::ratios::Ratios;
use crate::figures::select::{self, Held, HeldAxes};
use crate::figures::signs::Signs;
use crate::machine::PORTS;
use crate::space::is_owned;
use crate::units::grouped;

/// Two axes of a question, by their indices in its plane: along, then up.
#[derive(Clone, Copy)]
pub struct Sides(usize, usize);

impl Sides {
    /// The axes with several values, message sizes along, machines up; where these are fewer than two, others that are given.
    ///
    /// # Errors
    /// The question has no plane of two axes; the message states what to change.
    pub fn new(question: &Question) -> Result<Self, String> {
        let axis = |index: &usize| &question.problem.axes()[question.plane()[*index].0];
        let has_several = |index: &usize| question.plane()[*index].1.len() > 1;
        let (several, single): (Vec<usize>, Vec<usize>) =
            (0..question.plane().len()).partition(has_several);
        let single = single
            .into_iter()
            .filter(|index| axis(index).kind != Kind::Profile);
        if several.len() > 2 {
            let options: Vec<String> = several.iter().map(|place| axis(place).option()).collect();
            let options = options.join(", ");
            return Err(format!(
                "a map has two axes, but {options} have several values; give only two of them several"
            ));
        }
        let mut all = several.into_iter().chain(single);
        let (Some(one), Some(other)) = (all.next(), all.next()) else {
            return Err("a map has two axes, but this problem has one".to_owned());
        };
        let rank = |index: usize| match axis(&index).kind {
            Kind::Profile => 0,
            Kind::Bytes => usize::MAX,
            _ => index + 1,
        };
        Ok(if rank(one) > rank(other) {
            Self(one, other)
        } else {
            Self(other, one)
        })
    }
}

/// Draws the map, with the cost of an algorithm over the best, or else with that of the library's default.
///
/// # Errors
/// Exit code 2 if the algorithm has no cost in any case, and those of its costs. Exit code 1: a bug.
pub fn svg(
    question: &Question,
    sides: Sides,
    cases: &[Case],
    over: Option<Entry>,
) -> Result<String, Failure> {
    let sets: Vec<Vec<&str>> = cases.iter().map(winners).collect();
    let shares = shares(&sets);
    let signs = Signs::new(shares.iter().map(|&(name, _)| name), &sets);
    let looks = sets.iter().map(|set| signs.look(set)).collect();
    let (first, height) = panel(
        (question, sides),
        cases,
        "the best algorithm",
        looks,
        signs.legend(str::to_owned),
    );
    let mut panels = vec![first];
    let near = cases
        .iter()
        .filter_map(Case::over_bound)
        .fold(1.0, f64::max);
    let mut caption = vec![
        "A cell is a computed case; values between two cells were not computed.".to_owned(),
        format!("The largest cost of a best over its lower bound is {near:.2} times."),
    ];
    caption.extend(
        question
            .ports()
            .map(|ports| format!("{}{}.", ports[..1].to_uppercase(), &ports[1..])),
    );
    if let Some((name, ratios)) = compared(question, cases, over)? {
        let heading = format!("cost of {name} over the best");
        panels.push(
            panel(
                (question, sides),
                cases,
                &heading,
                ratios.looks(),
                ratios.legend(),
            )
            .0,
        );
        caption.extend(
            ratios
                .summary()
                .map(|summary| format!("Cost of {name}: {summary}.")),
        );
    }
    let won: Vec<String> = shares
        .iter()
        .map(|(name, won)| format!("{name} at {}", grouped(*won)))
        .collect();
    caption.push(format!(
        "Best, alone or with others, of {} cases: {}.",
        grouped(cases.len() as u64),
        won.join(", ")
    ));
    let absences = super::absences(cases.iter().map(|case| (question, case)));
    let absences = absences.statements(cases.len() as u64, "case");
    if !absences.is_empty() {
        caption.push(format!("Not compared: {}.", absences.join("; ")));
    }
    let only = if question.only {
        "; algorithms of the library only"
    } else {
        ""
    };
    let machine = match question.space.machines.all() {
        [machine] => format!("{}; ", machine.name),
        _ => String::new(),
    };
    let cut = if question.problem.axes().iter().all(|axis| !axis.is_open) {
        ""
    } else {
        ", with the best cut of each"
    };
    let chart = Chart {
        title: question.problem.title().to_owned(),
        subtitle: format!(
            "{machine}{}{only}; least cost of all algorithms{cut}",
            held(question)
        ),
        caption,
        panels,
        height,
    };
    chart.to_svg().map_err(|error| {
        Failure::new(
            Code::Internal,
            format_args!("the map cannot be drawn: {error}"),
        )
    })
}

/// What is compared with the best, and its cost over the best in each case: the algorithm asked for, or the library's default.
fn compared(
    question: &Question,
    cases: &[Case],
    over: Option<Entry>,
) -> Result<Option<(String, Ratios)>, Failure> {
    let Some(entry) = over else {
        let over_best = |case: &Case| {
            case.library
                .as_ref()
                .and_then(|choice| case.over_best(choice))
        };
        let ratios = || {
            Ratios::new(
                cases.iter().map(over_best).collect(),
                &absent_default(cases),
            )
        };
        let function = question.problem.mpi();
        let name = |name| format!("{name} of {} by default", question.against.name());
        return Ok(function.map(|function| (name(function.name), ratios())));
    };
    let over_best = |case: &Case| {
        if entry.name == case.best.entry.name {
            return Ok(Some(1.0));
        }
        let choice = question.least(entry, &case.values)?;
        Ok(choice.and_then(|choice| case.over_best(&choice)))
    };
    let mut lacks = cases
        .iter()
        .flat_map(|case| &case.absent)
        .filter(|absent| absent.entry.name == entry.name);
    let why = lacks
        .next()
        .map_or("no ratio to 0", |absent| absent.why.as_str());
    let ratios: Vec<Option<f64>> = cases
        .iter()
        .map(over_best)
        .collect::<Result<_, Failure>>()?;
    if ratios.iter().all(Option::is_none) {
        let explanation = format_args!(
            "--over: `{}` has no cost in any of these cases; name another one",
            entry.name
        );
        return Err(Failure::usage(explanation));
    }
    Ok(Some((
        entry.name.to_owned(),
        Ratios::new(ratios, &format!("no cost, as {why}")),
    )))
}

/// Why a library's default has no ratio in some of these cases.
fn absent_default(cases: &[Case]) -> String {
    let without = || cases.iter().filter(|case| case.library.is_none());
    let reasons = [
        (
            without().any(|case| case.library_runs.is_none()),
            "not known",
        ),
        (
            without().any(|case| case.library_runs.is_some()),
            "not in castbench, or not defined",
        ),
        (
            cases.iter().any(|case| case.library.is_some()),
            "no ratio to 0",
        ),
    ];
    let last = if without().next().is_some() { 2 } else { 3 };
    let reasons = reasons[..last]
        .iter()
        .filter(|(is_one, _)| *is_one)
        .map(|(_, why)| *why);
    reasons.collect::<Vec<_>>().join(", ")
}

fn on_machine(question: &Question) -> bool {
    question.space.machines.get(0).is_some()
}

/// The axes with one value.
fn held(question: &Question) -> String {
    let of =
        |(index, values): &(usize, Vec<u64>)| match (&question.problem.axes()[*index], &values[..])
        {
            (
                Axis {
                    kind: Kind::Profile,
                    ..
                },
                _,
            )
            | (_, [_, _, ..] | []) => None,
            (axis, [value]) => Some((axis.key, Held::Number(*value))),
        };
    let machines = &question.space.machines;
    // A rule of ports has a sentence of its own.
    let owned = (0..)
        .zip(question.problem.axes())
        .filter(|(_, axis)| is_owned(axis) && axis.key != PORTS);
    let owned = owned.map(|(index, axis)| (index, machines.values_of(axis)));
    let held: HeldAxes = owned
        .chain(question.plane())
        .filter_map(|own| of(&own))
        .collect();
    select::words(&held, question.problem.axes().iter(), on_machine(question)).join(", ")
}

/// The algorithms of least cost in a case, the best first.
fn winners(case: &Case) -> Vec<&'static str> {
    let equal = case
        .tied
        .iter()
        .filter(|choice| choice.least == case.best.least);
    std::iter::once(&case.best)
        .chain(equal)
        .map(|choice| choice.entry.name)
        .collect()
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

/// A panel with a look for each case, and its height.
fn panel(
    (question, Sides(along, up)): (&Question, Sides),
    cases: &[Case],
    heading: &str,
    looks: Vec<Look>,
    legend: Vec<(String, Look)>,
) -> (Panel, u32) {
    let side = |index: usize| {
        let (axis, values) = (
            &question.problem.axes()[question.plane()[index].0],
            &question.plane()[index].1,
        );
        let machine = |value: &u64| {
            question
                .space
                .machines
                .get(*value)
                .map_or_else(String::new, |own| own.name.clone())
        };
        let scale = Scale::ordinal(match axis.kind {
            Kind::Profile => values.iter().map(machine).collect(),
            _ => select::labels(axis, values),
        });
        AxisSpec {
            title: select::title(axis, on_machine(question)),
            scale,
        }
    };
    let at = |case: &Case, index: usize| {
        let (axis, values) = &question.plane()[index];
        let value = case.values[*axis].unwrap_or_default();
        values
            .iter()
            .position(|own| *own == value)
            .unwrap_or_default() as f64
    };
    let cell = |(case, look): (&Case, Look)| MapCell {
        at: (at(case, along), at(case, up)),
        look,
    };
    let cells = cases.iter().zip(looks).map(cell).collect();
    chart::map(
        Some(heading.to_owned()),
        [side(along), side(up)],
        cells,
        legend,
    )
}
