//! The words of `best`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::best::library::Library;
use crate::units::{parse_bytes, parse_count};

pub(super) const HELP: &str =
    "A to B means A, 2A, 4A, ... and B. The segments tried are the whole message and all powers of two of at
least 256 B. Times are those of the machine profile under LogGOPS; `castbench list --machines` names the
profiles, and `castbench calibrate` makes one of your own machine.

The rules are for Open MPI's tuned component, of its own algorithms only:
  mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename bcast.rules ...

Examples:
  castbench best --machine ethernet100-switched
  castbench best --machine ethernet100-switched -K 2..4096 --bytes 1..64MiB --format csv
  castbench best --machine mine.toml --svg map.svg --against mpich
  castbench best --machine mine.toml --format openmpi-rules >bcast.rules";

/// Arguments of `best`.
#[derive(Debug, Args)]
pub struct Best {
    /// What is to be done
    #[arg(long, value_enum, default_value_t = Problem::Broadcast)]
    pub problem: Problem,
    /// The machine: a name in `castbench list --machines`, or a .toml file
    #[arg(long, value_name = "NAME")]
    pub machine: String,
    /// Numbers of nodes, the source included: 2..4096, or 8,12,18
    #[arg(short = 'K', long = "nodes", value_name = "VALUES", value_parser = parse_nodes, default_value = "2..4096")]
    pub nodes: Values,
    /// Message sizes: 1..64MiB, or 1kB,1MB
    #[arg(long, value_name = "VALUES", value_parser = parse_sizes, default_value = "1..64MiB")]
    pub bytes: Values,
    /// Ports of a node: how many of its sends run at once
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 1)]
    pub ports: u64,
    /// The library whose own choice is compared
    #[arg(long, value_enum, default_value_t = Library::OpenMpi)]
    pub against: Library,
    /// Try only what that library has
    #[arg(long)]
    pub only: bool,
    /// Cut a message finer only where that saves more than so much of the time
    #[arg(long, value_name = "PERCENT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 1)]
    pub within: u64,
    /// Draw a decision map
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Problem {
    /// One message from the first node to all
    Broadcast,
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

/// Values in ascending order, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values(pub Vec<u64>);

fn parse_nodes(text: &str) -> Result<Values, String> {
    values(text, 2, parse_count)
}

fn parse_sizes(text: &str) -> Result<Values, String> {
    values(text, 1, parse_bytes)
}

fn values(text: &str, least: u64, parse: fn(&str) -> Result<u64, String>) -> Result<Values, String> {
    let mut found = match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (parse(from)?, parse(to)?);
            if from > to {
                return Err(format!("expected the lesser end first, as in {to}..{from}"));
            }
            let doubled = std::iter::successors(Some(from.max(1)), |value| value.checked_mul(2));
            doubled.take_while(|value| *value < to).chain([to]).collect()
        }
        None => text.split(',').map(parse).collect::<Result<Vec<u64>, String>>()?,
    };
    found.sort_unstable();
    found.dedup();
    match found.first() {
        Some(&first) if first >= least => Ok(Values(found)),
        _ => Err(format!("expected {least} at least")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_doubled_or_listed() {
        let nodes = |text: &str| parse_nodes(text).map(|values| values.0);
        assert_eq!(nodes("2..16"), Ok(vec![2, 4, 8, 16]));
        assert_eq!(nodes("3..18"), Ok(vec![3, 6, 12, 18]));
        assert_eq!(nodes("18,8,12,8"), Ok(vec![8, 12, 18]));
        assert_eq!(nodes("7"), Ok(vec![7]));
        assert_eq!(parse_sizes("1KiB..4KiB").map(|values| values.0), Ok(vec![1024, 2048, 4096]));
        for bad in ["", "1", "0..4", "8..4", "2..", "..8", "2,,4", "2..x", "-2"] {
            assert!(parse_nodes(bad).is_err(), "{bad}");
        }
    }
}
