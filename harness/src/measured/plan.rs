//! What is measured, and what is predicted of it.

use algorithms::logp::loggops::LogGops;
use algorithms::logp::multicast::link_sharing;
use algorithms::logp::multicast::schedule::Schedule;
use algorithms::logp::multicast::simulator::Violation;
use algorithms::logp::{self, LogP};
use algorithms::problem::Listed;
use measure::multicast::{Multicast, Way};
use measure::settings::Transport;

use super::config::{Algorithm, Config, Measurement};
use crate::failure::{Code, Failure};
use crate::units::{plural, show_bytes};

/// A multicast that is measured some times.
#[derive(Debug, Clone)]
pub struct Point<'a> {
    /// The part of the configuration it comes from.
    pub measurement: &'a Measurement,
    /// What carries it out.
    pub algorithm: Algorithm,
    /// Nodes, the source included.
    pub K: u32,
    /// Hosts that the ranks are placed on.
    pub hosts: u32,
    /// How they are placed.
    pub mapping: &'static str,
    /// How long a receiver holds each further byte of a message, ps.
    pub hold_ps_per_byte: u64,
    /// What is predicted of a tree; nothing of what the MPI library does in its own way.
    pub predicted: Option<Predicted>,
    /// The multicast itself.
    pub multicast: Multicast,
}

/// What is predicted of a tree.
#[derive(Debug, Clone, Copy)]
pub struct Predicted {
    /// The machine's time for this schedule as the simulator executes it, relay delay included, ns.
    pub model_ns: u64,
    /// The same where the nodes of a host share its link, max-min fairly, ns; none where all are on one host.
    pub link_sharing_ns: Option<u64>,
}

/// All points of a configuration, in the order of its lists. `launched` is the host of each rank that the launcher of MPI
/// started; other transports do not read it.
///
/// # Errors
/// Exit code 3 where a message is too long for the model or too few ranks were launched, 5 where the simulator rejects
/// a schedule.
pub fn points<'a>(config: &'a Config, launched: &[u32]) -> Result<Vec<Point<'a>>, Failure> {
    let mut points = Vec::new();
    for measurement in &config.measurements {
        for &algorithm in &measurement.algorithms {
            for &K in &measurement.K {
                for (mapping, placement) in placements(&config.settings.transport, measurement, K, launched)? {
                    for &hold in &measurement.holds {
                        // A message that the library relays cannot be held.
                        if hold > 0 && matches!(algorithm, Algorithm::Library(_)) {
                            continue;
                        }
                        for &bytes in &measurement.bytes {
                            points.push(point((measurement, algorithm, K), (mapping, &placement), hold, bytes)?);
                        }
                    }
                }
            }
        }
    }
    Ok(points)
}

fn point<'a>(
    (measurement, algorithm, K): (&'a Measurement, Algorithm, u32),
    (mapping, placement): (&'static str, &[u32]),
    hold_ps_per_byte: u64,
    bytes: u64,
) -> Result<Point<'a>, Failure> {
    let (way, predicted) = match algorithm {
        Algorithm::Tree(entry) => {
            let (schedule, predicted) = tree(entry, measurement, placement, hold_ps_per_byte, bytes)?;
            (Way::Tree(schedule), Some(predicted))
        }
        Algorithm::Library(function) => (Way::Library { function, source: measurement.source - 1 }, None),
    };
    // As in `LogGops::at`, for all bytes but the first.
    let hold_ps = u128::from(hold_ps_per_byte) * u128::from(bytes - 1);
    let hold_ns = u64::try_from(hold_ps.div_ceil(1000)).unwrap_or(u64::MAX);
    let mut multicast = Multicast { label: String::new(), way, bytes, hold_ns, placement: placement.to_vec() };
    let hosts = multicast.hosts();
    let (name, size, on) = (algorithm.name(), show_bytes(bytes), plural(hosts.into(), "host"));
    multicast.label = format!("{name}, K = {K}, {size} on {on} ({mapping})");
    Ok(Point { measurement, algorithm, K, hosts, mapping, hold_ps_per_byte, predicted, multicast })
}

/// The ways in which K ranks are placed, by name, each once.
fn placements(
    transport: &Transport,
    measurement: &Measurement,
    K: u32,
    launched: &[u32],
) -> Result<Vec<(&'static str, Vec<u32>)>, Failure> {
    let Some(hosts) = transport.hosts(measurement.hosts, K) else {
        let placement = launched.get(..K as usize).ok_or_else(|| {
            let (name, ranks) = (&measurement.name, plural(launched.len() as u64, "rank"));
            let explanation = format_args!(
                "measurement `{name}`: K = {K} takes as many ranks, and MPI started {ranks}; write `mpirun -n {K}`"
            );
            Failure::new(Code::Configuration, explanation)
        })?;
        return Ok(vec![("launched", placement.to_vec())]);
    };
    let mut ways: Vec<(&'static str, Vec<u32>)> = Vec::new();
    for &mapping in &measurement.mappings {
        let placement = mapping.place(K, hosts);
        // With a host for each rank all mappings are one.
        if ways.iter().all(|(_, known)| *known != placement) {
            ways.push((mapping.name(), placement));
        }
    }
    Ok(ways)
}

/// A tree with its predictions.
fn tree(
    entry: &Listed<dyn logp::multicast::Multicast>,
    measurement: &Measurement,
    placement: &[u32],
    hold_ps_per_byte: u64,
    bytes: u64,
) -> Result<(Schedule, Predicted), Failure> {
    let refuse = |error: &dyn std::fmt::Display| {
        let (name, bytes) = (&measurement.name, show_bytes(bytes));
        Failure::new(Code::Configuration, format_args!("measurement `{name}`, {bytes}: {error}"))
    };
    let parameters = held(measurement.machine.parameters(), hold_ps_per_byte);
    let parameters = parameters.ok_or_else(|| refuse(&"the relay delay does not fit in 64 bits"))?;
    let model: LogP = parameters.at(bytes).map_err(|error| refuse(&error))?;
    let K = u32::try_from(placement.len()).unwrap_or(u32::MAX);
    let schedule = entry.algorithm.schedule(model, K, measurement.source);
    let bug = |violation: Violation| {
        Failure::new(Code::Disagreement, format_args!("{}: {violation}; this is a bug in castbench", entry.name))
    };
    let model_ns = logp::multicast::simulator::execute(model, &schedule).map_err(bug)?;
    let message = link_sharing::Message::of(&parameters, bytes).map_err(|error| refuse(&error))?;
    let shared = link_sharing::simulate(message, &schedule, |node| placement[node as usize - 1]).map_err(bug)?;
    let several = placement.iter().any(|host| *host != placement[0]);
    Ok((schedule, Predicted { model_ns, link_sharing_ns: several.then_some(shared.finish) }))
}

/// A machine on which every message is held back by a relay delay as well; none where that does not fit in 64 bits.
#[must_use]
pub fn held(machine: LogGops, hold_ps_per_byte: u64) -> Option<LogGops> {
    Some(LogGops { H: machine.H.checked_add(hold_ps_per_byte)?, ..machine })
}
