//! `best --explain`: what the best algorithm spends its time on, and the ones it is compared with.

use std::io::Write;

use algorithms::cost::{Exact, Limits, Unit};
use algorithms::internals::engine::waits::Parts;

use super::super::cost::parts::{self, PARTS};
use super::columns::{
    HOLDS_ABSENT, NOT_COMPARED, factor, not_compared, of_axes, segment, time, unit_of_tables,
};
use super::question::{Case, Choice, MAX_DELIVERIES};
use crate::base::answers::Answers;
use crate::base::failure::Result;
use crate::base::threads;
use crate::print::{self, Columns, Format};
use crate::record::row;

/// An algorithm of a case, with what its cost is spent on.
#[derive(Clone)]
pub(in super::super) struct Explained<'a> {
    case: &'a Case<'a>,
    role: &'static str,
    choice: &'a Choice<'a>,
    /// None where the point is too large to execute here.
    parts: Option<Parts>,
    /// The part that is shorter in the best by most, and by how much.
    saves: Option<(&'static str, u64)>,
}

/// Prints rows for each case: the best, what is as good or the runner-up, the default of a library.
///
/// # Errors
/// Exit code 2 for a problem in which no processor sends messages; an output that cannot be written.
pub(super) fn print(
    format: Format,
    answers: Answers<Case<'_>>,
    (is_cut, unit): (bool, Unit),
    out: &mut impl Write,
) -> Result {
    let Answers { values, absences } = answers;
    let explained = threads::in_order(&values, of_case)?;
    let Some(first) = values.first() else {
        return Ok(());
    };
    let mut columns = of_axes(first.question, |explained: &Explained<'_>| {
        &explained.case.at
    });
    columns.extend(self::columns(is_cut, unit).0);
    let answers = Answers {
        values: explained.concat(),
        absences,
    };
    print::answers(format, &columns, &answers, out)
}

fn of_case<'a>(case: &'a Case<'a>) -> Result<Vec<Explained<'a>>> {
    let others: Vec<&Choice<'_>> = if case.tied.is_empty() {
        case.runner_up.iter().collect()
    } else {
        case.tied.iter().collect()
    };
    let role = |choice: &Choice<'_>| {
        if choice.least == case.best.least {
            "tied"
        } else {
            "runner-up"
        }
    };
    let mut chosen = vec![(&case.best, "best")];
    chosen.extend(others.into_iter().map(|choice| (choice, role(choice))));
    let is_new = |own: &&Choice<'_>| chosen.iter().all(|(choice, _)| choice.cell != own.cell);
    let library = case.library.iter().find(is_new);
    chosen.extend(library.map(|choice| (choice, "default")));
    let mut best = None;
    let limits = Limits {
        hops: MAX_DELIVERIES,
        ..Limits::default()
    };
    let explained = chosen.into_iter().map(|(choice, role)| {
        let parts = parts::of_cost(&choice.cell.bind()?, &choice.cost, &limits)?;
        let best = *best.get_or_insert(parts);
        let saved = |best: Parts, own: Parts| {
            PARTS
                .map(|(name, _, value)| (name, value(&own).saturating_sub(value(&best))))
                .into_iter()
                .rev()
                .max_by_key(|(_, saved)| *saved)
                .filter(|(_, saved)| *saved > 0)
        };
        let saves = best.zip(parts).and_then(|(best, own)| saved(best, own));
        Ok(Explained {
            case,
            role,
            choice,
            parts,
            saves,
        })
    });
    explained.collect()
}

/// The columns after those of the axes, with costs in this unit.
pub(in super::super) fn columns<'a>(is_cut: bool, unit: Unit) -> Columns<'a, Explained<'a>> {
    let shown = move |value: Option<u64>| {
        value
            .map(|value| time(&Exact::Integer(value), unit))
            .unwrap_or_default()
    };
    let mut columns = Columns::<Explained>::empty()
        .column(
            "role",
            "`best`, `tied`, `runner-up` or `default` of a library",
            |row| row.role,
        )
        .column("algorithm", "the algorithm", |row| row.choice.name())
        .column("piece", "size of a segment", |row| row.choice.piece)
        .shown("segment", |row| segment(row.choice))
        .column("cost", "its cost, the sum of its parts", |row| {
            row::json(&row.choice.cost)
        })
        .shown(unit_of_tables(unit), move |row| {
            time(&row.choice.cost, unit)
        })
        .column(
            "over_best_f64",
            "its cost over that of the best, rounded",
            |row| row.case.over_best(row.choice),
        )
        .shown("slower", |row| factor(row.case.over_best(row.choice)));
    for (name, holds, value) in PARTS {
        let of = move |row: &Explained<'_>| row.parts.as_ref().map(value);
        columns = columns
            .column(name, holds, of)
            .shown(name, move |row| shown(of(row)));
    }
    columns = columns
        .column(
            "best_saves",
            "the part that is shorter in the best by most",
            |row| row.saves.map(|saves| saves.0),
        )
        .shown("best saves", move |row| match (row.parts, row.saves) {
            (None, _) => "not executed: too large".to_owned(),
            (_, saves) => saves
                .map(|(name, saved)| format!("{name}, {}", shown(Some(saved))))
                .unwrap_or_default(),
        })
        .data("best_saves_time", "by how much", |row| {
            row.saves.map(|saves| saves.1)
        })
        .data(NOT_COMPARED, HOLDS_ABSENT, |row| not_compared(row.case));
    columns.retain(|column| is_cut || column.name != "piece");
    columns
}
