//! `castbench list`: the catalogue, the machine profiles, and the reference tables.

use std::io::Write as _;

use algorithms::catalogue::{PROBLEMS, current, entries};
use algorithms::problem::{AnyProblem, Axis, Entry};
use serde::Serialize;

use super::table::{People, print_csv, print_json, table};
use super::{coverage, point};
use crate::cli::{DocumentFormat, List};
use crate::config;
use crate::failure::{Failure, stdout};
use crate::machine::Machine;
use crate::markup;
use crate::near;
use crate::reference::{Column, Key, Known, Limit, columns, keys, libraries, limits};
use crate::terminal;

/// An algorithm, as `--format json` prints it.
#[derive(Serialize)]
pub struct AlgorithmRow {
    algorithm: &'static str,
    problem: &'static str,
    axes: String,
    /// What states its costs: `formula`, `clock` or `execution`.
    cost: &'static str,
    summary: &'static str,
    paper: &'static str,
    place: &'static str,
    libraries: String,
}

impl AlgorithmRow {
    /// What the list says of an algorithm.
    #[must_use]
    pub fn of(entry: &Entry) -> Self {
        let known = libraries().into_iter().filter(|known| known.algorithm == entry.name);
        let places: Vec<String> = known.map(|known| known.place).collect();
        Self {
            algorithm: entry.name,
            problem: entry.problem().name(),
            axes: entry.axes().iter().map(|axis| axis.key).collect::<Vec<_>>().join(" "),
            cost: entry.proof(),
            summary: entry.summary,
            paper: entry.paper,
            place: entry.place,
            libraries: places.join("; "),
        }
    }
}

#[derive(Serialize)]
struct NumberRow {
    machine: String,
    basis: String,
    symbol: String,
    value: String,
    origin: String,
    valid: Option<String>,
    within_percent: Option<u64>,
}

/// Runs the verb.
///
/// # Errors
/// If stdout cannot be written.
pub fn run(arguments: &List) -> Result<(), Failure> {
    if arguments.machines {
        return machines(arguments.format, arguments.name.as_deref());
    }
    if arguments.columns {
        fn cells(row: &Column) -> [&str; 3] {
            [row.column, &row.place, &row.holds]
        }
        return reference(arguments.format, &columns(), (["column", "in", "holds"], true), cells);
    }
    if arguments.keys {
        fn cells(row: &Key) -> [&str; 3] {
            [row.key, row.table, &row.takes]
        }
        return reference(arguments.format, &keys(), (["key", "table", "takes"], true), cells);
    }
    if arguments.libraries {
        fn cells(row: &Known) -> [&str; 3] {
            [row.algorithm, &row.place, &row.compared]
        }
        return reference(arguments.format, &libraries(), (["algorithm", "in a library", "messages"], true), cells);
    }
    if arguments.limits {
        fn cells(row: &Limit) -> [&str; 3] {
            [row.what, row.largest, row.beyond]
        }
        return reference(arguments.format, &limits(), (["what", "largest", "beyond"], false), cells);
    }
    if arguments.verbs {
        return verbs(arguments.format);
    }
    let given = config::given(&arguments.with)?;
    algorithms(arguments.format, arguments.name.as_deref().or(arguments.problem.as_deref()), &given)
}

/// The algorithms of one problem or of all.
fn algorithms(format: DocumentFormat, problem: Option<&str>, given: &[Entry]) -> Result<(), Failure> {
    let named = |known: &&'static dyn AnyProblem| problem.is_none_or(|name| name == known.name());
    // A former name is answered, and not listed.
    let all = PROBLEMS.iter().copied().filter(|known| problem.is_some() || known.now().is_none());
    let problems: Vec<_> = all.filter(named).collect();
    if let (Some(name), []) = (problem, problems.as_slice()) {
        let advice = near::advice(name, current().map(|problem| problem.name()), "castbench list");
        return Err(Failure::usage(format_args!("there is no problem `{name}`; {advice}")));
    }
    let of = |problem: &&'static dyn AnyProblem| {
        let problem = *problem;
        entries().iter().chain(given).filter(move |entry| entry.problem() == problem).map(AlgorithmRow::of)
    };
    let rows = || problems.iter().flat_map(of).collect::<Vec<AlgorithmRow>>();
    match format {
        DocumentFormat::Csv => print_csv(&rows()),
        DocumentFormat::Json => print_json(&rows()),
        DocumentFormat::Table => {
            let blocks = problems.iter().map(|problem| {
                let options: Vec<String> = problem.axes().iter().map(Axis::option).collect();
                let rows: Vec<AlgorithmRow> = of(problem).collect();
                let people = about(&rows, problems.len() == 1);
                let now = problem.now().map_or_else(String::new, |now| format!("now {now}\n"));
                format!("{}: {}\n{now}options: {}\n{people}\n", problem.name(), problem.title(), options.join(" "))
            });
            say(&blocks.collect::<Vec<_>>().join("\n"))
        }
        DocumentFormat::Markdown => {
            let rows = rows();
            let cells = rows.iter().map(|row| {
                let source = format!("{}; {}", markup::markdown(row.paper), markup::markdown(row.place));
                [
                    format!("`{}`", row.algorithm).into(),
                    row.problem.into(),
                    row.cost.into(),
                    markup::markdown(row.summary).into(),
                    row.axes.as_str().into(),
                    source.into(),
                ]
            });
            say(&markup::table(&["algorithm", "problem", "cost", "what it does", "axes", "source"], cells))
        }
    }
}

/// A line for each algorithm of a problem, with its source where there is room for it.
fn about(rows: &[AlgorithmRow], has_sources: bool) -> People {
    let titles = ["algorithm", "cost", "what it does"].into_iter().chain(has_sources.then_some("source"));
    let mut people = table(titles).narrow();
    for row in rows {
        let source = [row.paper, row.place].map(str::to_owned).into_iter().filter(|text| !text.is_empty());
        let source = has_sources.then(|| source.collect::<Vec<_>>().join("; "));
        people
            .add_row([row.algorithm.to_owned(), row.cost.to_owned(), row.summary.to_owned()].into_iter().chain(source));
    }
    people
}

/// A reference table: rows of three texts. The first is printed as code if it is a name.
fn reference<R: Serialize>(
    format: DocumentFormat,
    rows: &[R],
    (titles, is_name): ([&str; 3], bool),
    cells: fn(&R) -> [&str; 3],
) -> Result<(), Failure> {
    match format {
        DocumentFormat::Csv => print_csv(rows),
        DocumentFormat::Json => print_json(rows),
        DocumentFormat::Table => {
            let mut people = table(titles).narrow();
            rows.iter().for_each(|row| people.add_row(cells(row)));
            say(&format!("{people}\n"))
        }
        DocumentFormat::Markdown => {
            let cells = rows.iter().map(|row| {
                let [first, second, third] = cells(row);
                let first = if is_name { format!("`{first}`").into() } else { markup::markdown(first).into() };
                [first, markup::markdown(second).into(), markup::markdown(third).into()]
            });
            say(&markup::table(&titles, cells))
        }
    }
}

/// A row for each problem, a column for each verb, and below the reasons why a verb does not support a problem.
fn verbs(format: DocumentFormat) -> Result<(), Failure> {
    let rows = coverage::rows()?;
    let mut reasons: Vec<&str> = rows.iter().map(|row| row.why_not).filter(|why_not| !why_not.is_empty()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let mark = |row: &coverage::Row| match reasons.iter().position(|reason| *reason == row.why_not) {
        None => "yes".to_owned(),
        Some(place) => format!("no ({})", place + 1),
    };
    let by_problem = rows.chunk_by(|one, other| one.problem == other.problem);
    let cells = by_problem.map(|rows| std::iter::once(rows[0].problem.to_owned()).chain(rows.iter().map(mark)));
    let titles = || std::iter::once("problem").chain(coverage::verbs());
    let notes: String =
        reasons.iter().enumerate().map(|(place, reason)| format!("\n({}) {reason}\n", place + 1)).collect();
    match format {
        DocumentFormat::Csv => print_csv(&rows),
        DocumentFormat::Json => print_json(&rows),
        DocumentFormat::Table => {
            let mut people = table(titles());
            cells.for_each(|row| {
                people.add_row(row);
            });
            say(&format!("{people}\n{notes}"))
        }
        DocumentFormat::Markdown => {
            let titles: Vec<&str> = titles().collect();
            let cells = cells.map(|row| row.map(Into::into));
            say(&format!("{}{notes}", markup::table(&titles, cells)))
        }
    }
}

fn machines(format: DocumentFormat, name: Option<&str>) -> Result<(), Failure> {
    let machines = name.map_or_else(Machine::built_in, |name| Ok(vec![point::named_machine(name)?]))?;
    let rows = machines.iter().flat_map(|machine| {
        machine.numbers().into_iter().map(|(symbol, value, origin)| NumberRow {
            machine: machine.name.clone(),
            basis: machine.basis.to_string(),
            symbol,
            value,
            origin: origin.to_owned(),
            valid: machine.valid().map(ToString::to_string),
            within_percent: machine.valid().map(|valid| valid.within_percent),
        })
    });
    let rows: Vec<NumberRow> = rows.collect();
    match format {
        DocumentFormat::Csv => print_csv(&rows),
        DocumentFormat::Json => print_json(&rows),
        DocumentFormat::Table => say(&machines.iter().map(numbers).collect::<Vec<_>>().join("\n")),
        DocumentFormat::Markdown => {
            let cells = rows.iter().map(|row| {
                let machine = markup::code(&row.machine).into();
                [
                    machine,
                    markup::markdown(&row.basis).into(),
                    row.symbol.as_str().into(),
                    markup::markdown(&row.value).into(),
                    markup::markdown(&row.origin).into(),
                ]
            });
            say(&markup::table(&["machine", "basis", "symbol", "value", "origin"], cells))
        }
    }
}

/// The numbers of a machine, below the sizes of messages for which they hold.
fn numbers(machine: &Machine) -> String {
    let valid = machine.valid().map_or_else(
        || "the profile states no sizes at which it is valid".to_owned(),
        |valid| format!("valid for messages of {valid}, within {} %", valid.within_percent),
    );
    let mut people = table(["symbol", "value", "origin"]).narrow();
    machine
        .numbers()
        .iter()
        .for_each(|(symbol, value, origin)| people.add_row([symbol.as_str(), value.as_str(), origin]));
    format!("{}: {}; {valid}\n{people}\n", machine.name, machine.basis)
}

fn say(text: &str) -> Result<(), Failure> {
    stdout(write!(terminal::text(), "{text}"))
}
