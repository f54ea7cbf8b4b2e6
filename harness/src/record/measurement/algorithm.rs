//! What executes a measured point, by the name that configurations and results have for it.

use algorithms::catalogue;
use algorithms::problem::Entry;
use measure::library::Library;

use crate::libraries;

/// What executes a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// The program of an algorithm of the catalogue, message by message.
    Program(Entry),
    /// The MPI library.
    Library(Library),
}

impl Algorithm {
    /// The algorithm of this name.
    pub fn find(name: &str) -> Option<Self> {
        catalogue::find(name)
            .map(Self::Program)
            .or_else(|| Library::named(name).map(Self::Library))
    }

    /// The algorithm of the catalogue with its axes; for a function of the library, the first of its problem.
    pub fn entry(self) -> Entry {
        match self {
            Self::Program(entry) => entry,
            Self::Library(library) => *catalogue::entries()
                .iter()
                .find(|entry| entry.problem().name == problem(library))
                .unwrap_or(&catalogue::entries()[0]),
        }
    }

    /// Its name in configurations and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program(entry) => entry.name,
            Self::Library(library) => library.name(),
        }
    }

    /// Its rank in reports: that of the catalogue, the library last.
    pub fn rank(self) -> usize {
        match self {
            Self::Program(entry) => entry.rank(),
            Self::Library(library) => catalogue::entries().len() + library as usize,
        }
    }
}

/// The problem of the catalogue that a function of the library solves.
fn problem(library: Library) -> &'static str {
    match library {
        Library::Bcast | Library::Ibcast => "logp-multicast",
        _ => libraries::functions()
            .find(|function| function.name == library.name())
            .map_or("", |function| function.collective),
    }
}
