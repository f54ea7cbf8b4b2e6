//! `castbench merge`: merges the shards of a sweep into the files of the whole sweep.

use std::path::PathBuf;

use clap::Args;

use super::sweep::summarise;
use crate::base::failure::Result;
use crate::output::signals;
use crate::sweep::{self, Existing};

/// Arguments of `merge`.
#[derive(Debug, Args)]
#[command(
    after_help = "Name the shards in any order; their files stay. The result has the same bytes \
and exit code as the sweep without --shard. Exit code 2: a shard is missing or named twice, or is of another \
configuration, seed or version of castbench.

Example:
  castbench merge results/shard-* --out results"
)]
pub struct Merge {
    /// Directories of all the shards
    #[arg(required = true, value_name = "DIR")]
    pub shards: Vec<PathBuf>,
    /// Directory for the files of rows, findings.csv and manifest.json
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub out: PathBuf,
    /// Delete an unfinished sweep in the directory given with --out
    #[arg(long)]
    pub restart: bool,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 or 74 for shards that do not fit together, and the verdict of the whole sweep.
pub fn run(arguments: &Merge) -> Result {
    signals::stop_on_interrupt()?;
    let existing = if arguments.restart {
        Existing::Discard
    } else {
        Existing::Refuse
    };
    let report = sweep::merge(&arguments.shards, &arguments.out, existing)?;
    summarise(&report, &arguments.out);
    report.verdict()
}
