//! The rules file that Open MPI's tuned component reads for `MPI_Bcast` (`coll_tuned_dynamic_rules_filename`).
//!
//! Of numbers, comments after `#`: how many collectives; the number of the collective; how many communicator sizes; for
//! each of them the size, how many message sizes, and for each of those a line: size in bytes, algorithm, fan-out (0: the
//! default), segment size (0: the whole message). A rule holds from its size up to that of the next one; the first message
//! size must be 0.

use std::fmt::Write as _;

use super::library::OPEN_MPI;
use super::{Cell, Choice, Question};

/// `MPI_Bcast` among the collectives.
const BCAST: u32 = 7;

/// A rule: from so many bytes on, the algorithm and its segments.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    bytes: u64,
    algorithm: u32,
    name: &'static str,
    segment: u64,
}

impl Rule {
    /// None where Open MPI does not have the algorithm.
    fn of(bytes: u64, choice: &Choice) -> Option<Self> {
        let &(algorithm, name, _) = OPEN_MPI.iter().find(|(_, _, ours)| *ours == choice.entry.name)?;
        // Those that cut the message themselves, or not at all, read no segment size.
        let cut = choice.segments > 1 && !super::library::scatters(choice.entry.name);
        Some(Self { bytes, algorithm, name, segment: if cut { choice.segment } else { 0 } })
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.algorithm, self.segment) == (other.algorithm, other.segment)
    }
}

/// The file. Cells are those of one question, whose choices are Open MPI's own.
#[must_use]
pub fn text(question: &Question, cells: &[Cell]) -> String {
    let sizes: Vec<(u64, Vec<Rule>)> = question
        .K
        .iter()
        .map(|&K| (K, rules(cells.iter().filter(|cell| cell.K == K))))
        .filter(|(_, rules)| !rules.is_empty())
        .collect();
    let machine = &question.machine;
    let mut text = format!(
        "# MPI_Bcast by Open MPI's tuned component, for the machine {machine}. Made by castbench.\n\
         # mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename THIS_FILE ...\n\
         1 # collectives\n{BCAST} # MPI_Bcast\n{} # communicator sizes\n",
        sizes.len()
    );
    for (K, rules) in sizes {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{K} # ranks and more\n{} # message sizes", rules.len());
        for Rule { bytes, algorithm, name, segment } in rules {
            let _ = writeln!(text, "{bytes} {algorithm} 0 {segment} # {name}");
        }
    }
    text
}

/// The rules of one communicator size: only where something changes.
fn rules<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for rule in cells.filter_map(|cell| Rule::of(cell.bytes, &cell.best)) {
        if rules.last().is_none_or(|last| !last.is_like(&rule)) {
            // The first holds for shorter messages, too: one of 0 is asked for.
            rules.push(Rule { bytes: if rules.is_empty() { 0 } else { rule.bytes }, ..rule });
        }
    }
    rules
}
