//! What libraries run: the functions of MPI that are collectives of the catalogue, each library's algorithms for them, and what it
//! chooses by default. `mpi.toml` lists the functions; `openmpi.toml` says what the keys of all tables mean.
//!
//! Contributors: a library is such a table, a [`Family`], and a [`Library`] for each version.

use std::sync::LazyLock;

use serde::Deserialize;

/// Versions of one library, with one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Open MPI's component `tuned`.
    OpenMpi,
    /// MPICH.
    Mpich,
    /// UCC's TL/UCP.
    Ucc,
    /// NCCL.
    Nccl,
    /// RCCL.
    Rccl,
    /// Intel MPI.
    Intel,
}

/// The tables, in the order of [`Family`].
static TABLES: LazyLock<[Table; 6]> = LazyLock::new(|| {
    [
        include_str!("openmpi.toml"),
        include_str!("mpich.toml"),
        include_str!("ucc.toml"),
        include_str!("nccl.toml"),
        include_str!("rccl.toml"),
        include_str!("intel.toml"),
    ]
    .map(|text| {
        let mut table: Table = read(text);
        for (row, number) in table.function.iter_mut().zip(0..) {
            row.number = number;
            if let Some(first) = table.first {
                row.algorithms
                    .iter_mut()
                    .zip(first..)
                    .for_each(|(known, number)| known.number = number);
            }
        }
        table
    })
});

/// The protocol that every algorithm of NCCL has.
pub const SIMPLE: &str = "simple";

impl Family {
    /// All.
    pub const ALL: [Self; 6] = [
        Self::OpenMpi,
        Self::Mpich,
        Self::Ucc,
        Self::Nccl,
        Self::Rccl,
        Self::Intel,
    ];

    fn table(self) -> &'static Table {
        &TABLES[self as usize]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.table().name
    }

    /// Its name on the command line.
    pub fn key(self) -> &'static str {
        self.table().key
    }

    /// What it has for each function, in the order of its table.
    pub fn rows(self) -> &'static [Row] {
        &self.table().function
    }

    /// How it moves messages, apart from the algorithm.
    pub fn protocols(self) -> &'static [Numbered] {
        &self.table().protocol
    }

    /// Whether it runs an algorithm of its own with a protocol: only rings and trees have others than [`SIMPLE`] (NCCL's
    /// src/graph/tuning.cc).
    pub fn runs(self, algorithm: &str, protocol: &str) -> bool {
        let is_known = self.protocols().iter().any(|known| known.name == protocol);
        is_known && (protocol == SIMPLE || ["ring", "tree"].contains(&algorithm))
    }

    /// Whether it decides itself, as without rules, for a call that no rule is for: NCCL's plugin allows one channel then.
    pub fn leaves_calls(self) -> bool {
        !matches!(self, Self::Nccl | Self::Rccl)
    }

    /// Its versions, from the first on.
    pub fn versions(self) -> impl Iterator<Item = Library> {
        Library::ALL
            .into_iter()
            .filter(move |library| library.family() == self)
    }
}

/// A version of a library; it stands for those up to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// Open MPI 4.1, component `tuned`, with its fixed decisions.
    OpenMpi4,
    /// Open MPI 5.0, component `tuned`, with its fixed decisions; rules as from 5.0.7 on.
    OpenMpi5,
    /// Open MPI 6.0.
    OpenMpi6,
    /// MPICH 4.0, one rank per node.
    Mpich,
    /// MPICH 4.3, one rank per node.
    Mpich43,
    /// UCC of 2026, its transport TL/UCP.
    Ucc,
    /// NCCL 2.27.
    Nccl,
    /// RCCL 2.27.
    Rccl,
    /// Intel MPI 2019 to 2021.12.
    Intel2021,
    /// Intel MPI from 2021.13 on, whose numbers are presets.
    Intel2021Presets,
}

/// The name of each library with its version, in texts and on the command line.
static NAMES: LazyLock<[[String; 2]; 10]> = LazyLock::new(|| {
    Library::ALL.map(|library| {
        let (family, version) = (library.family(), library.version());
        [
            format!("{} {version}", family.name()),
            format!("{}-{version}", family.key()),
        ]
    })
});

impl Library {
    /// All, the versions of a library in order.
    pub const ALL: [Self; 10] = [
        Self::OpenMpi4,
        Self::OpenMpi5,
        Self::OpenMpi6,
        Self::Mpich,
        Self::Mpich43,
        Self::Ucc,
        Self::Nccl,
        Self::Rccl,
        Self::Intel2021,
        Self::Intel2021Presets,
    ];

    /// The library of all versions.
    pub fn family(self) -> Family {
        match self {
            Self::OpenMpi4 | Self::OpenMpi5 | Self::OpenMpi6 => Family::OpenMpi,
            Self::Mpich | Self::Mpich43 => Family::Mpich,
            Self::Ucc => Family::Ucc,
            Self::Nccl => Family::Nccl,
            Self::Rccl => Family::Rccl,
            Self::Intel2021 | Self::Intel2021Presets => Family::Intel,
        }
    }

    /// Its version.
    pub fn version(self) -> &'static str {
        match self {
            Self::OpenMpi4 => "4.1",
            Self::OpenMpi5 => "5.0",
            Self::OpenMpi6 => "6.0",
            Self::Mpich => "4.0",
            Self::Mpich43 => "4.3",
            Self::Ucc => "main",
            Self::Nccl | Self::Rccl => "2.27",
            Self::Intel2021 => "2021.12",
            Self::Intel2021Presets => "2021.13",
        }
    }

    /// Whether a test counts the messages of its algorithms.
    pub fn is_counted(self) -> bool {
        matches!(
            self,
            Self::OpenMpi4 | Self::OpenMpi5 | Self::Mpich | Self::Mpich43
        )
    }

    /// Its name and version.
    pub fn name(self) -> &'static str {
        &NAMES[self as usize][0]
    }

    /// Its name on the command line.
    pub fn key(self) -> &'static str {
        &NAMES[self as usize][1]
    }

    /// Its name on the command line without a version, which the first one has.
    pub fn short(self) -> Option<&'static str> {
        let is_first = self.family().versions().next() == Some(self);
        is_first.then(|| self.family().key())
    }

    /// How it shows what it chooses by times that it computes, so that the best of its algorithms can stand for that; none where it has no
    /// algorithm of a function, or chooses otherwise.
    pub fn shows(self, function: &Function) -> Option<&'static str> {
        let has_any = !function.algorithms(self).is_empty();
        (self.family().table().shows).filter(|_| has_any && self.undecided(function).is_some())
    }

    /// Why castbench does not know what it chooses for a function; none if it does.
    pub fn undecided(self, function: &Function) -> Option<String> {
        let table = self.family().table();
        let row = function.row(self);
        let Some(row) = row.filter(|row| !row.algorithms.is_empty()) else {
            return Some(format!("it knows no algorithm of {} there", self.name()));
        };
        let is_known = !row.choices.is_empty() || !row.decisions.is_empty();
        let is_known = is_known && table.unknown_from.is_none_or(|from| self.version() < from);
        (!is_known).then(|| table.unknown.to_owned())
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
    /// The library's number: in Open MPI's rules files and in the [variable](Function::variable); 0 also for none.
    #[serde(default)]
    pub number: u32,
    /// The library's name.
    pub name: &'static str,
    /// The first version that has it; none for the first that is known here.
    pub since: Option<&'static str>,
    /// The first version that does not have it.
    pub until: Option<&'static str>,
    /// The name in the catalogue; empty if it has none.
    #[serde(default)]
    pub ours: &'static str,
    /// Why the catalogue has none.
    #[serde(default)]
    pub lacks: &'static str,
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
    /// Whether it cuts a message as it likes: the best cut stands for its own.
    #[serde(default)]
    pub chunks: bool,
    /// The control variable of its radix, which the name in the catalogue states at its end, or the axis `r`.
    pub radix: Option<&'static str>,
    /// Whether a decision for the name in the catalogue means another algorithm.
    #[serde(default)]
    is_second: bool,
}

impl Numbered {
    /// Whether a decision for its name in the catalogue means it, and not another algorithm.
    pub fn is_meant(&self) -> bool {
        !self.is_second
    }

    /// Why the catalogue has none.
    pub fn why_lacked(&self, row: &Row) -> &'static str {
        match self.lacks {
            "" => row.lacks,
            own => own,
        }
    }

    /// Whether a library has it.
    pub fn is_in(&self, library: Library) -> bool {
        let version = library.version();
        self.since.is_none_or(|since| since <= version)
            && self.until.is_none_or(|until| version < until)
    }

    /// The segment size to ask for, so that pieces of at most this size are sent; 0 for the longest.
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

/// The sizes of the blocks of a function of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sizes {
    /// One for all ranks.
    #[default]
    One,
    /// The caller states that of each rank.
    Any,
    /// As [`Any`](Self::Any), and another function has blocks of one size.
    Several,
}

/// A function of MPI.
#[derive(Debug)]
pub struct Function {
    /// Its name in the standard.
    pub name: &'static str,
    /// The collective of the catalogue, and problem, that it is.
    pub collective: &'static str,
    /// The sizes of the blocks of ranks.
    sizes: Sizes,
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
    /// Of each library the algorithms that the catalogue has, in the order of [`Library::ALL`]; of two with one name the first is
    /// meant by it.
    known: Vec<Vec<&'static Numbered>>,
}

/// The table of a library.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: &'static str,
    key: &'static str,
    variable: &'static str,
    first: Option<u32>,
    unknown: &'static str,
    unknown_from: Option<&'static str>,
    shows: Option<&'static str>,
    #[serde(default)]
    protocol: Vec<Numbered>,
    function: Vec<Row>,
}

/// What a library has for a function.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The function of MPI, or the library's own name where MPI has none.
    pub name: &'static str,
    its: Option<&'static str>,
    /// Its number in Open MPI's rules files.
    #[serde(skip)]
    pub number: u32,
    /// The size that rules compare.
    #[serde(default)]
    pub size: Size,
    /// The size that the decisions compare.
    #[serde(default)]
    decides: Size,
    /// Why castbench has none of its algorithms.
    #[serde(default)]
    pub lacks: &'static str,
    /// Whether UCC's TL/UCP maps no name to an algorithm.
    #[serde(default)]
    pub is_unmapped: bool,
    /// All algorithms; none if the library does not choose.
    #[serde(default)]
    pub algorithms: Vec<Numbered>,
    /// Algorithms that no number chooses.
    #[serde(default)]
    pub others: Vec<Numbered>,
    /// What Open MPI chooses without rules: least ranks, each with least sizes and numbers.
    #[serde(default)]
    decisions: Vec<(u64, Vec<(u64, u32)>)>,
    /// What others choose: the first that holds.
    #[serde(default)]
    choices: Vec<Choice>,
}

impl Row {
    /// The library's name of the function, in lower case.
    pub fn key(&self) -> String {
        let own = self.name.trim_start_matches("MPI_").to_lowercase();
        self.its.map_or(own, str::to_owned)
    }

    /// The names of the algorithms of a version, from the first number on.
    pub fn names(&self, library: Library) -> Vec<&'static str> {
        let known = self.algorithms.iter().filter(|known| known.is_in(library));
        known.map(|known| known.name).collect()
    }
}

/// An algorithm that a library chooses where all that is stated holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    number: Option<u32>,
    name: Option<&'static str>,
    ranks_from: Option<u64>,
    ranks_below: Option<u64>,
    bytes: Option<u64>,
    total_below: Option<u64>,
    power_of_two: Option<bool>,
    even: Option<bool>,
    is_short: Option<bool>,
}

impl Choice {
    fn is(&self, known: &Numbered) -> bool {
        self.number.is_none_or(|number| number == known.number)
            && self.name.is_none_or(|name| name == known.name)
    }

    /// Whether it holds for a call whose blocks have so many bytes in all.
    fn holds(&self, call: Call, total: u64) -> bool {
        let Call { K, bytes, .. } = call;
        self.ranks_from.is_none_or(|from| K >= from)
            && self.ranks_below.is_none_or(|below| K < below)
            && self.bytes.is_none_or(|most| bytes <= most)
            && (self.total_below).is_none_or(|below| total < below)
            && (self.power_of_two).is_none_or(|is| K.is_power_of_two() == is)
            && (self.even).is_none_or(|is| K.is_multiple_of(2) == is)
            && (self.is_short).is_none_or(|is| (call.count() < power(K)) == is)
    }
}

static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Listed {
        name: &'static str,
        collective: &'static str,
        #[serde(default)]
        sizes: Sizes,
        presumes: &'static str,
    }
    #[derive(Deserialize)]
    struct List<T> {
        function: Vec<T>,
    }
    let function = |listed: Listed| {
        let open_mpi = row(Family::OpenMpi, listed.name)?;
        let known = |library: Library| {
            let mut known: Vec<&Numbered> = row(library.family(), listed.name)
                .into_iter()
                .flat_map(|row| &row.algorithms)
                .filter(|known| !known.ours.is_empty() && known.is_in(library))
                .collect();
            known.sort_by_key(|known| known.is_second);
            known
        };
        Some(Function {
            name: listed.name,
            collective: listed.collective,
            sizes: listed.sizes,
            presumes: listed.presumes,
            number: open_mpi.number,
            size: open_mpi.size,
            decides: open_mpi.decides,
            decisions: &open_mpi.decisions,
            known: Library::ALL.into_iter().map(known).collect(),
        })
    };
    let list: List<Listed> = read(include_str!("mpi.toml"));
    list.function.into_iter().filter_map(function).collect()
});

/// What a library has for a function of MPI.
fn row(family: Family, name: &str) -> Option<&'static Row> {
    family.rows().iter().find(|row| row.name == name)
}

/// A table of this module.
fn read<T: Deserialize<'static>>(text: &'static str) -> T {
    // A test reads each of them.
    toml::from_str(text).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The functions of MPI whose algorithms the catalogue has, each for blocks of one size.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS
        .iter()
        .filter(|function| function.sizes != Sizes::Several)
}

/// The functions of MPI in which the block of each rank has a size of its own.
pub fn functions_of_sizes() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS
        .iter()
        .filter(|function| function.sizes != Sizes::One)
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
    pub fn has(&self, library: Library, ours: &str) -> bool {
        self.algorithms(library)
            .iter()
            .any(|known| known.ours == ours)
    }

    /// The algorithms of a library that the catalogue has.
    pub fn algorithms(&self, library: Library) -> &[&'static Numbered] {
        &self.known[library as usize]
    }

    /// What a library has for it.
    pub fn row(&self, library: Library) -> Option<&'static Row> {
        row(library.family(), self.name)
    }

    /// The size that the rules of a library compare.
    pub fn size_of(&self, library: Library) -> Size {
        self.row(library).map_or(Size::Operand, |row| row.size)
    }

    /// Why the catalogue lacks the algorithm with this name in a library; none where it has that.
    pub fn lacks(&self, library: Library, name: &str) -> Option<&'static str> {
        let row = self.row(library)?;
        let known = row
            .algorithms
            .iter()
            .find(|own| own.name == name && own.ours.is_empty())?;
        Some(known.why_lacked(row))
    }

    /// The control variable with which a user chooses one of them by its number.
    pub fn variable(&self, library: Library) -> String {
        variable(library.family(), self.name)
    }

    /// Whether a library segments the message for this algorithm.
    pub fn cuts(&self, library: Library, ours: &str) -> bool {
        let known = self.numbered(library, ours);
        let reads_segment = library.family() == Family::OpenMpi;
        known.is_some_and(|known| known.chunks || reads_segment && known.reads_segment)
    }

    /// A library's name and number for an algorithm of the catalogue.
    pub fn numbered(&self, library: Library, ours: &str) -> Option<&'static Numbered> {
        let mut known = self.algorithms(library).iter().copied();
        known.find(|known| known.ours == ours)
    }

    /// Whether a library that is asked for an algorithm of the catalogue, with segments of any size, runs it in this call, and not
    /// another one.
    pub fn runs(&self, library: Library, ours: &str, call: Call) -> bool {
        match (library.family(), self.numbered(library, ours)) {
            (_, None) => false,
            (Family::OpenMpi, Some(known)) => {
                self.runs_as(
                    known.number,
                    if known.reads_segment { call.element } else { 0 },
                    call,
                ) == known.number
            }
            (_, Some(_)) => true,
        }
    }

    /// The number of the algorithm that Open MPI runs if this one is chosen with segments of this size.
    pub fn runs_as(&self, number: u32, segment: u64, call: Call) -> u32 {
        runs(self.number, number, segment, call)
    }

    /// The number of the algorithm that Open MPI chooses without rules for a size in the unit of its decisions; 0 where there is
    /// none.
    pub fn decided(&self, K: u64, size: u64) -> u32 {
        let mut of_ranks = self.decisions.iter().rev();
        let rules = of_ranks.find(|(from, _)| K >= *from);
        let mut rules = rules.map_or(&[][..], |(_, rules)| rules).iter().rev();
        rules
            .find(|(from, _)| size >= *from)
            .map_or(0, |(_, number)| *number)
    }

    /// What a library runs without rules.
    pub fn default(&self, library: Library, call: Call) -> Default {
        self.default_of_sizes(library, call, call.bytes.saturating_mul(call.K))
    }

    /// What a library runs without rules for blocks with so many bytes in all; the call has their mean, rounded down.
    pub fn default_of_sizes(&self, library: Library, call: Call, total: u64) -> Default {
        let Some(row) = self.row(library) else {
            return Default::Unknown;
        };
        if library.undecided(self).is_some() {
            return Default::Unknown;
        }
        let mut own = row.algorithms.iter().filter(|known| known.is_in(library));
        let known = match library.family() {
            Family::OpenMpi => {
                let decided = self.decided(call.K, self.decides.bytes(call));
                let number = match (self.number, self.runs_as(decided, 0, call)) {
                    // Two ranks exchange their blocks: `two_proc` sends the messages of these.
                    (0, 6) => 4,
                    (1, 5) => 3,
                    (3, 5) => 2,
                    (_, number) => number,
                };
                own.find(|known| known.number == number)
            }
            _ => {
                let mut choices = row
                    .choices
                    .iter()
                    .filter(|choice| choice.holds(call, total));
                choices.find_map(|choice| own.clone().find(|known| choice.is(known)))
            }
        };
        known.map_or(Default::Unknown, |known| match known.ours {
            "" => Default::Lacks(known.name),
            _ => Default::Known(known),
        })
    }
}

/// The control variable of a library for a function.
pub fn variable(family: Family, function: &str) -> String {
    let name = function.trim_start_matches("MPI_");
    let name = match family {
        Family::OpenMpi => name.to_lowercase(),
        _ => name.to_uppercase(),
    };
    family.table().variable.replace("{}", &name)
}

/// The number of the algorithm that Open MPI runs where this one is chosen for a collective, by its number in rules files, with
/// segments of this size. The operator commutes.
fn runs(collective: u32, number: u32, segment: u64, call: Call) -> u32 {
    let (K, count) = (call.K, call.count());
    match (collective, number) {
        (0, 3) if !K.is_power_of_two() => 2,
        (0, 5) if K % 2 == 1 => 4,
        (1, 4) if K % 2 == 1 => 3,
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
        for function in FUNCTIONS.iter() {
            for known in function.known.iter().flatten() {
                let entry = catalogue::find(known.ours);
                let is_of_it =
                    |entry: algorithms::problem::Entry| entry.problem().name == function.collective;
                assert!(entry.is_some_and(is_of_it), "{}: {known:?}", function.name);
            }
            let decisions = function.decisions;
            if Library::OpenMpi4.undecided(function).is_some() {
                continue;
            }
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

    /// An algorithm has a name in the catalogue or a reason why not; a choice is an algorithm of its row.
    #[test]
    fn every_row_says_what_it_is() {
        for family in Family::ALL {
            assert!(!family.rows().is_empty());
            for row in family.rows() {
                let is_listed = FUNCTIONS.iter().any(|function| function.name == row.name);
                for known in row.algorithms.iter().chain(&row.others) {
                    let has_reason = !known.lacks.is_empty() || !row.lacks.is_empty();
                    assert!(known.ours.is_empty() || catalogue::find(known.ours).is_some());
                    assert!(
                        known.ours.is_empty() == has_reason,
                        "{}: {known:?}",
                        row.name
                    );
                    assert!(is_listed || has_reason, "{}: {known:?}", row.name);
                }
                for choice in &row.choices {
                    assert!(choice.number.is_some() || choice.name.is_some());
                    assert!(
                        row.algorithms.iter().any(|known| choice.is(known)),
                        "{choice:?}"
                    );
                }
            }
        }
    }

    /// Each number of ranks and size has a choice where a table states any, and a function without one is refused with a reason.
    #[test]
    fn choices_are_complete() {
        for (library, function) in Library::ALL
            .into_iter()
            .flat_map(|library| FUNCTIONS.iter().map(move |function| (library, function)))
        {
            let why = library.undecided(function);
            assert!(why.as_ref().is_none_or(|why| !why.is_empty()));
            for (K, bytes) in (2..70).flat_map(|K| (0..24).map(move |power| (K, 1 << power))) {
                let call = Call {
                    K,
                    bytes,
                    element: 4,
                };
                let is_unknown = function.default(library, call) == Default::Unknown;
                assert_eq!(
                    is_unknown,
                    why.is_some(),
                    "{library:?}, {}, {call:?}",
                    function.name
                );
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
        assert_eq!(runs(of("allgather"), Library::Ucc, 9, 512), "ring");
        assert_eq!(runs(of("allreduce"), Library::Ucc, 9, 4096), "sra_knomial");
        assert_eq!(runs(bcast, Library::Nccl, 9, 4096), "ring");
        assert_eq!(runs(of("allreduce"), Library::Nccl, 9, 4096), "");
        assert_eq!(
            runs(of("barrier"), Library::Mpich43, 9, 0),
            "k_dissemination"
        );
        assert_eq!(runs(bcast, Library::OpenMpi6, 8, 1 << 20), "");
    }
}
