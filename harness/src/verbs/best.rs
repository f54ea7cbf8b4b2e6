//! `castbench best`: which algorithm of a problem is best, where, and by how much.

use std::io::Write;

use algorithms::catalogue::entries;
use algorithms::cost::Unit;
use algorithms::internals::mpi::Library;
use algorithms::problem::{Axis, Entry, Kind};
use serde_json::Value;

use super::point::{Reader, example, named_machine};
use super::table::{Record, table, write_csv, write_json};
use crate::best::{self, Case, Choice, MAX_CASES, Plane, Question, map, rules};
use crate::cli::{Best, BestFormat, Given};
use crate::config::axis::Values;
use crate::failure::{Code, Failure, stdout, tell};
use crate::grid::Machines;
use crate::output;
use crate::record::{rounded, row};
use crate::units::{grouped, plural, show_bytes};

const SPANS: [(&str, &str); 2] = [("K", "2..4096..x2"), ("bytes", "1..64MiB..x2")];

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid question, 3 for a missing or invalid machine, 5 if a best cost differs from the executed
/// one, 74 if the map cannot be written.
pub fn run(arguments: &Best) -> Result<(), Failure> {
    let told = answer(arguments, &mut anstream::stdout().lock())?;
    tell(told);
    if let Some(path) = &arguments.svg {
        tell(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

/// Writes the answer and, if asked, the map. Returns a note on how much of it was executed.
///
/// # Errors
/// As [`run`].
pub fn answer(arguments: &Best, out: &mut impl Write) -> Result<String, Failure> {
    let question = question(arguments)?;
    let sides = arguments.svg.as_ref().map(|_| map::Sides::of(&question)).transpose();
    let sides = sides.map_err(|told| Failure::usage(format_args!("--svg: {told}")))?;
    let cases = best::answer(&question)?;
    if let Some((path, sides)) = arguments.svg.as_ref().zip(sides) {
        let svg = map::svg(&question, sides, &cases)
            .map_err(|error| Failure::new(Code::Internal, format_args!("the map cannot be drawn: {error}")))?;
        output::write(path, svg.as_bytes())?;
    }
    let records = || cases.iter().map(|case| record(&question, case)).collect::<Result<Vec<Record>, Failure>>();
    match arguments.format {
        BestFormat::Table => show(&question, &cases, out)?,
        BestFormat::Json => write_json(&records()?, out)?,
        BestFormat::Csv => write_csv(&records()?, out)?,
        BestFormat::OpenmpiRules => {
            let rules = question.problem.mpi().map(|function| rules::text(&question, function, &cases));
            stdout(out.write_all(rules.unwrap_or_default().as_bytes()))?;
        }
    }
    let executed = cases.iter().filter(|case| case.executed).count() as u64;
    let count = plural(cases.len() as u64, "case");
    Ok(format!("{}{count}; {} also simulated, all equal", warning(&question, &cases), plural(executed, "winner")))
}

/// Warns of cases outside the validity that a profile states.
fn warning(question: &Question, cases: &[Case]) -> String {
    let mut invalid = cases.iter().filter_map(|case| question.invalid(&case.values));
    let Some((machine, valid)) = invalid.next() else { return String::new() };
    let count = plural(1 + invalid.count() as u64, "case");
    let left = if question.only { ", and rules leave them to the library" } else { "" };
    format!(
        "warning: profile `{}` is valid for messages of {valid}; the best of {count} outside is a guess{left}\n",
        machine.name
    )
}

fn question(arguments: &Best) -> Result<Question, Failure> {
    let Best { problem, plane, against, only, within, format, .. } = arguments;
    let mut algorithms = entries().iter().filter(|entry| entry.problem().name() == problem);
    let first = algorithms.next().ok_or_else(|| Failure::usage(format_args!("there is no problem `{problem}`")))?;
    let problem = first.problem();
    if within.is_some_and(|percent| percent > 100) {
        return Err(Failure::usage("--within: expected 0 to 100 percent"));
    }
    let rules = *format == BestFormat::OpenmpiRules;
    if rules && *against != Library::OpenMpi {
        return Err(Failure::usage("--format openmpi-rules: the rules are for Open MPI; write --against openmpi"));
    }
    if problem.mpi().is_none() && (rules || *only) {
        let option = if rules { "--format openmpi-rules" } else { "--only" };
        let name = problem.name();
        return Err(Failure::usage(format_args!(
            "{option}: `{name}` has no library to compare with; remove the option"
        )));
    }
    let (machines, plane) = read(*first, &plane.0)?;
    let several = |place: usize| plane.iter().any(|(own, values)| *own == place && values.len() > 1);
    if let Some(function) = problem.mpi().filter(|_| rules) {
        let own = |axis: &Axis| [function.ranks, function.bytes].contains(&axis.key);
        let other = (0..).zip(problem.axes()).find(|(place, axis)| !own(axis) && several(*place));
        if let Some((_, axis)) = other {
            let option = axis.option();
            return Err(Failure::usage(format_args!("{option}: a rules file holds one value; name one")));
        }
    }
    Ok(Question {
        problem,
        machines,
        plane,
        against: *against,
        only: *only || rules,
        by_end: rules,
        // Passing on a segment costs more than a profile states, so rules prefer fewer segments.
        within_percent: within.unwrap_or(if rules { 10 } else { 1 }),
    })
}

/// Reads the options of the axes: profiles, and values by the places of the axes.
fn read(entry: Entry, given: &Given) -> Result<(Machines, Plane), Failure> {
    let problem = entry.problem();
    let span = |axis: &Axis| SPANS.iter().find(|(key, _)| *key == axis.key).map(|(_, span)| *span);
    let is_open = |axis: &Axis| problem.open().contains(&axis.key);
    let example = format!("For example: castbench best --problem {} {}", problem.name(), example(entry));
    let reader = Reader {
        problem,
        name: problem.name(),
        example: &example,
        others: &[],
        is_optional: &|axis| axis.default.is_some() || span(axis).is_some() || is_open(axis),
    };
    let mut machines = Machines::default();
    let mut plane: Vec<(usize, Values)> = Vec::new();
    for (place, typed) in reader.read(given)? {
        let axis = &problem.axes()[place];
        let (option, text) = match (typed, span(axis), axis.default) {
            (Some(typed), ..) => typed,
            (None, ..) if is_open(axis) => continue,
            (None, Some(span), _) => (axis.option(), span),
            (None, None, default) => {
                plane.push((place, Values::only(default.unwrap_or_default())));
                continue;
            }
        };
        let wrong = |told: String| Failure::usage(format_args!("{option} {text}: {told}"));
        let values = match axis.kind {
            Kind::Profile => {
                let named: Vec<_> = text.split(',').map(named_machine).collect::<Result<_, _>>()?;
                let places = Values::list((0..named.len() as u64).collect());
                machines = Machines::new(named);
                places
            }
            kind => Values::parse(text, kind).map_err(wrong)?,
        };
        plane.push((place, values));
    }
    // Open MPI's rules list the message sizes of one number of ranks together.
    plane.sort_by_key(|(place, _)| problem.axes()[*place].kind == Kind::Bytes);
    Ok((machines, listed(problem.axes(), &plane)?))
}

/// All values, unless there are too many.
fn listed(axes: &[Axis], plane: &[(usize, Values)]) -> Result<Plane, Failure> {
    let cases = plane.iter().fold(1, |cases: u64, (_, values)| cases.saturating_mul(values.count()));
    if cases > MAX_CASES {
        let longest = plane.iter().max_by_key(|(_, values)| values.count());
        let shorter = longest.map(|(place, values)| {
            let ((from, to), option) = (values.bounds(), axes[*place].option());
            format!("{option} has {}; a factor takes fewer, as in {}..{to}..x2", grouped(values.count()), from.max(1))
        });
        let told = shorter.unwrap_or_default();
        return Err(Failure::usage(format_args!("more than {} cases: {told}", grouped(MAX_CASES))));
    }
    Ok(plane.iter().map(|(place, values)| (*place, values.iter().collect())).collect())
}

fn record(question: &Question, case: &Case) -> Result<Record, Failure> {
    let open = question.problem.open();
    let opens: Vec<&str> = question
        .problem
        .axes()
        .iter()
        .filter(|axis| open.contains(&axis.key))
        .flat_map(|axis| axis.columns)
        .copied()
        .collect();
    let best = question.cell(case.best.entry, case.best.values);
    let of = |values| {
        row::fields(&question.cell(case.best.entry, values)).map_err(|error| Failure::new(Code::Internal, error))
    };
    let mut fields: Vec<(String, Value)> = Vec::new();
    let plane = of(case.values)?.into_iter().filter(|(column, _)| *column != row::ALGORITHM && !opens.contains(column));
    fields.extend(plane.map(|(column, value)| (column.to_owned(), value)));
    let mut add = |name: &str, value: Value| fields.push((name.to_owned(), value));
    let cut = |choice: Option<&Choice>| -> Result<Vec<Value>, Failure> {
        let Some(choice) = choice else { return Ok(vec![Value::Null; opens.len() + 1]) };
        let own = of(choice.values)?.into_iter().filter(|(column, _)| opens.contains(column)).map(|(_, value)| value);
        Ok(own.chain([choice.piece.into()]).collect())
    };
    let columns: Vec<&str> =
        if opens.is_empty() { Vec::new() } else { opens.iter().copied().chain(["piece"]).collect() };
    let ratio = |choice: Option<&Choice>| choice.and_then(|choice| case.over_best(choice)).into();
    let name = |choice: Option<&Choice>| choice.map(|choice| choice.entry.name).into();
    let cost = |choice: Option<&Choice>| choice.map_or(Value::Null, |choice| row::json(&choice.cost));
    add("algorithm", best.entry.name.into());
    columns.iter().zip(cut(Some(&case.best))?).for_each(|(column, value)| add(column, value));
    add("unit", question.problem.unit(&case.values).word().into());
    add("cost", row::json(&case.best.cost));
    add("executed", case.executed.into());
    add("lower_bound", row::json(&case.lower_bound));
    let runner_up = case.runner_up.as_ref();
    add("runner_up", name(runner_up));
    columns.iter().zip(cut(runner_up)?).for_each(|(column, value)| add(&format!("runner_up_{column}"), value));
    add("runner_up_cost", cost(runner_up));
    add("runner_up_over_best_f64", ratio(runner_up));
    if question.problem.mpi().is_some() {
        add("library", question.against.name().into());
        add("library_algorithm", name(case.library.as_ref()));
        add("library_cost", cost(case.library.as_ref()));
        add("library_over_best_f64", ratio(case.library.as_ref()));
    }
    Ok(Record(fields))
}

fn show(question: &Question, cases: &[Case], out: &mut impl Write) -> Result<(), Failure> {
    let axes = question.problem.axes();
    let is_shown = |place: usize, values: &[u64]| match axes[place].kind {
        Kind::Profile => values.len() > 1,
        _ => values.len() > 1 || axes[place].default != values.first().copied(),
    };
    let shown: Vec<usize> =
        question.plane.iter().filter(|(place, values)| is_shown(*place, values)).map(|(place, _)| *place).collect();
    let unit = cases.first().map_or(Unit::Time, |case| question.problem.unit(&case.values));
    let library = question.problem.mpi().map(|_| question.against.name());
    let is_cut = !question.problem.open().is_empty();
    let titles = shown.iter().map(|place| axes[*place].key).chain(["best"]).chain(is_cut.then_some("segment"));
    let unit_title = if unit == Unit::Nanoseconds { "us" } else { unit.plural() };
    let titles = titles.chain([unit_title, "over bound", "runner-up", "slower"]);
    let titles: Vec<&str> = titles.chain(library.iter().copied()).chain(library.map(|_| "slower")).collect();
    let mut people = table(titles);
    for case in cases {
        let cell = question.cell(case.best.entry, case.values);
        let mut cells: Vec<String> = shown.iter().map(|place| value(&cell, *place)).collect();
        cells.push(case.best.entry.name.to_owned());
        cells.extend(is_cut.then(|| segment(question, case)));
        cells.push(cost(case, unit));
        cells.push(factor(case.over_bound()));
        cells.extend(beside(case, case.runner_up.as_ref()));
        cells.extend(library.map(|_| beside(case, case.library.as_ref())).into_iter().flatten());
        people.add_row(cells);
    }
    stdout(writeln!(out, "{people}"))
}

fn value(cell: &crate::grid::Cell<'_>, place: usize) -> String {
    let (axis, value) = (&cell.entry.axes()[place], cell.values[place].unwrap_or_default());
    match axis.kind {
        Kind::Profile => cell.machines.get(value).map_or_else(String::new, |machine| machine.name.clone()),
        Kind::Bytes => show_bytes(value),
        _ => algorithms::problem::spelled(axis, value).into_owned(),
    }
}

/// The size of the pieces into which the best choice cuts the message.
fn segment(question: &Question, case: &Case) -> String {
    let of = |keys: &[&str]| {
        let values = keys.iter().filter_map(|key| question.value(&case.best.values, key));
        values.max().unwrap_or_default()
    };
    match case.best.piece {
        Some(piece) if of(question.problem.open()) > 1 => {
            let on_profile = question.problem.unit(&case.values) == Unit::Nanoseconds;
            if on_profile { show_bytes(piece) } else { plural(piece, "word") }
        }
        _ => "whole".to_owned(),
    }
}

fn cost(case: &Case, unit: Unit) -> String {
    match rounded(&case.best.cost) {
        Some(ns) if unit == Unit::Nanoseconds => format!("{:.1}", ns / 1e3),
        Some(cost) if cost.fract() > 0.0 => format!("{cost:.4}"),
        _ => case.best.cost.to_string(),
    }
}

fn factor(ratio: Option<f64>) -> String {
    ratio.map(|ratio| format!("{ratio:.2}x")).unwrap_or_default()
}

fn beside(case: &Case, choice: Option<&Choice>) -> [String; 2] {
    let name = choice.map(|choice| choice.entry.name.to_owned());
    [name.unwrap_or_default(), factor(choice.and_then(|choice| case.over_best(choice)))]
}
