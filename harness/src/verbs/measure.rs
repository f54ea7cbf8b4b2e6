//! `castbench measure`: runs multicast trees with real messages, and the hidden `castbench rank`, one node of them.

use std::path::Path;

use super::table::{print, table};
use crate::cli::{Format, Measure};
use crate::failure::{Code, Failure, tell};
use crate::measure::config::{Config, Transport};
use crate::measure::plan::{self, Point};
use crate::measure::record::{Files, Records, Status, SummaryRow};
use crate::measure::{emulated, launcher, rank, run, stop, summarise};
use crate::progress::Progress;
use crate::units::{grouped, plural, show_bytes};

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration or, with `--summarise`, another one than was measured, or over MPI too few ranks;
/// 4 where it measures nothing, 10 where a rank, a host or a connection failed, 74 where the results cannot be written or
/// what is summed up cannot be read, 130 where it was interrupted.
pub fn run(arguments: &Measure) -> Result<(), Failure> {
    let config = Config::load(arguments.config.as_deref()).map_err(launcher::once)?;
    if config.measurements.is_empty() {
        let explanation = format_args!("{}: nothing is measured; add a [[measurement]]", config.name);
        return Err(launcher::once(Failure::new(Code::Nothing, explanation)));
    }
    if arguments.summarise {
        let summary = summarise::again(&config, &arguments.out)?;
        show(arguments.format, &summary)?;
        let path = arguments.out.join("summary.csv");
        tell(format_args!("wrote {}: {}", path.display(), plural(summary.len() as u64, "row")));
        return Ok(());
    }
    if matches!(config.transport, Transport::Mpi) {
        return over_mpi(arguments, &config);
    }
    launcher::alone(config.transport.name())?;
    let points = plan::points(&config, &[])?;
    if matches!(config.transport, Transport::Emulated(_)) {
        emulated::isolate()?;
    }
    stop::on_interrupt()?;
    let files = Files::create(&arguments.out)?;
    let progress = progress(&config, &points);
    let records = run::run(&config, &points, &|| progress.advance(1, 0));
    progress.finish();
    finish(arguments, &config, files, &records?)
}

/// As one of the ranks that the launcher of MPI started.
#[cfg(feature = "mpi")]
fn over_mpi(arguments: &Measure, config: &Config) -> Result<(), Failure> {
    use crate::measure::mpi;
    use std::sync::{Mutex, PoisonError};

    let world = mpi::World::join(config)?;
    let points = plan::points(config, world.placement()).map_err(launcher::once)?;
    if world.rank() > 0 {
        stop::on_interrupt_quietly()?;
        return mpi::run(&world, config, &points, &|| {}, &|_| Ok(()));
    }
    stop::on_interrupt()?;
    // Where this fails the other ranks wait for a word that does not come: leaving without a farewell ends them.
    let files = Files::create(&arguments.out).unwrap_or_else(|failure| world.leave(failure));
    let files = Mutex::new(Some(files));
    let progress = progress(config, &points);
    let end = |records| {
        progress.finish();
        let files = files.lock().unwrap_or_else(PoisonError::into_inner).take();
        files.map_or(Ok(()), |files| finish(arguments, config, files, &records))
    };
    mpi::run(&world, config, &points, &|| progress.advance(1, 0), &end)
}

#[cfg(not(feature = "mpi"))]
fn over_mpi(_: &Measure, config: &Config) -> Result<(), Failure> {
    Err(without_mpi(config))
}

/// What to do where the transport is `mpi` and castbench was built without it.
#[cfg(not(feature = "mpi"))]
pub(super) fn without_mpi(config: &Config) -> Failure {
    let explanation = format_args!(
        "{}: this castbench was built without MPI, so the transport cannot be `mpi`; build it with `cargo build --release \
         --locked --features mpi`, which takes the MPI library, its `mpicc` and libclang",
        config.name
    );
    launcher::once(Failure::new(Code::Configuration, explanation))
}

fn progress(config: &Config, points: &[Point<'_>]) -> Progress {
    let rounds = u64::from(config.warm_up) + u64::from(config.repetitions);
    Progress::of(points.len() as u64 * rounds, 0, "multicasts")
}

/// Writes and shows what was measured, and says how it ended.
fn finish(arguments: &Measure, config: &Config, files: Files, records: &Records) -> Result<(), Failure> {
    if records.rows.is_empty() && records.status != Status::Complete {
        // Nothing worth a file.
        return verdict(&records.status, 0);
    }
    files.publish(config, records)?;
    show(arguments.format, &records.summary)?;
    list(records, &arguments.out);
    verdict(&records.status, records.rows.len() as u64)
}

/// Runs one node of a multicast.
///
/// # Errors
/// Exit code 10; the coordinator has been told why.
pub fn rank() -> Result<(), Failure> {
    rank::run().map_err(|_| Failure { code: Code::Measurement, message: String::new() })
}

fn verdict(status: &Status, rows: u64) -> Result<(), Failure> {
    let kept = format!("what was finished is kept: {}", plural(rows, "row"));
    match status {
        Status::Complete => Ok(()),
        Status::Interrupted => Err(Failure::new(Code::Interrupted, format_args!("interrupted; {kept}"))),
        Status::Failed(reason) => Err(Failure::new(Code::Measurement, format_args!("{reason}; {kept}"))),
    }
}

fn show(format: Format, summary: &[SummaryRow]) -> Result<(), Failure> {
    let mut people = table([
        "measurement",
        "algorithm",
        "K",
        "bytes",
        "hosts",
        "mapping",
        "hold ps/B",
        "median ms",
        "interval ms",
        "coverage",
        "model ms",
        "sharing links ms",
    ]);
    for row in summary {
        people.add_row(cells(row));
    }
    print(format, summary, &people)
}

fn cells(row: &SummaryRow) -> [String; 12] {
    let ms = |ns: u64| format!("{:.3}", ns as f64 / 1e6);
    [
        row.measurement.clone(),
        row.algorithm.clone(),
        row.K.to_string(),
        show_bytes(row.bytes),
        row.hosts.to_string(),
        row.mapping.to_owned(),
        grouped(row.hold_ps_per_byte),
        ms(row.median_ns),
        format!("{} to {}", ms(row.low_ns), ms(row.high_ns)),
        format!("{:.1} %", 100.0 * row.coverage_f64),
        row.model_ns.map(ms).unwrap_or_default(),
        row.link_sharing_ns.map(ms).unwrap_or_default(),
    ]
}

fn list(records: &Records, out: &Path) {
    let (rows, seconds) = (records.rows.len() as u64, records.seconds);
    tell(format_args!("{} timed and checked at every node in {seconds:.1} s", plural(rows, "multicast")));
    for (name, rows) in [
        ("measurements.csv", records.rows.len()),
        ("nodes.csv", records.nodes.len()),
        ("summary.csv", records.summary.len()),
    ] {
        tell(format_args!("wrote {}: {}", out.join(name).display(), plural(rows as u64, "row")));
    }
    tell(format_args!("wrote {}", out.join("manifest.json").display()));
}
