//! The command line: verbs, options and their help.

mod best;
mod exchange;
mod figures;
mod measure;
mod points;
mod sensitivity;
mod sweeping;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use best::{Best, Format as BestFormat};
pub use exchange::{Export, ExportFormat, ExportPoint, Import, ImportFormat, ImportGoal};
pub use figures::{Figures, OneFigure};
pub use measure::{Calibrate, Hosts, HostsAction, Measure};
pub use points::{Cost, Given, LoadView, Plane, PointArgs, Show};
pub use sensitivity::Sensitivity;
pub use sweeping::{Merge, Plan, RowFormat, Run, Selection, Sweep, Sweeping};

use crate::failure::{EXIT_CODES, Failure};
use crate::regress::DIRECTORY;
use crate::revision::build;
use crate::verbs::audit::{self, Audit};
use crate::verbs::list::{self, List};
use crate::verbs::regress::{self, Compare, Regress};

/// Exact and simulated costs of collective-communication algorithms, at one point or over grids.
#[derive(Debug, Parser)]
#[command(name = "castbench", version, long_version = build(), max_term_width = 100, after_help = EXIT_CODES)]
#[command(propagate_version = false)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

impl Cli {
    /// The verb of arguments that do not come from the command line.
    ///
    /// # Errors
    /// Exit code 2, without the lines on usage and `--help`.
    pub fn verb<S: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = S>) -> Result<Verb, Failure> {
        Self::try_parse_from(arguments).map(|cli| cli.verb).map_err(|error| {
            let text = error.render().to_string();
            let ends = ["\n\nUsage:", "\n\nFor more information", "\n\n  tip: to pass"];
            let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
            let told = text[..end].trim_end();
            Failure::usage(told.strip_prefix("error: ").unwrap_or(told))
        })
    }
}

/// What castbench can do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the algorithms by problem: name, what each does, paper and theorem
    #[command(after_help = list::HELP)]
    List(List),
    /// State the cost of one algorithm at one point: lower bound, published, analytic, simulated
    #[command(after_help = points::COST_HELP)]
    Cost(Cost),
    /// Find the best algorithm for a machine by nodes and message size; write Open MPI rules, draw a decision map
    #[command(after_help = best::HELP)]
    Best(Best),
    /// State exactly how the cost changes with each machine parameter, and the critical path
    #[command(after_help = sensitivity::SENSITIVITY_HELP)]
    Sensitivity(Sensitivity),
    /// Draw what an algorithm does at one point: trees, timelines, paths on the mesh, steps, rounds
    #[command(after_help = points::SHOW_HELP)]
    Show(Show),
    /// Count the points of a configuration per algorithm and check its figures, before anything runs
    Plan(Plan),
    /// Evaluate every algorithm over the grids of a configuration and write CSV
    #[command(after_help = sweeping::SWEEP_HELP)]
    Sweep(Sweep),
    /// Merge the shards of a sweep
    #[command(after_help = sweeping::MERGE_HELP)]
    Merge(Merge),
    /// Draw the figures of a configuration, or one figure of any rows, from the CSV of a sweep
    #[command(after_help = figures::HELP)]
    Figures(Figures),
    /// Sweep, then draw the figures
    Run(Run),
    /// Compare current costs with a baseline, and fail if any got worse
    #[command(after_help = regress::HELP)]
    Regress(Regress),
    /// Compare the costs of two sweeps
    #[command(after_help = regress::COMPARE_HELP)]
    Compare(Compare),
    /// Check the claims of the papers at every point of a grid; print which hold and the smallest counterexamples
    #[command(after_help = audit::HELP)]
    Audit(Audit),
    /// Write one HTML page: the run, its figures, claims, costs and regression state
    #[command(after_help = REPORT_HELP)]
    Report(Report),
    /// Write an execution as CSV or Chrome trace, or a program as GOAL
    Export(Export),
    /// Simulate a schedule in the format of another simulator
    Import(Import),
    /// Run algorithms with real messages, one process per node, and time them
    #[command(after_help = measure::MEASURE_HELP)]
    Measure(Measure),
    /// Measure L, o, g, G and O of a transport and write a machine profile
    #[command(after_help = measure::CALIBRATE_HELP)]
    Calibrate(Calibrate),
    /// Make, list or remove emulated hosts
    #[command(after_help = measure::HOSTS_HELP)]
    Hosts(Hosts),
    /// Print a file to start from: a machine profile or a configuration
    #[command(after_help = INIT_HELP)]
    Init(Init),
    /// One node of a measured program; `measure` starts it
    #[command(hide = true)]
    Rank,
    /// Print the completion script of a shell
    Completions(Completions),
    /// Print the manual page
    Man(Man),
}

const REPORT_HELP: &str =
    "The page is one file of HTML. `report` reads the output of `castbench run`, checks the claims of the papers and \
compares current costs with the baseline. The verdicts do not change the exit code; use `castbench audit` and \
`castbench regress` for that.

Examples:
  castbench run && castbench report
  castbench report --from my-sweep --config my.toml";

const INIT_HELP: &str = "Examples:
  castbench init machine >mine.toml && castbench best --machine mine.toml
  castbench init sweep >my.toml && castbench plan my.toml
  castbench init measure >cluster.toml && castbench measure cluster.toml";

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Directory with the results of a sweep; its figures are in the subdirectory `figures`
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub from: PathBuf,
    /// The page [default: index.html in the directory given with --from]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Directory of the baseline to compare current costs with
    #[arg(long, value_name = "DIR", default_value = DIRECTORY)]
    pub baseline: PathBuf,
    /// Directory of measurements by `castbench measure` [default: `measured` in the directory given with --from, if it
    /// exists]
    #[arg(long, value_name = "DIR")]
    pub measured: Option<PathBuf>,
    /// Configuration file that names the figures [default: the one that `castbench init sweep` prints]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct Init {
    /// What to print
    #[arg(value_enum)]
    pub file: InitFile,
}

/// A file to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InitFile {
    /// A machine profile, to fill in
    Machine,
    /// The default configuration of `sweep`, `run`, `plan`, `figures` and `report`
    Sweep,
    /// The default configuration of `regress`
    Regress,
    /// The default configuration of `measure` and `calibrate`
    Measure,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// The page of one verb instead of the main page
    pub verb: Option<String>,
}
