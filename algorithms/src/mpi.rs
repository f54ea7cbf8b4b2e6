//! The functions of MPI that solve a problem of the catalogue: which algorithms the libraries have, and which one they
//! choose by default.

/// A library whose choices are known.
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

    /// Its name on the command line.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }
}

/// An algorithm of Open MPI, and ours that sends the same messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbered {
    /// Open MPI's number, as rules files take it.
    pub number: u32,
    /// Open MPI's name.
    pub name: &'static str,
    /// Our name.
    pub ours: &'static str,
    /// Whether it reads the segment size of a rule; the others send the whole message or cut it themselves.
    pub reads_segment: bool,
}

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
    /// What Open MPI has, as far as we have it, too.
    pub open_mpi: &'static [Numbered],
    /// What MPICH has, by our names.
    pub mpich: &'static [&'static str],
    /// The algorithm that a library takes by default for a number of ranks and of bytes, by our name; `None` where it is
    /// not in the catalogue.
    pub default: fn(Library, u64, u64) -> Option<&'static str>,
}

impl Function {
    /// Whether a library has an algorithm of ours.
    #[must_use]
    pub fn has(&self, library: Library, ours: &str) -> bool {
        match library {
            Library::OpenMpi => self.numbered(ours).is_some(),
            Library::Mpich => self.mpich.contains(&ours),
        }
    }

    /// Whether a library cuts the message of an algorithm that it has.
    #[must_use]
    pub fn cuts(&self, library: Library, ours: &str) -> bool {
        library == Library::OpenMpi && self.numbered(ours).is_some_and(|known| known.reads_segment)
    }

    /// What Open MPI calls an algorithm of ours.
    #[must_use]
    pub fn numbered(&self, ours: &str) -> Option<&'static Numbered> {
        self.open_mpi.iter().find(|known| known.ours == ours)
    }
}
