//! Why mutants survive: `mutation/explained.toml`.
//!
//! A mutant is named by its file, its function and what it changes, without a line that the next edit moves. An entry says of
//! how many mutants it speaks, so that one more in the same function is seen.

use std::path::Path;

use serde::Deserialize;

use crate::mutant::Mutant;

/// All that is explained.
#[derive(Deserialize)]
pub struct Explained {
    survivors: Vec<Survivors>,
}

/// Mutants of a function that survive for one reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivors {
    /// As cargo-mutants names it.
    file: String,
    /// Names of functions, without what stands before the last `::`; none stands for the whole file.
    #[serde(default)]
    functions: Vec<String>,
    /// What is changed, as in `replace + with -`; nothing stands for all changes.
    #[serde(default)]
    changes: Vec<String>,
    /// How many mutants that are.
    count: usize,
    /// Why no test notices.
    #[serde(rename = "reason")]
    _reason: String,
}

impl Survivors {
    fn speak_of(&self, mutant: &Mutant) -> bool {
        let function = mutant.function.as_ref().map_or("", |function| function.name.as_str());
        let function = function.rsplit("::").next().unwrap_or(function);
        let is_one_of = |choices: &[String], is: &dyn Fn(&String) -> bool| choices.is_empty() || choices.iter().any(is);
        mutant.file == self.file
            && is_one_of(&self.functions, &|name| name == function)
            && is_one_of(&self.changes, &|change| mutant.change().starts_with(change.as_str()))
    }
}

impl Explained {
    /// What a file explains.
    ///
    /// # Errors
    /// Where it cannot be read, or is not such a file.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Whether it explains a mutant, should it survive.
    fn speaks_of(&self, mutant: &Mutant) -> bool {
        self.survivors.iter().any(|entry| entry.speak_of(mutant))
    }

    /// Whether it explains a mutant, and just as many of its kind as survive.
    #[must_use]
    pub fn settles(&self, mutant: &Mutant, survivors: &[&Mutant]) -> bool {
        let is_settled =
            |entry: &Survivors| survivors.iter().filter(|other| entry.speak_of(other)).count() == entry.count;
        self.survivors.iter().any(|entry| entry.speak_of(mutant) && is_settled(entry))
    }

    /// The survivors that nothing explains, and what is explained that is not so.
    #[must_use]
    pub fn open<'a>(&self, survivors: &[&'a Mutant]) -> (Vec<&'a str>, Vec<String>) {
        let unexplained = survivors.iter().filter(|mutant| !self.speaks_of(mutant));
        let wrong = self.survivors.iter().filter_map(|entry| {
            let found = survivors.iter().filter(|mutant| entry.speak_of(mutant)).count();
            let Survivors { file, functions, changes, count, .. } = entry;
            (found != *count)
                .then(|| format!("{file} {functions:?} {changes:?}: explains {count} mutants, {found} survive"))
        });
        (unexplained.map(|mutant| mutant.name.as_str()).collect(), wrong.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::{Function, Genre, Place, Span};

    fn mutant(function: &str) -> Mutant {
        let place = Place { line: 1, column: 1 };
        Mutant {
            file: "f.rs".to_owned(),
            genre: Genre::BinaryOperator,
            function: Some(Function { name: format!("Type::{function}"), return_type: String::new() }),
            name: format!("f.rs:1:1: replace + with - in Type::{function}"),
            replacement: "-".to_owned(),
            span: Span { start: place, end: place },
        }
    }

    #[test]
    fn an_entry_settles_as_many_as_it_counts() {
        let entry =
            r#"survivors = [{ file = "f.rs", functions = ["f"], changes = ["replace +"], count = 1, reason = "" }]"#;
        let explained: Explained = toml::from_str(entry).unwrap();
        let (one, other) = (mutant("f"), mutant("g"));
        assert!(explained.settles(&one, &[&one, &other]) && !explained.settles(&one, &[&one, &one]));
        assert!(!explained.settles(&other, &[&one, &other]));
        let (unexplained, wrong) = explained.open(&[&one, &one, &other]);
        assert_eq!((unexplained, wrong.len()), (vec![other.name.as_str()], 1));
    }
}
