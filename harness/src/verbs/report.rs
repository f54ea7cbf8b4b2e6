//! `castbench report`: a page that shows what was run and what came of it.

use std::fs;
use std::path::Path;

use crate::cli::Report;
use crate::config::{BuiltIn, Config};
use crate::failure::{Failure, tell};
use crate::output;
use crate::report::{Sources, page};

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration, 74 where there is no whole sweep, measurements are not those of their manifest or
/// the page cannot be written, and all that keeps the claims or the costs of today from being evaluated. What they say changes no exit code.
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

/// Whether a file is in this directory, whatever the two are called.
fn is_beside(file: &Path, directory: &Path) -> bool {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(parent).is_some_and(|parent| real(directory) == Some(parent))
}
