//! MPI functions that solve a problem of the catalogue: which algorithms the libraries have, and which they choose by default.

use crate::collectives::library;

/// A library with known default choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// Open MPI 4.1, component `tuned`, with its fixed decisions.
    OpenMpi,
    /// MPICH 3, with the decisions of Thakur, Rabenseifner, Gropp 2005.
    Mpich,
}

impl Library {
    /// All.
    pub const ALL: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// Its name and version.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI 4.1",
            Self::Mpich => "MPICH 3",
        }
    }

    /// The version whose messages a test counts.
    #[must_use]
    pub fn counted(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI 4.1",
            Self::Mpich => "MPICH 4.0",
        }
    }

    /// Its name on the command line.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }
}

/// An algorithm of a library, and the one of the catalogue that sends the same messages, or nearly the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbered {
    /// The library's number: in Open MPI's rules files and in the [variable](Function::variable).
    pub number: u32,
    /// The library's name.
    pub name: &'static str,
    /// The name in the catalogue.
    pub ours: &'static str,
    /// How the messages differ, if they do.
    pub differs: Option<&'static str>,
    /// Whether it uses the segment size of a rule; the others do not segment, or choose the size themselves.
    pub reads_segment: bool,
}

impl Numbered {
    /// An algorithm that does not read the segment size of a rule.
    pub(crate) const fn whole(number: u32, name: &'static str, ours: &'static str) -> Self {
        Self { number, name, ours, differs: None, reads_segment: false }
    }

    /// An algorithm that does.
    pub(crate) const fn cut(number: u32, name: &'static str, ours: &'static str) -> Self {
        Self { reads_segment: true, ..Self::whole(number, name, ours) }
    }

    /// The same algorithm with other messages.
    pub(crate) const fn but(self, differs: &'static str) -> Self {
        Self { differs: Some(differs), ..self }
    }
}

/// The functions whose algorithms the catalogue has.
pub static FUNCTIONS: [&Function; 13] = [
    &crate::logp::pipeline::library::BCAST,
    &library::BROADCAST,
    &crate::collectives::allreduce::library::ALLREDUCE,
    &library::REDUCE,
    &library::REDUCE_SCATTER,
    &library::REDUCE_SCATTER_BLOCK,
    &library::ALLGATHER,
    &library::ALLTOALL,
    &library::GATHER,
    &library::SCATTER,
    &library::SCAN,
    &library::EXSCAN,
    &library::BARRIER,
];

/// A function of MPI.
#[derive(Debug)]
pub struct Function {
    /// Its name in the standard.
    pub name: &'static str,
    /// Its number among the collectives of Open MPI's rules files.
    pub collective: u32,
    /// The key of the axis that counts ranks.
    pub ranks: &'static str,
    /// The key of the axis with the message size.
    pub bytes: &'static str,
    /// The algorithms of Open MPI that the catalogue has.
    pub open_mpi: &'static [Numbered],
    /// The algorithms of MPICH that the catalogue has.
    pub mpich: &'static [Numbered],
    /// The algorithm that a library chooses by default for a number of ranks and of bytes; `None` where the catalogue lacks it.
    pub default: fn(Library, u64, u64) -> Option<&'static str>,
}

impl Function {
    /// Whether a library has an algorithm of the catalogue.
    #[must_use]
    pub fn has(&self, library: Library, ours: &str) -> bool {
        match library {
            Library::OpenMpi => self.numbered(ours).is_some(),
            Library::Mpich => self.mpich.iter().any(|known| known.ours == ours),
        }
    }

    /// The algorithms of a library that the catalogue has.
    #[must_use]
    pub fn algorithms(&self, library: Library) -> &'static [Numbered] {
        match library {
            Library::OpenMpi => self.open_mpi,
            Library::Mpich => self.mpich,
        }
    }

    /// The control variable with which a user chooses one of them by its number.
    #[must_use]
    pub fn variable(&self, library: Library) -> String {
        let name = self.name.trim_start_matches("MPI_");
        match library {
            Library::OpenMpi => format!("coll_tuned_{}_algorithm", name.to_lowercase()),
            Library::Mpich => format!("MPIR_CVAR_{}_INTRA_ALGORITHM", name.to_uppercase()),
        }
    }

    /// Whether a library segments the message for this algorithm.
    #[must_use]
    pub fn cuts(&self, library: Library, ours: &str) -> bool {
        library == Library::OpenMpi && self.numbered(ours).is_some_and(|known| known.reads_segment)
    }

    /// Open MPI's name and number for an algorithm of the catalogue.
    #[must_use]
    pub fn numbered(&self, ours: &str) -> Option<&'static Numbered> {
        self.open_mpi.iter().find(|known| known.ours == ours)
    }
}

/// A least number of ranks, each with its rules: a least number of bytes, and the number of the algorithm.
pub(crate) type Decisions = [(u64, &'static [(u64, u32)])];

/// The number of the algorithm that these decisions give for this size on K ranks; 0 where there is none.
pub(crate) fn decided(decisions: &Decisions, K: u64, bytes: u64) -> u32 {
    let of =
        |rules: &[(u64, u32)]| rules.iter().rev().find(|(from, _)| bytes >= *from).map_or(0, |(_, number)| *number);
    decisions.iter().rev().find(|(from, _)| K >= *from).map_or(0, |(_, rules)| of(rules))
}

/// Decisions are in order, begin at 0, and each differs from the one before.
#[cfg(test)]
pub(crate) fn check(decisions: &Decisions) {
    assert!(decisions.is_sorted_by_key(|(from, _)| *from) && decisions[0].0 == 0);
    for (_, rules) in decisions {
        assert!(rules.is_sorted_by_key(|(from, _)| *from) && rules[0].0 == 0);
        assert!(rules.windows(2).all(|pair| pair[0].1 != pair[1].1));
    }
}
