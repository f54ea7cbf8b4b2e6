//! `castbench sweep`: sweeps the grids of a configuration into CSV files and a manifest.

use std::path::Path;
use std::time::Duration;

use crate::cli::{RowFormat, Sweep, Sweeping};
use crate::config::{BuiltIn, Config};
use crate::failure::{Failure, tell};
use crate::record::parquet;
use crate::record::shard::Shard;
use crate::signals;
use crate::sweep::{self, Existing, Formats, Options, Report, State};
use crate::threads;
use crate::units::{grouped, plural};

/// Runs the verb.
///
/// # Errors
/// Those of [`sweep::run`] and [`Report::verdict`]; exit code 2 for `--jobs 0`.
pub fn run(arguments: &Sweep) -> Result<(), Failure> {
    let Sweep { sweeping, shard, format } = arguments;
    let formats = formats(format)?;
    if let (Some(shard), true) = (shard, formats.parquet) {
        return Err(Failure::usage(format_args!(
            "--shard {shard} --format parquet: a shard is written as CSV; give the format to `castbench merge`"
        )));
    }
    sweep(sweeping, *shard, formats, &configuration(sweeping)?)?.verdict()
}

/// The configuration with the changes that the arguments ask for.
pub(super) fn configuration(arguments: &Sweeping) -> Result<Config, Failure> {
    Config::select(arguments.selection.config.as_deref(), BuiltIn::Default, &arguments.selection.set)
}

/// The requested formats, if this build can write them.
pub(super) fn formats(asked: &[RowFormat]) -> Result<Formats, Failure> {
    let formats = Formats { csv: asked.contains(&RowFormat::Csv), parquet: asked.contains(&RowFormat::Parquet) };
    if formats.parquet {
        parquet::check_available()?;
    }
    Ok(formats)
}

/// Sweeps a loaded configuration and prints a summary.
pub(super) fn sweep(
    arguments: &Sweeping,
    shard: Option<Shard>,
    formats: Formats,
    config: &Config,
) -> Result<Report, Failure> {
    let jobs = threads(arguments.jobs)?;
    signals::stop_on_interrupt()?;
    let checkpoint_every = arguments.checkpoint.map(Duration::from_secs);
    let existing = match (arguments.resume, arguments.restart) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Discard,
        _ => Existing::Refuse,
    };
    let report = sweep::run(config, &arguments.out, &Options { jobs, shard, existing, formats, checkpoint_every })?;
    summarise(&report, &arguments.out);
    Ok(report)
}

/// The number of threads that `--jobs` asks for.
///
/// # Errors
/// Exit code 2 for none, and for more than there may be.
pub fn threads(jobs: Option<u64>) -> Result<Option<usize>, Failure> {
    match jobs.map(usize::try_from) {
        None => Ok(None),
        Some(Ok(jobs @ 1..=threads::MOST)) => Ok(Some(jobs)),
        Some(_) => {
            let most = threads::MOST;
            Err(Failure::usage(format_args!("--jobs: expected a number of threads from 1 to {most}")))
        }
    }
}

pub(super) fn summarise(report: &Report, out: &Path) {
    let seconds = report.elapsed.as_secs_f64();
    let points = report.summary.points();
    let before = points.saturating_sub(report.evaluated);
    let per_second = report.evaluated as f64 / seconds.max(1e-9);
    let told = plural(points, "point");
    if report.state == State::FoundWhole {
        tell(format_args!("nothing to do: `{}` already contains this sweep ({told})", out.display()));
        return;
    }
    match report.evaluated {
        0 => tell(format_args!("{told}:")),
        _ if before == 0 => tell(format_args!("{told} in {seconds:.1} s ({per_second:.0} per second):")),
        now => {
            let (before, now) = (grouped(before), grouped(now));
            tell(format_args!(
                "{told}, {before} of them before and {now} in {seconds:.1} s ({per_second:.0} per second):"
            ));
        }
    }
    let tally = &report.summary.tally;
    tell(format_args!(
        "  {} simulated and equal, {} not simulated, {} not applicable, {} failed, {} disagree",
        grouped(tally.simulated),
        grouped(tally.ok.saturating_sub(tally.simulated)),
        grouped(tally.not_applicable),
        grouped(tally.failed),
        grouped(tally.disagree),
    ));
    for finding in report.summary.findings.rows().filter(|finding| finding.points_failed > 0) {
        tell(format_args!(
            "  finding: {} {} fails at {} of {}, first at {}",
            finding.algorithm,
            finding.published,
            grouped(finding.points_failed),
            plural(finding.points_checked, "point"),
            finding.first_counterexample.as_deref().unwrap_or_default(),
        ));
    }
    for file in &report.files {
        tell(format_args!("wrote {}: {}", out.join(&file.name).display(), plural(file.rows, "row")));
    }
    if !report.files.is_empty() {
        tell(format_args!("wrote {}", out.join("manifest.json").display()));
    }
}
