//! What MPI libraries run: the functions that are collectives of the catalogue, each library's algorithms for them, and what it
//! chooses by default. `mpi.toml` lists the functions; `openmpi.toml` and `mpich.toml` say what their keys mean.
//!
//! Contributors: a library is such a table, and a [`Library`].

mod known;

use std::sync::LazyLock;

use serde::Deserialize;

pub use known::{Known, all, columns};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// Bytes of the operand: of the vector, or of a block.
    #[default]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbered {
    /// The library's number: in Open MPI's rules files and in the [variable](Function::variable).
    #[serde(default)]
    pub number: u32,
    /// The library's name.
    pub name: &'static str,
    /// The first version that has it; empty for the first that is known here.
    #[serde(default)]
    since: &'static str,
    /// The name in the catalogue; empty if it has none.
    #[serde(default)]
    pub ours: &'static str,
    /// How the messages differ, if they do.
    pub differs: Option<&'static str>,
    /// How the order or concurrency of equal messages differs, where that is known.
    pub order: Option<&'static str>,
    /// Whether it uses the segment size of a rule; the others do not segment, or choose the size themselves.
    #[serde(default)]
    pub reads_segment: bool,
    /// The number of another algorithm that it is without a segment size.
    pub whole_is: Option<u32>,
    /// Whether it sends halves of the message: without a segment size two segments, and with longer ones another algorithm.
    #[serde(default)]
    pub halves: bool,
    /// Whether a decision for the name in the catalogue means another algorithm.
    #[serde(default)]
    is_second: bool,
}

impl Numbered {
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
}

/// A function of MPI.
#[derive(Debug)]
pub struct Function {
    /// Its name in the standard.
    pub name: &'static str,
    /// The collective of the catalogue, and problem, that it is.
    pub collective: &'static str,
    /// What a rule presumes of a call beyond its size.
    pub presumes: &'static str,
    /// Its number among the collectives of Open MPI's rules files.
    pub number: u32,
    /// The size that Open MPI's rules compare.
    pub size: Size,
    /// The size that Open MPI's decisions compare.
    pub decides: Size,
    /// What Open MPI chooses without rules: least ranks, each with least sizes and numbers.
    pub decisions: &'static [(u64, Vec<(u64, u32)>)],
    /// All algorithms of Open MPI.
    open_mpi: &'static [Numbered],
    /// The algorithms of Open MPI and of MPICH that the catalogue has; of two with one name the first is meant by it.
    pub known: [Vec<Numbered>; 2],
    /// What MPICH chooses: the first that holds.
    choices: &'static [Choice],
}

/// A collective of Open MPI's component `tuned`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuned {
    /// The function of MPI.
    pub name: &'static str,
    /// Its number in rules files.
    #[serde(skip)]
    pub number: u32,
    /// The size that rules compare.
    #[serde(default)]
    size: Size,
    /// The size that the decisions compare.
    #[serde(default)]
    decides: Size,
    /// All algorithms by their numbers, from 1; none if `tuned` does not choose.
    #[serde(default)]
    algorithms: Vec<Numbered>,
    /// What it chooses without rules: least ranks, each with least sizes and numbers.
    #[serde(default)]
    decisions: Vec<(u64, Vec<(u64, u32)>)>,
}

impl Tuned {
    /// The name in lower case, as rules files have it.
    #[must_use]
    pub fn key(&self) -> String {
        self.name.trim_start_matches("MPI_").to_lowercase()
    }

    /// The names of the algorithms in a version such as 5.0, from number 1 on.
    #[must_use]
    pub fn algorithms(&self, version: &str) -> Vec<&'static str> {
        let has = |known: &&Numbered| known.since <= version;
        let known = self.algorithms.iter().filter(has);
        known.map(|known| known.name).collect()
    }
}

/// What MPICH has for a function.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mpich {
    name: &'static str,
    algorithms: Vec<Numbered>,
    choices: Vec<Choice>,
}

/// An algorithm that MPICH chooses where all that is stated holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    number: u32,
    ranks_from: Option<u64>,
    ranks_below: Option<u64>,
    bytes: Option<u64>,
    total_below: Option<u64>,
    power_of_two: Option<bool>,
    is_short: Option<bool>,
}

impl Choice {
    fn holds(&self, call: Call) -> bool {
        let Call { K, bytes, .. } = call;
        self.ranks_from.is_none_or(|from| K >= from)
            && self.ranks_below.is_none_or(|below| K < below)
            && self.bytes.is_none_or(|most| bytes <= most)
            && (self.total_below).is_none_or(|below| bytes.saturating_mul(K) < below)
            && (self.power_of_two).is_none_or(|is| K.is_power_of_two() == is)
            && (self.is_short).is_none_or(|is| (call.count() < power(K)) == is)
    }
}

/// The collectives of Open MPI's component `tuned`, by their numbers.
pub static TUNED: LazyLock<Vec<Tuned>> = LazyLock::new(|| {
    let mut all = table::<Tuned>(include_str!("openmpi.toml"));
    for (tuned, number) in all.iter_mut().zip(0..) {
        tuned.number = number;
        let algorithms = tuned.algorithms.iter_mut().zip(1..);
        algorithms.for_each(|(known, number)| known.number = number);
    }
    all
});

static MPICH: LazyLock<Vec<Mpich>> = LazyLock::new(|| table(include_str!("mpich.toml")));

static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Listed {
        name: &'static str,
        collective: &'static str,
        presumes: &'static str,
    }
    let function = |listed: Listed| {
        let is_it = |name: &str| name == listed.name;
        let open_mpi = TUNED.iter().find(|tuned| is_it(tuned.name))?;
        let mpich = MPICH.iter().find(|mpich| is_it(mpich.name));
        let has = |known: &&Numbered| !known.ours.is_empty();
        let mut known = [
            open_mpi.algorithms.iter().filter(has).copied().collect(),
            mpich.map_or(Vec::new(), |mpich| mpich.algorithms.clone()),
        ];
        known[0].sort_by_key(|known: &Numbered| known.is_second);
        Some(Function {
            name: listed.name,
            collective: listed.collective,
            presumes: listed.presumes,
            number: open_mpi.number,
            size: open_mpi.size,
            decides: open_mpi.decides,
            decisions: &open_mpi.decisions,
            open_mpi: &open_mpi.algorithms,
            known,
            choices: mpich.map_or(&[], |mpich| &mpich.choices),
        })
    };
    let listed = table(include_str!("mpi.toml")).into_iter();
    listed.filter_map(function).collect()
});

/// The rows of a table of this module.
fn table<T: Deserialize<'static>>(text: &'static str) -> Vec<T> {
    #[derive(Deserialize)]
    struct Table<T> {
        function: Vec<T>,
    }
    // A test reads each of them.
    toml::from_str(text).map_or_else(
        |error| unreachable!("{error}"),
        |table: Table<T>| table.function,
    )
}

/// The functions of MPI whose algorithms the catalogue has.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter()
}

/// The functions of MPI that solve a problem; the first is the one whose blocks have one size.
pub fn functions_of(problem: &str) -> impl Iterator<Item = &'static Function> {
    functions().filter(move |function| function.collective == problem)
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
    pub fn algorithms(&self, library: Library) -> &[Numbered] {
        &self.known[usize::from(library == Library::Mpich)]
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
    pub fn numbered(&self, ours: &str) -> Option<&Numbered> {
        self.known[0].iter().find(|known| known.ours == ours)
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
        runs(self.number, number, segment, call)
    }

    /// The number of the algorithm that Open MPI chooses without rules for a size in the unit of its decisions; 0 where there is
    /// none.
    #[must_use]
    pub fn decided(&self, K: u64, size: u64) -> u32 {
        let mut of_ranks = self.decisions.iter().rev();
        let rules = of_ranks.find(|(from, _)| K >= *from);
        let mut rules = rules.map_or(&[][..], |(_, rules)| rules).iter().rev();
        let rule = rules.find(|(from, _)| size >= *from);
        rule.map_or(0, |(_, number)| *number)
    }

    /// What a library runs without rules.
    #[must_use]
    pub fn default(&'static self, library: Library, call: Call) -> Default {
        let number = match library {
            Library::Mpich => {
                let choice = self.choices.iter().find(|choice| choice.holds(call));
                choice.map(|choice| choice.number)
            }
            Library::OpenMpi4 | Library::OpenMpi5 => {
                let decided = self.decided(call.K, self.decides.bytes(call));
                let number = self.runs_as(decided, 0, call);
                // Two ranks exchange their blocks: `two_proc` sends the messages of these.
                Some(match (self.number, number) {
                    (0, 6) => 4,
                    (3, 5) => 2,
                    _ => number,
                })
            }
        };
        let is_it = |known: &&Numbered| Some(known.number) == number;
        if let Some(known) = self.algorithms(library).iter().find(is_it) {
            return Default::Known(known);
        }
        let lacks = self.open_mpi.iter().find(is_it);
        let lacks = lacks.filter(|_| library != Library::Mpich);
        lacks.map_or(Default::Unknown, |own| Default::Lacks(own.name))
    }
}

/// The number of the algorithm that Open MPI runs where this one is chosen for a collective, by its number in rules files, with
/// segments of this size. The operator commutes.
fn runs(collective: u32, number: u32, segment: u64, call: Call) -> u32 {
    let (K, count) = (call.K, call.count());
    match (collective, number) {
        (0, 3) if !K.is_power_of_two() => 2,
        (0, 5) if K % 2 == 1 => 4,
        (2, 4) if count < K => 3,
        (2, 5) if count < K.saturating_mul(elements(segment, call.element)) => runs(2, 4, 0, call),
        (2, 6) | (11, 7) if count < power(K) => 1,
        (7, 4) if count < 2 || segment > (count / 2).saturating_mul(call.element) => 2,
        (7, 8 | 9) if count < K => 1,
        _ => number,
    }
}

/// Elements of a segment of an allreduce: rounded, a half down. Without segments there are none to send.
fn elements(segment: u64, element: u64) -> u64 {
    if segment < element {
        return u64::MAX;
    }
    segment / element + u64::from(segment % element > element / 2)
}

/// The largest power of two up to K.
fn power(K: u64) -> u64 {
    K.checked_ilog2().map_or(0, |log| 1 << log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use algorithms::catalogue;

    /// Names are in the catalogue, tables are in order, and each default is an algorithm of the library.
    #[test]
    fn every_default_has_a_name() {
        for function in functions() {
            for known in function.known.iter().flatten() {
                assert!(catalogue::find(known.ours).is_some(), "{known:?}");
            }
            let decisions = function.decisions;
            assert!(decisions.is_sorted_by_key(|(from, _)| *from) && decisions[0].0 == 0);
            for (_, rules) in decisions {
                assert!(rules.is_sorted_by_key(|(from, _)| *from) && rules[0].0 == 0);
                assert!(
                    rules.windows(2).all(|pair| pair[0].1 != pair[1].1),
                    "{}: {rules:?}",
                    function.name
                );
            }
            for (K, bytes) in (1..5000).flat_map(|K| (0..30).map(move |power| (K, 1 << power))) {
                for library in [Library::OpenMpi4, Library::OpenMpi5] {
                    let call = Call {
                        K,
                        bytes,
                        element: 8,
                    };
                    assert_ne!(
                        function.default(library, call),
                        Default::Unknown,
                        "{}, {call:?}",
                        function.name
                    );
                }
            }
        }
    }

    #[test]
    fn defaults_are_named() {
        let runs = |function: &'static Function, library, K, bytes| match function.default(
            library,
            Call {
                K,
                bytes,
                element: 1,
            },
        ) {
            Default::Known(known) => known.name,
            Default::Lacks(name) => name,
            Default::Unknown => "",
        };
        let of = |collective| functions_of(collective).next().unwrap();
        let bcast = of("broadcast");
        assert_eq!(runs(bcast, Library::OpenMpi4, 8, 1 << 20), "basic_linear");
        assert_eq!(
            runs(bcast, Library::OpenMpi4, 18, 1 << 20),
            "scatter_allgather"
        );
        assert_eq!(runs(bcast, Library::OpenMpi4, 4, 1 << 20), "chain");
        assert_eq!(
            runs(bcast, Library::Mpich, 16, 64 << 10),
            "scatter_recursive_doubling_allgather"
        );
        assert_eq!(
            runs(of("alltoall"), Library::OpenMpi5, 64, 1 << 18),
            "pairwise"
        );
        assert_eq!(runs(of("allgather"), Library::OpenMpi4, 2, 8), "ring");
    }
}
