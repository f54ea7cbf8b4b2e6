//! MPI functions that solve a problem of the catalogue: which algorithms the libraries have, and which they choose by default.

pub(crate) mod defaults;

/// A library with known default choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// Open MPI 4.1, component `tuned`, with its fixed decisions.
    OpenMpi4,
    /// Open MPI 5.0, component `tuned`, with its fixed decisions.
    OpenMpi5,
    /// MPICH 4.0, one rank per node.
    Mpich,
}

impl Library {
    /// All.
    pub const ALL: [Self; 3] = [Self::OpenMpi4, Self::OpenMpi5, Self::Mpich];
    /// The libraries whose messages a test counts.
    pub const COUNTED: [Self; 2] = [Self::OpenMpi4, Self::Mpich];

    /// Its name and version.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi4 => "Open MPI 4.1",
            Self::OpenMpi5 => "Open MPI 5.0",
            Self::Mpich => "MPICH 4.0",
        }
    }

    /// Its name on the command line.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::OpenMpi4 => "openmpi-4.1",
            Self::OpenMpi5 => "openmpi-5.0",
            Self::Mpich => "mpich-4.0",
        }
    }

    /// Its name on the command line without a version.
    #[must_use]
    pub fn short(self) -> Option<&'static str> {
        match self {
            Self::OpenMpi4 => Some("openmpi"),
            Self::OpenMpi5 => None,
            Self::Mpich => Some("mpich"),
        }
    }
}

/// A call of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Ranks.
    pub K: u64,
    /// Bytes of the operand as the catalogue counts them: of a vector, or of a block per rank; 0 for a barrier.
    pub bytes: u64,
    /// Bytes of an element of the datatype, at least 1.
    pub element: u64,
}

impl Call {
    /// Elements of the operand.
    fn count(self) -> u64 {
        self.bytes / self.element.max(1)
    }
}

/// The size that Open MPI compares with the sizes of its decisions and of a rules file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Bytes of the operand: of the vector, or of a block.
    Operand,
    /// Bytes of the blocks of all ranks.
    Blocks,
    /// Bytes of an element times the ranks: the same for every operand.
    Elements,
    /// Always 0.
    Nothing,
}

impl Size {
    /// The size of a call.
    #[must_use]
    pub fn bytes(self, Call { K, bytes, element }: Call) -> u64 {
        match self {
            Self::Operand => bytes,
            Self::Blocks => bytes.saturating_mul(K),
            Self::Elements => element.saturating_mul(K),
            Self::Nothing => 0,
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
    /// How the order or concurrency of equal messages differs, where that is known.
    pub order: Option<&'static str>,
    /// Whether it uses the segment size of a rule; the others do not segment, or choose the size themselves.
    pub reads_segment: bool,
    /// The number of another algorithm that it is without a segment size.
    pub whole_is: Option<u32>,
    /// Whether it sends halves of the message: without a segment size two segments, and with longer ones another algorithm.
    pub halves: bool,
}

impl Numbered {
    /// An algorithm that does not read the segment size of a rule.
    pub(crate) const fn whole(number: u32, name: &'static str, ours: &'static str) -> Self {
        Self {
            number,
            name,
            ours,
            differs: None,
            order: None,
            reads_segment: false,
            whole_is: None,
            halves: false,
        }
    }

    /// An algorithm that reads the segment size of a rule.
    pub(crate) const fn cut(number: u32, name: &'static str, ours: &'static str) -> Self {
        Self {
            reads_segment: true,
            ..Self::whole(number, name, ours)
        }
    }

    /// With messages that differ from castbench's algorithm in this way.
    pub(crate) const fn but(self, differs: &'static str) -> Self {
        Self {
            differs: Some(differs),
            ..self
        }
    }

    /// The segment size to ask for, so that pieces of at most this size are sent; 0 for the longest.
    #[must_use]
    pub fn segment(&self, piece: u64, call: Call) -> u64 {
        let longest = if self.halves {
            call.bytes / 2
        } else {
            call.bytes
        };
        if !self.reads_segment || piece >= longest {
            return 0;
        }
        // Pieces of equal size are a little shorter than the power of two that gives the same number.
        piece
            .checked_next_power_of_two()
            .filter(|&segment| segment <= longest)
            .unwrap_or(piece)
    }

    /// With equal messages in another order, or more of them at once.
    pub(crate) const fn ordered(self, order: &'static str) -> Self {
        Self {
            order: Some(order),
            ..self
        }
    }
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
    /// The size that Open MPI's decisions and rules compare.
    pub size: Size,
    /// The algorithms of Open MPI that the catalogue has.
    pub open_mpi: &'static [Numbered],
    /// The algorithms of MPICH that the catalogue has.
    pub mpich: &'static [Numbered],
    /// Open MPI's algorithms that the catalogue lacks: number and name.
    pub lacks: &'static [(u32, &'static str)],
    /// What Open MPI chooses without rules.
    pub decisions: &'static Decisions,
    /// The size that these decisions compare.
    pub decides: Size,
    /// The number of the algorithm that MPICH chooses; `None` where it is not known.
    pub mpich_chooses: fn(Call) -> Option<u32>,
    /// Another function that solves the same problem.
    pub also: Option<&'static Self>,
    /// What a rule presumes of a call beyond its size.
    pub presumes: &'static str,
}

/// What a library runs for a call without rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// An algorithm of the catalogue.
    Known(&'static Numbered),
    /// One that the catalogue lacks, by the library's name.
    Lacks(&'static str),
    /// castbench does not know which.
    Unknown,
}

impl Function {
    /// Whether a library has an algorithm of the catalogue.
    #[must_use]
    pub fn has(&self, library: Library, ours: &str) -> bool {
        self.algorithms(library)
            .iter()
            .any(|known| known.ours == ours)
    }

    /// The algorithms of a library that the catalogue has.
    #[must_use]
    pub fn algorithms(&self, library: Library) -> &'static [Numbered] {
        match library {
            Library::OpenMpi4 | Library::OpenMpi5 => self.open_mpi,
            Library::Mpich => self.mpich,
        }
    }

    /// The control variable with which a user chooses one of them by its number.
    #[must_use]
    pub fn variable(&self, library: Library) -> String {
        let name = self.name.trim_start_matches("MPI_");
        match library {
            Library::OpenMpi4 | Library::OpenMpi5 => {
                format!("coll_tuned_{}_algorithm", name.to_lowercase())
            }
            Library::Mpich => format!("MPIR_CVAR_{}_INTRA_ALGORITHM", name.to_uppercase()),
        }
    }

    /// Whether a library segments the message for this algorithm.
    #[must_use]
    pub fn cuts(&self, library: Library, ours: &str) -> bool {
        library != Library::Mpich && self.numbered(ours).is_some_and(|known| known.reads_segment)
    }

    /// Open MPI's name and number for an algorithm of the catalogue.
    #[must_use]
    pub fn numbered(&self, ours: &str) -> Option<&'static Numbered> {
        self.open_mpi.iter().find(|known| known.ours == ours)
    }

    /// Whether a library that is asked for an algorithm of the catalogue, with segments of any size, runs it in this call, and not
    /// another one.
    #[must_use]
    pub fn runs(&self, library: Library, ours: &str, call: Call) -> bool {
        match (library, self.numbered(ours)) {
            (Library::Mpich, _) => true,
            (_, None) => false,
            (_, Some(known)) => {
                self.runs_as(
                    known.number,
                    if known.reads_segment { call.element } else { 0 },
                    call,
                ) == known.number
            }
        }
    }

    /// The number of the algorithm that Open MPI runs if this one is chosen with segments of this size.
    #[must_use]
    pub fn runs_as(&self, number: u32, segment: u64, call: Call) -> u32 {
        defaults::runs(self.collective, number, segment, call)
    }

    /// The number of the algorithm that Open MPI chooses without rules for a size in the unit of its decisions.
    #[must_use]
    pub fn decided(&self, K: u64, size: u64) -> u32 {
        decided(self.decisions, K, size)
    }

    /// What a library runs without rules.
    #[must_use]
    pub fn default(&self, library: Library, call: Call) -> Default {
        let number = match library {
            Library::Mpich => (self.mpich_chooses)(call),
            Library::OpenMpi4 | Library::OpenMpi5 => {
                let number = self.runs_as(self.decided(call.K, self.decides.bytes(call)), 0, call);
                // Two ranks exchange their blocks: `two_proc` sends the messages of these.
                Some(match (self.collective, number) {
                    (0, 6) => 4,
                    (3, 5) => 2,
                    _ => number,
                })
            }
        };
        let Some(number) = number else {
            return Default::Unknown;
        };
        if let Some(known) = self
            .algorithms(library)
            .iter()
            .find(|known| known.number == number)
        {
            return Default::Known(known);
        }
        let lacks = self
            .lacks
            .iter()
            .find(|own| library != Library::Mpich && own.0 == number);
        lacks.map_or(Default::Unknown, |own| Default::Lacks(own.1))
    }
}

/// A least number of ranks, each with its rules: a least size, and the number of the algorithm.
pub type Decisions = [(u64, &'static [(u64, u32)])];

/// The number of the algorithm that these decisions give for this size on K ranks; 0 where there is none.
pub(crate) fn decided(decisions: &Decisions, K: u64, size: u64) -> u32 {
    let of = |rules: &[(u64, u32)]| {
        rules
            .iter()
            .rev()
            .find(|(from, _)| size >= *from)
            .map_or(0, |(_, number)| *number)
    };
    decisions
        .iter()
        .rev()
        .find(|(from, _)| K >= *from)
        .map_or(0, |(_, rules)| of(rules))
}
