//! Answers as decisions for Open MPI: where an algorithm is faster than its default by more than the error.

use crate::libraries::{Family, Function, Size};

use super::question::{Case, Choice, exceeds};
use algorithms::logp::Levels;

use crate::base::answers::Answers;
use crate::base::units::{joined, plural, show_bytes};
use crate::rules::{Rule, Table, Take, spans};

/// What Open MPI is to run, or why the choice stays its own.
fn decide(case: &Case<'_>, function: &Function) -> Result<Take, String> {
    if function.size == Size::Elements {
        return Err("Open MPI compares no size of the vector here".to_owned());
    }
    let against = case.question.against;
    let numbered = |ours: &str| function.numbered(against, ours);
    if let Some(size) = std::iter::once(&case.best)
        .chain(&case.library)
        .find_map(Choice::invalid)
    {
        return Err(format!(
            "the profile is not valid for messages of {}",
            show_bytes(size)
        ));
    }
    let error = case.question.error_percent(&case.at);
    let unknown = || "castbench does not know the default".to_owned();
    match (&case.library, case.library_runs) {
        (None, None) if against.shows(function).is_none() => return Err(unknown()),
        (None, Some(name)) => return Err(format!("castbench cannot price the default, {name}")),
        (Some(own), name) if !exceeds(&own.cost, &case.best.cost, error) => {
            let name = name.unwrap_or(own.name());
            return Err(format!(
                "no algorithm that was compared is faster than the default, {name}, by more than the error"
            ));
        }
        _ => {}
    }
    if !case.tied.is_empty() {
        let names = std::iter::once(&case.best)
            .chain(&case.tied)
            .filter_map(|choice| numbered(choice.name()))
            .map(|known| known.name);
        return Err(format!("a tie of {}", joined(", ", names)));
    }
    // Only algorithms of the library were compared.
    let known = numbered(case.best.name()).ok_or_else(unknown)?;
    let call = case.call();
    Ok(Take {
        ours: known.ours,
        segment: known.segment(case.best.piece.unwrap_or(call.bytes), call),
        protocol: None,
    })
}

/// The decisions: what was asked, from each size to the next where both have one algorithm.
pub fn table(answers: &Answers<Case<'_>>) -> Table {
    let of = |case: &Case<'_>| (std::ptr::from_ref(case.question), case.call().K);
    Table {
        notes: notes(answers),
        rules: answers
            .chunk_by(|one, other| of(one) == of(other))
            .flat_map(of_ranks)
            .collect(),
    }
}

fn notes(answers: &Answers<Case<'_>>) -> Vec<String> {
    let Some(first) = answers.first() else {
        return Vec::new();
    };
    let (question, machine) = (first.question, first.at.machine());
    let library = question.against.name();
    let name = machine.map_or("", |machine| machine.name.as_str());
    let error = question.error_percent(&first.at);
    let is_shown = |case: &Case<'_>| {
        let function = case.question.function;
        function.is_some_and(|function| question.against.shows(function).is_some())
    };
    let (defaults, default) = if answers.iter().any(is_shown) {
        ("whose own choices castbench does not know", "")
    } else {
        ("against its defaults", "over the default or ")
    };
    let levels = machine.and_then(|machine| machine.profile().levels());
    let on_a_node = levels.map_or(1, Levels::ranks);
    let mut notes = vec![
        format!(
            "Decisions among the algorithms of {library}, {defaults}, for the machine {name}. Written by castbench."
        ),
        format!(
            "The library's own choice stays where nothing was asked, where castbench cannot compare, and where the best saves no more \
             than {error} % (--within, or the error of the profile) {default}over another algorithm."
        ),
        format!(
            "Ranked by the time until every operation has ended, which MPI waits for. The model has {} per node, and ranks that call \
             at the same time.",
            plural(on_a_node, "rank")
        ),
    ];
    if question.against.family() == Family::OpenMpi {
        let element = answers.iter().map(|case| case.call().element).max();
        notes.push(format!(
            "Elements of {} (--element); with larger ones Open MPI runs other algorithms for short vectors.",
            show_bytes(element.unwrap_or(1))
        ));
    }
    let parts = answers.chunk_by(|one, other| std::ptr::eq(one.question, other.question));
    notes.extend(parts.filter_map(|cases| left_out(&cases[0])));
    let absences = answers.absences.statements().into_iter();
    notes.extend(absences.map(|statement| format!("Not compared: {statement}")));
    notes
}

/// The algorithms of the library that were not compared.
fn left_out(Case { question, .. }: &Case<'_>) -> Option<String> {
    let function = question.function?;
    let compared = &question.space.algorithms;
    let left = function
        .algorithms(question.against)
        .iter()
        .filter(|known| {
            !known.ours.is_empty() && compared.iter().all(|entry| entry.name != known.ours)
        });
    let left = joined(", ", left.map(|known| known.name));
    let name = function.name;
    (!left.is_empty())
        .then(|| format!("Not compared, of {name}: {left}; --algorithms names what is compared"))
}

/// The decisions for one number of ranks.
fn of_ranks(cases: &[Case<'_>]) -> Vec<Rule> {
    let rule = |case: &Case<'_>| {
        let function = case.question.function?;
        let call = case.call();
        let (take, why) = match decide(case, function) {
            Ok(take) => (Some(take), String::new()),
            Err(why) => (None, why),
        };
        Some(Rule {
            function,
            ranks: [call.K; 2],
            bytes: [call.bytes; 2],
            take,
            why,
        })
    };
    let decided: Vec<Rule> = cases.iter().filter_map(rule).collect();
    spans(&decided, cases[0].question.against.family())
}
