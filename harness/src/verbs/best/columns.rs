//! The columns of a case: its axes, the best algorithm, the next ones, the default of a library.

use algorithms::cost::{Exact, Unit};
use algorithms::problem::{Axis, Kind, Value};

use super::question::{Case, Choice, Executed, Question};
use crate::base::answers::Absent;
use crate::base::units::{NONE, joined, plural, show_bytes};
use crate::figures::select::is_bytes;
use crate::print::Columns;
use crate::record::{rounded, row};
use crate::space::machine::PORTS;
use crate::space::{Cell, is_owned};

/// The columns of the axes of a question: in tables only of those that are not fixed. `at` finds the point of a row.
pub(super) fn of_axes<'a, R: 'a>(question: &Question, at: At<R>) -> Columns<'a, R> {
    let axes = question.problem.axes;
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
    let shown: Vec<usize> = shown.chain(owned).collect();
    let data = (0..axes.len()).filter(|index| !axes[*index].is_open);
    of_these(axes, data, &shown, at)
}

/// Finds the point of a row.
type At<R> = for<'r> fn(&'r R) -> &'r Cell<'r>;

/// The columns of some axes, and those of tables.
pub(super) fn of_these<'a, R: 'a>(
    axes: &'static [Axis],
    data: impl Iterator<Item = usize>,
    shown: &[usize],
    at: At<R>,
) -> Columns<'a, R> {
    let of_cell = move |row: &R, column: &str| {
        row::fields(at(row))
            .into_iter()
            .find(|(name, value)| *name == column && value != NONE)
            .map(|(_, value)| value)
    };
    let data = data
        .flat_map(|index| axes[index].columns)
        .fold(Columns::empty(), |columns, name| {
            columns.data(*name, "", move |row| of_cell(row, name))
        });
    shown.iter().fold(data, |columns, &index| {
        columns.text(axes[index].key, move |row: &R| value(at(row), index))
    })
}

/// The column of the algorithms without a cost.
pub(in super::super) const NOT_COMPARED: &str = "not_compared";
pub(in super::super) const HOLDS_ABSENT: &str =
    "algorithms that were asked and have no cost here, each with the reason";

pub(super) fn not_compared(case: &Case<'_>) -> Vec<String> {
    case.absent.iter().map(Absent::to_string).collect()
}

/// One of the choices of a case.
type Of = for<'c, 'q> fn(&'c Case<'q>) -> Option<&'c Choice<'q>>;

const RUNNER_UP: Of = |case| case.runner_up.as_ref();
const LIBRARY: Of = |case| case.library.as_ref();

/// The columns after those of the axes: with the cuts of messages, beside a library, with costs in this unit.
pub(in super::super) fn columns<'a, 'q: 'a>(
    is_cut: bool,
    library: Option<&str>,
    unit: Unit,
) -> Columns<'a, Case<'q>> {
    let name = |of: Of| move |case: &Case<'_>| of(case).map(Choice::name);
    let price = |of: Of| move |case: &Case<'_>| of(case).map(|choice| row::json(&choice.cost));
    let over = |of: Of| move |case: &Case<'_>| case.over_best(of(case)?);
    let slower = |of: Of| move |case: &Case<'_>| factor(over(of)(case));
    let segments = |of: Of| move |case: &Case<'_>| of(case)?.cell.value("m");
    let tied = |case: &Case<'_>| {
        let names = joined(" ", case.tied.iter().map(Choice::name));
        (!names.is_empty()).then_some(names)
    };
    let next = |case: &Case<'_>| {
        let further = case.tied.iter().skip(1).map(|choice| {
            let name = choice.name();
            match case.over_best(choice) {
                Some(ratio) if ratio >= 1.005 => format!("{name} {ratio:.2}x"),
                _ => name.to_owned(),
            }
        });
        let first = case.runner_up.as_ref().map_or(case.alone(), Choice::name);
        joined(", ", std::iter::once(first.to_owned()).chain(further))
    };
    let default = |case: &Case<'_>| match (&case.library, case.library_runs) {
        (Some(choice), _) => choice.name().to_owned(),
        (None, Some(name)) => format!("{name}, not priced"),
        (None, None) => "not known".to_owned(),
    };
    let mut columns = Columns::<Case<'q>>::empty()
        .column("algorithm", "the best algorithm", |case| case.best.name())
        .title("best")
        .data(
            "m_segments",
            "number of segments of the message",
            segments(|case| Some(&case.best)),
        )
        .column("piece", "size of a segment", |case| case.best.piece)
        .shown("segment", |case| segment(&case.best))
        .data("unit", "unit of the costs", |case| {
            case.question.problem.unit(&case.at.values).word()
        })
        .column("cost", "analytic cost of the best algorithm", |case| {
            row::json(&case.best.cost)
        })
        .shown(unit_of_tables(unit), move |case| {
            time(&case.best.cost, unit)
        })
        .data("executed", "whether it was also simulated", |case| {
            case.executed != Executed::Not
        })
        .column(
            "lower_bound",
            "lower bound for any algorithm, with the compared segments",
            |case| row::json(&case.lower_bound),
        )
        .shown("over bound", |case| factor(case.over_bound()))
        .column("runner_up", "the next best algorithm", name(RUNNER_UP))
        .shown("runner-up", next)
        .data(
            "runner_up_m_segments",
            "number of its segments",
            segments(RUNNER_UP),
        )
        .data("runner_up_piece", "size of its segments", |case| {
            case.runner_up.as_ref()?.piece
        })
        .data("runner_up_cost", "its cost", price(RUNNER_UP))
        .column(
            "runner_up_over_best_f64",
            "its cost over that of the best, rounded",
            over(RUNNER_UP),
        )
        .shown("slower", slower(RUNNER_UP))
        .data(
            "tied",
            "other algorithms whose cost is within --ties, the error of the profile, or \
             --within with --only",
            tied,
        )
        .data(NOT_COMPARED, HOLDS_ABSENT, not_compared);
    if let Some(library) = library {
        columns = columns
            .data(
                "library",
                "MPI library that has a function for the problem",
                |case| case.question.against.name(),
            )
            .data("function", "the function of the library", |case| {
                case.function().map(|function| function.name)
            })
            .data(
                "library_runs",
                "what the library runs by default, by its own name",
                |case| case.library_runs,
            )
            .column(
                "library_algorithm",
                "default choice of that library",
                name(LIBRARY),
            )
            .shown(library, default)
            .data("library_cost", "its cost", price(LIBRARY))
            .column(
                "library_over_best_f64",
                "its cost over that of the best, rounded",
                over(LIBRARY),
            )
            .shown("slower", slower(LIBRARY));
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
pub(super) fn segment(Choice { cell, piece, .. }: &Choice<'_>) -> String {
    let axes = cell.entry.axes();
    let is_cut = |(axis, value): (&Axis, &Value)| axis.is_open && value.is_some_and(|own| own > 1);
    match *piece {
        Some(piece) if axes.iter().zip(cell.values.iter()).any(is_cut) => {
            if cell.entry.problem().unit(&cell.values) == Unit::Nanoseconds {
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
