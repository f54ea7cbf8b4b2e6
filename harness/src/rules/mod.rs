//! Which algorithm a library is to run, call by call: a table, and the files of libraries that say the same.
//!
//! The table is the one source: `castbench best --format rules` writes it, people can. A file of a library is one module: what
//! it has of castbench's algorithms, how a table is written for it, and what it selects for a call, by its documented rule.

pub mod intel;
mod json;
pub mod mpich;
pub mod nccl;
pub mod openmpi;
mod reading;
mod shell;
mod table;
pub mod ucc;
mod version;

use algorithms::internals::mpi::{Call, Function, Library, Size};
use clap::ValueEnum;

use crate::units::{grouped, plural};
pub use reading::{Effect, Finding, Reading, Selected, Selector};
pub use table::{Decision, Range, Rule, Table, Take, spans};
pub use version::Version;

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
    Nccl,
}

/// Why there is no file for MPICH without its own one.
const NO_BASE: &str = "MPICH replaces all of its decisions by those of a file, so castbench changes a copy of its own ones: name them with \
                       --base FILE, of the version that will read the result; they are maint/tuning/coll/mpir/generic.json in its sources";

/// A file of a library, and what of the table it does not say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Why some decisions are left to the library.
    pub left: Vec<String>,
}

impl Dialect {
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

    /// Reads a file as a version of the library does; without one as the first of [`Dialect::versions`], and says where another
    /// version does not take the file.
    #[must_use]
    pub fn read(self, text: &str, version: Option<Version>) -> Reading {
        let versions = self.versions();
        let mut reading = self.read_as(text, version.or(versions.first().copied()));
        let others = if version.is_none() {
            versions.get(1..).unwrap_or_default()
        } else {
            &[]
        };
        if reading.refusals().next().is_none() {
            for &other in others {
                let theirs = self.read_as(text, Some(other));
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

    fn read_as(self, text: &str, version: Option<Version>) -> Reading {
        match (self, version) {
            (Self::Openmpi, version) => {
                openmpi::read_numbers(text, version.unwrap_or(Version::OpenMpi5))
            }
            (Self::Openmpi6, _) => openmpi::read_json(text),
            (Self::Mpich, version) => mpich::read(text, version.unwrap_or(Version::Mpich43)),
            (Self::Ucc, _) => ucc::read(text),
            (Self::Intel, version) => intel::read(text, version.unwrap_or(Version::Intel2021)),
            (Self::Nccl, _) => nccl::read(text),
        }
    }

    /// The library's name for an algorithm of castbench.
    #[must_use]
    pub fn name(self, function: &Function, ours: &str) -> Option<String> {
        let named = |names: &[(&str, &str, &str)]| {
            let found = names
                .iter()
                .find(|(of, own, _)| *of == function.name && *own == ours);
            found.map(|(_, _, theirs)| (*theirs).to_owned())
        };
        match self {
            Self::Openmpi | Self::Openmpi6 => {
                function.numbered(ours).map(|known| known.name.to_owned())
            }
            Self::Mpich => {
                let known = function
                    .algorithms(Library::Mpich)
                    .iter()
                    .find(|known| known.ours == ours)?;
                Some(mpich::name(function, known.name))
            }
            Self::Ucc => named(ucc::NAMES),
            Self::Intel => named(intel::NAMES),
            Self::Nccl => named(nccl::NAMES),
        }
    }

    /// The algorithm of castbench that a library's name means.
    #[must_use]
    pub fn ours(self, function: &Function, name: &str) -> Option<&'static str> {
        let all = function
            .open_mpi
            .iter()
            .chain(function.mpich)
            .map(|known| known.ours);
        let all = all.chain(
            ucc::NAMES
                .iter()
                .chain(intel::NAMES)
                .chain(nccl::NAMES)
                .map(|(_, ours, _)| *ours),
        );
        all.into_iter()
            .find(|ours| self.name(function, ours).as_deref() == Some(name))
    }

    /// Whether the library compares the bytes of all blocks, and not those of one, for this function.
    fn counts_all(self, function: &Function) -> bool {
        match self {
            Self::Openmpi | Self::Openmpi6 => function.size == Size::Blocks,
            Self::Mpich => mpich::operator(function) == Some("total_msg_size"),
            // The count of what a rank receives, or of the root.
            Self::Ucc => matches!(
                function.name,
                "MPI_Allgather" | "MPI_Alltoall" | "MPI_Gather" | "MPI_Scatter"
            ),
            Self::Intel => false,
            Self::Nccl => matches!(function.name, "MPI_Allgather" | "MPI_Reduce_scatter_block"),
        }
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

/// The most communicator sizes for which decisions of a function are written one by one.
const MAX_RANKS: u64 = 4096;

/// The most lines that the decisions of a function become.
const MAX_LINES: u64 = 100_000;

/// A decision in the unit of a library: on these ranks, for these sizes.
struct Line<'a> {
    ranks: Range,
    bytes: Range,
    rule: &'a Rule,
    /// The library's name of the algorithm; none for its own choice.
    name: Option<String>,
    /// The reason, as one line.
    why: String,
}

/// A text as one line: in most files a line end would begin a rule.
fn one_line(text: &str) -> String {
    text.split(|letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}'))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The decisions for a function, disjoint, by ranks and then by sizes as the library counts them; those that it cannot follow are
/// its own choice, with a reason in `left`.
fn lines<'a>(
    dialect: Dialect,
    table: &'a Table,
    function: &'static Function,
    left: &mut Vec<String>,
) -> Result<Vec<Line<'a>>, String> {
    let mut lines = Vec::new();
    let cells = table.cells(function);
    bounded(dialect, function, &cells)?;
    for (ranks, sizes) in cells {
        let is_per_rank = dialect.counts_all(function) && has_sizes(&sizes);
        let each: Vec<Range> = if is_per_rank {
            (ranks[0]..=ranks[1]).map(|K| [K, K]).collect()
        } else {
            vec![ranks]
        };
        for ranks in each {
            for &(bytes, rule) in &sizes {
                let factor = if is_per_rank { ranks[0] } else { 1 };
                // Up to the next size of whole blocks.
                let last = bytes[1]
                    .checked_add(1)
                    .and_then(|next| next.checked_mul(factor))
                    .map_or(u64::MAX, |next| next - 1);
                let name = rule.take.and_then(|take| {
                    let name = dialect.name(function, take.ours);
                    if name.is_none() {
                        left.push(format!(
                            "{}: the library has no `{}`",
                            function.name, take.ours
                        ));
                    }
                    name
                });
                let bytes = [bytes[0].saturating_mul(factor), last];
                lines.push(Line {
                    ranks,
                    bytes,
                    rule,
                    name,
                    why: one_line(&rule.why),
                });
            }
        }
    }
    left.sort();
    left.dedup();
    Ok(lines)
}

/// The decisions for ranges of ranks, each with sizes.
type Cells<'a> = [(Range, Vec<(Range, &'a Rule)>)];

/// Whether decisions depend on the size.
fn has_sizes(sizes: &[(Range, &Rule)]) -> bool {
    sizes.iter().any(|(bytes, _)| *bytes != [0, u64::MAX])
}

/// Refuses decisions that would become too many lines.
fn bounded(dialect: Dialect, function: &Function, cells: &Cells<'_>) -> Result<(), String> {
    let mut count: u64 = 0;
    for (ranks, sizes) in cells {
        let is_per_rank = dialect.counts_all(function) && has_sizes(sizes);
        let each = if is_per_rank {
            (ranks[1] - ranks[0]).saturating_add(1)
        } else {
            1
        };
        if each > MAX_RANKS {
            return Err(format!(
                "{} on {} to {} ranks: the library compares the bytes of all blocks, so each number of ranks has a line of its own; \
                 name at most {MAX_RANKS} of them",
                function.name, ranks[0], ranks[1]
            ));
        }
        count = count.saturating_add(each.saturating_mul(sizes.len() as u64));
    }
    if count > MAX_LINES {
        return Err(format!(
            "{}: the decisions become {} lines, because the library compares the bytes of all blocks and each number of ranks has \
             lines of its own; at most {} are written: name fewer ranks or sizes",
            function.name,
            grouped(count),
            grouped(MAX_LINES)
        ));
    }
    Ok(())
}

/// Notes as comments. A note that compares the algorithms of another library says so.
fn commented(dialect: Dialect, table: &Table, lines: &[&str]) -> String {
    let family = |library: Library| {
        library
            .name()
            .rsplit_once(' ')
            .map_or("", |(family, _)| family)
    };
    let own = match dialect {
        Dialect::Openmpi | Dialect::Openmpi6 => "Open MPI",
        Dialect::Mpich => "MPICH",
        Dialect::Ucc | Dialect::Intel | Dialect::Nccl => "",
    };
    let other = |note: &String| {
        Library::ALL
            .into_iter()
            .find(|library| family(*library) != own && note.contains(family(*library)))
    };
    let foreign = table.notes.iter().find_map(other);
    let head = foreign.map(|library| {
        format!(
            "Decisions of a table that compared what {} has; the other algorithms of this library, and its defaults, were not compared.",
            library.name()
        )
    });
    let notes = table
        .notes
        .iter()
        .filter(|note| other(note).is_none())
        .map(|note| one_line(note));
    let lines = head
        .into_iter()
        .chain(notes)
        .chain(lines.iter().map(|line| (*line).to_owned()));
    lines.map(|line| format!("# {line}\n")).collect()
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
#[must_use]
pub fn summary(table: &Table) -> String {
    let taken = table
        .rules
        .iter()
        .filter(|rule| rule.take.is_some())
        .count() as u64;
    format!(
        "{}, {} with an algorithm",
        plural(table.rules.len() as u64, "decision"),
        taken
    )
}

#[cfg(test)]
mod tests;
