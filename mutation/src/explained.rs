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

    /// The survivors that nothing explains, and what is explained that is not so.
    #[must_use]
    pub fn open<'a>(&self, survivors: &[&'a Mutant]) -> (Vec<&'a str>, Vec<String>) {
        let unexplained = survivors.iter().filter(|mutant| !self.survivors.iter().any(|entry| entry.speak_of(mutant)));
        let wrong = self.survivors.iter().filter_map(|entry| {
            let found = survivors.iter().filter(|mutant| entry.speak_of(mutant)).count();
            let Survivors { file, functions, changes, count, .. } = entry;
            (found != *count)
                .then(|| format!("{file} {functions:?} {changes:?}: explains {count} mutants, {found} survive"))
        });
        (unexplained.map(|mutant| mutant.name.as_str()).collect(), wrong.collect())
    }
}
