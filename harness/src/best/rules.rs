//! The rules file that Open MPI's tuned component reads for a collective (`coll_tuned_dynamic_rules_filename`).
//!
//! The file has numbers, and comments after `#`: the count of collectives; the number of the collective; the count of
//! communicator sizes; for each of them the size, the count of message sizes, and a line for each message size: bytes,
//! algorithm, fan-out (0: the default), segment size (0: the whole message). A rule applies from its size up to that of
//! the next rule. The first message size must be 0.

use std::fmt::Write as _;

use algorithms::internals::mpi::Function;

use super::{Case, Choice, Question};

/// A rule: the algorithm and its segment size from a number of bytes on.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    bytes: u64,
    algorithm: u32,
    name: &'static str,
    segment: u64,
}

impl Rule {
    /// Open MPI's choice without rules.
    fn left_open(bytes: u64) -> Self {
        Self { bytes, algorithm: 0, name: "as without rules", segment: 0 }
    }

    /// None if Open MPI does not have the algorithm.
    fn of(function: &Function, bytes: u64, choice: &Choice) -> Option<Self> {
        let known = function.numbered(choice.entry.name)?;
        // Pieces of equal size are a little shorter than the power of two that gives the same number.
        let segment = choice.piece.filter(|piece| known.reads_segment && *piece < bytes);
        let segment = segment.map_or(0, u64::next_power_of_two);
        Some(Self { bytes, algorithm: known.number, name: known.name, segment })
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.algorithm, self.segment) == (other.algorithm, other.segment)
    }
}

/// The file for the cases of a question among Open MPI's own algorithms.
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
        "# {name} of Open MPI's tuned component, for the machine {machine}. Written by castbench.\n\
         # Ranked by the time until every operation has ended, which MPI waits for. Algorithm 0 is Open MPI's own choice: the\n\
         # profile is not valid there, or the gain is below --within or the profile's error.\n\
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

/// The rules of one communicator size, without those that repeat the one before.
fn changes(all: impl Iterator<Item = Rule>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for rule in all {
        if rules.last().is_none_or(|last| !last.is_like(&rule)) {
            // The file needs a rule for 0 bytes, so the first one also covers shorter messages.
            rules.push(Rule { bytes: if rules.is_empty() { 0 } else { rule.bytes }, ..rule });
        }
    }
    rules
}
