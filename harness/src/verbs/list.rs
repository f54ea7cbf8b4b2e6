//! `castbench list`: the catalogue, and the machine profiles.

use std::io::Write as _;

use algorithms::catalogue::{ALGORITHMS, Axis, Entry};
use serde::Serialize;

use super::table::table;
use crate::cli::{Format, List};
use crate::failure::{Code, Failure, stdout};
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
            problem: entry.problem().slug(),
            axes: entry.axes().iter().map(|axis: &Axis| axis.symbol()).collect::<Vec<_>>().join(" "),
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
        let mut people = table(["machine", "basis", "symbol", "value", "origin"]);
        for row in &rows {
            people.add_row([&row.machine, &row.basis, row.symbol, &row.value, &row.origin]);
        }
        return print(arguments.format, &rows, &people);
    }
    let rows: Vec<AlgorithmRow> = ALGORITHMS.iter().map(AlgorithmRow::of).collect();
    let mut people = table(["algorithm", "problem", "axes", "paper", "where"]);
    for row in &rows {
        people.add_row([row.algorithm, row.problem, &row.axes, row.paper, row.place]);
    }
    print(arguments.format, &rows, &people)
}

/// Prints rows in the format asked for.
pub(super) fn print<T: Serialize>(format: Format, rows: &[T], people: &comfy_table::Table) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match format {
        Format::Table => stdout(writeln!(out, "{people}")),
        Format::Json => {
            stdout(serde_json::to_writer_pretty(&mut out, rows).map_err(Into::into).and_then(|()| writeln!(out)))
        }
        Format::Csv => stdout(out.write_all(&csv_bytes(rows)?)),
    }
}

/// Rows as CSV with a header.
pub(super) fn csv_bytes<T: Serialize>(rows: &[T]) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter()
        .try_for_each(|row| writer.serialize(row))
        .map_err(|error| error.to_string())
        .and_then(|()| writer.into_inner().map_err(|error| error.to_string()))
        .map_err(|error| Failure::new(Code::Internal, error))
}
