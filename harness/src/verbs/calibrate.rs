//! `castbench calibrate`: L, o, g, G and O of a transport, as a machine profile.

use super::table::{print, table};
use crate::cli::Calibrate;
use crate::failure::{Code, Failure, tell};
use crate::measure::calibrate::profile::{Calibration, HOLDS, Row, calibrate};
use crate::measure::calibrate::{SIZES, measure};
use crate::measure::cluster::{Cluster, Layout, Trouble};
use crate::measure::config::{Config, Transport};
use crate::measure::run::Hosts;
use crate::measure::{emulated, launcher, stop};
use crate::output::{self, Batch, Draft};
use crate::progress::Progress;
use crate::units::{grouped, show_bytes};

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a bad name, 3 for a bad configuration, 10 where a rank, a host or a connection failed, 74 where the
/// profile cannot be written, 130 where it was interrupted.
pub fn run(arguments: &Calibrate) -> Result<(), Failure> {
    let name = &arguments.name;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
        return Err(Failure::usage("--name: expected letters, digits, `-` and `_`, for it names the files, too"));
    }
    let repetitions = u32::try_from(arguments.repetitions).ok().filter(|count| (1..=100_000).contains(count));
    let repetitions = repetitions.ok_or_else(|| Failure::usage("--repetitions: expected 1 to 100,000"))?;
    let config = Config::load(arguments.config.as_deref())?;
    if matches!(config.transport, Transport::Mpi) {
        return over_mpi(arguments, &config, repetitions);
    }
    launcher::alone(config.transport.name())?;
    if matches!(config.transport, Transport::Emulated(_)) {
        emulated::isolate()?;
    }
    stop::on_interrupt()?;
    let files = Files::create(arguments)?;
    let calibration = between_two(&config, arguments, repetitions)?;
    files.publish(arguments, &config, &calibration)
}

/// As one of the two ranks that the launcher of MPI started.
#[cfg(feature = "mpi")]
fn over_mpi(arguments: &Calibrate, config: &Config, repetitions: u32) -> Result<(), Failure> {
    use crate::measure::{mpi, record::HostEntry};

    let world = mpi::World::join(config)?;
    if world.rank() > 0 {
        stop::on_interrupt_quietly()?;
        return mpi::calibrate(&world, config, repetitions, &|| {}).map(|_| ()).map_err(launcher::once);
    }
    stop::on_interrupt()?;
    let files = Files::create(arguments).unwrap_or_else(|failure| world.leave(failure));
    let progress = experiments(repetitions);
    let samples = mpi::calibrate(&world, config, repetitions, &|| progress.advance(1, 0))?.unwrap_or_default();
    progress.finish();
    let names: Vec<String> = world.hosts().into_iter().map(|(_, HostEntry { name, .. })| name).collect();
    let calibration = calibrate(&arguments.name, &place(&names), arguments.sends, &samples)?;
    files.publish(arguments, config, &calibration)
}

#[cfg(not(feature = "mpi"))]
fn over_mpi(_: &Calibrate, config: &Config, _: u32) -> Result<(), Failure> {
    Err(super::measure::without_mpi(config))
}

/// The profile and the sizes it was made from, opened before anything is measured.
struct Files {
    batch: Batch,
    profile: Draft,
    sizes: Draft,
}

impl Files {
    fn create(arguments: &Calibrate) -> Result<Self, Failure> {
        let batch = Batch::open(&arguments.out)?;
        let draft = |kind: &str| batch.draft(&arguments.out.join(format!("{}.{kind}", arguments.name)));
        let (profile, sizes) = (draft("toml")?, draft("csv")?);
        Ok(Self { batch, profile, sizes })
    }

    /// Writes and shows them.
    fn publish(mut self, arguments: &Calibrate, config: &Config, calibration: &Calibration) -> Result<(), Failure> {
        let heading = heading(config, arguments.repetitions, calibration);
        let text = format!("{heading}{}", calibration.machine.toml()?);
        let rows = output::csv_bytes(&calibration.rows)?;
        for (draft, bytes) in [(&mut self.profile, text.as_bytes()), (&mut self.sizes, &rows)] {
            draft.put(bytes)?;
        }
        let written = [self.sizes.path().to_owned(), self.profile.path().to_owned()];
        self.batch.publish(vec![self.sizes, self.profile], Vec::new())?;
        show(arguments, calibration)?;
        for path in written {
            tell(format_args!("wrote {}", path.display()));
        }
        Ok(())
    }
}

fn experiments(repetitions: u32) -> Progress {
    Progress::of(SIZES.len() as u64 * u64::from(repetitions), 0, "experiments")
}

/// Between whom was measured.
fn place(hosts: &[String]) -> String {
    match hosts {
        [first, second, ..] if first != second => format!("{first} and {second}"),
        [only, ..] => format!("two processes of {only}"),
        [] => String::new(),
    }
}

/// Measures between the first two hosts, or on the one there is.
fn between_two(config: &Config, arguments: &Calibrate, repetitions: u32) -> Result<Calibration, Failure> {
    let hosts = Hosts::of(&config.transport, 2)?;
    let second = u32::from(hosts.list().len() > 1);
    let layout = Layout {
        hosts: hosts.list(),
        placement: &[0, second],
        first_port: config.transport.first_port(),
        limit: config.limit,
    };
    let progress = experiments(repetitions);
    let measured = Cluster::start(layout)
        .and_then(|mut cluster| measure(&mut cluster, repetitions, config.seed, &|| progress.advance(1, 0)));
    progress.finish();
    let samples = measured.map_err(|trouble| match trouble {
        Trouble::Failed(reason) => Failure::new(Code::Measurement, reason),
        Trouble::Interrupted => Failure::new(Code::Interrupted, "interrupted; there is no profile of half the times"),
    })?;
    let names: Vec<String> = hosts.list().iter().map(|host| host.name.clone()).collect();
    calibrate(&arguments.name, &place(&names), arguments.sends, &samples)
}

fn heading(config: &Config, repetitions: u64, calibration: &Calibration) -> String {
    format!(
        "# Made by `castbench calibrate` over {}, median of {}. Hop and gap are within {:.0} % of what was measured for\n\
         # messages of {}.\n",
        match &config.transport {
            Transport::Loopback { .. } => "TCP on the loopback interface".to_owned(),
            Transport::Hosts { .. } => "TCP".to_owned(),
            Transport::Mpi => "MPI".to_owned(),
            Transport::Emulated(shape) => format!("TCP between emulated hosts at {} Mbit/s", shape.rate_mbit),
        },
        repetitions,
        100.0 * HOLDS,
        calibration.range
    )
}

fn show(arguments: &Calibrate, calibration: &Calibration) -> Result<(), Failure> {
    let mut people = table(["bytes", "acknowledged ns", "gap in a row ns", "o send ns", "o receive ns", "hop", "gap"]);
    for row in &calibration.rows {
        people.add_row(cells(row));
    }
    print(arguments.format, &calibration.rows, &people)?;
    for (symbol, value, origin) in calibration.machine.numbers() {
        tell(format_args!("{symbol} = {value}: {origin}"));
    }
    tell(format_args!(
        "hop and gap of the profile are within {:.0} % of what was measured for {}",
        100.0 * HOLDS,
        calibration.range
    ));
    Ok(())
}

fn cells(row: &Row) -> [String; 7] {
    let overhead = |ns: Option<u64>| ns.map(grouped).unwrap_or_default();
    let percent = |share: f64| format!("{:+.1} %", 100.0 * share);
    [
        show_bytes(row.bytes),
        grouped(row.acknowledged_ns),
        grouped(row.streamed_gap_ns),
        overhead(row.send_overhead_ns),
        overhead(row.receive_overhead_ns),
        percent(row.hop_residual_f64),
        percent(row.gap_residual_f64),
    ]
}
