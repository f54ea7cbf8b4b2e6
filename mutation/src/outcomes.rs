//! What became of each mutant, in a file that the next run goes on with.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use crate::explained::Explained;
use crate::mutant::Mutant;
use crate::run::Outcome;

/// Lines of name, outcome and which test or how many, between tabs.
pub struct Outcomes {
    file: Mutex<File>,
    known: Mutex<BTreeMap<String, String>>,
}

impl Outcomes {
    /// Those of a file, which is made where there is none.
    ///
    /// # Errors
    /// Where it cannot be read or made.
    pub fn open(path: &Path) -> Result<Self, String> {
        let told = |error| format!("{}: {error}", path.display());
        let file = File::options().append(true).create(true).open(path).map_err(told)?;
        let text = std::fs::read_to_string(path).map_err(told)?;
        let known = text.lines().filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
        });
        Ok(Self { file: Mutex::new(file), known: Mutex::new(known.collect()) })
    }

    /// What became of a mutant, in a word, if it was tried.
    pub fn of(&self, mutant: &Mutant) -> Option<String> {
        self.known.lock().expect("no panic").get(&mutant.name).cloned()
    }

    /// Those of the mutants that no test noticed.
    pub fn survivors<'a>(&self, mutants: &'a [Mutant]) -> Vec<&'a Mutant> {
        let is_unnoticed = |mutant: &&Mutant| {
            self.of(mutant).is_some_and(|outcome| matches!(outcome.as_str(), "survived" | "undecided" | "unreached"))
        };
        mutants.iter().filter(is_unnoticed).collect()
    }

    /// Appends a line.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, mutant: &Mutant, outcome: &Outcome) -> Result<(), String> {
        let (word, more) = outcome.told();
        let line = format!("{}\t{word}\t{more}\n", mutant.name);
        self.known.lock().expect("no panic").insert(mutant.name.clone(), word.to_owned());
        let mut file = self.file.lock().expect("no panic");
        file.write_all(line.as_bytes()).map_err(|error| format!("an outcome cannot be written: {error}"))
    }

    /// How many of the mutants had which outcome, and those that no test noticed without a reason; how many these are,
    /// with the reasons that are none.
    pub fn summary(&self, mutants: &[Mutant], explained: &Explained) -> (String, usize) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for mutant in mutants {
            *counts.entry(self.of(mutant).unwrap_or_else(|| "not tried".to_owned())).or_default() += 1;
        }
        let survivors = self.survivors(mutants);
        let mut text = String::new();
        for (outcome, count) in &counts {
            let _ = writeln!(text, "{count:>6} {outcome}");
        }
        let (unexplained, wrong) = explained.open(&survivors);
        let explained = survivors.len() - unexplained.len();
        let _ =
            writeln!(text, "{explained:>6} of those that no test noticed are explained, {} are not", unexplained.len());
        unexplained.iter().for_each(|name| text += &format!("unexplained: {name}\n"));
        wrong.iter().for_each(|entry| text += &format!("explained otherwise: {entry}\n"));
        (text, unexplained.len() + wrong.len())
    }
}
