//! Answers: values, and what was asked and has none, each with its reason.

use std::fmt;
use std::ops::Deref;

use crate::base::units::{grouped, joined, plural};

/// An algorithm that has no value at a point, and why.
#[derive(Debug, Clone)]
pub struct Absent {
    /// The algorithm.
    pub name: &'static str,
    /// The reason, on one line.
    pub why: String,
}

impl Absent {
    /// An algorithm without a value for this reason.
    pub fn new(name: &'static str, why: &str) -> Self {
        // Commands of users write reasons, too, and a reason becomes a comment in files of rules.
        let why = joined(" ", why.split_whitespace());
        Self { name, why }
    }
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.why)
    }
}

/// Values, and what has none. `print::answers` prints both.
#[derive(Debug)]
pub struct Answers<T> {
    /// The values.
    pub values: Vec<T>,
    /// What has none.
    pub absences: Absences,
}

impl<T> Deref for Answers<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

/// What has no value at some of the points asked, by name and reason.
#[derive(Debug)]
pub struct Absences {
    groups: Vec<Group>,
    /// The number of points asked.
    pub asked: u64,
    /// What a point is called.
    noun: &'static str,
}

#[derive(Debug)]
struct Group {
    name: String,
    /// The reason at the first point.
    why: String,
    points: u64,
    /// The first point.
    at: String,
}

impl Absences {
    /// Nothing is asked yet; `noun` is what a point is called.
    pub const fn new(noun: &'static str) -> Self {
        Self {
            groups: Vec::new(),
            asked: 0,
            noun,
        }
    }

    /// Adds a name without a value at a point. Reasons that differ in numbers only are one.
    pub fn add(&mut self, name: &str, why: &str, at: impl FnOnce() -> String) {
        let mut known = self.groups.iter_mut();
        match known.find(|group| group.name == name && are_alike(&group.why, why)) {
            Some(group) => group.points += 1,
            None => self.groups.push(Group {
                name: name.to_owned(),
                why: why.to_owned(),
                points: 1,
                at: at(),
            }),
        }
    }

    /// A statement for each name and reason.
    pub fn statements(&self) -> Vec<String> {
        let all = plural(self.asked, self.noun);
        let statement = |group: &Group| {
            let mut text = format!("{} at {} of {all}", group.name, grouped(group.points));
            if group.points > 1 || self.asked > 1 {
                text += &format!(", as {}", group.at);
            }
            if !group.why.is_empty() {
                text += &format!(": {}", group.why);
            }
            text
        };
        self.groups.iter().map(statement).collect()
    }

    /// Says all of them.
    pub fn tell(&self) {
        for statement in self.statements() {
            tell!("not compared: {statement}");
        }
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
        let mut absences = Absences::new("case");
        absences.asked = 9;
        for K in [3, 5, 1000] {
            absences.add(
                "swing",
                &format!("K = {K}: expected a power of two"),
                || format!("K = {K}"),
            );
        }
        absences.add("swing", "m = 2: expected 1", || "K = 8".to_owned());
        assert_eq!(
            absences.statements(),
            [
                "swing at 3 of 9 cases, as K = 3: K = 3: expected a power of two",
                "swing at 1 of 9 cases, as K = 8: m = 2: expected 1"
            ]
        );
    }
}
