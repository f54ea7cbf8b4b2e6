//! `castbench list`: the catalogue, and the machine profiles.

use std::io::Write as _;

use algorithms::catalogue::entries;
use algorithms::problem::Entry;
use serde::Serialize;

use super::table::{markdown, plain, print_csv, print_json, table};
use crate::cli::{DocumentFormat, List};
use crate::failure::{Failure, stdout};
use crate::machine::Machine;

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
                    plain(row.summary).into(),
                    row.axes.as_str().into(),
                    source.into(),
                ]
            });
            say(&markdown(["algorithm", "what it does", "axes", "source"], cells))
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
            say(&markdown(["machine", "basis", "symbol", "value", "origin"], cells))
        }
    }
}

fn say(text: &str) -> Result<(), Failure> {
    stdout(write!(anstream::stdout().lock(), "{text}"))
}
