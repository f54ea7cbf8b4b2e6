//! Answers as decisions for Open MPI: where an algorithm is faster than its default by more than the error.

use crate::libraries::{Call, Family, Function, Size};

use super::question::{self, Answer, Case, Question, exceeds};
use algorithms::logp::Levels;

use crate::base::units::{joined, plural, show_bytes};
use crate::rules::{Rule, Table, Take, spans};

/// What Open MPI is to run, or why the choice stays its own.
fn decide(
    question: &Question,
    function: &Function,
    case: &Case,
    call: Call,
) -> Result<Take, String> {
    if function.size == Size::Elements {
        return Err("Open MPI compares no size of the vector here".to_owned());
    }
    let numbered = |ours: &str| {
        function
            .algorithms(question.against)
            .iter()
            .find(|known| known.ours == ours)
    };
    let priced = [Some(&case.best), case.library.as_ref()];
    if let Some(size) = priced
        .into_iter()
        .flatten()
        .find_map(|choice| question.invalid(choice))
    {
        return Err(format!(
            "the profile is not valid for messages of {}",
            show_bytes(size)
        ));
    }
    let error = question.error_percent(&case.values);
    let unknown = || "castbench does not know the default".to_owned();
    match (&case.library, case.library_runs) {
        (None, None) if question.against.shows(function).is_none() => return Err(unknown()),
        (None, Some(name)) => return Err(format!("castbench cannot price the default, {name}")),
        (Some(own), name) if !exceeds(&own.cost, &case.best.cost, error) => {
            let name = name.unwrap_or(own.entry.name);
            return Err(format!(
                "no algorithm that was compared is faster than the default, {name}, by more than the error"
            ));
        }
        _ => {}
    }
    if !case.tied.is_empty() {
        let names = std::iter::once(&case.best)
            .chain(&case.tied)
            .filter_map(|choice| numbered(choice.entry.name))
            .map(|known| known.name);
        return Err(format!("a tie of {}", joined(", ", names)));
    }
    // Only algorithms of the library were compared.
    let known = numbered(case.best.entry.name).ok_or_else(unknown)?;
    Ok(Take {
        ours: known.ours,
        segment: known.segment(case.best.piece.unwrap_or(call.bytes), call),
        protocol: None,
    })
}

/// The decisions: what was asked, from each size to the next where both have one algorithm.
pub fn table(answers: &[Answer]) -> Table {
    Table {
        notes: notes(answers),
        rules: answers.iter().flat_map(of_answer).collect(),
    }
}

fn notes(answers: &[Answer]) -> Vec<String> {
    let Some(Answer { question, .. }) = answers.first() else {
        return Vec::new();
    };
    let machine = question
        .space
        .machines
        .get(0)
        .map_or("", |machine| machine.name.as_str());
    let error = question
        .space
        .machines
        .get(0)
        .and_then(|machine| machine.valid.as_ref())
        .map_or(0, |valid| valid.within_percent)
        .max(question.within_percent);
    let call = |answer: &Answer| Some(answer.question.call(&answer.cases.first()?.values));
    let element = answers
        .iter()
        .filter_map(call)
        .map(|call| call.element)
        .max();
    let is_shown = |answer: &Answer| {
        let function = answer.question.function;
        function.is_some_and(|function| question.against.shows(function).is_some())
    };
    let (defaults, default) = if answers.iter().any(is_shown) {
        ("whose own choices castbench does not know", "")
    } else {
        ("against its defaults", "over the default or ")
    };
    let levels = question
        .space
        .machines
        .get(0)
        .and_then(|machine| machine.profile().levels());
    let on_a_node = levels.map_or(1, Levels::ranks);
    let mut notes = vec![
        format!(
            "Decisions among the algorithms of {}, {defaults}, for the machine {machine}. Written by castbench.",
            question.against.name()
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
        notes.push(format!(
            "Elements of {} (--element); with larger ones Open MPI runs other algorithms for short vectors.",
            show_bytes(element.unwrap_or(1))
        ));
    }
    for Answer { question, .. } in answers {
        let Some(function) = question.function else {
            continue;
        };
        let known = function.algorithms(question.against).iter();
        let known = known.filter(|known| !known.ours.is_empty());
        let is_left = |ours: &str| {
            question
                .space
                .algorithms
                .iter()
                .all(|entry| entry.name != ours)
        };
        let left: Vec<&str> = known
            .filter(|known| is_left(known.ours))
            .map(|known| known.name)
            .collect();
        if !left.is_empty() {
            notes.push(format!(
                "Not compared, of {}: {}; --algorithms names what is compared",
                function.name,
                left.join(", ")
            ));
        }
    }
    let cases = || answers.iter().flat_map(Answer::rows);
    let absences = question::absences(cases()).statements(cases().count() as u64, "case");
    notes.extend(
        absences
            .into_iter()
            .map(|statement| format!("Not compared: {statement}")),
    );
    notes
}

fn of_answer(Answer { question, cases }: &Answer) -> Vec<Rule> {
    let K = |case: &Case| question.call(&case.values).K;
    let by_ranks = cases.chunk_by(|one, other| K(one) == K(other));
    question
        .function
        .into_iter()
        .flat_map(|function| {
            by_ranks
                .clone()
                .flat_map(|cases| of_ranks(question, function, cases))
        })
        .collect()
}

/// The decisions for one number of ranks.
fn of_ranks(question: &Question, function: &'static Function, cases: &[Case]) -> Vec<Rule> {
    let decided: Vec<Rule> = cases
        .iter()
        .map(|case| {
            let call = question.call(&case.values);
            let decision = decide(question, function, case, call);
            let why = decision.as_ref().err().cloned().unwrap_or_default();
            Rule {
                function,
                ranks: [call.K; 2],
                bytes: [call.bytes; 2],
                take: decision.ok(),
                why,
            }
        })
        .collect();
    spans(&decided, question.against.family())
}
