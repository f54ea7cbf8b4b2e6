//! `castbench list`: the catalogue, and the machine profiles.

use std::io::Write as _;

use algorithms::catalogue::{PROBLEMS, entries};
use algorithms::problem::{Entry, Kind};
use serde::Serialize;

use super::coverage;
use super::table::{markdown, plain, print_csv, print_json, table};
use crate::cli::{DocumentFormat, List};
use crate::failure::{Failure, stdout};
use crate::machine::Machine;
use crate::record::row;

#[derive(Serialize)]
struct AlgorithmRow {
    algorithm: &'static str,
    problem: &'static str,
    axes: String,
    summary: &'static str,
    paper: &'static str,
    place: &'static str,
}

impl AlgorithmRow {
    fn of(entry: &Entry) -> Self {
        Self {
            algorithm: entry.name,
            problem: entry.problem().name(),
            axes: entry.axes().iter().map(|axis| axis.key).collect::<Vec<_>>().join(" "),
            summary: entry.summary,
            paper: entry.paper,
            place: entry.place,
        }
    }
}

#[derive(Serialize)]
struct NumberRow {
    machine: String,
    basis: String,
    symbol: &'static str,
    value: String,
    origin: String,
}

/// Runs the verb.
///
/// # Errors
/// Only what writing to stdout gives.
pub fn run(arguments: &List) -> Result<(), Failure> {
    if arguments.machines {
        return machines(arguments.format);
    }
    if arguments.columns {
        return columns(arguments.format);
    }
    if arguments.verbs {
        return verbs(arguments.format);
    }
    let wanted = |entry: &&Entry| arguments.problem.as_ref().is_none_or(|name| name == entry.problem().name());
    let rows: Vec<AlgorithmRow> = entries().iter().filter(wanted).map(AlgorithmRow::of).collect();
    match arguments.format {
        DocumentFormat::Csv => print_csv(&rows),
        DocumentFormat::Json => print_json(&rows),
        DocumentFormat::Table => {
            let mut people = table(["algorithm", "problem", "axes", "paper", "where"]);
            for row in &rows {
                people.add_row([row.algorithm, row.problem, &row.axes, row.paper, row.place]);
            }
            say(&format!("{people}\n"))
        }
        DocumentFormat::Markdown => {
            let cells = rows.iter().map(|row| {
                let source = format!("{}; {}", plain(row.paper), plain(row.place));
                [
                    format!("`{}`", row.algorithm).into(),
                    row.problem.into(),
                    plain(row.summary).into(),
                    row.axes.as_str().into(),
                    source.into(),
                ]
            });
            say(&markdown(&["algorithm", "problem", "what it does", "axes", "source"], cells))
        }
    }
}

#[derive(Serialize)]
struct ColumnRow {
    column: &'static str,
    problems: String,
    holds: String,
}

/// The columns of all problems, those of the same name and meaning in one row.
fn column_rows() -> Vec<ColumnRow> {
    let mut rows: Vec<(&str, String, Vec<&str>)> = Vec::new();
    let mut add = |column: &'static str, holds: String, problem: &'static str| match rows
        .iter_mut()
        .find(|row| (row.0, &row.1) == (column, &holds))
    {
        Some(row) => row.2.push(problem),
        None => rows.push((column, holds, vec![problem])),
    };
    for problem in PROBLEMS {
        add(row::ALGORITHM, "name in the catalogue".to_owned(), problem.name());
        for axis in problem.axes() {
            for (place, column) in axis.columns.iter().enumerate() {
                let holds = match (axis.kind, place) {
                    (Kind::Profile, 0) => "name of the machine profile".to_owned(),
                    (Kind::Profile, _) => "whether that profile is `measured`, `estimated` or `unreliable`".to_owned(),
                    (Kind::Sides, 0) => "columns of the mesh".to_owned(),
                    (Kind::Sides, _) => "rows of the mesh".to_owned(),
                    _ => axis.meaning.to_owned(),
                };
                add(column, holds, problem.name());
            }
        }
    }
    for (column, holds) in row::TAIL {
        PROBLEMS.iter().for_each(|problem| add(column, holds.to_owned(), problem.name()));
    }
    let told = |(column, holds, problems): (&'static str, String, Vec<&str>)| {
        let problems = if problems.len() == PROBLEMS.len() { "all".to_owned() } else { problems.join(", ") };
        ColumnRow { column, problems, holds }
    };
    rows.into_iter().map(told).collect()
}

fn columns(format: DocumentFormat) -> Result<(), Failure> {
    let rows = column_rows();
    match format {
        DocumentFormat::Csv => print_csv(&rows),
        DocumentFormat::Json => print_json(&rows),
        DocumentFormat::Table => {
            let mut people = table(["column", "problems", "holds"]);
            for row in &rows {
                people.add_row([row.column, &row.problems, &row.holds]);
            }
            say(&format!("{people}\n"))
        }
        DocumentFormat::Markdown => {
            let cells = rows.iter().map(|row| {
                [format!("`{}`", row.column).into(), row.problems.as_str().into(), plain(&row.holds).into()]
            });
            say(&markdown(&["column", "problems", "holds"], cells))
        }
    }
}

/// A row for each problem, a column for each verb; why a verb does not answer stands below.
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
            say(&format!("{}{notes}", markdown(&titles, cells)))
        }
    }
}

fn machines(format: DocumentFormat) -> Result<(), Failure> {
    let machines = Machine::built_in()?;
    let rows = machines.iter().flat_map(|machine| {
        machine.numbers().map(|(symbol, value, origin)| NumberRow {
            machine: machine.name.clone(),
            basis: machine.basis.to_string(),
            symbol,
            value,
            origin: origin.to_owned(),
        })
    });
    let rows: Vec<NumberRow> = rows.collect();
    match format {
        DocumentFormat::Csv => print_csv(&rows),
        DocumentFormat::Json => print_json(&rows),
        DocumentFormat::Table => {
            let mut people = table(["machine", "basis", "symbol", "value", "origin"]);
            for row in &rows {
                people.add_row([&row.machine, &row.basis, row.symbol, &row.value, &row.origin]);
            }
            say(&format!("{people}\n"))
        }
        DocumentFormat::Markdown => {
            let cells = rows.iter().map(|row| {
                let machine = format!("`{}`", row.machine).into();
                [
                    machine,
                    plain(&row.basis).into(),
                    row.symbol.into(),
                    plain(&row.value).into(),
                    plain(&row.origin).into(),
                ]
            });
            say(&markdown(&["machine", "basis", "symbol", "value", "origin"], cells))
        }
    }
}

fn say(text: &str) -> Result<(), Failure> {
    stdout(write!(anstream::stdout().lock(), "{text}"))
}
