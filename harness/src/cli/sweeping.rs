//! Arguments and help of `plan`, `sweep`, `run` and `merge`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::print::Format;
use crate::record::shard::Shard;
use crate::units::parse_count;

pub(super) const SWEEP_HELP: &str = "Results appear in DIR when they are complete; until then they grow in \
DIR/.castbench-unfinished. --resume continues a sweep after Ctrl-C, a full disk or SIGKILL; the results have the \
same bytes. Shard I of N has every N-th point from the I-th on. Shards are independent: `castbench plan --shards N` \
prints their sizes, and `castbench merge` puts them together; give --format to `merge` then.

Examples:
  castbench sweep my.toml --out results --resume
  castbench sweep my.toml --format csv,parquet
  castbench sweep my.toml --shard 3/16 --out results/shard-3";

pub(super) const MERGE_HELP: &str = "Name the shards in any order; their files stay. The result has the same bytes \
and exit code as the sweep without --shard. Exit code 2: a shard is missing or named twice, or is of another \
configuration, seed or version of castbench.

Example:
  castbench merge results/shard-* --out results";

/// The source of the grids.
#[derive(Debug, Args)]
pub struct Selection {
    /// Configuration file [default: the one that `castbench init sweep` prints]
    pub config: Option<PathBuf>,
    /// Replace an axis: K=8,12,18 or K=1..64, K=0..60..4 (step), K=1..1024..x2 (factor); GRID.K=... for one grid
    #[arg(long, value_name = "AXIS=VALUES")]
    pub set: Vec<String>,
}

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub struct Plan {
    /// The grids.
    #[command(flatten)]
    pub selection: Selection,
    /// Print the number of points of each of N shards instead; a point in several grids counts in each
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    pub shards: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// The arguments that `sweep` and `run` share.
#[derive(Debug, Args)]
pub struct Sweeping {
    /// The grids.
    #[command(flatten)]
    pub selection: Selection,
    /// Directory for the files of rows, findings.csv and manifest.json
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub out: PathBuf,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    pub jobs: Option<u64>,
    /// Continue an unfinished sweep in DIR; begin one if there is none, do nothing if it is complete
    #[arg(long)]
    pub resume: bool,
    /// Delete an unfinished sweep in DIR
    #[arg(long, conflicts_with = "resume")]
    pub restart: bool,
    /// Seconds between two checkpoints, from which --resume continues [default: 2]
    #[arg(long, value_name = "SECONDS", value_parser = parse_count, allow_negative_numbers = true)]
    pub checkpoint: Option<u64>,
}

/// The formats of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// PROBLEM.csv, the input of figures
    Csv,
    /// PROBLEM.parquet, for pandas, polars, DuckDB
    Parquet,
}

/// Arguments of `sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// The sweep.
    #[command(flatten)]
    pub sweeping: Sweeping,
    /// Evaluate only shard I of N, every N-th point from the I-th on, for `castbench merge`
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// How to write the rows, one or both; parquet needs a castbench built with `--features parquet`
    #[arg(long, value_enum, value_delimiter = ',', default_value = "csv")]
    pub format: Vec<RowFormat>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The sweep.
    #[command(flatten)]
    pub sweeping: Sweeping,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Directories of all the shards
    #[arg(required = true, value_name = "DIR")]
    pub shards: Vec<PathBuf>,
    /// Directory for the files of rows, findings.csv and manifest.json
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub out: PathBuf,
    /// How to write the rows, one or both; parquet needs a castbench built with `--features parquet`
    #[arg(long, value_enum, value_delimiter = ',', default_value = "csv")]
    pub format: Vec<RowFormat>,
    /// Delete an unfinished sweep in the directory given with --out
    #[arg(long)]
    pub restart: bool,
}
