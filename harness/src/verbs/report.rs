//! `castbench report`: one page with a run and its results.

use std::fs;
use std::path::Path;

use crate::cli::Report;
use crate::config::{BuiltIn, Config};
use crate::failure::{Failure, tell};
use crate::output;
use crate::report::{Sources, page};

/// Runs the verb. Failed claims and worse costs do not change the exit code.
///
/// # Errors
/// Exit code 3 for a bad configuration, 74 without a complete sweep, for edited measurements, or if the page cannot be
/// written; those of evaluating claims and costs.
pub fn run(arguments: &Report) -> Result<(), Failure> {
    let figures = Config::load(arguments.config.as_deref())?;
    let regress = Config::select(None, BuiltIn::Regress, &[])?;
    let path = arguments.out.clone().unwrap_or_else(|| arguments.from.join("index.html"));
    let html = page(&Sources {
        from: &arguments.from,
        baseline: &arguments.baseline,
        measured: arguments.measured.as_deref(),
        figures: &figures,
        regress: &regress,
        is_neighbour: is_beside(&path, &arguments.from),
    })?;
    output::write(&path, html.as_bytes())?;
    tell(format_args!("wrote {}", path.display()));
    Ok(())
}

/// Whether a file is in this directory, compared by their canonical paths.
fn is_beside(file: &Path, directory: &Path) -> bool {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(parent).is_some_and(|parent| real(directory) == Some(parent))
}
