//! `castbench report`: one page with a run and its results. `contents` collects them, `page` lays them out.

mod contents;
mod measured;
mod page;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::failure::Result;
use crate::config::Config;
use crate::figures;
use crate::figures::origin::refuse_stranger;
use crate::output;
use crate::output::built_in::BuiltIn;
use crate::output::ending::named;
use crate::print::markup;
use crate::regress::DIRECTORY;
use contents::Sources;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(
    after_help = "The page is one file of HTML. `report` reads the output of `castbench run`, checks the claims of the papers and \
compares current costs with the baseline. The verdicts do not change the exit code; use `castbench audit` and \
`castbench regress` for that.

Examples:
  castbench run && castbench report
  castbench report --from my-sweep --config my.toml"
)]
pub struct Report {
    /// Directory with the results of a sweep; its figures are in the subdirectory `figures`
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub from: PathBuf,
    /// The page [default: index.html in the directory given with --from]
    #[arg(long, value_name = "FILE", value_parser = named(&["html"]))]
    pub out: Option<PathBuf>,
    /// Directory of the baseline to compare current costs with; over the grids of --config or those of
    /// `castbench init regress`, whichever differ less from its own
    #[arg(long, value_name = "DIR", default_value = DIRECTORY)]
    pub baseline: PathBuf,
    /// Directory of measurements by `castbench measure` [default: `measured` in the directory given with --from, if it
    /// exists]
    #[arg(long, value_name = "DIR")]
    pub measured: Option<PathBuf>,
    /// Configuration file that names the figures, and the grids of a baseline of your own [default: the one that `castbench init sweep` prints]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Runs the verb. Failed claims and worse costs do not change the exit code.
///
/// # Errors
/// Exit code 3 for a bad configuration, 74 without a complete sweep, for edited measurements, or if the page cannot be
/// written; those of evaluating claims and costs.
pub fn run(arguments: &Report) -> Result {
    let figures = Config::load(arguments.config.as_deref())?;
    let specs = figures::of(&figures)?;
    let regress = Config::select(None, BuiltIn::Regress, &[])?;
    let path = arguments
        .out
        .clone()
        .unwrap_or_else(|| arguments.from.join("index.html"));
    let contents = contents::Report::new(&Sources {
        from: &arguments.from,
        baseline: &arguments.baseline,
        measured: arguments.measured.as_deref(),
        config: arguments.config.as_deref(),
        figures: &figures,
        specs: &specs,
        regress: &regress,
        is_neighbour: is_beside(&path, &arguments.from),
    })?;
    let html = markup::well_formed(page::html(&contents).into_string());
    refuse_stranger(&path)?;
    output::write(&path, html.as_bytes())?;
    tell!("wrote {}", path.display());
    Ok(())
}

/// Whether a file is in this directory, compared by their canonical paths.
fn is_beside(file: &Path, directory: &Path) -> bool {
    let parent = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(parent).is_some_and(|parent| real(directory) == Some(parent))
}
