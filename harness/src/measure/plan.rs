//! What is measured, and in which order.
//!
//! Points whose ranks are placed alike share a cluster. There, every repetition visits all of them in an order of its own,
//! drawn at random from the seed: whatever slows the machine down for a while does not fall on one algorithm alone.

use std::collections::BTreeSet;

use algorithms::catalogue;
use algorithms::logp::loggops::LogGops;
use algorithms::logp::multicast::link_sharing;
use algorithms::logp::multicast::schedule::Schedule;
use algorithms::logp::multicast::simulator::Violation;
use algorithms::logp::{self, LogP};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use super::config::{Algorithm, Config, Measurement, Transport};
use crate::failure::{Code, Failure};
use crate::units::show_bytes;

/// A multicast that is measured some times.
#[derive(Debug, Clone)]
pub struct Point<'a> {
    /// The part of the configuration it comes from.
    pub measurement: &'a Measurement,
    /// Who carries it out.
    pub algorithm: Algorithm,
    /// Nodes, the source included.
    pub K: u32,
    /// Length of the message.
    pub bytes: u64,
    /// Hosts that the ranks are placed on.
    pub hosts: u32,
    /// How they are placed.
    pub mapping: &'static str,
    /// The host of each rank.
    pub placement: Vec<u32>,
    /// How long a receiver holds each further byte of a message, ps.
    pub hold_ps_per_byte: u64,
    /// The tree, where it is one of ours.
    pub tree: Option<Tree>,
}

/// A tree, and what is predicted of it.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Who sends to whom, in which order.
    pub schedule: Schedule,
    /// The machine's time for this schedule as the simulator executes it, relay delay included, ns.
    pub model_ns: u64,
    /// The same where the nodes of a host share its link, max-min fairly, ns; none where all are on one host.
    pub link_sharing_ns: Option<u64>,
}

impl Point<'_> {
    /// How long a receiver holds the message, ns: as in `LogGops::at`, for all bytes but the first.
    #[must_use]
    pub fn hold_ns(&self) -> u64 {
        let total = u128::from(self.hold_ps_per_byte) * u128::from(self.bytes - 1);
        u64::try_from(total.div_ceil(1000)).unwrap_or(u64::MAX)
    }

    /// The rank that the message starts from.
    #[must_use]
    pub fn source(&self) -> u32 {
        self.measurement.source - 1
    }

    /// For messages.
    #[must_use]
    pub fn describe(&self) -> String {
        format!(
            "{}, K = {}, {} on {} ({})",
            self.algorithm.name(),
            self.K,
            show_bytes(self.bytes),
            crate::units::plural(self.hosts.into(), "host"),
            self.mapping
        )
    }
}

/// Points that are measured on one cluster.
#[derive(Debug)]
pub struct Session {
    /// The host of each rank.
    pub placement: Vec<u32>,
    /// Which points, by their places in the list of all.
    pub points: Vec<usize>,
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
                for (mapping, placement) in placements(&config.transport, measurement, K, launched)? {
                    for &hold_ps_per_byte in &measurement.holds {
                        // What the library relays nobody can hold.
                        if hold_ps_per_byte > 0 && matches!(algorithm, Algorithm::Library(_)) {
                            continue;
                        }
                        for &bytes in &measurement.bytes {
                            let hosts = distinct(&placement);
                            let placement = placement.clone();
                            let point = Point {
                                measurement,
                                algorithm,
                                K,
                                bytes,
                                hosts,
                                mapping,
                                placement,
                                hold_ps_per_byte,
                                tree: None,
                            };
                            points.push(Point { tree: tree(&point)?, ..point });
                        }
                    }
                }
            }
        }
    }
    Ok(points)
}

/// The ways in which K ranks are placed, by name, each once.
fn placements(
    transport: &Transport,
    measurement: &Measurement,
    K: u32,
    launched: &[u32],
) -> Result<Vec<(&'static str, Vec<u32>)>, Failure> {
    let Some(hosts) = transport.hosts(measurement, K) else {
        let placement = launched.get(..K as usize).ok_or_else(|| {
            let (name, ranks) = (&measurement.name, crate::units::plural(launched.len() as u64, "rank"));
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

fn distinct(placement: &[u32]) -> u32 {
    let hosts: BTreeSet<u32> = placement.iter().copied().collect();
    u32::try_from(hosts.len()).unwrap_or(u32::MAX)
}

/// The tree of a point with its predictions; none for what the library does.
fn tree(point: &Point<'_>) -> Result<Option<Tree>, Failure> {
    let Algorithm::Tree(entry) = point.algorithm else { return Ok(None) };
    let measurement = point.measurement;
    let refuse = |error: &dyn std::fmt::Display| {
        let (name, bytes) = (&measurement.name, show_bytes(point.bytes));
        Failure::new(Code::Configuration, format_args!("measurement `{name}`, {bytes}: {error}"))
    };
    let parameters = held(measurement.machine.parameters(), point.hold_ps_per_byte);
    let parameters = parameters.ok_or_else(|| refuse(&"the relay delay does not fit in 64 bits"))?;
    let model: LogP = parameters.at(point.bytes).map_err(|error| refuse(&error))?;
    let catalogue::Algorithm::LogpMulticast(algorithm) = entry.algorithm else {
        return Err(Failure::new(Code::Internal, format_args!("{} is no multicast tree", entry.name)));
    };
    let schedule = algorithm.schedule(model, point.K, measurement.source);
    let bug = |violation: Violation| {
        Failure::new(Code::Disagreement, format_args!("{}: {violation}; this is a bug in castbench", entry.name))
    };
    let model_ns = logp::multicast::simulator::execute(model, &schedule).map_err(bug)?;
    let message = link_sharing::Message::of(&parameters, point.bytes).map_err(|error| refuse(&error))?;
    let place = |node: u32| point.placement[node as usize - 1];
    let shared = link_sharing::simulate(message, &schedule, place).map_err(bug)?;
    Ok(Some(Tree { schedule, model_ns, link_sharing_ns: (point.hosts > 1).then_some(shared.finish) }))
}

/// A machine on which every message is held back by a relay delay as well; none where that does not fit in 64 bits.
#[must_use]
pub fn held(machine: LogGops, hold_ps_per_byte: u64) -> Option<LogGops> {
    Some(LogGops { H: machine.H.checked_add(hold_ps_per_byte)?, ..machine })
}

/// The clusters that the points need: as few as there are ways to place ranks, for a smaller multicast can use the first
/// ranks of a larger one.
#[must_use]
pub fn sessions(points: &[Point<'_>]) -> Vec<Session> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    // Stable: points of one size stay in their order.
    order.sort_by_key(|&index| std::cmp::Reverse(points[index].K));
    let mut sessions: Vec<Session> = Vec::new();
    for index in order {
        let placement = &points[index].placement;
        match sessions.iter_mut().find(|session| session.placement.starts_with(placement)) {
            Some(session) => session.points.push(index),
            None => sessions.push(Session { placement: placement.clone(), points: vec![index] }),
        }
    }
    sessions
}

/// The points of a session in the order of one of its repetitions.
#[must_use]
pub fn order(session: usize, repetition: u32, points: &[usize], seed: u64) -> Vec<usize> {
    let key = Sha256::new()
        .chain_update(seed.to_be_bytes())
        .chain_update((session as u64).to_be_bytes())
        .chain_update(repetition.to_be_bytes())
        .finalize();
    let mut random = ChaCha8Rng::from_seed(key.into());
    let mut order = points.to_vec();
    for last in (1..order.len()).rev() {
        // Lemire's bounded draw; of a few thousand points its bias is below 2^-50.
        let draw = (u128::from(random.next_u64()) * (last as u128 + 1)) >> 64;
        order.swap(last, usize::try_from(draw).unwrap_or(last));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_permutation_that_the_seed_decides() {
        let points: Vec<usize> = (10..40).collect();
        let one = order(0, 1, &points, 7);
        assert_eq!(one, order(0, 1, &points, 7));
        for other in [order(0, 2, &points, 7), order(1, 1, &points, 7), order(0, 1, &points, 8)] {
            assert_ne!(one, other);
            let mut sorted = other;
            sorted.sort_unstable();
            assert_eq!(sorted, points);
        }
    }
}
