//! Algorithms that are made while the program runs: composed ones when they are named, and those that users give.
//!
//! Each is kept until the process ends, because an [`Entry`](crate::problem::Entry) refers to it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Algorithm;
use crate::problem::{About, Listed};

#[derive(Default)]
struct Known {
    /// The algorithms of each collective, in the order in which they were made.
    listed: BTreeMap<&'static str, Vec<&'static Listed<dyn Algorithm>>>,
    /// The collective and the number of the last one with a name.
    names: BTreeMap<&'static str, (&'static str, usize)>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn with<T>(used: impl FnOnce(&mut Known) -> T) -> T {
    used(
        KNOWN
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_default(),
    )
}

/// The algorithm of a collective with this number.
pub(super) fn listed(collective: &str, number: usize) -> Option<&'static Listed<dyn Algorithm>> {
    with(|known| known.listed.get(collective)?.get(number).copied())
}

/// The number of the algorithm of a collective with this name.
pub(super) fn number(collective: &str, name: &str) -> Option<usize> {
    with(|known| {
        known
            .names
            .get(name)
            .filter(|(of, _)| *of == collective)
            .map(|(_, number)| *number)
    })
}

/// Keeps an algorithm, and returns its number. Of several with one name the last counts.
pub(super) fn keep(
    collective: &'static str,
    about: About,
    algorithm: &'static dyn Algorithm,
) -> usize {
    with(|known| {
        let all = known.listed.entry(collective).or_default();
        known.names.insert(about.name, (collective, all.len()));
        all.push(Box::leak(Box::new(Listed { about, algorithm })));
        all.len() - 1
    })
}

/// What gives an algorithm whose plans a function makes, in place of a file.
pub const PROCESS: &str = "this process";

/// An algorithm that a user gives: its name, what it is and where it was given.
#[derive(Debug, Clone)]
pub struct Given {
    /// Its name; no other algorithm has it.
    pub name: String,
    /// What it does, in a few words.
    pub summary: String,
    /// The file that gives it.
    pub file: String,
    /// What that file names: a plan, a command.
    pub section: String,
}

impl Given {
    /// Adds the algorithm to a collective: [`find`](crate::catalogue::find) finds it from now on.
    pub fn give(self, collective: &'static str, algorithm: impl Algorithm + 'static) {
        let Self {
            name,
            summary,
            file,
            section,
        } = self;
        let [name, summary, paper, section] =
            [name, summary, file, section].map(|text| &*text.leak());
        let about = About {
            name,
            summary,
            paper,
            section,
            revision: 1,
            is_given: true,
        };
        keep(collective, about, Box::leak(Box::new(algorithm)));
    }
}
