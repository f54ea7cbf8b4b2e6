//! The command line: verbs, options and their help.

mod best;
mod exchange;
mod figures;
mod measure;
mod points;
mod sensitivity;
mod sweeping;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;

use algorithms::catalogue::PROBLEMS;
use algorithms::internals::claims::Paper;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use best::{Best, Format as BestFormat};
pub use exchange::{Export, ExportFormat, ExportPoint, Import, ImportFormat, ImportGoal};
pub use figures::{Figures, OneFigure};
pub use measure::{Calibrate, Hosts, HostsAction, Measure};
pub use points::{Cost, Given, LoadView, Plane, PointArgs, Show};
pub use sensitivity::Sensitivity;
pub use sweeping::{Merge, Plan, RowFormat, Run, Selection, Sweep, Sweeping};
pub use verify::{Format as VerifyFormat, Verify};

use crate::failure::{EXIT_CODES, Failure};
use crate::regress::DIRECTORY;
use crate::revision::build;
use crate::units::parse_count;

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
    #[command(after_help = LIST_HELP)]
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
    #[command(after_help = REGRESS_HELP)]
    Regress(Regress),
    /// Compare the costs of two sweeps
    #[command(after_help = COMPARE_HELP)]
    Compare(Compare),
    /// Check the claims of the papers at every point of a grid; print which hold and the smallest counterexamples
    #[command(after_help = AUDIT_HELP)]
    Audit(Audit),
    /// Write one HTML page: the run, its figures, claims, costs and regression state
    #[command(after_help = REPORT_HELP)]
    Report(Report),
    /// Write an execution as CSV or Chrome trace, or a program as GOAL
    Export(Export),
    /// Simulate a schedule in the format of another simulator
    Import(Import),
    /// Judge a schedule in a file: its result, deadlocks, races, limits of runtimes, cost
    #[command(after_help = verify::HELP)]
    Verify(Verify),
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

const LIST_HELP: &str = "Examples:
  castbench list                                    # problems and algorithms
  castbench list allreduce                          # the algorithms of one problem, with sources
  castbench list --format csv                       # a row for each algorithm
  castbench list --machines loopback-2-cores        # a profile, and for which sizes it is valid
  castbench list --libraries                        # numbers of Open MPI and MPICH";

const COMPARE_HELP: &str = "Points of only one sweep are counted as gone or new. Exit code 6: a cost got worse. 8: \
the sweeps have no common point. 0: otherwise.

Example:
  castbench compare reports/old reports/new --points 20";

const REGRESS_HELP: &str =
    "Costs are exact, so every difference is real. Exit code 0: all costs are equal, better or new. 6: a cost got \
worse. 8: none got worse, but some points cannot be compared or are gone. 7: there is no baseline.

Examples:
  castbench regress
  castbench regress --format markdown
  castbench regress accept --reason \"fibonacci: a better split of 12 nodes\"";

const AUDIT_HELP: &str = "Examples:
  castbench audit
  castbench audit --paper gossip
  castbench audit fibonacci-9 fibonacci-11 --format json
  castbench audit --paper k-tree --format markdown
  castbench audit figures-b-measured --measured reports/measured

A claim of a paper that fails is a finding, with exit code 0. A claim of castbench itself (--paper castbench) that \
fails is a bug, with exit code 5. The smallest counterexample is the first in the order of the grid; the first \
symbol changes slowest.

The claims figures-a-measured, -b- and -c- compare figures 6 and 7 of the Fibonacci paper with measurements. \
Confidence intervals decide; where they overlap, the verdict is `not decided`. These verdicts do not change the exit \
code. In JSON these claims have a tenth key, `measured`: the verdict for each message size, placing and relay delay, \
with D/g and the times that decide.";

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

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// One header line and a row for each result.
    Csv,
    /// For programs.
    Json,
}

/// The format of results that documents show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DocumentFormat {
    /// For people.
    Table,
    /// One header line and a row for each result.
    Csv,
    /// For programs.
    Json,
    /// A table for a page of documentation.
    Markdown,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct List {
    /// The algorithms of this problem only; with --machines the profile of this name or file only
    #[arg(value_name = "NAME", conflicts_with_all = ["problem", "columns", "keys", "limits", "verbs", "libraries"])]
    pub name: Option<String>,
    /// The algorithms of one problem only
    #[arg(long, value_name = "NAME", conflicts_with = "machines", value_parser = PossibleValuesParser::new(PROBLEMS.iter().map(|problem| problem.name())))]
    pub problem: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = DocumentFormat::Table)]
    pub format: DocumentFormat,
    /// List the machine profiles instead: the origin of every number, the sizes at which the profile is valid
    #[arg(long)]
    pub machines: bool,
    /// List the columns of all files and answers in CSV instead
    #[arg(long, conflicts_with_all = ["problem", "machines"])]
    pub columns: bool,
    /// List the keys of configurations, measurements and machine profiles instead
    #[arg(long, conflicts_with_all = ["problem", "machines", "columns"])]
    pub keys: bool,
    /// List the limits instead: the largest parameters, and what happens beyond them
    #[arg(long, conflicts_with_all = ["problem", "machines", "columns", "keys"])]
    pub limits: bool,
    /// List which verbs support which problem instead
    #[arg(long, conflicts_with_all = ["problem", "machines", "columns", "keys", "limits"])]
    pub verbs: bool,
    /// List the algorithms of Open MPI and MPICH that castbench has instead, by function and number
    #[arg(long, conflicts_with_all = ["problem", "machines", "columns", "keys", "limits", "verbs"])]
    pub libraries: bool,
}

/// How a comparison is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people.
    Table,
    /// For a comment in a review.
    Markdown,
    /// For programs.
    Json,
}

/// Arguments of `regress`.
#[derive(Debug, Args)]
pub struct Regress {
    /// What to do instead of comparing.
    #[command(subcommand)]
    pub action: Option<RegressAction>,
    /// Directory of the baseline; the history is in its parent directory
    #[arg(long, value_name = "DIR", default_value = DIRECTORY, global = true)]
    pub baseline: PathBuf,
    /// Configuration file with the grids [default: the one that `castbench init regress` prints]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true, global = true)]
    pub jobs: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value_t = ReportFormat::Table, global = true)]
    pub format: ReportFormat,
    /// Most points with another cost that a table shows
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 10, global = true)]
    pub points: u64,
}

/// What `regress` does instead of comparing.
#[derive(Debug, Subcommand)]
pub enum RegressAction {
    /// Accept current costs as the baseline, and record the reason in the history
    Accept {
        /// Why the new costs are right
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// Directory of a sweep, or a baseline
    pub old: PathBuf,
    /// Directory of the sweep to compare with it
    pub new: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = ReportFormat::Table)]
    pub format: ReportFormat,
    /// Most points with another cost that a table shows
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 10)]
    pub points: u64,
}

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub struct Audit {
    /// Claims, by their ids [default: all]
    #[arg(value_name = "CLAIM")]
    pub claims: Vec<String>,
    /// The claims of this paper; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "claims", value_parser = PossibleValuesParser::new(Paper::ALL.map(Paper::slug)))]
    pub paper: Vec<String>,
    /// Directory of measurements by `castbench measure` [default: reports/measured, if it exists]
    #[arg(long, value_name = "DIR")]
    pub measured: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = DocumentFormat::Table)]
    pub format: DocumentFormat,
}

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
