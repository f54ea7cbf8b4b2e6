//! Which algorithm a library is to run, call by call: a table, and the files of libraries that say the same.
//!
//! The table is the one source: `castbench best --format rules` writes it, people can. A file of a library is one module: what
//! it has of castbench's algorithms, how a table is written for it, and what it selects for a call, by its documented rule.

pub mod intel;
mod json;
pub mod learnt;
pub mod mpich;
pub mod nccl;
pub mod openmpi;
mod reading;
mod shell;
mod table;
pub mod ucc;

use crate::libraries::{Call, Family, Function, Library, Numbered, Size};
use clap::ValueEnum;

use crate::base::units::{grouped, joined, plural};
pub use reading::{Effect, Finding, Reading, Selected, Selector};
pub use table::{Decision, Range, Rule, Table, Take, spans};

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// Open MPI up to 5.0, component tuned: numbers in order
    Openmpi,
    /// Open MPI from 6.0 on, component tuned: JSON
    #[value(name = "openmpi-6")]
    Openmpi6,
    /// MPICH: JSON of decisions, a copy of its `generic.json` with some replaced
    Mpich,
    /// UCC: the variable `UCC_TL_UCP_TUNE`, as a line of ucc.conf
    Ucc,
    /// Intel MPI 2019 to 2021.12: variables `I_MPI_ADJUST_*`
    Intel,
    /// NCCL and RCCL: CSV of the example tuner plugin
    #[value(alias = "rccl")]
    Nccl,
}

/// Why there is no file for MPICH without its own one.
const NO_BASE: &str = "MPICH replaces all of its decisions by those of a file, so castbench changes a copy of its own ones: name them with \
                       --base FILE, of the version that will read the result: its libmpich.so, or maint/tuning/coll/mpir/generic.json of its sources";

/// A file of a library, and what of the table it does not say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Why some decisions are left to the library.
    pub left: Vec<String>,
}

impl Dialect {
    /// The ends of the names of its files, of formats that castbench also writes.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Openmpi6 | Self::Mpich => &["json"],
            Self::Nccl => &["csv"],
            Self::Openmpi | Self::Ucc | Self::Intel => &[],
        }
    }

    /// Writes a table for the library. `base` is the text of MPICH's own file.
    ///
    /// # Errors
    /// Why there is no such file.
    pub fn write(self, table: &Table, base: Option<&str>) -> Result<Written, String> {
        match self {
            Self::Openmpi => openmpi::classic(table),
            Self::Openmpi6 => openmpi::json(table),
            Self::Mpich => mpich::write(table, base.ok_or(NO_BASE)?),
            Self::Ucc => ucc::write(table),
            Self::Intel => intel::write(table),
            Self::Nccl => nccl::write(table),
        }
    }

    /// Reads a file for calls with one rank on each node.
    pub fn read(self, text: &str, version: Option<Library>) -> Reading {
        self.read_on(text, version, 1)
    }

    /// Reads a file as a version of the library does for calls with so many ranks on each node; without a version as the first of
    /// [`Dialect::versions`], and says where another version does not take the file.
    pub fn read_on(self, text: &str, version: Option<Library>, node: u64) -> Reading {
        let versions = self.versions();
        let mut reading = self.read_as(text, version.or(versions.first().copied()), node);
        let others = if version.is_none() {
            versions.get(1..).unwrap_or_default()
        } else {
            &[]
        };
        if reading.refusals().next().is_none() {
            for &other in others {
                let theirs = self.read_as(text, Some(other), node);
                if let Some(finding) = theirs.refusals().next() {
                    let (name, effect) = (other.name(), finding.effect.word());
                    let why = format!("with {name}: {effect}: {}", finding.why);
                    reading
                        .findings
                        .push(Finding::new(&finding.place, Effect::Outside, why));
                }
            }
        }
        reading
    }

    fn read_as(self, text: &str, version: Option<Library>, node: u64) -> Reading {
        match (self, version) {
            (Self::Openmpi, version) => {
                openmpi::read_numbers(text, version.unwrap_or(Library::OpenMpi5))
            }
            (Self::Openmpi6, _) => openmpi::read_json(text),
            (Self::Mpich, version) => mpich::read(text, version.unwrap_or(Library::Mpich43), node),
            (Self::Ucc, _) => ucc::read(text),
            (Self::Intel, version) => intel::read(text, version.unwrap_or(Library::Intel2021)),
            (Self::Nccl, _) => nccl::read(text, node),
        }
    }

    /// Whether its file states sizes of segments.
    pub fn has_segments(self) -> bool {
        self.family() == Family::OpenMpi
    }

    /// Whether a written file states a decision, where one without any says nothing at all.
    pub fn states(self, text: &str) -> bool {
        let is_empty =
            |line: &str| line.is_empty() || line.starts_with('#') || line.ends_with("= ");
        let can_be_empty = matches!(self, Self::Nccl | Self::Ucc);
        !can_be_empty || !text.lines().all(is_empty)
    }

    /// The library.
    pub fn family(self) -> Family {
        match self {
            Self::Openmpi | Self::Openmpi6 => Family::OpenMpi,
            Self::Mpich => Family::Mpich,
            Self::Ucc => Family::Ucc,
            Self::Intel => Family::Intel,
            Self::Nccl => Family::Nccl,
        }
    }

    /// The versions that castbench tells apart, the one that is read by default first.
    pub fn versions(self) -> &'static [Library] {
        match self {
            Self::Openmpi => &[Library::OpenMpi5, Library::OpenMpi4, Library::OpenMpi6],
            Self::Openmpi6 => &[Library::OpenMpi6],
            Self::Mpich => &[Library::Mpich43, Library::Mpich],
            Self::Intel => &[Library::Intel2021, Library::Intel2021Presets],
            Self::Ucc => &[Library::Ucc],
            Self::Nccl => &[Library::Nccl],
        }
    }

    /// The version of this word.
    ///
    /// # Errors
    /// Which there are.
    pub fn version(self, word: &str) -> Result<Library, String> {
        let all = self.versions();
        all.iter().copied().find(|library| library.version() == word).ok_or_else(|| match all {
            [_] => format!("all versions of this library read a file in one way; remove the option instead of `{word}`"),
            _ => {
                let known = joined(", ", all.iter().map(|library| library.version()));
                format!("castbench does not know how `{word}` of this library reads; it knows {known}")
            }
        })
    }

    /// The version that a file is written for: an algorithm that it names is in all that read it.
    fn written_for(self) -> Library {
        match self {
            Self::Openmpi => Library::OpenMpi4,
            _ => self.versions()[0],
        }
    }

    /// The library's name for an algorithm of castbench.
    pub fn name(self, function: &Function, ours: &str) -> Option<String> {
        let known = function.numbered(self.written_for(), ours)?;
        Some(self.word(function, known))
    }

    /// An algorithm as its files name it.
    fn word(self, function: &Function, known: &Numbered) -> String {
        match self {
            Self::Mpich => mpich::name(function, known.name),
            Self::Intel => format!("{} {}", known.number, known.name),
            _ => known.name.to_owned(),
        }
    }

    /// The algorithm of castbench that a library's name means.
    pub fn ours(self, function: &Function, name: &str) -> Option<&'static str> {
        let name = match (self.family(), name) {
            (Family::OpenMpi, "chain, fan-out 1") => "pipeline",
            _ => name,
        };
        let mut known = self
            .family()
            .versions()
            .flat_map(|library| function.algorithms(library).iter());
        known
            .find(|known| known.is_meant() && self.word(function, known) == name)
            .map(|known| known.ours)
    }

    /// Whether the library compares the bytes of all blocks, and not those of one, for this function.
    fn counts_all(self, function: &Function) -> bool {
        function.size_of(self.written_for()) == Size::Blocks
    }

    /// The bytes that the library compares.
    fn bytes(self, function: &Function, call: Call) -> u64 {
        if self.counts_all(function) {
            call.bytes.saturating_mul(call.K)
        } else {
            call.bytes
        }
    }
}

/// The most lines that the decisions of a function become.
const MAX_LINES: usize = 100_000;

/// What a library does for some calls.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Outcome {
    /// The library's name of the algorithm; none for its own choice.
    name: Option<String>,
    /// What is taken, where there is a name; a segment only where the library has segments.
    take: Option<Take>,
    /// The reason for its own choice, as one line, where the file has comments for it.
    why: String,
}

/// A decision in the unit of a library: on these ranks, for these sizes.
struct Line {
    ranks: Range,
    bytes: Range,
    decision: Outcome,
}

/// A text as one line: in most files a line end would begin a rule.
fn one_line(text: &str) -> String {
    joined(
        " ",
        text.split(|letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}')),
    )
}

/// The decisions for a function, disjoint, by ranks and then by sizes as the library counts them, neighbours that decide the same as
/// one; those that it cannot follow are its own choice, with a reason in `left`.
fn lines(
    dialect: Dialect,
    table: &Table,
    function: &'static Function,
    left: &mut Vec<String>,
) -> Result<Vec<Line>, String> {
    let mut groups: Vec<(Range, Vec<(Range, Outcome)>)> = Vec::new();
    for (ranks, sizes) in table.cells(function) {
        let mut sizes: Vec<_> = sizes
            .into_iter()
            .map(|(bytes, rule)| (bytes, decision(dialect, rule, left)))
            .collect();
        join(&mut sizes);
        let is_blind = matches!(
            function.size_of(dialect.written_for()),
            Size::Nothing | Size::Elements
        );
        if is_blind && sizes.iter().any(|(bytes, _)| *bytes != [0, u64::MAX]) {
            let why = "the library compares no size of the vector; decide for all sizes at once";
            left.push(format!("{}: {why}", function.name));
            sizes = vec![([0, u64::MAX], Outcome::own(dialect, why))];
        }
        groups.push((ranks, sizes));
    }
    join(&mut groups);
    left.sort();
    left.dedup();
    let mut lines = Vec::new();
    for (ranks, sizes) in groups {
        let has_sizes = sizes.iter().any(|(bytes, _)| *bytes != [0, u64::MAX]);
        let counts_all = dialect.counts_all(function) && has_sizes;
        // No communicator has 0 ranks.
        let mut next = Some(ranks[0].max(1));
        while let Some(first) = next.filter(|first| *first <= ranks[1]) {
            let (last, factor) = if counts_all {
                (last_alike(&sizes, first).min(ranks[1]), first)
            } else {
                (ranks[1], 1)
            };
            lines.extend(sizes.iter().map(|(bytes, decision)| {
                // Up to the next size of whole blocks.
                let end = bytes[1]
                    .checked_add(1)
                    .and_then(|end| end.checked_mul(factor))
                    .map_or(u64::MAX, |end| end - 1);
                Line {
                    ranks: [first, last],
                    bytes: [bytes[0].saturating_mul(factor), end],
                    decision: decision.clone(),
                }
            }));
            if lines.len() > MAX_LINES {
                return Err(format!(
                    "{}: the decisions become more than {} lines, because the library compares the bytes of all blocks, and so a size of \
                     one block is another one for each number of ranks; name fewer ranks or sizes",
                    function.name,
                    grouped(MAX_LINES as u64)
                ));
            }
            next = last.checked_add(1);
        }
    }
    Ok(lines)
}

/// What the library does by a rule.
fn decision(dialect: Dialect, rule: &Rule, left: &mut Vec<String>) -> Outcome {
    let named = rule.take.and_then(|take| {
        let name = dialect.name(rule.function, take.ours);
        if name.is_none() {
            left.push(format!(
                "{}: the library has no `{}`",
                rule.function.name, take.ours
            ));
        }
        Some((name?, take))
    });
    match named {
        Some((name, take)) => {
            let segment = if dialect.has_segments() {
                take.segment
            } else {
                0
            };
            let runs = |protocol: &&str| dialect.family().runs(&name, protocol);
            let protocol = take.protocol.filter(runs);
            let (function, ours) = (rule.function.name, take.ours);
            let mut is_left = |what: &str| {
                left.push(format!(
                    "{function}: the {what} of `{ours}`, which the file cannot state"
                ));
            };
            if segment < take.segment {
                is_left("segments");
            }
            if let Some(lost) = take.protocol.filter(|_| protocol.is_none()) {
                is_left(&format!("protocol {lost}"));
            }
            Outcome {
                name: Some(name),
                take: Some(Take {
                    segment,
                    protocol,
                    ..take
                }),
                why: String::new(),
            }
        }
        None => Outcome::own(
            dialect,
            &match rule.take {
                Some(take) => format!("the library has no `{}`", take.ours),
                None => rule.why.clone(),
            },
        ),
    }
}

impl Outcome {
    /// The library's own choice, for this reason.
    fn own(dialect: Dialect, why: &str) -> Self {
        Self {
            name: None,
            take: None,
            why: match dialect {
                Dialect::Openmpi => one_line(why),
                _ => String::new(),
            },
        }
    }
}

/// Joins neighbouring ranges with the same contents.
fn join<T: PartialEq>(ranges: &mut Vec<(Range, T)>) {
    ranges.dedup_by(|(later, one), (earlier, other)| {
        let is_one = one == other && earlier[1].checked_add(1) == Some(later[0]);
        if is_one {
            earlier[1] = later[1];
        }
        is_one
    });
}

/// The last number of ranks for which a library that compares the bytes of all blocks can use the borders of the `first`: on K ranks a
/// border of b bytes for a block may stand anywhere above `(b-1)K` and up to `bK`.
fn last_alike(sizes: &[(Range, Outcome)], first: u64) -> u64 {
    sizes
        .iter()
        .flat_map(|(bytes, _)| [Some(bytes[0]), bytes[1].checked_add(1)])
        .flatten()
        .filter(|border| *border > 1)
        .map(|border| (u128::from(border) * u128::from(first) - 1) / u128::from(border - 1))
        .min()
        .and_then(|last| u64::try_from(last).ok())
        .unwrap_or(u64::MAX)
}

/// Notes as comments. A note that compares the algorithms of another library says so.
fn commented(dialect: Dialect, table: &Table, lines: &[&str]) -> String {
    // RCCL reads the file of NCCL.
    let is_own = |family: Family| {
        family == dialect.family() || dialect == Dialect::Nccl && family == Family::Rccl
    };
    let other = |note: &String| {
        Family::ALL
            .into_iter()
            .find(|family| !is_own(*family) && note.contains(family.name()))
    };
    let head = table.notes.iter().find_map(other).map(|family| {
        format!(
            "Decisions of a table that compared what {} has; the other algorithms of this library, and its defaults, were not compared.",
            family.name()
        )
    });
    let notes = table
        .notes
        .iter()
        .filter(|note| other(note).is_none())
        .map(|note| one_line(note));
    head.into_iter()
        .chain(notes)
        .chain(lines.iter().map(|line| (*line).to_owned()))
        .map(|line| format!("# {line}\n"))
        .collect()
}

/// A number in an `int` of C: its lower 32 bits.
fn int(value: i64) -> i64 {
    (value << 32) >> 32
}

/// The name of a function in small letters, without `MPI_`.
fn short(function: &Function) -> String {
    function.name.trim_start_matches("MPI_").to_lowercase()
}

/// How many decisions a file has, in words.
pub fn summary(table: &Table) -> String {
    let taken = table
        .rules
        .iter()
        .filter(|rule| rule.take.is_some())
        .count() as u64;
    format!(
        "{}, {taken} with an algorithm",
        plural(table.rules.len() as u64, "decision")
    )
}

#[cfg(test)]
pub(crate) mod tests;
