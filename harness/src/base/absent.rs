//! What an answer lacks: algorithms without a cost at points that were asked, each with its reason.

use algorithms::problem::Entry;

use crate::base::units::{grouped, joined, plural};

/// An algorithm that was not compared at a point, and why.
#[derive(Debug, Clone)]
pub struct Absent {
    /// The algorithm.
    pub entry: Entry,
    /// The reason, on one line.
    pub why: String,
}

impl Absent {
    /// An algorithm without a cost for this reason.
    pub fn new(entry: Entry, why: &str) -> Self {
        // Commands of users write reasons, too, and a reason becomes a comment in files of rules.
        Self {
            entry,
            why: joined(" ", why.split_whitespace()),
        }
    }
}

/// The algorithms without a cost at some points of an answer, by algorithm and reason.
#[derive(Debug, Default, Clone)]
pub struct Absences {
    groups: Vec<Group>,
}

#[derive(Debug, Clone)]
struct Group {
    algorithm: String,
    /// The reason at the first point.
    why: String,
    points: u64,
    /// The first point.
    at: String,
}

impl Absences {
    /// Adds a point. Reasons that differ in numbers only are one.
    pub fn add(&mut self, algorithm: &str, why: &str, at: impl FnOnce() -> String) {
        let known = self.groups.iter_mut();
        match known
            .into_iter()
            .find(|group| group.algorithm == algorithm && are_alike(&group.why, why))
        {
            Some(group) => group.points += 1,
            None => {
                self.groups.push(Group {
                    algorithm: algorithm.to_owned(),
                    why: why.to_owned(),
                    points: 1,
                    at: at(),
                });
            }
        }
    }

    /// A statement for each algorithm and reason; `all` is the number of points asked, `noun` what a point is called.
    pub fn statements(&self, all: u64, noun: &str) -> Vec<String> {
        let statement = |Group {
                             algorithm,
                             why,
                             points,
                             at,
                         }: &Group| {
            let of = format!("{} of {}", grouped(*points), plural(all, noun));
            let first = if *points == 1 && all == 1 || at.is_empty() {
                String::new()
            } else {
                format!(", as {at}")
            };
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {why}")
            };
            format!("{algorithm} at {of}{first}{why}")
        };
        self.groups.iter().map(statement).collect()
    }

    /// Whether no point was added.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

/// Whether two reasons are equal except for their numbers.
fn are_alike(one: &str, other: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        text.split(|letter: char| letter.is_ascii_digit() || letter == ',')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    one == other || words(one) == words(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_numbers_are_one() {
        let mut absences = Absences::default();
        for K in [3, 5, 1000] {
            absences.add(
                "swing",
                &format!("K = {K}: expected a power of two"),
                || format!("K = {K}"),
            );
        }
        absences.add("swing", "m = 2: expected 1", || "K = 8".to_owned());
        assert_eq!(
            absences.statements(9, "case"),
            [
                "swing at 3 of 9 cases, as K = 3: K = 3: expected a power of two",
                "swing at 1 of 9 cases, as K = 8: m = 2: expected 1"
            ]
        );
    }
}
