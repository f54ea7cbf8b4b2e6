//! `castbench report`: a page that shows what was run and what came of it.

use crate::cli::Report;
use crate::config::{BuiltIn, Config};
use crate::failure::{Failure, tell};
use crate::report::{Sources, page};
use crate::{output, sweep};

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration, 74 where there is no whole sweep or the page cannot be written, and all that
/// keeps the claims or the costs of today from being evaluated. What they say changes no exit code.
pub fn run(arguments: &Report) -> Result<(), Failure> {
    let figures = Config::load(arguments.config.as_deref())?;
    let regress = Config::select(None, BuiltIn::Regress, &[])?;
    sweep::stop_on_interrupt()?;
    let sources =
        Sources { from: &arguments.from, baseline: &arguments.baseline, figures: &figures, regress: &regress };
    let html = page(&sources)?;
    let path = arguments.out.clone().unwrap_or_else(|| arguments.from.join("index.html"));
    output::write(&path, html.as_bytes())?;
    tell(format_args!("wrote {}", path.display()));
    Ok(())
}
