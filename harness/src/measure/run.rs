//! Carries out a plan: makes the hosts, starts the ranks, repeats the multicasts, keeps what was measured.

use std::collections::BTreeMap;
use std::time::Instant;

use super::cluster::{Cluster, Layout, Trouble};
use super::config::{Config, Transport};
use super::emulated::Network;
use super::hosts::Host;
use super::plan::{self, Point, Session};
use super::program::Multicast;
use super::record::{self, HostEntry, NodeRow, Records, Row, Status};
use crate::failure::{Code, Failure};

/// The hosts of a transport, for as long as they are needed.
pub enum Hosts {
    /// They are there anyway.
    Standing(Vec<Host>),
    /// They are made, and removed again.
    Made(Network),
}

impl Hosts {
    /// The hosts of a transport, as many as `most` where they are made.
    ///
    /// # Errors
    /// Exit code 10 where emulated ones cannot be made.
    pub fn of(transport: &Transport, most: u32) -> Result<Self, Failure> {
        match transport {
            Transport::Loopback { .. } => {
                let program = std::env::current_exe().map_err(|error| {
                    Failure::new(Code::Measurement, format_args!("castbench itself cannot be found: {error}"))
                })?;
                Ok(Self::Standing(vec![Host::loopback(program)]))
            }
            Transport::Hosts { hosts, .. } => Ok(Self::Standing(hosts.clone())),
            Transport::Emulated(shape) => Network::up(most, *shape).map(Self::Made),
        }
    }

    /// The hosts.
    #[must_use]
    pub fn list(&self) -> &[Host] {
        match self {
            Self::Standing(hosts) => hosts,
            Self::Made(network) => network.hosts(),
        }
    }
}

/// What was measured so far.
struct Work<'a> {
    config: &'a Config,
    points: &'a [Point<'a>],
    number: u64,
    hosts: BTreeMap<u32, HostEntry>,
    rows: Vec<Row>,
    nodes: Vec<NodeRow>,
    times: Vec<Vec<u64>>,
    tick: &'a dyn Fn(),
}

/// Measures all points; `tick` is called after each multicast. What was finished before a failure is kept: see the status.
///
/// # Errors
/// Exit code 10 where emulated hosts cannot be made.
pub fn run(config: &Config, points: &[Point<'_>], tick: &dyn Fn()) -> Result<Records, Failure> {
    let started = jiff::Timestamp::now();
    let begin = Instant::now();
    let sessions = plan::sessions(points);
    let most = points.iter().map(|point| point.hosts).max().unwrap_or(1);
    let hosts = Hosts::of(&config.transport, most)?;
    let mut work = Work {
        config,
        points,
        number: 0,
        hosts: BTreeMap::new(),
        rows: Vec::new(),
        nodes: Vec::new(),
        times: vec![Vec::new(); points.len()],
        tick,
    };
    let mut status = Status::Complete;
    for (index, session) in sessions.iter().enumerate() {
        match work.session(index, session, hosts.list()) {
            Ok(()) => {}
            Err(Trouble::Interrupted) => status = Status::Interrupted,
            Err(Trouble::Failed(reason)) => status = Status::Failed(reason),
        }
        if status != Status::Complete {
            break;
        }
    }
    let transport = config.transport.name();
    let summary = points.iter().zip(work.times).filter_map(|(point, times)| record::summary(transport, point, times));
    Ok(Records {
        status,
        started: started.to_string(),
        seconds: begin.elapsed().as_secs_f64(),
        hosts: work.hosts.into_values().collect(),
        rows: work.rows,
        nodes: work.nodes,
        summary: summary.collect(),
    })
}

impl Work<'_> {
    fn session(&mut self, index: usize, session: &Session, hosts: &[Host]) -> Result<(), Trouble> {
        let Config { seed, repetitions, warm_up, limit, .. } = *self.config;
        let first_port = self.config.transport.first_port();
        let mut cluster = Cluster::start(Layout { hosts, placement: &session.placement, first_port, limit })?;
        for (&place, joined) in session.placement.iter().zip(cluster.joined()) {
            let Host { name, address, .. } = &hosts[place as usize];
            let entry = || HostEntry { name: name.clone(), address: address.to_string(), facts: joined.facts.clone() };
            self.hosts.entry(place).or_insert_with(entry);
        }
        for round in 0..warm_up.saturating_add(repetitions) {
            for place in plan::order(index, round, &session.points, seed) {
                let repetition = (round + 1).checked_sub(warm_up).filter(|repetition| *repetition > 0);
                self.multicast(&mut cluster, place, repetition)?;
                (self.tick)();
            }
        }
        Ok(())
    }

    /// Carries out a point once; without a repetition its time is not kept.
    fn multicast(&mut self, cluster: &mut Cluster<'_>, place: usize, repetition: Option<u32>) -> Result<(), Trouble> {
        let point = &self.points[place];
        self.number += 1;
        let multicast = Multicast {
            number: self.number,
            schedule: &point.schedule,
            bytes: point.bytes,
            hold_ns: point.hold_ns(),
            seed: self.config.seed,
        };
        let delivery = cluster.multicast(&multicast).map_err(|trouble| match trouble {
            Trouble::Failed(reason) => Trouble::Failed(format!("{}: {reason}", point.describe())),
            Trouble::Interrupted => Trouble::Interrupted,
        })?;
        if let Some(repetition) = repetition {
            let names: Vec<String> = (0..point.K).map(|rank| cluster.host(rank).name.clone()).collect();
            let of = (self.config.transport.name(), point);
            let (row, nodes) = record::rows(self.number, repetition, of, &names, &delivery);
            self.rows.push(row);
            self.nodes.extend(nodes);
            self.times[place].push(delivery.completion_ns);
        }
        Ok(())
    }
}
