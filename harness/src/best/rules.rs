//! Answers as decisions for Open MPI: where an algorithm is faster than its default by more than the error.

use std::fmt;

use algorithms::internals::mpi::{Call, Function, Library, Numbered, Size};

use super::{Case, Choice, Question, exceeds};
use crate::rules::{Rule, Table, Take, spans};
use crate::units::show_bytes;

/// The cases of a question among Open MPI's own algorithms for one of its functions.
#[derive(Debug)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// The function.
    pub function: &'static Function,
    /// The cases, in the order of the plane.
    pub cases: Vec<Case>,
}

/// What Open MPI is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    /// This algorithm, with this segment size; 0 for the whole message.
    Take(&'static Numbered, u64),
    /// Its own choice.
    Leave(Why),
}

/// Why the choice is Open MPI's.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Why {
    /// The profile is not valid for messages of this size.
    Invalid(u64),
    /// Algorithms whose costs differ by less than the error.
    Tie(Vec<&'static str>),
    /// The best is Open MPI's choice, or saves less than the error over it.
    Equal(&'static str),
    /// castbench cannot price what Open MPI runs.
    Unpriced(&'static str),
    /// castbench does not know what Open MPI runs.
    Unknown,
    /// Open MPI compares a size that does not depend on the operand.
    Indistinct,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(size) => write!(f, "the profile is not valid for messages of {}", show_bytes(*size)),
            Self::Tie(names) => write!(f, "a tie of {}", names.join(", ")),
            Self::Equal(name) => write!(f, "no algorithm is faster than the default, {name}, by more than the error"),
            Self::Unpriced(name) => write!(f, "castbench cannot price the default, {name}"),
            Self::Unknown => f.write_str("castbench does not know the default"),
            Self::Indistinct => f.write_str("Open MPI compares no size of the vector here"),
        }
    }
}

impl Decision {
    fn new(Answer { question, function, .. }: &Answer, case: &Case, call: Call) -> Self {
        if function.size == Size::Elements {
            return Self::Leave(Why::Indistinct);
        }
        let numbered = |ours: &str| function.algorithms(question.against).iter().find(|known| known.ours == ours);
        let priced = [Some(&case.best), case.library.as_ref()];
        if let Some((_, _, size)) = priced.into_iter().flatten().find_map(|choice| question.invalid(choice)) {
            return Self::Leave(Why::Invalid(size));
        }
        let error = question.error_percent(&case.values);
        match (&case.library, case.library_runs) {
            (None, None) => return Self::Leave(Why::Unknown),
            (None, Some(name)) => return Self::Leave(Why::Unpriced(name)),
            (Some(own), name) if !exceeds(&own.cost, &case.best.cost, error) => {
                return Self::Leave(Why::Equal(name.unwrap_or(own.entry.name)));
            }
            _ => {}
        }
        if !case.tied.is_empty() {
            let all = std::iter::once(&case.best).chain(&case.tied);
            let name = |choice: &Choice| numbered(choice.entry.name).map(|known| known.name);
            return Self::Leave(Why::Tie(all.filter_map(name).collect()));
        }
        // Only algorithms of the library were compared.
        numbered(case.best.entry.name).map_or(Self::Leave(Why::Unknown), |known| {
            Self::Take(known, known.segment(case.best.piece.unwrap_or(call.bytes), call))
        })
    }

    fn take(&self) -> Option<Take> {
        match self {
            Self::Take(known, segment) => Some(Take { ours: known.ours.to_owned(), segment: *segment }),
            Self::Leave(_) => None,
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Take(..) => Ok(()),
            Self::Leave(why) => why.fmt(f),
        }
    }
}

/// The decisions: what was asked, from each size to the next where both have one algorithm.
#[must_use]
pub fn table(answers: &[Answer]) -> Table {
    Table { notes: notes(answers), rules: answers.iter().flat_map(of_answer).collect() }
}

fn notes(answers: &[Answer]) -> Vec<String> {
    let Some(Answer { question, .. }) = answers.first() else { return Vec::new() };
    let machine = question.machines.get(0).map_or("", |machine| machine.name.as_str());
    let error = question.machines.get(0).and_then(|machine| machine.valid()).map_or(0, |valid| valid.within_percent);
    let error = error.max(question.within_percent);
    let call = |answer: &Answer| Some(answer.question.call(answer.function, &answer.cases.first()?.values));
    let element = answers.iter().filter_map(call).map(|call| call.element).max();
    let mut notes = vec![
        format!(
            "Decisions among the algorithms of {}, against its defaults, for the machine {machine}. Written by castbench.",
            question.against.name()
        ),
        format!(
            "The library's own choice stays where nothing was asked, where castbench cannot compare, and where the best saves no more \
             than {error} % (--within, or the error of the profile) over the default or over another algorithm."
        ),
        "Ranked by the time until every operation has ended, which MPI waits for. The model has one rank per node, and ranks that call \
         at the same time."
            .to_owned(),
    ];
    if question.against != Library::Mpich {
        notes.push(format!(
            "Elements of {} (--element); with larger ones Open MPI runs other algorithms for short vectors.",
            show_bytes(element.unwrap_or(1))
        ));
    }
    notes
}

fn of_answer(answer: &Answer) -> Vec<Rule> {
    let Answer { question, function, cases } = answer;
    let K = |case: &Case| question.call(function, &case.values).K;
    cases.chunk_by(|one, other| K(one) == K(other)).flat_map(|cases| of_ranks(answer, K(&cases[0]), cases)).collect()
}

/// The decisions for one number of ranks.
fn of_ranks(answer: &Answer, K: u64, cases: &[Case]) -> Vec<Rule> {
    let function = answer.function;
    let decided = cases.iter().map(|case| {
        let call = answer.question.call(function, &case.values);
        let decision = Decision::new(answer, case, call);
        let bytes = [call.bytes, call.bytes];
        Rule { function, ranks: [K, K], bytes, take: decision.take(), why: decision.to_string() }
    });
    let decided: Vec<Rule> = decided.collect();
    spans(&decided)
}
