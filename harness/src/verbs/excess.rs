//! `castbench excess`: how many rounds the best broadcast on k ports is above the lower bound by counting, for each k.

use std::collections::BTreeMap;
use std::io::Write as _;

use algorithms::cost::{Exact, Limits};
use rayon::prelude::*;
use serde::Serialize;

use super::table::{print, table};
use crate::cli::{Excess, Format};
use crate::config::{BuiltIn, Config};
use crate::failure::{Code, Failure, stdout};
use crate::sweep::Part;
use crate::units::{grouped, plural};

/// What is known of the points with k ports.
#[derive(Serialize)]
struct Row {
    k: u64,
    points: u64,
    at_bound: u64,
    above_by_1: u64,
    above_by_more: u64,
    /// In rounds.
    worst_gap: u64,
    /// The first point with this gap.
    worst_n: u64,
    worst_m: u64,
    /// At how many points each algorithm is among the best, as `name:points`, most points first.
    best: String,
}

/// The least rounds above the bound at a point, and who takes them, as bits in the order of the parts.
#[derive(Clone, Copy)]
struct Best {
    gap: u64,
    algorithms: u64,
}

/// How many of the best algorithms a table for people names; the CSV names all.
const SHOWN: usize = 3;

/// Most cells that are looked at: what is known of each stays in memory.
const MAX_CELLS: u64 = 20_000_000;

/// The problem whose costs are compared.
const PROBLEM: &str = "k-port-broadcast";

/// A point, k first: as the rows are grouped.
type Instance = (u64, u64, u64);

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a `--set` that makes no sense, 3 for a bad configuration, 4 for one without a broadcast on k ports, 5 for a cost below
/// the bound, 9 for one that does not fit.
pub fn run(arguments: &Excess) -> Result<(), Failure> {
    let config = Config::select(arguments.config.as_deref(), BuiltIn::PortsExcess, &arguments.set)?;
    let parts: Vec<Part<'_>> =
        Part::all(&config)?.into_iter().filter(|part| part.entry.problem().name() == PROBLEM).collect();
    let all = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
    if all > MAX_CELLS {
        let [all, most] = [all, MAX_CELLS].map(grouped);
        return Err(Failure::usage(format_args!(
            "{}: {all} points are more than the {most} that are compared in memory; shorten an axis with --set",
            config.name()
        )));
    }
    let mut names: Vec<&'static str> = parts.iter().map(|part| part.entry.name).collect();
    names.dedup();
    let mut points: BTreeMap<Instance, Best> = BTreeMap::new();
    for part in &parts {
        let bit = names.iter().position(|name| *name == part.entry.name).map_or(0, |place| 1u64 << place);
        let gaps: Vec<Option<(Instance, u64)>> =
            (0..part.cells()).into_par_iter().map(|number| gap(part, number)).collect::<Result<_, Failure>>()?;
        for (instance, gap) in gaps.into_iter().flatten() {
            let best = points.entry(instance).or_insert(Best { gap, algorithms: 0 });
            if gap < best.gap {
                *best = Best { gap, algorithms: 0 };
            }
            if gap == best.gap {
                best.algorithms |= bit;
            }
        }
    }
    if points.is_empty() {
        let name = config.name();
        let explanation = format_args!(
            "{name}: no grid holds a broadcast on k ports; add a [[grid]] with n, k and m, as configs/ports-excess.toml has"
        );
        return Err(Failure::new(Code::Nothing, explanation));
    }
    let all: Vec<(Instance, Best)> = points.into_iter().collect();
    let rows: Vec<Row> = all.chunk_by(|a, b| a.0.0 == b.0.0).filter_map(|points| row(points, &names)).collect();
    let mut people = table(["k", "points", "at bound", "+1", "more", "worst", "first at", "among the best"]);
    for row in &rows {
        people.add_row(cells(row));
    }
    print(arguments.format, &rows, &people)?;
    if arguments.format == Format::Table {
        let mut out = anstream::stdout().lock();
        stdout(writeln!(out, "{} from {}", plural(all.len() as u64, "point"), config.name()))?;
    }
    Ok(())
}

/// By how many rounds the algorithm of a part is above the bound in a cell; none where it does not exist.
fn gap(part: &Part<'_>, number: u64) -> Result<Option<(Instance, u64)>, Failure> {
    let Some(cell) = part.cell(number) else { return Ok(None) };
    let evaluation = match cell.evaluate(&Limits { nodes: 0, hops: 0 }) {
        Err(refused) if refused.is_not_applicable() => return Ok(None),
        Err(refused) => {
            return Err(Failure::new(Code::PointsFailed, format_args!("{}: {refused}", cell.command())));
        }
        Ok(evaluation) => evaluation,
    };
    let (Some(Exact::Integer(rounds)), Exact::Integer(least)) = (evaluation.analytic, evaluation.lower_bound) else {
        return Ok(None);
    };
    let gap = rounds.checked_sub(least).ok_or_else(|| {
        let below = format_args!("{}: {rounds} rounds are below the bound of {least}", cell.command());
        Failure::new(Code::Disagreement, format_args!("{below}; this is a bug in castbench"))
    })?;
    let value = |key: &str| cell.value(key).unwrap_or_default();
    Ok(Some(((value("k"), value("n"), value("m")), gap)))
}

/// The points of one k.
fn row(points: &[(Instance, Best)], names: &[&str]) -> Option<Row> {
    let count = |is: &dyn Fn(&Best) -> bool| points.iter().filter(|(_, best)| is(best)).count() as u64;
    let worst_gap = points.iter().map(|(_, best)| best.gap).max()?;
    let &((k, worst_n, worst_m), _) = points.iter().find(|(_, best)| best.gap == worst_gap)?;
    let mut best: Vec<(u64, &str)> = (0..)
        .zip(names)
        .map(|(place, name)| (count(&|best| best.algorithms >> place & 1 == 1), *name))
        .filter(|(points, _)| *points > 0)
        .collect();
    // Stable: of equals the first of the catalogue.
    best.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
    Some(Row {
        k,
        points: points.len() as u64,
        at_bound: count(&|best| best.gap == 0),
        above_by_1: count(&|best| best.gap == 1),
        above_by_more: count(&|best| best.gap > 1),
        worst_gap,
        worst_n,
        worst_m,
        best: best.iter().map(|(points, name)| format!("{name}:{points}")).collect::<Vec<_>>().join(" "),
    })
}

/// A row for people: shares, and where the worst gap is.
fn cells(row: &Row) -> [String; 8] {
    let share = |points: u64| format!("{:.2} %", 100.0 * points as f64 / row.points as f64);
    let best: Vec<String> = row
        .best
        .split(' ')
        .take(SHOWN)
        .filter_map(|best| best.split_once(':'))
        .map(|(name, points)| format!("{name} {}", share(points.parse().unwrap_or(0))))
        .collect();
    let worst_at = if row.worst_gap == 0 { String::new() } else { format!("n = {}, m = {}", row.worst_n, row.worst_m) };
    [
        row.k.to_string(),
        grouped(row.points),
        share(row.at_bound),
        share(row.above_by_1),
        share(row.above_by_more),
        format!("+{}", row.worst_gap),
        worst_at,
        best.join(", "),
    ]
}
