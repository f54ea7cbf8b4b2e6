//! `castbench plan`: how many points a configuration holds, before anything runs.

use std::io::Write as _;

use serde::Serialize;

use super::table::{print, table};
use crate::cli::{Format, Plan};
use crate::config::{BuiltIn, Config};
use crate::failure::{Failure, stdout};
use crate::sweep::Part;
use crate::units::{grouped, plural};

#[derive(Serialize)]
struct PlanRow {
    algorithm: &'static str,
    grid: String,
    points: u64,
    not_applicable: u64,
    simulated: u64,
    in_earlier_grid: u64,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration, 4 for one without points.
pub fn run(arguments: &Plan) -> Result<(), Failure> {
    let config = Config::select(arguments.selection.config.as_deref(), BuiltIn::Default, &arguments.selection.set)?;
    let rows: Vec<PlanRow> = Part::all(&config)?.iter().map(|part| count(part, &config)).collect();
    let total: u64 = rows.iter().map(|row| row.points).sum();
    let mut people = table(["algorithm", "grid", "points", "not applicable", "simulated, too", "left to earlier grid"]);
    for row in &rows {
        let counts = [row.points, row.not_applicable, row.simulated, row.in_earlier_grid].map(grouped);
        people.add_row([row.algorithm.to_owned(), row.grid.clone()].into_iter().chain(counts));
    }
    print(arguments.format, &rows, &people)?;
    if arguments.format == Format::Table {
        let mut out = anstream::stdout().lock();
        stdout(writeln!(out, "{} from {}", plural(total, "point"), config.name()))?;
    }
    Ok(())
}

fn count(part: &Part<'_>, config: &Config) -> PlanRow {
    let mut row = PlanRow {
        algorithm: part.entry.name,
        grid: part.grid.name.clone(),
        points: 0,
        not_applicable: 0,
        simulated: 0,
        in_earlier_grid: 0,
    };
    for number in 0..part.cells() {
        match part.cell(number, config.seed) {
            None => row.in_earlier_grid += 1,
            Some(cell) => {
                row.points += 1;
                match cell.point().and_then(|point| part.entry.check(&point).map(|()| point)) {
                    Err(_) => row.not_applicable += 1,
                    Ok(point) => row.simulated += u64::from(part.entry.simulates(&point, &config.limits)),
                }
            }
        }
    }
    row
}
