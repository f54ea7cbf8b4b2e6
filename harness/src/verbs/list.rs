//! `castbench list`: the catalogue, and the machine profiles.

use algorithms::catalogue::{ALGORITHMS, Axis, Entry};
use serde::Serialize;

use super::table::{print, table};
use crate::cli::List;
use crate::failure::Failure;
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
