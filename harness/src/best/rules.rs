//! The rules file that Open MPI's tuned component reads (`coll_tuned_dynamic_rules_filename`).
//!
//! The file has numbers, and comments after `#`: the count of collectives; for each of them its number and the count of
//! communicator sizes; for each of those the size, the count of message sizes, and a line for each message size: bytes,
//! algorithm, fan-out (0: the default), segment size (0: the whole message). The first message size must be 0.
//!
//! Open MPI takes the last communicator size that is not above its own, the first one if there is none; then the last
//! message size that is not above its own. Both would stretch an answer to calls that were never compared, so a rule 0,
//! Open MPI's own choice, stands below, between and above those asked.

use std::fmt::{self, Write as _};

use algorithms::internals::mpi::{Call, Function, Numbered, Size};

use super::{Case, Choice, Question, exceeds};
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
    NotAsked,
    /// The algorithms at the ends of a range of sizes differ.
    Between,
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
            Self::NotAsked => f.write_str("not asked"),
            Self::Between => f.write_str("the best changes between the sizes compared"),
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
    fn of(Answer { question, function, .. }: &Answer, case: &Case, call: Call) -> Self {
        if function.size == Size::Elements {
            return Self::Leave(Why::Indistinct);
        }
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
            let name = |choice: &Choice| function.numbered(choice.entry.name).map(|known| known.name);
            return Self::Leave(Why::Tie(all.filter_map(name).collect()));
        }
        // Only algorithms of Open MPI were compared.
        function.numbered(case.best.entry.name).map_or(Self::Leave(Why::Unknown), |known| {
            Self::Take(known, known.segment(case.best.piece.unwrap_or(call.bytes), call))
        })
    }

    fn numbers(&self) -> (u32, u64) {
        match self {
            Self::Take(known, segment) => (known.number, *segment),
            Self::Leave(_) => (0, 0),
        }
    }

    /// Whether both are of one algorithm.
    fn is_same_algorithm(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Take(one, _), Self::Take(other, _)) if one.number == other.number)
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Take(known, _) => f.write_str(known.name),
            Self::Leave(why) => write!(f, "as without rules: {why}"),
        }
    }
}

/// The rules of a communicator size: from this message size on.
type Rules = Vec<(u64, Decision)>;

/// The file.
#[must_use]
pub fn text(answers: &[Answer]) -> String {
    let mut text = header(answers);
    for answer in answers {
        let Function { name, collective, presumes, .. } = answer.function;
        let sizes = by_ranks(answer);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# {name} {presumes}");
        let _ = writeln!(text, "{collective} # {name}\n{} # communicator sizes", sizes.len());
        for (ranks, rules) in sizes {
            let _ = writeln!(text, "{ranks} # ranks\n{} # message sizes", rules.len());
            for (size, decision) in rules {
                let (algorithm, segment) = decision.numbers();
                let _ = writeln!(text, "{size} {algorithm} 0 {segment} # {decision}");
            }
        }
    }
    text
}

fn header(answers: &[Answer]) -> String {
    let Some(Answer { question, .. }) = answers.first() else { return String::new() };
    let machine = question.machines.get(0).map_or("", |machine| machine.name.as_str());
    let error = question.machines.get(0).and_then(|machine| machine.valid()).map_or(0, |valid| valid.within_percent);
    let error = error.max(question.within_percent);
    let call = |answer: &Answer| Some(answer.question.call(answer.function, &answer.cases.first()?.values));
    let element = answers.iter().filter_map(call).map(|call| call.element).max();
    format!(
        "# Rules for {} (component tuned), for the machine {machine}. Written by castbench.\n\
         # mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename THIS_FILE ...\n\
         # Open MPI 5.0 also needs --mca coll ^han: han chooses before tuned. Open MPI 6 reads another form; do not use this file.\n\
         # A rule applies from its number of ranks and its message size on. Algorithm 0 is Open MPI's own choice: where nothing\n\
         # was asked, where castbench cannot compare, and where the best saves no more than {error} % (--within, or the error of the\n\
         # profile) over the default or over another algorithm.\n\
         # Ranked by the time until every operation has ended, which MPI waits for. The model has one rank per node, and ranks that\n\
         # call at the same time. Elements of {} (--element); with larger ones Open MPI runs other algorithms for short vectors.\n\
         {} # collectives\n",
        question.against.name(),
        show_bytes(element.unwrap_or(1)),
        answers.len()
    )
}

/// The rules of each communicator size; those of a size hold up to the next.
fn by_ranks(answer: &Answer) -> Vec<(u64, Rules)> {
    let Answer { question, function, cases } = answer;
    let K = |case: &Case| question.call(function, &case.values).K;
    let left = || vec![(0, Decision::Leave(Why::NotAsked))];
    let mut sizes: Vec<(u64, Rules)> = vec![(1, left())];
    for cases in cases.chunk_by(|one, other| K(one) == K(other)) {
        let ranks = K(&cases[0]);
        // The rules after the size before end here.
        sizes.pop_if(|last| last.0 == ranks);
        sizes.push((ranks, rules(answer, cases)));
        sizes.push((ranks.saturating_add(1), left()));
    }
    sizes.dedup_by(|later, earlier| later.1 == earlier.1);
    sizes
}

/// The rules of one communicator size, without those that repeat the one before.
fn rules(answer: &Answer, cases: &[Case]) -> Rules {
    let decided = |case: &Case| {
        let call = answer.question.call(answer.function, &case.values);
        (answer.function.size.of(call), Decision::of(answer, case, call))
    };
    let decided: Rules = cases.iter().map(decided).collect();
    if answer.function.size == Size::Nothing || answer.function.size == Size::Elements {
        return decided.into_iter().take(1).map(|(_, decision)| (0, decision)).collect();
    }
    let mut rules: Rules = vec![(0, Decision::Leave(Why::NotAsked))];
    for (place, (size, decision)) in decided.iter().enumerate() {
        rules.pop_if(|last| last.0 == *size);
        rules.push((*size, decision.clone()));
        let after = match decided.get(place + 1) {
            None => Why::NotAsked,
            Some((_, next)) if decision.is_same_algorithm(next) => continue,
            Some(_) if matches!(decision, Decision::Leave(_)) => continue,
            Some(_) => Why::Between,
        };
        rules.push((size.saturating_add(1), Decision::Leave(after)));
    }
    rules.dedup_by(|later, earlier| later.1 == earlier.1);
    rules
}
