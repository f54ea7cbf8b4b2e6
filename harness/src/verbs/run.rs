//! `castbench run`: sweep, then figures.

use super::{figures, sweep};
use crate::cli::Run;
use crate::config::Config;
use crate::failure::Failure;

/// Runs the verb.
///
/// # Errors
/// Those of the two verbs; nothing is drawn after a sweep that failed.
pub fn run(arguments: &Run) -> Result<(), Failure> {
    let Run { sweep: arguments } = arguments;
    let config = Config::select(arguments.selection.config.as_deref(), &arguments.selection.set)?;
    sweep::sweep(arguments, &config)?;
    figures::draw(&config, &arguments.out, &arguments.out.join("figures"))
}
