//! `castbench calibrate`: L, o, g, G and O of a transport, as a machine profile.

use std::io::Write as _;

use super::table::{print, table};
use crate::cli::Calibrate;
use crate::failure::{Code, Failure, tell};
use crate::measure::calibrate::profile::{Calibration, HOLDS, Row, calibrate};
use crate::measure::calibrate::{SIZES, measure};
use crate::measure::cluster::{Cluster, Layout, Trouble};
use crate::measure::config::{Config, Transport};
use crate::measure::run::Hosts;
use crate::measure::{emulated, stop};
use crate::output::{self, Draft};
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
        let explanation = format_args!("{}: `mpi` cannot be calibrated yet; name tcp or emulated", config.name);
        return Err(Failure::new(Code::Configuration, explanation));
    }
    if matches!(config.transport, Transport::Emulated(_)) {
        emulated::isolate()?;
    }
    stop::on_interrupt()?;
    let mut profile = Draft::create(&arguments.out.join(format!("{name}.toml")))?;
    let mut sizes = Draft::create(&arguments.out.join(format!("{name}.csv")))?;
    let calibration = between_two(&config, arguments, repetitions)?;
    let text = format!("{}{}", heading(&config, repetitions, &calibration), calibration.machine.toml()?);
    let rows = output::csv_bytes(&calibration.rows)?;
    for (draft, bytes) in [(&mut profile, text.as_bytes()), (&mut sizes, &rows)] {
        draft.file().write_all(bytes).map_err(|error| Failure::write(draft.path(), &error))?;
    }
    let written = [sizes.path().to_owned(), profile.path().to_owned()];
    sizes.publish()?;
    profile.publish()?;
    show(arguments, &calibration)?;
    for path in written {
        tell(format_args!("wrote {}", path.display()));
    }
    Ok(())
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
    let progress = Progress::of(SIZES.len() as u64 * u64::from(repetitions), 0, "experiments");
    let measured = Cluster::start(layout)
        .and_then(|mut cluster| measure(&mut cluster, repetitions, config.seed, &|| progress.advance(1, 0)));
    progress.finish();
    let samples = measured.map_err(|trouble| match trouble {
        Trouble::Failed(reason) => Failure::new(Code::Measurement, reason),
        Trouble::Interrupted => Failure::new(Code::Interrupted, "interrupted; there is no profile of half the times"),
    })?;
    let place = match hosts.list() {
        [first, second, ..] => format!("{} and {}", first.name, second.name),
        [only] => format!("two processes of {}", only.name),
        [] => String::new(),
    };
    calibrate(&arguments.name, &place, arguments.sends, &samples)
}

fn heading(config: &Config, repetitions: u32, calibration: &Calibration) -> String {
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
