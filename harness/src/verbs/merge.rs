//! `castbench merge`: merges the shards of a sweep into the files of the whole sweep.

use super::sweep::{formats, summarise};
use crate::cli::Merge;
use crate::failure::Failure;
use crate::signals;
use crate::sweep::{self, Existing};

/// Runs the verb.
///
/// # Errors
/// Those of [`sweep::merge`], and the verdict of the whole sweep.
pub fn run(arguments: &Merge) -> Result<(), Failure> {
    let formats = formats(&arguments.format)?;
    signals::stop_on_interrupt()?;
    let existing = if arguments.restart { Existing::Discard } else { Existing::Refuse };
    let report = sweep::merge(&arguments.shards, &arguments.out, existing, formats)?;
    summarise(&report, &arguments.out);
    report.verdict()
}
