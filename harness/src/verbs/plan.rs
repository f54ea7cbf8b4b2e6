//! `castbench plan`: how many points a configuration or each of its shards holds, before anything runs.

use std::io::Write as _;

use clap::Args;
use serde::Serialize;

use super::sweep::Selection;
use super::table::{print, print_csv, print_json, table};
use crate::config::Config;
use crate::failure::{Failure, stdout, tell};
use crate::print::Format;
use crate::record::shard::{MAX_SHARDS, Shard};
use crate::sweep::{Estimate, Part};
use crate::terminal;
use crate::units::parse_count;
use crate::units::{grouped, plural, volume};

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub struct Plan {
    /// The grids.
    #[command(flatten)]
    pub selection: Selection,
    /// Print the number of points of each of N shards instead; a point in several grids counts in each
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    pub shards: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Above this many parts or points a note says that the plan takes a while.
const MANY_PARTS: usize = 10_000;
const MANY_CELLS: u64 = 1_000_000;

#[derive(Serialize)]
struct PlanRow {
    algorithm: &'static str,
    grid: String,
    points: u64,
    not_applicable: u64,
    simulated: u64,
    in_earlier_grid: u64,
    /// Whether every point was counted, or a sample.
    exact: bool,
    #[serde(skip)]
    slow: bool,
    /// In units of one point that is not simulated.
    work: u64,
    estimated_csv_bytes: u64,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for `--shards 0`, 3 for a bad configuration or figures without rows in it, 4 for one without points.
pub fn run(arguments: &Plan) -> Result<(), Failure> {
    let config = Config::survey(arguments.selection.config.as_deref(), &arguments.selection.set)?;
    match config.check_figures() {
        // `--set` chooses a part of the grids, of which figures may need another.
        Err(gap) if !arguments.selection.set.is_empty() => {
            tell(format_args!("note: `run` will refuse\n{}", gap.message))
        }
        checked => checked?,
    }
    let parts = Part::all(&config)?;
    if let Some(of) = arguments.shards {
        return shards(&parts, of, arguments.format);
    }
    let cells = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
    if parts.len() > MANY_PARTS || cells > MANY_CELLS {
        let (cells, parts) = (grouped(cells), plural(parts.len() as u64, "part"));
        tell(format_args!("note: counting {cells} points in {parts} may take half a minute; --shards is quicker"));
    }
    let rows = rows(&parts, &config);
    match arguments.format {
        Format::Table | Format::Markdown => show(&rows, &config)?,
        Format::Json => print_json(&rows)?,
        Format::Csv => print_csv(&rows)?,
    }
    let slow = rows.iter().filter(|row| row.slow).count() as u64;
    if let Some(PlanRow { algorithm, grid, .. }) = rows.iter().find(|row| row.slow) {
        tell(format_args!(
            "some points of `{algorithm}` over `{grid}` ({} in all) take one or two seconds each, or are refused \
             after that; they count as applicable; their trees have many kinds of subtrees; lower K, or set L and o \
             closer to g, to be quicker",
            plural(slow, "such row")
        ));
    }
    if let Some(refusal) = config.too_many_points() {
        tell(format_args!("a sweep will refuse this configuration: {refusal}; shorten an axis, or raise the limit"));
    }
    Ok(())
}

fn rows(parts: &[Part<'_>], config: &Config) -> Vec<PlanRow> {
    let row = |(part, estimate): (&Part<'_>, Estimate)| PlanRow {
        algorithm: part.entry.name,
        grid: part.grid.name.clone(),
        points: estimate.points,
        not_applicable: estimate.not_applicable,
        simulated: estimate.simulated,
        in_earlier_grid: estimate.in_earlier_grid,
        work: estimate.work,
        exact: estimate.exact,
        slow: estimate.slow,
        estimated_csv_bytes: estimate.csv_bytes,
    };
    parts.iter().zip(Estimate::of_all(parts, config)).map(row).collect()
}

fn show(rows: &[PlanRow], config: &Config) -> Result<(), Failure> {
    let mut people = table(["algorithm", "grid", "points", "not applicable", "simulated", "in earlier grid", "work"]);
    for row in rows {
        let shares = [row.not_applicable, row.simulated].map(|count| match row.exact {
            true => grouped(count),
            false => format!("about {}", grouped(count)),
        });
        let [points, left, work] = [row.points, row.in_earlier_grid, row.work].map(grouped);
        let [not_applicable, simulated] = shares;
        people.add_row([row.algorithm.to_owned(), row.grid.clone(), points, not_applicable, simulated, left, work]);
    }
    let total: u64 = rows.iter().map(|row| row.points).fold(0, u64::saturating_add);
    let bytes: u64 = rows.iter().map(|row| row.estimated_csv_bytes).fold(0, u64::saturating_add);
    let mut out = terminal::text();
    stdout(writeln!(out, "{people}\n{} from {}", plural(total, "point"), config.name()))?;
    stdout(writeln!(out, "a sweep writes about {}", volume(bytes)))
}

#[derive(Serialize)]
struct ShardRow {
    shard: u64,
    of: u64,
    points: u64,
}

/// The size of each shard. A point of several grids counts in each of them.
fn shards(parts: &[Part<'_>], of: u64, format: Format) -> Result<(), Failure> {
    if !(1..=MAX_SHARDS).contains(&of) {
        let most = grouped(MAX_SHARDS);
        return Err(Failure::usage(format_args!("--shards: expected a number of shards from 1 to {most}")));
    }
    let cells = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
    let row = |index| ShardRow { shard: index, of, points: Shard { index, of }.share(cells) };
    let rows: Vec<ShardRow> = (1..=of).map(row).collect();
    let mut people = table(["shard", "points, at most"]);
    for row in rows.iter().filter(|_| format == Format::Table) {
        people.add_row([format!("{}/{of}", row.shard), grouped(row.points)]);
    }
    print(format, &rows, &people)
}
