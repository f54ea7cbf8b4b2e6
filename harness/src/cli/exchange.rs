//! Arguments and help of `export` and `import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::PointArgs;
use crate::print::Format;
use crate::units::parse_model_time;

pub(super) const EXPORT_HELP: &str = "Examples:
  castbench export goal optimal -L 6 -o 2 -g 4 -K 18 --out optimal.goal
  castbench export goal halving --machine ethernet100-switched --bytes 1MiB -K 18 --out halving.goal
  castbench export trace barrier-dissemination -L 6 -o 2 -g 4 -K 18 --out barrier.json
  castbench export csv dual-path --mesh 8x8 -K 6 --seed 3";

pub(super) const IMPORT_HELP: &str = "Examples:
  castbench import goal optimal.goal -L 6 -o 2 -g 4
  castbench import goal halving.goal --machine ethernet100-switched --format json";

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The format.
    #[command(subcommand)]
    pub format: ExportFormat,
}

/// The formats of schedules that are written.
#[derive(Debug, Subcommand)]
pub enum ExportFormat {
    /// GOAL, which LogGOPSim and ATLAHS read: problems whose processors send each other messages
    #[command(after_help = EXPORT_HELP)]
    Goal(ExportPoint),
    /// Chrome trace JSON, which Perfetto opens: a process per node, a track per port, an arrow per message
    #[command(after_help = EXPORT_HELP)]
    Trace(ExportPoint),
    /// CSV with a row for each event of the execution
    #[command(after_help = EXPORT_HELP)]
    Csv(ExportPoint),
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportPoint {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// A destination on a mesh, instead of K random ones; may be repeated
    #[arg(long, value_name = "x,y", allow_negative_numbers = true, conflicts_with_all = ["K", "seed"], help_heading = "Point")]
    pub to: Vec<String>,
    /// Write into this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `import`.
#[derive(Debug, Args)]
pub struct Import {
    /// The format.
    #[command(subcommand)]
    pub format: ImportFormat,
}

/// The formats of schedules that are read.
#[derive(Debug, Subcommand)]
pub enum ImportFormat {
    /// GOAL, as LogGOPSim reads it
    #[command(after_help = IMPORT_HELP)]
    Goal(ImportGoal),
}

/// Arguments of `import goal`.
#[derive(Debug, Args)]
pub struct ImportGoal {
    /// The file; - is standard input
    pub file: PathBuf,
    /// Latency of the network, in time units
    #[arg(short = 'L', value_name = "TIME", value_parser = parse_model_time, allow_negative_numbers = true)]
    pub L: Option<u64>,
    /// Overhead of a send or a receive, in time units
    #[arg(short = 'o', value_name = "TIME", value_parser = parse_model_time, allow_negative_numbers = true)]
    pub o: Option<u64>,
    /// Gap between two sends or two receives of one nic, in time units
    #[arg(short = 'g', value_name = "TIME", value_parser = parse_model_time, allow_negative_numbers = true)]
    pub g: Option<u64>,
    /// Machine instead of -L -o -g, times in ns; under -L -o -g a message of s bytes is a train of s small messages
    #[arg(long, value_name = "NAME", conflicts_with_all = ["L", "o", "g"])]
    pub machine: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
