//! `castbench excess`: how far the best algorithm of a problem is above the lower bound, for each value of one axis.

use std::collections::BTreeMap;
use std::io::Write as _;

use algorithms::cost::{Exact, Limits};
use algorithms::problem::{AnyProblem, Axis, Kind, Value, spelled};

use super::table::{Record, table, write_csv, write_json};
use crate::cli::{Excess, Format};
use crate::config::{BuiltIn, Config};
use crate::failure::{Code, Failure, stdout};
use crate::grid::places;
use crate::sweep::Part;
use crate::terminal;
use crate::threads;
use crate::units::{grouped, plural};

struct Row {
    value: String,
    points: u64,
    at_bound: u64,
    above_by_1: u64,
    above_by_more: u64,
    worst_gap: u64,
    /// The first point with the largest gap: the other axes by their keys.
    worst: Vec<(&'static str, Value)>,
    /// At how many points each algorithm is among the best, most points first.
    best: Vec<(u64, &'static str)>,
}

/// The smallest cost above the bound at a point, and the algorithms that reach it, as bits in the order of the parts.
#[derive(Clone, Copy)]
struct Best {
    gap: u64,
    algorithms: u64,
}

/// Most of the best algorithms in a table; the CSV has all.
const SHOWN: usize = 3;

/// Most cells: the answer for each stays in memory.
const MAX_CELLS: u64 = 20_000_000;

/// A point: the value that groups the rows, then those of the other axes.
type Instance = Box<[Value]>;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid `--set` or `--by`, 3 for a bad configuration, 4 for one without that axis, 5 for a cost
/// below the bound, 9 for one above 64 bits.
pub fn run(arguments: &Excess) -> Result<(), Failure> {
    let config = Config::select(arguments.config.as_deref(), BuiltIn::PortsExcess, &arguments.set)?;
    let (parts, axes) = parts(&config, &arguments.by)?;
    let mut names: Vec<&'static str> = parts.iter().map(|part| part.entry.name).collect();
    names.dedup();
    let points = points(&parts, &axes, &names)?;
    let rows: Vec<Row> =
        points.chunk_by(|a, b| a.0[0] == b.0[0]).filter_map(|points| row(points, &axes, &names)).collect();
    let mut people = table([axes[0].key, "points", "at bound", "+1", "more", "worst", "first at", "among the best"]);
    for row in &rows {
        people.add_row(cells(row));
    }
    let records: Vec<Record> = rows.iter().map(|row| record(row, &axes)).collect();
    let mut out = terminal::text_if(arguments.format == Format::Table);
    match arguments.format {
        Format::Csv => write_csv(&records, &mut out)?,
        Format::Json => write_json(&records, &mut out)?,
        Format::Table => stdout(writeln!(out, "{people}"))?,
    }
    if arguments.format == Format::Table {
        stdout(writeln!(out, "{} from {}", plural(points.len() as u64, "point"), config.name()))?;
    }
    Ok(())
}

/// The parts of the one problem that has the axis, and its axes, that one first.
fn parts<'a>(config: &'a Config, by: &str) -> Result<(Vec<Part<'a>>, Vec<&'static Axis>), Failure> {
    let mut parts = Part::all(config)?;
    parts.retain(|part| part.entry.axes().iter().any(|axis| axis.key == by));
    let name = config.name();
    let Some(problem) = parts.first().map(|part| part.entry.problem()) else {
        let explanation = format_args!("{name}: no problem of the grids has the axis `{by}`; name another with --by");
        return Err(Failure::new(Code::Nothing, explanation));
    };
    if let Some(other) = parts.iter().map(|part| part.entry.problem()).find(|other| *other != problem) {
        let [one, other] = [problem, other].map(AnyProblem::name);
        return Err(Failure::usage(format_args!(
            "{name}: both {one} and {other} have the axis `{by}`; keep the grids of one problem, or name another \
             axis with --by"
        )));
    }
    let is_profile = |axis: &Axis| axis.kind == Kind::Profile;
    let on_profile = parts.iter().any(|part| {
        part.grid.axes.keys().any(|key| problem.axes().iter().any(|axis| axis.key == *key && is_profile(axis)))
    });
    if problem.fractions() || on_profile {
        let what = if on_profile { "has machine profiles" } else { "has costs that are fractions" };
        return Err(Failure::usage(format_args!(
            "{name}: {} {what}; expected whole numbers of one unit",
            problem.name()
        )));
    }
    let all = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
    if all > MAX_CELLS {
        let [all, most] = [all, MAX_CELLS].map(grouped);
        return Err(Failure::usage(format_args!(
            "{name}: {all} points; at most {most} are compared in memory; shorten an axis with --set"
        )));
    }
    let form = places(problem, |_| false).into_iter().map(|place| &problem.axes()[place]);
    let (own, others): (Vec<&Axis>, Vec<&Axis>) = form.partition(|axis| axis.key == by);
    Ok((parts, own.into_iter().chain(others).collect()))
}

fn points(parts: &[Part<'_>], axes: &[&'static Axis], names: &[&str]) -> Result<Vec<(Instance, Best)>, Failure> {
    let mut points: BTreeMap<Instance, Best> = BTreeMap::new();
    for part in parts {
        let bit = names.iter().position(|name| *name == part.entry.name).map_or(0, |place| 1u64 << place);
        let gaps = threads::in_order(0..part.cells(), |number| gap(part, axes, number))?;
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
    Ok(points.into_iter().collect())
}

/// How far the algorithm of a part is above the bound in a cell; none if it is not defined there.
fn gap(part: &Part<'_>, axes: &[&Axis], number: u64) -> Result<Option<(Instance, u64)>, Failure> {
    let Some(cell) = part.cell(number) else { return Ok(None) };
    let evaluation = match cell.evaluate(&Limits { nodes: 0, hops: 0 }) {
        Err(refused) if refused.is_not_applicable() => return Ok(None),
        Err(refused) => {
            return Err(Failure::new(Code::PointsFailed, format_args!("{}: {refused}", cell.command())));
        }
        Ok(evaluation) => evaluation,
    };
    let (Some(Exact::Integer(cost)), Exact::Integer(least)) = (evaluation.analytic, evaluation.lower_bound) else {
        return Ok(None);
    };
    let gap = cost.checked_sub(least).ok_or_else(|| {
        let unit = cell.entry.problem().unit(&cell.values).plural();
        let below = format_args!("{}: {cost} {unit} are below the bound of {least}", cell.command());
        Failure::new(Code::Disagreement, format_args!("{below}; this is a bug in castbench"))
    })?;
    Ok(Some((axes.iter().map(|axis| cell.value(axis.key)).collect(), gap)))
}

fn row(points: &[(Instance, Best)], axes: &[&'static Axis], names: &[&'static str]) -> Option<Row> {
    let count = |is: &dyn Fn(&Best) -> bool| points.iter().filter(|(_, best)| is(best)).count() as u64;
    let worst_gap = points.iter().map(|(_, best)| best.gap).max()?;
    let (worst, _) = points.iter().find(|(_, best)| best.gap == worst_gap)?;
    let mut best: Vec<(u64, &'static str)> = (0..)
        .zip(names)
        .map(|(place, name)| (count(&|best| best.algorithms >> place & 1 == 1), *name))
        .filter(|(points, _)| *points > 0)
        .collect();
    // A stable sort: algorithms with equal counts stay in the order of the catalogue.
    best.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
    Some(Row {
        value: worst[0].map_or_else(String::new, |value| spelled(axes[0], value).into_owned()),
        points: points.len() as u64,
        at_bound: count(&|best| best.gap == 0),
        above_by_1: count(&|best| best.gap == 1),
        above_by_more: count(&|best| best.gap > 1),
        worst_gap,
        worst: axes.iter().zip(worst).skip(1).map(|(axis, value)| (axis.key, *value)).collect(),
        best,
    })
}

fn record(row: &Row, axes: &[&Axis]) -> Record {
    let value = row.value.parse::<u64>().map_or_else(|_| row.value.clone().into(), serde_json::Value::from);
    let counts = [
        ("points", row.points),
        ("at_bound", row.at_bound),
        ("above_by_1", row.above_by_1),
        ("above_by_more", row.above_by_more),
        ("worst_gap", row.worst_gap),
    ];
    let mut fields = vec![(axes[0].key.to_owned(), value)];
    fields.extend(counts.map(|(column, count)| (column.to_owned(), count.into())));
    fields.extend(row.worst.iter().map(|(key, value)| (format!("worst_{key}"), (*value).into())));
    let best: Vec<String> = row.best.iter().map(|(points, name)| format!("{name}:{points}")).collect();
    fields.push(("best".to_owned(), best.join(" ").into()));
    Record(fields)
}

fn cells(row: &Row) -> [String; 8] {
    let share = |points: u64| format!("{:.2} %", 100.0 * points as f64 / row.points as f64);
    let best: Vec<String> =
        row.best.iter().take(SHOWN).map(|(points, name)| format!("{name} {}", share(*points))).collect();
    let worst: Vec<String> =
        row.worst.iter().filter_map(|(key, value)| Some(format!("{key} = {}", (*value)?))).collect();
    [
        row.value.clone(),
        grouped(row.points),
        share(row.at_bound),
        share(row.above_by_1),
        share(row.above_by_more),
        format!("+{}", row.worst_gap),
        if row.worst_gap == 0 { String::new() } else { worst.join(", ") },
        best.join(", "),
    ]
}
