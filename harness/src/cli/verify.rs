//! Arguments and help of `verify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::units::parse_bytes;
use crate::verify::task::Collective;

pub(super) const HELP: &str =
    "The format is recognized by the content: MSCCL XML, Chakra traces (name the file of rank 0), GOAL, MSCCL++ \
plans. The result, deadlocks and races are judged; docs/verify.md says what of each format.

Exit code 0: the schedule is right. 5: it is wrong; the first thing wrong is printed. 3: the file has no schedule.

Examples:
  castbench verify ring.xml
  castbench verify ring.xml --collective allreduce --machine ethernet100-switched --bytes 1MiB
  castbench verify ring.0.et --collective allreduce --format github";

/// How a verdict is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// For programs.
    Json,
    /// XML that CI servers show as tests.
    Junit,
    /// A command of GitHub Actions, which annotates the file.
    Github,
    /// SARIF, which code hosts show as results of an analysis.
    Sarif,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// The file; of traces, one for each rank, the one of rank 0
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What the schedule must do [default: what the file says]
    #[arg(long, value_enum, value_name = "NAME")]
    pub collective: Option<Collective>,
    /// The root of a broadcast, reduce, gather or scatter
    #[arg(long, value_name = "RANK", default_value_t = 0)]
    pub root: u32,
    /// State the cost on this machine, the lower bound and the critical path, too
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
    /// Bytes of the collective, as 1MiB [default: what the file says, or 1 byte per chunk]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "machine", allow_negative_numbers = true)]
    pub bytes: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
