//! `castbench figures`: SVG from the CSV of a sweep.

use std::path::Path;

use crate::cli::Figures;
use crate::config::Config;
use crate::failure::{Failure, tell};
use crate::figures;

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration and everything of [`figures::draw_all`].
pub fn run(arguments: &Figures) -> Result<(), Failure> {
    let config = Config::load(arguments.config.as_deref())?;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.from.join("figures"));
    draw(&config, &arguments.from, &out)
}

/// Draws the figures of a configuration that is loaded already, and says which.
pub(super) fn draw(config: &Config, from: &Path, out: &Path) -> Result<(), Failure> {
    for file in figures::draw_all(&config.figures, from, out)? {
        tell(format_args!("drew {}", file.display()));
    }
    Ok(())
}
