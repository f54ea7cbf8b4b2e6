//! `castbench plan`: how many points a configuration holds, or each of its shards, before anything runs.

use std::io::Write as _;

use serde::Serialize;

use super::table::{print, table};
use crate::cli::{Format, Plan};
use crate::config::{BuiltIn, Config};
use crate::failure::{Failure, stdout};
use crate::sweep::{Cuts, MOST_SHARDS, Part};
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
    let parts = Part::all(&config)?;
    if let Some(of) = arguments.shards {
        return shards(&parts, &config, of, arguments.format);
    }
    let rows: Vec<PlanRow> = parts.iter().map(|part| count(part, &config)).collect();
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

#[derive(Serialize)]
struct ShardRow {
    shard: u64,
    of: u64,
    points: u64,
    estimated_core_seconds: f64,
}

/// How large each shard is. A point that several grids hold counts in each of them here.
fn shards(parts: &[Part<'_>], config: &Config, of: u64, format: Format) -> Result<(), Failure> {
    if !(1..=MOST_SHARDS).contains(&of) {
        let most = grouped(MOST_SHARDS);
        return Err(Failure::usage(format_args!("--shards: expected a number of shards from 1 to {most}")));
    }
    let cuts = Cuts::new(parts, config, of);
    let rows: Vec<ShardRow> = (1..=of)
        .map(|index| {
            let stretch = cuts.stretch(index);
            ShardRow {
                shard: index,
                of,
                points: stretch.points(parts),
                estimated_core_seconds: stretch.effort as f64 / 1e9,
            }
        })
        .collect();
    let total: f64 = rows.iter().map(|row| row.estimated_core_seconds).sum();
    let mut people = table(["shard", "points", "core seconds, about", "share"]);
    for row in &rows {
        let share = 100.0 * row.estimated_core_seconds / total;
        let seconds = row.estimated_core_seconds;
        people.add_row([
            format!("{}/{of}", row.shard),
            grouped(row.points),
            if seconds < 10.0 { format!("{seconds:.1}") } else { format!("{seconds:.0}") },
            format!("{share:.1} %"),
        ]);
    }
    print(format, &rows, &people)
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
