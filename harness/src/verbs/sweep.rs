//! `castbench sweep`: sweeps the grids of a configuration into CSV files and a manifest.

pub(super) mod plan;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, value_parser};

use crate::base::failure::Result;
use crate::base::threads;
use crate::base::units::{grouped, parse_count, plural};
use crate::config::Config;
use crate::figures;
use crate::output::built_in::BuiltIn;
use crate::output::signals;
use crate::print::Format;
use crate::record::shard::{MAX_SHARDS, Shard};
use crate::sweep::{self, Existing, Options, Report, State};

/// The source of the grids.
#[derive(Debug, Args)]
pub struct Selection {
    /// Configuration file [default: the one that `castbench init sweep` prints]
    pub config: Option<PathBuf>,
    /// Replace an axis: K=8,12,18 or K=1..64, K=0..60..4 (step), K=1..1024..x2 (factor); GRID.K=... for one grid
    #[arg(long, value_name = "AXIS=VALUES")]
    pub set: Vec<String>,
}

/// The arguments that `sweep` and `run` share.
#[derive(Debug, Args)]
pub struct Sweeping {
    /// The grids.
    #[command(flatten)]
    pub selection: Selection,
    /// Directory for the files of rows, findings.csv and manifest.json
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub out: PathBuf,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub jobs: Option<usize>,
    /// Continue an unfinished sweep in DIR; begin one if there is none, do nothing if it is complete
    #[arg(long)]
    pub resume: bool,
    /// Delete an unfinished sweep in DIR
    #[arg(long, conflicts_with = "resume")]
    pub restart: bool,
    /// Seconds between two checkpoints, from which --resume continues [default: 2]
    #[arg(long, value_name = "SECONDS", value_parser = parse_count, allow_negative_numbers = true)]
    pub checkpoint: Option<u64>,
}

/// What --dry-run has no use for. An option that requires another one has to name its conflicts, too: where one of these is given, clap
/// does not ask for what would conflict with it.
const SWEPT: [&str; 6] = ["shard", "out", "jobs", "resume", "restart", "checkpoint"];

/// Arguments of `sweep`.
#[derive(Debug, Args)]
#[command(
    after_help = "Results appear in DIR when they are complete; until then they grow in \
DIR/.castbench-unfinished. --resume continues a sweep after Ctrl-C, a full disk or SIGKILL; the results have the \
same bytes. Shard I of N has every N-th point from the I-th on. Shards are independent: --dry-run --shards N \
prints their sizes, and `castbench merge` puts them together.

Examples:
  castbench sweep my.toml --dry-run
  castbench sweep my.toml --out results --resume
  castbench sweep my.toml --shard 3/16 --out results/shard-3"
)]
pub struct Sweep {
    /// The sweep.
    #[command(flatten)]
    pub sweeping: Sweeping,
    /// Evaluate only shard I of N, every N-th point from the I-th on, for `castbench merge`
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Count the points for each algorithm and check the figures; nothing is evaluated or written
    #[arg(long, conflicts_with_all = SWEPT)]
    pub dry_run: bool,
    /// With --dry-run, print the number of points of each of N shards instead; a point in several grids counts in each
    #[arg(long, value_name = "N", requires = "dry_run", conflicts_with_all = SWEPT, value_parser = value_parser!(u64).range(1..=MAX_SHARDS), allow_negative_numbers = true)]
    pub shards: Option<u64>,
    /// How to print with --dry-run
    #[arg(long, value_enum, default_value_t = Format::Table, requires = "dry_run", conflicts_with_all = SWEPT)]
    pub format: Format,
}

/// Runs the verb.
///
/// # Errors
/// The exit code of the sweep and of its verdict.
pub fn run(arguments: &Sweep) -> Result {
    if arguments.dry_run {
        return threads::within(|| plan::print(arguments));
    }
    let Sweep {
        sweeping, shard, ..
    } = arguments;
    let config = configuration(sweeping)?;
    figures::of(&config)?;
    sweep(sweeping, *shard, &config)?.verdict()
}

/// The configuration with the changes that the arguments ask for.
pub(super) fn configuration(arguments: &Sweeping) -> Result<Config> {
    Config::select(
        arguments.selection.config.as_deref(),
        BuiltIn::Default,
        &arguments.selection.set,
    )
}

/// Sweeps a loaded configuration and prints a summary.
pub(super) fn sweep(arguments: &Sweeping, shard: Option<Shard>, config: &Config) -> Result<Report> {
    signals::stop_on_interrupt()?;
    let checkpoint_every = arguments.checkpoint.map(Duration::from_secs);
    let existing = match (arguments.resume, arguments.restart) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Discard,
        _ => Existing::Refuse,
    };
    for grid in &config.grids {
        grid.all_ports()
            .iter()
            .for_each(|ports| tell!("grid {}: {ports}", grid.name));
        grid.guesses()
            .iter()
            .for_each(|guess| tell!("warning: grid {}: {guess}", grid.name));
    }
    let report = sweep::run(
        config,
        &arguments.out,
        &Options {
            jobs: arguments.jobs,
            shard,
            existing,
            checkpoint_every,
        },
    )?;
    summarise(&report, &arguments.out);
    Ok(report)
}

pub(super) fn summarise(report: &Report, out: &Path) {
    let seconds = report.elapsed.as_secs_f64();
    let points = report.summary.points();
    let before = points.saturating_sub(report.evaluated);
    let per_second = report.evaluated as f64 / seconds.max(1e-9);
    let counted = plural(points, "point");
    if report.state == State::FoundWhole {
        tell!(
            "nothing to do: `{}` already contains this sweep ({counted})",
            out.display()
        );
        return;
    }
    let repeated = match report.repeated {
        0 => String::new(),
        repeated => {
            format!(
                "; {} of the grids were found in another grid, and count once",
                plural(repeated, "further point")
            )
        }
    };
    match report.evaluated {
        0 => tell!("{counted}:"),
        _ if before == 0 => {
            tell!("{counted} in {seconds:.1} s ({per_second:.0} per second){repeated}:")
        }
        now => {
            let (before, now) = (grouped(before), grouped(now));
            tell!(
                "{counted}, {before} of them before and {now} in {seconds:.1} s ({per_second:.0} per second){repeated}:"
            );
        }
    }
    let tally = &report.summary.tally;
    let alone = match tally.executed {
        0 => String::new(),
        executed => format!(
            "{} simulated without a formula to compare, ",
            grouped(executed)
        ),
    };
    tell!(
        "  {} simulated and equal, {alone}{} not simulated, {} not applicable, {} failed, {} disagree",
        grouped(tally.simulated),
        grouped(
            tally
                .ok
                .saturating_sub(tally.simulated)
                .saturating_sub(tally.executed)
        ),
        grouped(tally.not_applicable),
        grouped(tally.failed),
        grouped(tally.disagree)
    );
    for finding in report
        .summary
        .findings
        .rows()
        .filter(|finding| finding.points_failed > 0)
    {
        tell!(
            "  finding: {} {} fails at {} of {}, first at {}",
            finding.algorithm,
            finding.published,
            grouped(finding.points_failed),
            plural(finding.points_checked, "point"),
            finding.first_counterexample.as_deref().unwrap_or_default()
        );
    }
    for file in &report.files {
        tell!(
            "wrote {}: {}",
            out.join(&file.name).display(),
            plural(file.rows, "row")
        );
    }
    if !report.files.is_empty() {
        tell!("wrote {}", out.join("manifest.json").display());
    }
}
