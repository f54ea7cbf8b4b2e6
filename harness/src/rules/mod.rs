//! Which algorithm a library is to run, call by call: a table, and the files of libraries that say the same.
//!
//! The table is the one source: `castbench best --format rules` writes it, people can. A file of a library is one module: what
//! it has of castbench's algorithms, how a table is written for it, and what it selects for a call, by its documented rule.

pub mod intel;
pub mod mpich;
pub mod nccl;
pub mod openmpi;
mod table;
pub mod ucc;

use algorithms::internals::mpi::{Call, Function, Library, Size};
use clap::ValueEnum;

use crate::units::plural;
pub use table::{Range, Rule, Table, Take, spans};

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

/// What a file selects for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    /// The library's own choice.
    Own,
    /// This algorithm by the library's name for it, with segments of this size; 0 for the whole message.
    Named(String, u64),
}

/// A file of a library, and what of the table it does not say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Why some decisions are left to the library.
    pub left: Vec<String>,
}

/// What a file selects for a call of a function.
pub type Selector = Box<dyn Fn(&Function, Call) -> Selected>;

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

    /// Reads a file of the library.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(self, text: &str) -> Result<Selector, String> {
        match self {
            Self::Openmpi => openmpi::read_classic(text),
            Self::Openmpi6 => openmpi::read_json(text),
            Self::Mpich => {
                let tree = mpich::Tree::parse(text)?;
                Ok(Box::new(move |function, call| tree.select(function, call)))
            }
            Self::Ucc => ucc::read(text),
            Self::Intel => intel::read(text),
            Self::Nccl => nccl::read(text),
        }
    }

    /// The library's name for an algorithm of castbench.
    #[must_use]
    pub fn name(self, function: &Function, ours: &str) -> Option<String> {
        let named = |names: &[(&str, &str, &str)]| {
            let found = names.iter().find(|(of, own, _)| *of == function.name && *own == ours);
            found.map(|(_, _, theirs)| (*theirs).to_owned())
        };
        match self {
            Self::Openmpi | Self::Openmpi6 => function.numbered(ours).map(|known| known.name.to_owned()),
            Self::Mpich => {
                let known = function.algorithms(Library::Mpich).iter().find(|known| known.ours == ours)?;
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
        let all = function.open_mpi.iter().chain(function.mpich).map(|known| known.ours);
        let all = all.chain(ucc::NAMES.iter().chain(intel::NAMES).chain(nccl::NAMES).map(|(_, ours, _)| *ours));
        all.into_iter().find(|ours| self.name(function, ours).as_deref() == Some(name))
    }

    /// Whether the library compares the bytes of all blocks, and not those of one, for this function.
    fn counts_all(self, function: &Function) -> bool {
        match self {
            Self::Openmpi | Self::Openmpi6 => function.size == Size::Blocks,
            Self::Mpich => mpich::operator(function) == Some("total_msg_size"),
            // The count of what a rank receives, or of the root.
            Self::Ucc => matches!(function.name, "MPI_Allgather" | "MPI_Alltoall" | "MPI_Gather" | "MPI_Scatter"),
            Self::Intel => false,
            Self::Nccl => matches!(function.name, "MPI_Allgather" | "MPI_Reduce_scatter_block"),
        }
    }

    /// The bytes that the library compares.
    fn bytes(self, function: &Function, call: Call) -> u64 {
        if self.counts_all(function) { call.bytes.saturating_mul(call.K) } else { call.bytes }
    }
}

/// The most communicator sizes for which decisions of a function are written one by one.
const MAX_RANKS: u64 = 4096;

/// A decision in the unit of a library: on these ranks, for these sizes.
struct Line<'a> {
    ranks: Range,
    bytes: Range,
    rule: &'a Rule,
    /// The library's name of the algorithm; none for its own choice.
    name: Option<String>,
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
    for (ranks, sizes) in table.cells(function) {
        let is_per_rank = dialect.counts_all(function) && sizes.iter().any(|(bytes, _)| *bytes != [0, u64::MAX]);
        if is_per_rank && ranks[1] - ranks[0] >= MAX_RANKS {
            return Err(format!(
                "{} on {} to {} ranks: the library compares the bytes of all blocks, so each number of ranks has a line of its own; \
                 name at most {MAX_RANKS} of them",
                function.name, ranks[0], ranks[1]
            ));
        }
        let each: Vec<Range> = if is_per_rank { (ranks[0]..=ranks[1]).map(|K| [K, K]).collect() } else { vec![ranks] };
        for ranks in each {
            for &(bytes, rule) in &sizes {
                let factor = if is_per_rank { ranks[0] } else { 1 };
                // Up to the next size of whole blocks.
                let last =
                    bytes[1].checked_add(1).and_then(|next| next.checked_mul(factor)).map_or(u64::MAX, |next| next - 1);
                let name = rule.take.and_then(|take| {
                    let name = dialect.name(function, take.ours);
                    if name.is_none() {
                        left.push(format!("{}: the library has no `{}`", function.name, take.ours));
                    }
                    name
                });
                lines.push(Line { ranks, bytes: [bytes[0].saturating_mul(factor), last], rule, name });
            }
        }
    }
    left.sort();
    left.dedup();
    Ok(lines)
}

/// Notes as comments.
fn commented(table: &Table, lines: &[&str]) -> String {
    let lines = table.notes.iter().map(String::as_str).chain(lines.iter().copied());
    lines.map(|line| format!("# {line}\n")).collect()
}

/// The name of a function in small letters, without `MPI_`.
fn short(function: &Function) -> String {
    function.name.trim_start_matches("MPI_").to_lowercase()
}

/// A message about a line of a file.
fn at(number: usize, why: impl std::fmt::Display) -> String {
    format!("line {}: {why}", number + 1)
}

/// How many decisions a file has, in words.
#[must_use]
pub fn summary(table: &Table) -> String {
    let taken = table.rules.iter().filter(|rule| rule.take.is_some()).count() as u64;
    format!("{}, {} with an algorithm", plural(table.rules.len() as u64, "decision"), taken)
}

#[cfg(test)]
mod tests;
