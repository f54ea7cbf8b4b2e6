//! The columns of a case: its axes, the best algorithm, the next ones, the default of a library.

use algorithms::cost::{Exact, Unit};
use algorithms::problem::{Axis, Kind};

use super::question::{Case, Choice, Executed, Question};
use crate::base::units::{NONE, joined, plural, show_bytes};
use crate::figures::select::is_bytes;
use crate::print::Columns;
use crate::record::{rounded, row};
use crate::space::machine::PORTS;
use crate::space::{Cell, is_owned};

/// A case with its question.
pub(super) type Row<'a> = (&'a Question, &'a Case);

/// The columns of the axes: in tables only of those that are not fixed.
///
/// `of` finds the case of a row.
pub(super) fn of_axes<'a, R: 'a>(question: &Question, of: fn(&R) -> Row<'_>) -> Columns<'a, R> {
    let axes = question.problem.axes;
    let of_cell = move |row: &R, column: &str| {
        let row = of(row);
        row::fields(&row.0.cell(row.1.best.entry, row.1.values))
            .into_iter()
            .filter(|(name, value)| *name == column && value != NONE)
            .map(|(_, value)| value)
            .next()
    };
    let data = axes
        .iter()
        .filter(|axis| !axis.is_open)
        .flat_map(|axis| axis.columns)
        .fold(Columns::empty(), |columns, name| {
            columns.data(*name, "", move |row| of_cell(row, name))
        });
    let is_shown = |index: usize, values: &[u64]| match axes[index].kind {
        Kind::Profile => values.len() > 1,
        _ if axes[index].key == PORTS => true,
        _ => values.len() > 1 || axes[index].default != values.first().copied(),
    };
    let plane = question.plane();
    let shown = plane
        .iter()
        .filter(|(index, values)| is_shown(*index, values))
        .map(|(index, _)| *index);
    // What a profile can own is in no plane where it is not asked.
    let machines = &question.space.machines;
    let is_stated = |axis: &Axis| {
        machines
            .values_of(axis)
            .into_iter()
            .any(|own| axis.default != Some(own))
    };
    let owned = (0..axes.len()).filter(|index| {
        let axis = &axes[*index];
        let is_asked = plane.iter().any(|(asked, _)| asked == index);
        is_owned(axis) && !is_asked && (axis.key == PORTS || is_stated(axis))
    });
    shown.chain(owned).fold(data, |columns, index| {
        columns.text(axes[index].key, move |row: &R| {
            let (question, case) = of(row);
            value(&question.cell(case.best.entry, case.values), index)
        })
    })
}

/// The column of the algorithms without a cost.
pub(in super::super) const NOT_COMPARED: &str = "not_compared";
pub(in super::super) const HOLDS_ABSENT: &str =
    "algorithms that were asked and have no cost here, each with the reason";

pub(super) fn not_compared(case: &Case) -> Vec<String> {
    case.absent
        .iter()
        .map(|absent| format!("{}: {}", absent.entry.name, absent.why))
        .collect()
}

fn runner_up<'r>(row: &'r Row<'_>) -> Option<&'r Choice> {
    row.1.runner_up.as_ref()
}

fn of_library<'r>(row: &'r Row<'_>) -> Option<&'r Choice> {
    row.1.library.as_ref()
}

/// The columns after those of the axes: with the cuts of messages, beside a library, with costs in this unit.
pub(in super::super) fn columns<'a>(
    is_cut: bool,
    library: Option<&str>,
    unit: Unit,
) -> Columns<'a, Row<'a>> {
    let name = |choice: Option<&Choice>| choice.map(|choice| choice.entry.name);
    let price = |choice: Option<&Choice>| choice.map(|choice| row::json(&choice.cost));
    let over =
        |row: &Row<'_>, choice: Option<&Choice>| choice.and_then(|choice| row.1.over_best(choice));
    let segments = |row: &Row<'_>, choice: Option<&Choice>| {
        choice.and_then(|choice| row.0.value(&choice.values, "m"))
    };
    let tied = |row: &Row<'_>| {
        let names: Vec<&str> = row.1.tied.iter().map(|choice| choice.entry.name).collect();
        (!names.is_empty()).then(|| names.join(" "))
    };
    let next = move |row: &Row<'_>| {
        let further = row
            .1
            .tied
            .iter()
            .skip(1)
            .map(|choice| match over(row, Some(choice)) {
                Some(ratio) if ratio >= 1.005 => format!("{} {ratio:.2}x", choice.entry.name),
                _ => choice.entry.name.to_owned(),
            });
        let first = name(runner_up(row))
            .unwrap_or_else(|| row.1.alone())
            .to_owned();
        joined(", ", std::iter::once(first).chain(further))
    };
    let default =
        move |row: &Row<'_>| name(of_library(row)).map_or_else(|| unpriced(row.1), str::to_owned);
    let title = unit_of_tables(unit);
    let best = "analytic cost of the best algorithm";
    let mut columns = Columns::<Row<'_>>::empty()
        .column("algorithm", "the best algorithm", |row| {
            row.1.best.entry.name
        })
        .title("best")
        .data(
            "m_segments",
            "number of segments of the message",
            move |row| segments(row, Some(&row.1.best)),
        )
        .column("piece", "size of a segment", |row| row.1.best.piece)
        .shown("segment", |row| segment(row.0, &row.1.best))
        .data("unit", "unit of the costs", |row| {
            row.0.problem.unit(&row.1.values).word()
        })
        .column("cost", best, |row| row::json(&row.1.best.cost))
        .shown(title, move |row| time(&row.1.best.cost, unit))
        .data("executed", "whether it was also simulated", |row| {
            row.1.executed != Executed::Not
        })
        .column(
            "lower_bound",
            "lower bound for any algorithm, with the compared segments",
            |row| row::json(&row.1.lower_bound),
        )
        .shown("over bound", |row| factor(row.1.over_bound()))
        .column("runner_up", "the next best algorithm", move |row| {
            name(runner_up(row))
        })
        .shown("runner-up", next)
        .data(
            "runner_up_m_segments",
            "number of its segments",
            move |row| segments(row, runner_up(row)),
        )
        .data("runner_up_piece", "size of its segments", |row| {
            runner_up(row).and_then(|choice| choice.piece)
        })
        .data("runner_up_cost", "its cost", move |row| {
            price(runner_up(row))
        })
        .column(
            "runner_up_over_best_f64",
            "its cost over that of the best, rounded",
            move |row| over(row, runner_up(row)),
        )
        .shown("slower", move |row| factor(over(row, runner_up(row))))
        .data(
            "tied",
            "other algorithms whose cost is within --ties, the error of the profile, or \
                 --within with --only",
            tied,
        )
        .data(NOT_COMPARED, HOLDS_ABSENT, |row| not_compared(row.1));
    if let Some(library) = library {
        columns = columns
            .data(
                "library",
                "MPI library that has a function for the problem",
                |row| row.0.against.name(),
            )
            .data("function", "the function of the library", |row| {
                let function = row.0.function_at(&row.1.values);
                function.map(|function| function.name)
            })
            .data(
                "library_runs",
                "what the library runs by default, by its own name",
                |row| row.1.library_runs,
            )
            .column(
                "library_algorithm",
                "default choice of that library",
                move |row| name(of_library(row)),
            )
            .shown(library, default)
            .data("library_cost", "its cost", move |row| {
                price(of_library(row))
            })
            .column(
                "library_over_best_f64",
                "its cost over that of the best, rounded",
                move |row| over(row, of_library(row)),
            )
            .shown("slower", move |row| factor(over(row, of_library(row))));
    }
    columns.retain(|column| {
        is_cut || !column.name.ends_with("m_segments") && !column.name.ends_with("piece")
    });
    columns
}

pub(super) fn value(cell: &Cell<'_>, index: usize) -> String {
    let (axis, value) = (
        &cell.entry.axes()[index],
        cell.values[index].unwrap_or_default(),
    );
    match axis.kind {
        Kind::Profile => cell
            .machines
            .get(value)
            .map_or_else(String::new, |machine| machine.name.clone()),
        _ if is_bytes(axis, cell.machine().is_some()) => show_bytes(value),
        _ => algorithms::problem::spelled(axis, value).into_owned(),
    }
}

/// The size of the pieces into which a choice cuts the message.
pub(super) fn segment(question: &Question, choice: &Choice) -> String {
    let pieces = question
        .problem
        .axes
        .iter()
        .filter(|axis| axis.is_open)
        .filter_map(|axis| question.value(&choice.values, axis.key))
        .max()
        .unwrap_or_default();
    match choice.piece {
        Some(piece) if pieces > 1 => {
            let on_profile = question.problem.unit(&choice.values) == Unit::Nanoseconds;
            if on_profile {
                show_bytes(piece)
            } else {
                plural(piece, "word")
            }
        }
        _ => "whole".to_owned(),
    }
}

/// The unit of costs in tables.
pub(super) fn unit_of_tables(unit: Unit) -> &'static str {
    if unit == Unit::Nanoseconds {
        "us"
    } else {
        unit.plural()
    }
}

/// A cost in the unit of tables.
pub(super) fn time(cost: &Exact, unit: Unit) -> String {
    match rounded(cost) {
        Some(ns) if unit == Unit::Nanoseconds => format!("{:.1}", ns / 1e3),
        Some(rounded) if rounded.fract() > 0.0 => format!("{rounded:.4}"),
        _ => cost.to_string(),
    }
}

pub(super) fn factor(ratio: Option<f64>) -> String {
    ratio
        .map(|ratio| format!("{ratio:.2}x"))
        .unwrap_or_default()
}

/// Why a library's default has no cost.
fn unpriced(case: &Case) -> String {
    match case.library_runs {
        Some(name) => format!("{name}, not priced"),
        None => "not known".to_owned(),
    }
}
