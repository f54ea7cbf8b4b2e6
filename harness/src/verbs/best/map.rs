//! The decision map: a cell for each case of a plane of two axes, with the sign of the best algorithm, and beside it with
//! the shade of the cost of one algorithm, or of a library's default, over the best.

use std::collections::BTreeMap;

use algorithms::problem::{Axis, Entry, Kind};

use super::question::{Case, Choice, Question, absences};
use crate::base::failure::Result;
use crate::base::units::{grouped, joined};
use crate::draw::chart::Chart;
use crate::figures::caption::listed;
use crate::figures::map::{self, Cell, Line};
use crate::figures::select::{self, Held, HeldAxes};
use crate::space::machine::PORTS;
use crate::space::{Cell as Point, Values};

/// Two axes of a question: along, then up.
#[derive(Clone, Copy)]
pub struct Sides(usize, usize);

impl Sides {
    /// The axes with several values, message sizes along, machines up; where these are fewer than two, others that are given.
    ///
    /// # Errors
    /// The question has no plane of two axes; the message states what to change.
    pub fn new(question: &Question) -> Result<Self, String> {
        let axes = question.problem.axes;
        let several = question.several();
        if several.len() > 2 {
            let options = joined(", ", several.iter().map(|index| axes[*index].option()));
            return Err(format!(
                "a map has two axes, but {options} have several values; give only two of them several"
            ));
        }
        let single = question.plane().into_iter().map(|(index, _)| index);
        let single =
            single.filter(|index| !several.contains(index) && axes[*index].kind != Kind::Profile);
        let rank = |index: &usize| match &axes[*index] {
            axis if select::is_named(axis) => 0,
            axis if axis.kind == Kind::Bytes => usize::MAX,
            _ => index + 1,
        };
        let mut sides: Vec<usize> = several.iter().copied().chain(single).take(2).collect();
        sides.sort_by_key(rank);
        match sides[..] {
            [up, along] => Ok(Self(along, up)),
            _ => Err("a map has two axes, but this problem has one".to_owned()),
        }
    }
}

/// The map, with the cost of an algorithm over the best, or else with that of the library's default.
///
/// # Errors
/// Exit code 2 if the algorithm has no cost in any case, and those of its costs.
pub fn chart(
    question: &Question,
    sides: Sides,
    cases: &[Case<'_>],
    over: Option<Entry>,
) -> Result<Chart> {
    let compared = match over {
        Some(entry) => Some(over_of(cases, entry)?),
        None => default_of(cases),
    };
    let ratios = compared.iter().flat_map(|compared| &compared.ratios);
    let ratios = ratios.copied().chain(std::iter::repeat(None));
    let at = |case: &Case<'_>, index: usize| case.at.values[index].unwrap_or_default();
    let cell = |(case, over)| Cell {
        at: (at(case, sides.0), at(case, sides.1)),
        best: winners(case),
        over,
    };
    let cells: Vec<Cell> = cases.iter().zip(ratios).map(cell).collect();
    let shares = shares(&cells);
    let order = shares.iter().map(|(name, _)| *name);
    let lines = [sides.0, sides.1].map(|index| line(question, index));
    let second = compared
        .as_ref()
        .map(|own| (own.name.as_str(), own.absent.as_str()));
    let panels = map::panels(&lines, &cells, order, str::to_owned, second);
    let near = cases
        .iter()
        .filter_map(Case::over_bound)
        .fold(1.0, f64::max);
    let summary = compared.as_ref().zip(map::summary(&cells));
    let count = cases.len() as u64;
    let won = shares
        .iter()
        .map(|(name, won)| format!("{name} at {}", grouped(*won)));
    let absences = absences(cases, "case", Point::options);
    let facts = [
        Some("A cell is a computed case; values between two cells were not computed.".to_owned()),
        Some(format!(
            "The largest cost of a best over its lower bound is {near:.2} times."
        )),
        ports(question),
        summary.map(|(compared, summary)| format!("Cost of {}: {summary}.", compared.name)),
        listed(
            &format!("Best, alone or with others, of {} cases", grouped(count)),
            ", ",
            won,
        ),
        listed("Not compared", "; ", absences.statements()),
    ];
    Ok(Chart {
        title: question.problem.title.to_owned(),
        subtitle: subtitle(question, ""),
        caption: facts.into_iter().flatten().collect(),
        panels,
    })
}

/// The machine, the axes with one value but the one of this key, and what is compared.
pub fn subtitle(question: &Question, without: &str) -> String {
    let machine = match question.space.machines.all() {
        [machine] => format!("{}; ", machine.name),
        _ => String::new(),
    };
    let only = if question.only {
        "; algorithms of the library only"
    } else {
        ""
    };
    let is_cut = question.problem.axes.iter().any(|axis| axis.is_open);
    let cut = if is_cut {
        ", with the best cut of each"
    } else {
        ""
    };
    let held = held(question, without);
    format!("{machine}{held}{only}; least cost of all algorithms{cut}")
}

/// A choice that is compared with the best.
struct Compared {
    name: String,
    /// Its cost over the best in each case.
    ratios: Vec<Option<f64>>,
    /// Why it has none in some.
    absent: String,
}

/// The library's default, if it has a function for the problem.
fn default_of(cases: &[Case<'_>]) -> Option<Compared> {
    let first = cases.first()?;
    let library = first.question.against.name();
    Some(Compared {
        name: format!("{} of {library} by default", first.function()?.name),
        ratios: cases
            .iter()
            .map(|case| case.over_best(case.library.as_ref()?))
            .collect(),
        absent: absent_default(cases),
    })
}

/// An algorithm.
fn over_of(cases: &[Case<'_>], entry: Entry) -> Result<Compared> {
    let ratios = cases
        .iter()
        .map(|case| {
            if entry.name == case.best.name() {
                return Ok(Some(1.0));
            }
            let choice = case.least(entry)?;
            Ok(choice.and_then(|choice| case.over_best(&choice)))
        })
        .collect::<Result<Vec<_>>>()?;
    let name = entry.name.to_owned();
    if ratios.iter().all(Option::is_none) {
        bail!("--over: `{name}` has no cost in any of these cases; name another one");
    }
    let mut lacks = cases.iter().flat_map(|case| &case.absent);
    let why = lacks
        .find(|absent| absent.name == name)
        .map_or("no ratio to 0", |absent| absent.why.as_str());
    let absent = format!("no cost, as {why}");
    Ok(Compared {
        name,
        ratios,
        absent,
    })
}

/// Why a library's default has no ratio in some of these cases.
fn absent_default(cases: &[Case<'_>]) -> String {
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
    joined(", ", reasons)
}

/// The rule of ports as a sentence.
pub fn ports(question: &Question) -> Option<String> {
    let ports = question.ports()?;
    Some(format!("{}{}.", ports[..1].to_uppercase(), &ports[1..]))
}

/// Whether profiles give the times.
pub fn on_machine(question: &Question) -> bool {
    question.space.machines.get(0).is_some()
}

/// The axes with one value but the one of this key.
fn held(question: &Question, without: &str) -> String {
    let points = question.points();
    // A rule of ports has a sentence of its own.
    let is_stated = |axis: &&Axis| {
        axis.kind != Kind::Profile
            && axis.key != without
            && (axis.key != PORTS || question.space.axes.contains_key(PORTS))
    };
    let one = |axis: &Axis| {
        let values = points.values(axis).filter(|values| values.count() == 1)?;
        Some((axis.key, Held::Number(values.get(0))))
    };
    let axes = question.problem.axes.iter();
    let held: HeldAxes = axes.filter(is_stated).filter_map(one).collect();
    select::words(&held, question.problem.axes.iter(), on_machine(question)).join(", ")
}

/// The algorithms of least cost in a case, the best first.
fn winners(case: &Case<'_>) -> Vec<&'static str> {
    let equal = case
        .tied
        .iter()
        .filter(|choice| choice.least == case.best.least);
    std::iter::once(&case.best)
        .chain(equal)
        .map(Choice::name)
        .collect()
}

/// In how many cases each algorithm is among the best, the most often first.
fn shares(cells: &[Cell]) -> Vec<(&'static str, u64)> {
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for name in cells.iter().flat_map(|cell| &cell.best) {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(&'static str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

/// An axis with its values; machines have names.
pub fn line(question: &Question, index: usize) -> Line {
    let axis = &question.problem.axes[index];
    let values = question.points().values(axis);
    let values: Vec<u64> = values.iter().flat_map(Values::iter).collect();
    let on_machine = on_machine(question);
    let title = select::title(axis, on_machine);
    match axis.kind {
        Kind::Profile => {
            let names = values
                .iter()
                .map(|value| {
                    let own = question.space.machines.get(*value);
                    own.map_or_else(String::new, |own| own.name.clone())
                })
                .collect();
            Line::named(title, values, names)
        }
        _ => Line::new(title, axis, values, on_machine),
    }
}
