//! `castbench calibrate`: L, o, g, G and O of a transport, as a machine profile.

use std::path::PathBuf;

use clap::Args;
use measure::calibrate::{self, MOST_OTHERS, Measured, Nodes};
use measure::mpi::{self, End};
use measure::processes::Processes;
use measure::results::Status;
use measure::settings::Transport;
use measure::statistics::FEWEST;
use measure::{Error, emulated, launcher, run};

use super::measure::{created, join, said};
use super::options::Printed;
use crate::base::failure::{Code, Failure, Result, tell};
use crate::base::progress::Progress;
use crate::base::revision::build;
use crate::base::units::{grouped, parse_count, show_bytes};
use crate::measured::config::Config;
use crate::measured::failure;
use crate::measured::profile::{Calibration, HOLDS, Sends, SizeRow, WIDE, calibrate};
use crate::measured::stop::{self, STOP};
use crate::output::{self, Draft, Lock};
use crate::print::column::{self, Tabled as _};
use crate::print::{self, Columns};
use crate::space::machine::Basis;

/// Arguments of `calibrate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Sends messages of 1 B to 4 MiB between the first two hosts of a configuration for `measure`, after Hoefler et al. 2007 and \
Kielmann et al. 2000, and lets both send at once. Rows of short messages in both directions show whether ports are strict or \
duplex; the profile has `ports` where they do. Rank 0 also sends to up to four hosts at once, and receives from them; \
`calibrate` prints whether these messages share one port, as in the model. Over MPI with as many ranks on each of several hosts it \
measures between two ranks of a host, too, and all ranks of one send to those of another at once: the profile then has a [[level]] and \
`nics`. The profile states where each number comes from and how well it fits; NAME.csv beside it has every \
size, measured and predicted by the profile.

Examples:
  castbench calibrate --name loopback
  castbench calibrate cluster.toml --name ethernet100 --sends streamed
  mpirun -n 8 --map-by ppr:4:node castbench calibrate mpi.toml --name cluster
  castbench cost halving --machine reports/calibrated/ethernet100.toml --bytes 1MiB -K 18"
)]
pub struct Calibrate {
    /// Configuration file with the transport [default: the one that `castbench init measure` prints]
    pub config: Option<PathBuf>,
    /// The name of the profile
    #[arg(long, value_name = "NAME", default_value = "calibrated")]
    pub name: String,
    /// Directory for NAME.toml and NAME.csv
    #[arg(long, value_name = "DIR", default_value = "reports/calibrated")]
    pub out: PathBuf,
    /// Repetitions of each size; a profile of fewer than 6 is unreliable
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 21)]
    pub repetitions: u64,
    /// Replace a profile of this name
    #[arg(long)]
    pub force: bool,
    /// When the next send may begin; decides g and G of the profile
    #[arg(long, value_enum, default_value_t = Sends::Acknowledged)]
    pub sends: Sends,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a bad name, 3 for a bad configuration, 10 if a rank, a host or a connection failed, 74 if the
/// profile cannot be written, 130 if interrupted.
pub fn run(arguments: &Calibrate) -> Result {
    let name = &arguments.name;
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if name.is_empty() || name.starts_with('-') || !is_plain {
        bail!(
            "--name: expected letters, digits, `-` and `_`, not a `-` first; the name is also a file name"
        );
    }
    let repetitions = u32::try_from(arguments.repetitions)
        .ok()
        .filter(|count| (1..=100_000).contains(count));
    let repetitions =
        repetitions.ok_or_else(|| Failure::usage("--repetitions: expected 1 to 100,000"))?;
    let config = Config::load_transport(arguments.config.as_deref(), "calibrate")?;
    let transport = &config.settings.transport;
    let is_mpi = matches!(transport, Transport::Mpi);
    if !is_mpi {
        launcher::alone(transport.name()).map_err(failure::from_error)?;
    }
    let world = is_mpi.then(|| join(&config)).transpose()?;
    let nodes = world.as_ref().map(|world| Nodes::of(world.placement()));
    let (nodes, flat) = match nodes.transpose() {
        Ok(nodes) => (nodes.flatten(), None),
        Err(why) => (None, Some(why)),
    };
    if let Some(world) = world.as_ref().filter(|world| world.rank() > 0) {
        stop::on_interrupt_quietly()?;
        let end: End<'_> = &|status| ended(status).code as i32;
        // Only rank 1 has a part in most experiments, and on several nodes in half of them.
        let awaited = world.rank() == 1 && nodes.is_none();
        mpi::obey(world, &config.settings, &STOP, end, awaited);
        return Ok(());
    }
    if matches!(transport, Transport::Emulated(_)) {
        emulated::isolate()?;
    }
    stop::on_interrupt("no profile is written")?;
    let files = created(world.as_ref(), Files::create(arguments))?;
    let count = Nodes::steps(nodes.as_ref()) * u64::from(repetitions);
    let progress = Progress::new(count, 0, "experiments");
    let tick = || progress.advance(1, 0);
    let measured = match &world {
        None => between_processes(&config, repetitions, &tick),
        Some(world) => {
            let end: End<'_> = &|status| said(ended(status));
            let (settings, nodes) = (&config.settings, nodes.as_ref());
            let measured = mpi::calibrate(world, settings, nodes, repetitions, &STOP, &tick, end);
            let hosts = world.hosts();
            let partner = measured.samples.first().map_or(0, |sample| sample.partner);
            let name = |rank: u32| hosts[rank as usize].1.name.clone();
            Ok((vec![name(0), name(partner)], measured))
        }
    };
    progress.finish();
    let (hosts, measured) = measured.map_err(|error| match error {
        Error::Interrupted => ended(Status::Interrupted),
        error => error.into(),
    })?;
    let mut calibration = calibrate(name, &between(&hosts), arguments.sends, &measured.samples)?;
    if let (Some(nodes), Some(node)) = (nodes, &measured.node) {
        let inside = format!("two ranks of {}", hosts[0]);
        let near = calibrate(name, &inside, arguments.sends, &node.samples)?;
        calibration = calibration.with_node(near, &nodes, node)?;
    }
    if let Some(hosts) = config.settings.transport.one_host() {
        tell!("note: {hosts}, so these are not times of a network");
    }
    if let Some(why) = flat {
        tell!("the profile has no [[level]]: {why}");
    }
    files.publish(arguments, &config, &calibration)
}

fn ended(status: Status) -> Failure {
    let (code, reason) = match status {
        Status::Interrupted => (Code::Interrupted, "interrupted".to_owned()),
        Status::Failed(reason) => (Code::Measurement, reason),
        Status::Complete => (Code::Internal, "ended too early".to_owned()),
    };
    Failure::new(
        code,
        format_args!("{reason}; no profile is written from an unfinished calibration"),
    )
}

/// The profile and its sizes, opened before the measurement so that a bad directory is reported first.
struct Files {
    _lock: Lock,
    profile: Draft,
    sizes: Draft,
}

impl Files {
    fn create(arguments: &Calibrate) -> Result<Self> {
        let lock = Lock::new(&arguments.out)?;
        let file = |kind: &str| format!("{}.{kind}", arguments.name);
        let path = |kind: &str| arguments.out.join(file(kind));
        output::refuse_strangers(
            &arguments.out,
            [
                (file("toml"), MADE.as_bytes().to_vec()),
                (file("csv"), column::header(&SizeRow::columns())),
            ],
        )?;
        if let Some(there) = ["toml", "csv"]
            .map(path)
            .into_iter()
            .find(|path| path.exists() && !arguments.force)
        {
            let reason =
                "it was measured before; choose another --name, or replace it with --force";
            bail!(Output, "`{}` exists: {reason}", there.display());
        }
        let draft = |kind: &str| Draft::create(&path(kind));
        let (profile, sizes) = (draft("toml")?, draft("csv")?);
        Ok(Self {
            _lock: lock,
            profile,
            sizes,
        })
    }

    fn publish(
        mut self,
        arguments: &Calibrate,
        config: &Config,
        calibration: &Calibration,
    ) -> Result {
        let heading = heading(config, arguments.repetitions);
        let text = format!("{heading}{}", calibration.machine.toml()?);
        let rows = column::csv(&SizeRow::columns(), &calibration.rows)?;
        for (draft, bytes) in [
            (&mut self.profile, text.as_bytes()),
            (&mut self.sizes, &rows),
        ] {
            draft.put(bytes)?;
        }
        let written = [self.sizes.path().to_owned(), self.profile.path().to_owned()];
        output::publish(vec![self.sizes, self.profile], &[])?;
        show(arguments, calibration)?;
        for path in written {
            tell!("wrote {}", path.display());
        }
        Ok(())
    }
}

fn between(hosts: &[String]) -> String {
    match hosts {
        [first, second, ..] if first != second => format!("{first} and {second}"),
        [only, ..] => format!("two processes of {only}"),
        [] => String::new(),
    }
}

/// Measures between the first two hosts, or on the only one; several messages at once between up to five. Returns the
/// names of the hosts, too.
fn between_processes(
    config: &Config,
    repetitions: u32,
    tick: &dyn Fn(),
) -> Result<(Vec<String>, Measured), Error> {
    let ranks = 1 + MOST_OTHERS;
    let network = run::hosts(&config.settings.transport, ranks)?;
    let hosts = network.hosts();
    let placement: Vec<u32> = match hosts.len() {
        1 => vec![0; ranks as usize],
        several => (0..ranks).take(several).collect(),
    };
    let mut processes = Processes::start(&config.settings, hosts, &placement, build(), &STOP)?;
    let seed = config.settings.seed;
    let measured = calibrate::measure(&mut processes, None, repetitions, seed, tick)?;
    let names = hosts.iter().map(|host| host.name.clone());
    Ok((names.collect(), measured))
}

/// How profiles begin.
const MADE: &str = "# Made by `castbench calibrate`";

fn heading(config: &Config, repetitions: u64) -> String {
    let transport = match &config.settings.transport {
        Transport::Loopback { .. } => "TCP on the loopback interface".to_owned(),
        Transport::Hosts { .. } => "TCP".to_owned(),
        Transport::Mpi => "MPI".to_owned(),
        Transport::Emulated(shape) => {
            format!("TCP between emulated hosts at {} Mbit/s", shape.rate_mbit)
        }
    };
    format!(
        "{MADE} over {transport}, median of {repetitions}. [valid]: sizes for which hop and \
         gap match the measurement.\n"
    )
}

fn show(arguments: &Calibrate, calibration: &Calibration) -> Result {
    print::of_files(
        arguments.printed.format,
        SizeRow::columns(),
        columns(),
        &calibration.rows,
    )?;
    for (symbol, value, origin) in calibration.machine.numbers() {
        tell!("{symbol} = {value}: {origin}");
    }
    if !calibration.machine.has_exchange() {
        let [least, greatest] = calibration.exchange;
        tell!(
            "two messages of 64 KiB or more that cross take {least:.2} to {greatest:.2} times as long as one; the profile has no \
             x: it has one from the size on from which each of them takes over {:.2} times as long",
            1.0 + HOLDS
        );
    }
    if let Some(why) = &calibration.without_rule {
        tell!("the profile has no `ports`: {why}");
    }
    for port in &calibration.ports {
        let warning = if port.is_off() {
            "NOT AS THE MODEL: "
        } else {
            ""
        };
        tell!("{warning}{port}");
    }
    if calibration.ports.is_empty() {
        tell(
            "fan-out and incast are not measured: rank 0 needs two others that are as near as each other",
        );
    }
    let valid = calibration
        .machine
        .valid
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let explanation = format!(
        "hop and gap of the profile are within {:.0} % of the measured ones for {valid}",
        100.0 * HOLDS
    );
    if arguments.repetitions < FEWEST.into() {
        tell!(
            "TOO FEW REPETITIONS: the interval of {} decides nothing, so the basis of the profile is `unreliable`; measure again \
             with --repetitions {FEWEST} or more",
            arguments.repetitions
        );
    } else if calibration.machine.basis == Basis::Unreliable {
        tell!(
            "POOR FIT: {explanation}, fewer than half of the sizes, and none up to {WIDE} times itself; its basis is \
             `unreliable`. Measure again on idle hosts, with more --repetitions"
        );
    } else {
        tell(explanation);
    }
    Ok(())
}

fn columns() -> Columns<'static, SizeRow> {
    let overhead = |ns: Option<u64>| ns.map(grouped).unwrap_or_default();
    let percent = |share: f64| format!("{:+.1} %", 100.0 * share);
    Columns::<SizeRow>::empty()
        .text("bytes", |row| show_bytes(row.bytes))
        .text("acknowledged ns", |row| grouped(row.acknowledged_ns))
        .text("gap in a row ns", |row| grouped(row.streamed_gap_ns))
        .text("exchange ns", |row| grouped(row.exchange_ns))
        .text("o send ns", move |row| overhead(row.send_overhead_ns))
        .text("o receive ns", move |row| overhead(row.receive_overhead_ns))
        .text("hop", move |row| percent(row.hop_residual_f64))
        .text("gap", move |row| percent(row.gap_residual_f64))
}
