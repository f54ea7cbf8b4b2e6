//! `castbench best`: which algorithm of a problem is best, where, and by how much.

use std::io::Write;

use algorithms::catalogue::{self, PROBLEMS, entries};
use algorithms::cost::Unit;
use algorithms::internals::mpi::{Function, Library};
use algorithms::problem::{AnyProblem, Axis, Entry, Kind};
use serde_json::Value;

use super::point::{Reader, doubts, example, named_machine};
use super::table::{Record, table, write_csv, write_json};
use crate::best::{self, Case, Choice, MAX_CASES, Plane, Question, map, rules};
use crate::cli::{Best, BestFormat, Given};
use crate::config;
use crate::config::axis::Values;
use crate::failure::{Code, Failure, stdout, tell};
use crate::grid::Machines;
use crate::machine::Machine;
use crate::output;
use crate::record::{rounded, row};
use crate::terminal;
use crate::units::{grouped, plural, show_bytes};

const SPANS: [(&str, &str); 2] = [("K", "2..4096..x2"), ("bytes", "1..64MiB..x2")];
/// Where ranks are near or far, each cost is an execution.
const FEW: [(&str, &str); 2] = [("K", "2..64..x2"), ("bytes", "1..4MiB..x4")];

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid question, 3 for a missing or invalid machine, 5 if a best cost differs from the executed
/// one, 74 if the map cannot be written.
pub fn run(arguments: &Best) -> Result<(), Failure> {
    let is_text = !matches!(arguments.format, BestFormat::Csv | BestFormat::Json);
    let told = answer(arguments, &mut terminal::text_if(is_text))?;
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
    let arguments = &with_default(arguments)?;
    let (problems, skipped) = problems(arguments)?;
    let told = answer_of(arguments, &problems, out)?;
    Ok(skipped.map(|skipped| format!("{skipped}\n")).unwrap_or_default() + &told)
}

/// Without a problem broadcasts are compared; with duplex ports, where these are defined.
fn with_default(arguments: &Best) -> Result<Best, Failure> {
    let mut asked = arguments.clone();
    if asked.problem.is_empty() {
        asked.problem.push("broadcast".to_owned());
        if !has_levels(&asked.plane.0)? {
            asked.plane.0.entry("ports").or_insert_with(|| "duplex".to_owned());
        }
    }
    Ok(asked)
}

/// The problems to compare. Those that are not defined on the machines are skipped, which the second answer says.
fn problems(arguments: &Best) -> Result<(Vec<String>, Option<String>), Failure> {
    let asked = arguments.problem.clone();
    if !has_levels(&arguments.plane.0)? {
        return Ok((asked, None));
    }
    let has_distances = |name: &String| PROBLEMS.iter().any(|known| known.name() == name && known.has_distances());
    let (kept, skipped): (Vec<String>, Vec<String>) = asked.iter().cloned().partition(has_distances);
    if kept.is_empty() {
        // Refused with a reason.
        return Ok((asked, None));
    }
    let told = format!(
        "note: compared {}; skipped {}, not defined where ranks are near or far",
        kept.join(", "),
        skipped.join(", ")
    );
    Ok((kept, (!skipped.is_empty()).then_some(told)))
}

/// Whether ranks are near or far on one of the machines.
fn has_levels(given: &Given) -> Result<bool, Failure> {
    let names = given.get("machine").map(String::as_str).unwrap_or_default();
    let machines = names.split(',').filter(|name| !name.is_empty()).map(named_machine);
    Ok(machines.collect::<Result<Vec<_>, _>>()?.iter().any(Machine::has_levels))
}

fn answer_of(arguments: &Best, problems: &[String], out: &mut impl Write) -> Result<String, Failure> {
    if arguments.format == BestFormat::OpenmpiRules {
        return write_rules(arguments, problems, out);
    }
    let [problem] = problems else {
        return Err(Failure::usage("--problem: only --format openmpi-rules takes several problems; name one"));
    };
    let problem = named(problem)?;
    let main = question(arguments, problem, problem.mpi())?;
    let sides = arguments.svg.as_ref().map(|_| map::Sides::of(&main)).transpose();
    let sides = sides.map_err(|told| Failure::usage(format_args!("--svg: {told}")))?;
    let mut answers = vec![(best::answer(&main)?, main)];
    // Functions of a library that solve one problem differ in their algorithms.
    let others = std::iter::successors(problem.mpi(), |function| function.also).skip(1);
    for function in others.filter(|_| arguments.only) {
        let other = question(arguments, problem, Some(function))?;
        answers.push((best::answer(&other)?, other));
    }
    let (cases, main) = &answers[0];
    if let Some((path, sides)) = arguments.svg.as_ref().zip(sides) {
        let svg = map::svg(main, sides, cases)
            .map_err(|error| Failure::new(Code::Internal, format_args!("the map cannot be drawn: {error}")))?;
        output::write(path, svg.as_bytes())?;
    }
    let all = || answers.iter().flat_map(|(cases, question)| cases.iter().map(move |case| (question, case)));
    let records = || all().map(|(question, case)| record(question, case)).collect::<Result<Vec<Record>, Failure>>();
    match arguments.format {
        BestFormat::Table | BestFormat::OpenmpiRules => {
            for (cases, question) in &answers {
                if let Some(function) = question.function.filter(|_| answers.len() > 1) {
                    stdout(writeln!(out, "{}", function.name))?;
                }
                show(question, cases, out)?;
            }
        }
        BestFormat::Json => write_json(&records()?, out)?,
        BestFormat::Csv => write_csv(&records()?, out)?,
    }
    let all: Vec<(&Question, &[Case])> = answers.iter().map(|(cases, question)| (question, cases.as_slice())).collect();
    Ok(note(arguments, &all))
}

/// Writes one file with the rules of all problems.
fn write_rules(arguments: &Best, problems: &[String], out: &mut impl Write) -> Result<String, Failure> {
    let mut answers: Vec<rules::Answer> = Vec::new();
    for name in problems {
        let problem = named(name)?;
        let functions = std::iter::successors(problem.mpi(), |function| function.also);
        for function in functions {
            if let Some(twice) = answers.iter().find(|answer| answer.function.collective == function.collective) {
                let (one, function) = (twice.question.problem.name(), function.name);
                return Err(Failure::usage(format_args!(
                    "--problem: `{one}` and `{name}` are both {function}, for which a file has one list; remove one"
                )));
            }
            let question = question(arguments, problem, Some(function))?;
            let cases = best::answer(&question)?;
            answers.push(rules::Answer { question, function, cases });
        }
        if problem.mpi().is_none() {
            // Refuses it with a reason.
            question(arguments, problem, None)?;
        }
    }
    stdout(out.write_all(rules::text(&answers).as_bytes()))?;
    let all: Vec<(&Question, &[Case])> =
        answers.iter().map(|answer| (&answer.question, answer.cases.as_slice())).collect();
    Ok(note(arguments, &all))
}

fn named(problem: &str) -> Result<&'static dyn AnyProblem, Failure> {
    let named = PROBLEMS.iter().find(|known| known.name() == problem);
    named.copied().ok_or_else(|| Failure::usage(format_args!("there is no problem `{problem}`")))
}

/// What was simulated, after warnings: of costs that mean little, and of answers outside the validity that a profile states.
fn note(arguments: &Best, answers: &[(&Question, &[Case])]) -> String {
    let all = || answers.iter().flat_map(|(question, cases)| cases.iter().map(move |case| (question, case)));
    let mut invalid = all().filter_map(|(question, case)| question.invalid(&case.best));
    let warning = invalid.next().map_or_else(String::new, |(machine, valid, size)| {
        let count = plural(1 + invalid.count() as u64, "case");
        let rules = answers.iter().any(|(question, _)| question.rules);
        let left = if rules { ", and rules leave them to the library" } else { "" };
        format!(
            "warning: profile `{}` is valid for messages of {valid}; the best of {count} sends others, such as of {}, \
             and is a guess{left}\n",
            machine.name,
            show_bytes(size)
        )
    });
    let first = |(question, cases): &(&Question, &[Case])| {
        cases.first().map(|case| doubts(&question.cell(case.best.entry, case.best.values), &arguments.plane.0))
    };
    let mut doubts: Vec<String> = answers.iter().filter_map(first).flatten().collect();
    doubts.dedup();
    let doubts: String = doubts.iter().map(|doubt| format!("warning: {doubt}\n")).collect();
    let count = plural(all().count() as u64, "case");
    let executed = all().filter(|(_, case)| case.executed).count() as u64;
    format!("{doubts}{warning}{count}; {} also simulated, all equal", plural(executed, "winner"))
}

/// What is asked about a problem, and a function of a library that solves it.
fn question(
    arguments: &Best,
    problem: &'static dyn AnyProblem,
    function: Option<&'static Function>,
) -> Result<Question, Failure> {
    let Best { plane, against, only, within, format, .. } = arguments;
    let name = problem.name();
    if within.is_some_and(|percent| percent > 100) {
        return Err(Failure::usage("--within: expected 0 to 100 percent"));
    }
    let rules = *format == BestFormat::OpenmpiRules;
    if rules && *against == Library::Mpich {
        return Err(Failure::usage("--format openmpi-rules: the rules are for Open MPI; write --against openmpi"));
    }
    if function.is_none() && (rules || *only) {
        let option = if rules { "--format openmpi-rules" } else { "--only" };
        return Err(Failure::usage(format_args!(
            "{option}: `{name}` has no library to compare with; remove the option"
        )));
    }
    let algorithms = algorithms(problem, &arguments.algorithms, &config::given(&arguments.with)?)?;
    let all: Vec<&str> = arguments.problem.iter().map(String::as_str).collect();
    let (machines, mut plane) = read(algorithms[0], &own(problem, &all, &plane.0))?;
    if let Some(function) = function.filter(|_| rules) {
        if machines.all().is_empty() {
            return Err(Failure::usage(
                "--format openmpi-rules: Open MPI counts bytes, -L -o -g count words; name a machine with --machine",
            ));
        }
        let own = |axis: &Axis| [function.ranks, function.bytes].contains(&axis.key);
        let several = |place: usize| plane.iter().any(|(own, values)| *own == place && values.len() > 1);
        let other = (0..).zip(problem.axes()).find(|(place, axis)| !own(axis) && several(*place));
        if let Some((_, axis)) = other {
            let option = axis.option();
            return Err(Failure::usage(format_args!("{option}: a rules file holds one value; name one")));
        }
        for (_, values) in plane.iter_mut().filter(|(place, _)| problem.axes()[*place].key == function.bytes) {
            *values = doubled(values);
        }
        check_cases(problem.axes(), plane.iter().map(|(place, values)| (*place, values.len() as u64)), None)?;
    }
    Ok(Question {
        problem,
        machines,
        plane,
        algorithms,
        function,
        against: *against,
        only: *only || rules,
        rules,
        // Passing on a segment costs more than a profile states, so fewer segments are preferred.
        within_percent: within.unwrap_or(if rules || *only { 10 } else { 1 }),
    })
}

/// These algorithms of a problem, or all.
fn algorithms(problem: &'static dyn AnyProblem, names: &[String], given: &[Entry]) -> Result<Vec<Entry>, Failure> {
    let all = || entries().iter().chain(given).copied().filter(|entry| entry.problem() == problem);
    let find = |name: &String| {
        catalogue::find(name).filter(|entry| entry.problem() == problem).ok_or_else(|| {
            let known: Vec<&str> = all().map(|entry| entry.name).collect();
            let problem = problem.name();
            Failure::usage(format_args!(
                "--algorithms: `{problem}` has no algorithm `{name}`; it has {}",
                known.join(", ")
            ))
        })
    };
    if names.is_empty() { Ok(all().collect()) } else { names.iter().map(find).collect() }
}

/// The options that a problem reads, with those that none of the problems reads.
fn own(problem: &dyn AnyProblem, all: &[&str], given: &Given) -> Given {
    let reads = |problem: &dyn AnyProblem, id: &str| problem.axes().iter().any(|axis| axis.key == id);
    let of_another =
        |id: &str| PROBLEMS.iter().any(|other| all.contains(&other.name()) && reads(*other, id)) && !reads(problem, id);
    given.iter().filter(|(id, _)| !of_another(id)).map(|(id, text)| (*id, text.clone())).collect()
}

/// These sizes, and the doubles of each below the next one: a rule holds from one size to the next.
fn doubled(sizes: &[u64]) -> Vec<u64> {
    let next = sizes.iter().skip(1).map(Some).chain([None]);
    let from = |(&size, next): (&u64, Option<&u64>)| {
        let below = next.copied().unwrap_or(0);
        let doubles = std::iter::successors(size.checked_mul(2), |double| double.checked_mul(2));
        std::iter::once(size).chain(doubles.take_while(move |&double| double < below))
    };
    sizes.iter().zip(next).flat_map(from).collect()
}

/// Reads the options of the axes: profiles, and values by the places of the axes.
fn read(entry: Entry, given: &Given) -> Result<(Machines, Plane), Failure> {
    let problem = entry.problem();
    let spans = if has_levels(given)? { FEW } else { SPANS };
    let span = |axis: &Axis| spans.iter().find(|(key, _)| *key == axis.key).map(|(_, span)| *span);
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
    let longest = plane.iter().max_by_key(|(_, values)| values.count());
    check_cases(axes, plane.iter().map(|(place, values)| (*place, values.count())), longest)?;
    Ok(plane.iter().map(|(place, values)| (*place, values.iter().collect())).collect())
}

fn check_cases(
    axes: &[Axis],
    counts: impl Iterator<Item = (usize, u64)>,
    longest: Option<&(usize, Values)>,
) -> Result<(), Failure> {
    let cases = counts.fold(1, |cases: u64, (_, count)| cases.saturating_mul(count));
    if cases <= MAX_CASES {
        return Ok(());
    }
    let shorter = longest.map(|(place, values)| {
        let ((from, to), option) = (values.bounds(), axes[*place].option());
        format!("{option} has {}; a factor takes fewer, as in {}..{to}..x2", grouped(values.count()), from.max(1))
    });
    let told = shorter.unwrap_or_else(|| "a rules file also compares the doubles between sizes; name fewer".to_owned());
    Err(Failure::usage(format_args!("more than {} cases: {told}", grouped(MAX_CASES))))
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
    let tied: Vec<&str> = case.tied.iter().map(|choice| choice.entry.name).collect();
    add("tied", if tied.is_empty() { Value::Null } else { tied.join(" ").into() });
    if question.function.is_some() {
        add("library", question.against.name().into());
        add("function", question.function.map(|function| function.name).into());
        add("library_runs", case.library_runs.into());
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
    let library = question.function.map(|_| question.against.name());
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
        let [runner_up, slower] = beside(case, case.runner_up.as_ref());
        cells.extend([if case.tied.is_empty() { runner_up } else { tied(case) }, slower]);
        if library.is_some() {
            let [name, slower] = beside(case, case.library.as_ref());
            cells.extend([if name.is_empty() { unpriced(case) } else { name }, slower]);
        }
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

/// Algorithms that cost no more than the best and the error of the profile.
fn tied(case: &Case) -> String {
    case.tied.iter().map(|choice| choice.entry.name).collect::<Vec<_>>().join(", ")
}

/// Why a library's default has no cost.
fn unpriced(case: &Case) -> String {
    match case.library_runs {
        Some(name) => format!("{name}, not priced"),
        None => "not known".to_owned(),
    }
}

fn beside(case: &Case, choice: Option<&Choice>) -> [String; 2] {
    let name = choice.map(|choice| choice.entry.name.to_owned());
    [name.unwrap_or_default(), factor(choice.and_then(|choice| case.over_best(choice)))]
}
