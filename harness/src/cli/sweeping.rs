//! The words of the verbs that sweep.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;
use crate::record::shard::Shard;
use crate::units::parse_count;

pub(super) const SWEEP_HELP: &str = "\
Results appear when they are whole; until then they grow in DIR/.castbench-unfinished. A sweep that was stopped by \
Ctrl-C, a full disk or SIGKILL goes on with --resume and ends with the same bytes. Shard I of N has every N-th point from \
the I-th on. Shards are independent: `castbench plan --shards N` prints how large they are, and `castbench merge` puts them \
together; give --format to `merge` then.

Examples:
  castbench sweep my.toml --out results --resume
  castbench sweep my.toml --format csv,parquet
  castbench sweep my.toml --shard 3/16 --out results/shard-3";

pub(super) const MERGE_HELP: &str = "\
The shards may be named in any order; their files stay. The result has the same bytes, and the same exit code, as the \
sweep without --shard. Shards of another configuration, seed or castbench, missing shards and shards named twice end with \
exit code 2.

Example:
  castbench merge results/shard-* --out results";

/// Where the grids come from.
#[derive(Debug, Args)]
pub struct Selection {
    /// Configuration file [default: the one built in, configs/default.toml]
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
    /// Print how many points each of N shards has, instead; a point of several grids counts in each
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    pub shards: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// What `sweep` and `run` have in common.
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
    /// Go on with an unfinished sweep in DIR; begin where there is none, do nothing where it is whole
    #[arg(long)]
    pub resume: bool,
    /// Throw away an unfinished sweep in DIR
    #[arg(long, conflicts_with = "resume")]
    pub restart: bool,
    /// Seconds between two checkpoints, from which --resume goes on [default: 2]
    #[arg(long, value_name = "SECONDS", value_parser = parse_count, allow_negative_numbers = true)]
    pub checkpoint: Option<u64>,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// PROBLEM.csv, which figures are drawn from
    Csv,
    /// PROBLEM.parquet, for pandas, polars, DuckDB
    Parquet,
}

/// Arguments of `sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// What is swept.
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
    /// What is swept.
    #[command(flatten)]
    pub sweeping: Sweeping,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Directories of the shards, all of them
    #[arg(required = true, value_name = "DIR")]
    pub shards: Vec<PathBuf>,
    /// Directory for the files of rows, findings.csv and manifest.json
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub out: PathBuf,
    /// How to write the rows, one or both; parquet needs a castbench built with `--features parquet`
    #[arg(long, value_enum, value_delimiter = ',', default_value = "csv")]
    pub format: Vec<RowFormat>,
    /// Throw away an unfinished sweep in the directory given with --out
    #[arg(long)]
    pub restart: bool,
}
