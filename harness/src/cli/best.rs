//! Arguments and help of `best`.

use std::path::PathBuf;

use algorithms::catalogue::PROBLEMS;
use algorithms::internals::mpi::Library;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};

use super::points::Plane;
use crate::units::parse_count;

pub(super) const HELP: &str =
    "Pipelined broadcasts are compared as one message and in segments of about each power of two from 256 B. By \
default -K is 2..4096..x2 and --bytes is 1..64MiB..x2; 2..64..x2 and 1..4MiB..x4 where ranks are near or far, because \
each cost is an execution there. `castbench list --machines` names the machine profiles, and \
`castbench calibrate` measures your own machine.

The rules are for Open MPI's tuned component, name only its own algorithms, and leave to Open MPI the numbers of ranks \
and the sizes that were not asked:
  mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename my.rules ...

Examples:
  castbench best --machine ethernet100-switched
  castbench best --machine ethernet100-switched -K 2..4096..x2 --bytes 1..64MiB..x2 --format csv
  castbench best --machine mine.toml --svg map.svg --against mpich
  castbench best --machine mine.toml --collective broadcast,allreduce -K 16,64 --format openmpi-rules >my.rules
  castbench best --collective allreduce -L 6 -o 2 -g 4 -K 2..64..x2 -n 1024
  castbench best --problem k-port-broadcast -n 10,100,1000 -k 1,2,3 -m 16";

/// Arguments of `best`.
#[derive(Debug, Clone, Args)]
pub struct Best {
    /// The problem whose algorithms are compared; for a rules file several [default: broadcast, with duplex
    /// ports unless ranks are near or far]
    #[arg(long, visible_alias = "collective", value_name = "NAME", value_parser = problems(), value_delimiter = ',')]
    pub problem: Vec<String>,
    /// Compare only these algorithms
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Also compare the [[algorithm]] of this configuration; may be repeated
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// The values of the axes.
    #[command(flatten)]
    pub plane: Plane,
    /// Library whose default choice is compared
    #[arg(long, value_name = "LIBRARY", value_parser = libraries(), default_value = Library::OpenMpi4.key())]
    pub against: Library,
    /// Compare only the algorithms of that library, by the time until every operation has ended
    #[arg(long)]
    pub only: bool,
    /// Use shorter segments only if they are more than PERCENT faster [default: 1, with --only or for rules 10]
    #[arg(long, value_name = "PERCENT", value_parser = parse_count, allow_negative_numbers = true)]
    pub within: Option<u64>,
    /// Draw a decision map
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

fn problems() -> PossibleValuesParser {
    let name = |problem: &&dyn algorithms::problem::AnyProblem| {
        PossibleValue::new(problem.name()).hide(problem.now().is_some())
    };
    PossibleValuesParser::new(PROBLEMS.iter().map(name))
}

fn libraries() -> impl clap::builder::TypedValueParser<Value = Library> {
    let value = |library: Library| PossibleValue::new(library.key()).help(library.name()).aliases(library.short());
    PossibleValuesParser::new(Library::ALL.map(value)).map(|key| {
        let named = |library: &Library| library.key() == key || library.short() == Some(key.as_str());
        Library::ALL.into_iter().find(named).unwrap_or(Library::OpenMpi4)
    })
}

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// One JSON list
    Json,
    /// CSV with a header
    Csv,
    /// A rules file for Open MPI's tuned component
    OpenmpiRules,
}
