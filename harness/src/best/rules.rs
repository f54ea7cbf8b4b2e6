//! The rules file that Open MPI's tuned component reads for a collective (`coll_tuned_dynamic_rules_filename`).
//!
//! Of numbers, comments after `#`: how many collectives; the number of the collective; how many communicator sizes; for
//! each of them the size, how many message sizes, and for each of those a line: size in bytes, algorithm, fan-out (0: the
//! default), segment size (0: the whole message). A rule holds from its size up to that of the next one; the first message
//! size must be 0.

use std::fmt::Write as _;

use algorithms::mpi::Function;

use super::{Case, Choice, Question};

/// A rule: from so many bytes on, the algorithm and its segments.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    bytes: u64,
    algorithm: u32,
    name: &'static str,
    segment: u64,
}

impl Rule {
    /// Open MPI chooses, by what it does without rules.
    fn left_open(bytes: u64) -> Self {
        Self { bytes, algorithm: 0, name: "as without rules", segment: 0 }
    }

    /// None where Open MPI does not have the algorithm.
    fn of(function: &Function, bytes: u64, choice: &Choice) -> Option<Self> {
        let known = function.numbered(choice.entry.name)?;
        // Pieces of one size are a bit shorter than those of the power of two that makes as many.
        let segment = choice.piece.filter(|piece| known.reads_segment && *piece < bytes);
        let segment = segment.map_or(0, u64::next_power_of_two);
        Some(Self { bytes, algorithm: known.number, name: known.name, segment })
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.algorithm, self.segment) == (other.algorithm, other.segment)
    }
}

/// The file. The cases are those of the question; their choices are Open MPI's own.
#[must_use]
pub fn text(question: &Question, function: &Function, cases: &[Case]) -> String {
    let of = |case: &Case, key| question.value(&case.values, key).unwrap_or_default();
    let by_ranks = cases.chunk_by(|one, other| of(one, function.ranks) == of(other, function.ranks));
    let sizes: Vec<(u64, Vec<Rule>)> = by_ranks
        .map(|cases| {
            let rule = |case: &Case| {
                let bytes = of(case, function.bytes);
                let is_known = question.invalid(&case.values).is_none() && question.is_decided(case);
                if is_known { Rule::of(function, bytes, &case.best) } else { Some(Rule::left_open(bytes)) }
            };
            (of(&cases[0], function.ranks), changes(cases.iter().filter_map(rule)))
        })
        .filter(|(_, rules)| !rules.is_empty())
        .collect();
    let machine = question.machines.get(0).map_or("", |machine| machine.name.as_str());
    let Function { name, collective, .. } = function;
    let mut text = format!(
        "# {name} by Open MPI's tuned component, for the machine {machine}. Made by castbench.\n\
         # Ranked by the time until every operation has ended, which MPI waits for. Algorithm 0 is Open MPI's own choice: the\n\
         # profile does not hold there, or the gain is within --within or its error.\n\
         # mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename THIS_FILE ...\n\
         1 # collectives\n{collective} # {name}\n{} # communicator sizes\n",
        sizes.len()
    );
    for (ranks, rules) in sizes {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{ranks} # ranks and more\n{} # message sizes", rules.len());
        for Rule { bytes, algorithm, name, segment } in rules {
            let _ = writeln!(text, "{bytes} {algorithm} 0 {segment} # {name}");
        }
    }
    text
}

/// The rules of one communicator size: only where something changes.
fn changes(all: impl Iterator<Item = Rule>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for rule in all {
        if rules.last().is_none_or(|last| !last.is_like(&rule)) {
            // The first holds for shorter messages, too: one of 0 is asked for.
            rules.push(Rule { bytes: if rules.is_empty() { 0 } else { rule.bytes }, ..rule });
        }
    }
    rules
}
