//! `castbench measure`, and the hidden `castbench rank`: one node of a measured program.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use measure::emulated::BURST;
use measure::mpi;
use measure::results::Status;
use measure::settings::Transport;
use measure::task::Task;
use measure::{emulated, launcher, run, tcp};

use super::options::Printed;
use crate::base::failure::{Code, Failure, Result, tell};
use crate::base::progress::Progress;
use crate::base::revision::build;
use crate::base::units::{grouped, ms, plural, show_bytes};
use crate::measured::config::Config;
use crate::measured::earlier::Earlier;
use crate::measured::failure::{self, once};
use crate::measured::plan::{self, Point};
use crate::measured::record::{Begun, Files, Records, Replace};
use crate::measured::stop::{self, STOP};
use crate::measured::summarise;
use crate::print::{self, Columns, Format};
use crate::record::measured::manifest::advice;
use crate::record::measurement::{self, MEASUREMENTS, NODES, SUMMARY, SummaryRow};

/// Arguments of `measure`.
#[derive(Debug, Args)]
#[command(
    after_help = "Each node is a process that exchanges real messages. After the timing, every node checks the bytes it received. \
The median is over the repetitions; its interval contains the true median with the stated coverage. Exit code 10: a \
rank, a host or a connection failed, or --summarise misses executions. Finished repetitions are kept, also after \
Ctrl-C; --resume continues from there, except over MPI. Only --force replaces a measurement.

Examples:
  castbench measure
  castbench measure cluster.toml --out reports/measured
  castbench measure cluster.toml --out reports/measured --resume
  castbench measure cluster.toml --out reports/measured --summarise
  castbench measure cluster.toml --format csv"
)]
pub struct Measure {
    /// Configuration file [default: the one that `castbench init measure` prints]
    pub config: Option<PathBuf>,
    /// Directory for the CSV files and manifest.json
    #[arg(long, value_name = "DIR", default_value = "reports/measurement")]
    pub out: PathBuf,
    /// Measure nothing; summarise the results in the directory again
    #[arg(long, conflicts_with_all = ["resume", "force"])]
    pub summarise: bool,
    /// Continue the measurement in the directory: measure what is missing
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace the measurement in the directory
    #[arg(long)]
    pub force: bool,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration, for too few ranks over MPI, and for `--summarise` with a configuration other
/// than the measured one; 4 if nothing is measured; 10 if a rank, a host or a connection failed, or `--summarise` misses
/// executions; 74 if results cannot be written or read; 130 if interrupted.
pub fn run(arguments: &Measure) -> Result {
    let config = Config::load(arguments.config.as_deref()).map_err(once)?;
    if config.measurements.is_empty() {
        let explanation = format_args!(
            "{}: no measurement is defined; add a [[measurement]]",
            config.name
        );
        return Err(once(Failure::new(Code::Nothing, explanation)));
    }
    let transport = &config.settings.transport;
    let is_mpi = matches!(transport, Transport::Mpi);
    if arguments.summarise {
        let (summary, unfinished) = summarise::again(&config, &arguments.out)?;
        show(arguments.printed.format, &config, &summary)?;
        let path = arguments.out.join("summary.csv");
        tell!(
            "wrote {}: {}",
            path.display(),
            plural(summary.len() as u64, "row")
        );
        return match unfinished {
            None => Ok(()),
            Some(unfinished) => Err(failure!(
                Measurement,
                "the measurement {unfinished}; {}",
                advice(is_mpi)
            )),
        };
    }
    if is_mpi && arguments.resume {
        let explanation = "--resume: a measurement over MPI cannot be continued; name another --out, or replace it with --force";
        return Err(once(Failure::usage(explanation)));
    }
    if !is_mpi {
        launcher::alone(transport.name()).map_err(failure::from_error)?;
    }
    let world = is_mpi.then(|| join(&config)).transpose()?;
    let launched = world.as_ref().map_or(&[][..], mpi::World::placement);
    // Before the world ends: its end waits for the others, who wait for these words.
    let points = created(
        world.as_ref(),
        plan::points(&config, launched).map_err(once),
    )?;
    if let Some(world) = world.as_ref().filter(|world| world.rank() > 0) {
        stop::on_interrupt_quietly()?;
        let end: mpi::End<'_> = &|_| Code::Measurement as i32;
        mpi::obey(world, &config.settings, &STOP, end, true);
        return Ok(());
    }
    if matches!(transport, Transport::Emulated(_)) {
        emulated::isolate()?;
    }
    stop::on_interrupt("finished executions are kept, the current one is not")?;
    lead(arguments, &config, &points, world.as_ref())
}

/// Measures all points, and writes and shows the results; over MPI as rank 0.
fn lead(
    arguments: &Measure,
    config: &Config,
    points: &[Point<'_>],
    world: Option<&mpi::World>,
) -> Result {
    let files = Files::create(&arguments.out, replace(arguments), world.is_some());
    let files = created(world, files)?;
    let mut earlier = if arguments.resume {
        Earlier::read(&arguments.out, config, points)?
    } else {
        Earlier::default()
    };
    if earlier.complete {
        tell!(
            "nothing to do: the measurement in {} is complete",
            arguments.out.display()
        );
        return Ok(());
    }
    plan::guesses(points).iter().for_each(tell);
    if matches!(config.settings.transport, Transport::Emulated(_))
        && points.iter().any(|point| point.task.bytes <= BURST)
    {
        tell!(
            "note: an emulated link passes {} at once, so messages up to that size are faster than its rate allows",
            show_bytes(BURST)
        );
    }
    let done = std::mem::take(&mut earlier.done);
    let progress = progress(config, points, done.done.len());
    let tick = || progress.advance(1, 0);
    let begun = Begun::now();
    let kept = Mutex::new(Some((files, earlier)));
    let end = |results| {
        progress.finish();
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.map_or(Ok(()), |(files, earlier)| {
            let records = Records::new(config, points, &begun, earlier, results);
            finish(arguments, config, files, &records)
        })
    };
    let (settings, tasks) = (&config.settings, tasks(points));
    let results = match world {
        None => run::run(settings, &tasks, &done, build(), &STOP, &tick)
            .inspect_err(|_| progress.finish())
            .map(Some)?,
        Some(world) => {
            let last_words: mpi::LastWords<'_> = &|results| match results.map_or(Ok(()), end) {
                // Another thread has saved the results.
                Ok(()) => Code::Measurement as i32,
                Err(failure) => said(failure),
            };
            mpi::run(world, settings, &tasks, &STOP, &tick, last_words)
        }
    };
    results.map_or(Ok(()), end)
}

/// What this rank made after MPI began. A failure is said, and ends all ranks: the others wait for this one.
pub(super) fn created<T>(world: Option<&mpi::World>, created: Result<T>) -> Result<T> {
    created.map_err(|failure| match world {
        Some(world) => world.leave(said(failure)),
        None => failure,
    })
}

pub(super) fn join(config: &Config) -> Result<mpi::World> {
    let text = serde_json::to_string(config).map_err(Failure::internal)?;
    mpi::World::join(build(), &text).map_err(failure::from_error)
}

/// Reports a failure where the process ends without returning to `main`. Returns the exit code.
pub(super) fn said(Failure { code, message }: Failure) -> i32 {
    if !message.is_empty() {
        crate::base::failure::report(&message);
    }
    code as i32
}

fn tasks<'a>(points: &'a [Point<'_>]) -> Vec<&'a Task> {
    points.iter().map(|point| &point.task).collect()
}

fn progress(config: &Config, points: &[Point<'_>], done: usize) -> Progress {
    let rounds = u64::from(config.settings.warm_up) + u64::from(config.settings.repetitions);
    Progress::new(points.len() as u64 * rounds, done as u64, "executions")
}

fn replace(arguments: &Measure) -> Replace {
    match (arguments.force, arguments.resume) {
        (true, _) => Replace::Yes,
        (_, true) => Replace::GoOn,
        _ => Replace::No,
    }
}

/// Writes and shows the results, and returns how the measurement ended.
fn finish(arguments: &Measure, config: &Config, files: Files, records: &Records) -> Result {
    if records.rows.is_empty() && records.status != Status::Complete {
        // There is nothing to write.
        return verdict(records);
    }
    files.publish(config, records)?;
    show(arguments.printed.format, config, &records.summary)?;
    list(records, &arguments.out);
    verdict(records)
}

/// Runs one node of a program.
///
/// # Errors
/// Exit code 10; the coordinator has reported why.
pub fn rank() -> Result {
    tcp::run(build()).map_err(|_| Failure {
        code: Code::Measurement,
        message: String::new(),
    })
}

fn verdict(records: &Records) -> Result {
    let (done, planned) = (records.executions(), records.planned.executions);
    let kept = if done == 0 {
        "nothing was measured".to_owned()
    } else {
        let (done, advice) = (grouped(done), advice(records.launch.is_some()));
        let planned = grouped(planned);
        format!("finished executions are kept: {done} of {planned}; {advice}")
    };
    match &records.status {
        Status::Complete => Ok(()),
        Status::Interrupted => Err(failure!(Interrupted, "interrupted; {kept}")),
        Status::Failed(reason) => Err(failure!(Measurement, "{reason}; {kept}")),
    }
}

fn has_axes(row: &SummaryRow) -> bool {
    row.axes.as_ref().is_some_and(|axes| !axes.is_empty())
}

fn columns<'a>(is_beyond: &'a dyn Fn(&SummaryRow) -> bool) -> Columns<'a, SummaryRow> {
    let star = move |row: &SummaryRow| if is_beyond(row) { " *" } else { "" };
    Columns::<SummaryRow>::empty()
        .text("measurement", |row| row.measurement.clone())
        .text("algorithm", |row| row.algorithm.clone())
        .text("K", move |row| {
            let axes = row.axes.iter().filter(|_| has_axes(row));
            axes.fold(row.K.to_string(), |K, axes| format!("{K}, {axes}"))
        })
        .text("bytes", |row| show_bytes(row.bytes))
        .text("hosts", |row| row.hosts.to_string())
        .text("mapping", |row| row.mapping.clone())
        .text("hold ps/B", |row| grouped(row.hold_ps_per_byte))
        .text("median ms", move |row| ms(row.median_ns))
        .text("interval ms", move |row| {
            format!("{} to {}", ms(row.low_ns), ms(row.high_ns))
        })
        .text("coverage", |row| {
            format!("{:.1} %", 100.0 * row.coverage_f64)
        })
        .text("model ms", move |row| {
            row.model_ns
                .map(|ns| format!("{}{}", ms(ns), star(row)))
                .unwrap_or_default()
        })
        .text("sharing links ms", move |row| {
            row.link_sharing_ns.map(ms).unwrap_or_default()
        })
}

fn show(format: Format, config: &Config, summary: &[SummaryRow]) -> Result {
    let has_nodes = |row: &SummaryRow| {
        config
            .measurements
            .iter()
            .any(|own| own.name == row.measurement && own.machine.has_nodes())
    };
    let one_host = config.settings.transport.one_host();
    let shares_unmodelled =
        |row: &SummaryRow| !has_nodes(row) && (one_host.is_some() || !row.has_own_hosts());
    print::of_files(
        format,
        measurement::columns(summary.iter().any(has_axes)),
        columns(&shares_unmodelled),
        summary,
    )?;
    if let Some(hosts) = &one_host {
        tell!("note: {hosts}");
    }
    if let Some(message) = beyond_the_model(summary.iter().filter(|row| shares_unmodelled(row))) {
        tell(message);
    }
    Ok(())
}

/// The largest error of the model at these points, where it does not apply.
fn beyond_the_model<'a>(shared: impl Iterator<Item = &'a SummaryRow>) -> Option<String> {
    let shared: Vec<(&SummaryRow, u64)> = shared
        .filter_map(|row| Some((row, row.model_ns?)))
        .collect();
    let off = |&(row, model): &(&SummaryRow, u64)| {
        (row.median_ns as f64 / model.max(1) as f64).ln().abs()
    };
    let (row, model) = shared
        .iter()
        .max_by(|one, other| off(one).total_cmp(&off(other)))?;
    Some(format!(
        "* the model does not apply to {}: nodes share a host, and LogP assumes a processor and a link for each; \
         largest difference: {}, K = {}, {}, measured {} ms, model {} ms",
        plural(shared.len() as u64, "point"),
        row.algorithm,
        row.K,
        show_bytes(row.bytes),
        ms(row.median_ns),
        ms(*model),
    ))
}

fn list(records: &Records, out: &Path) {
    let (rows, seconds) = (records.rows.len() as u64, records.seconds);
    tell!(
        "{} timed and checked at every node in {seconds:.1} s",
        plural(rows, "execution")
    );
    for (name, rows) in [
        (MEASUREMENTS, records.executions()),
        (NODES, records.node_rows()),
        (SUMMARY, records.summary.len() as u64),
    ] {
        tell!(
            "wrote {}: {}",
            out.join(name).display(),
            plural(rows, "row")
        );
    }
    tell!("wrote {}", out.join("manifest.json").display());
}
