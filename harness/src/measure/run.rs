//! Carries out a plan: makes the hosts, starts the ranks, repeats the multicasts, keeps what was measured.

use std::collections::BTreeMap;
use std::time::Instant;

use super::cluster::{Cluster, Layout, Trouble};
use super::config::{Config, Transport};
use super::delivery::Delivery;
use super::emulated::Network;
use super::hosts::Host;
use super::plan::{self, Point, Session};
use super::program::Multicast;
use super::record::{self, HostEntry, Launch, NodeRow, Records, Row, Status};
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
            // Its ranks are there already, and are not ours to start.
            Transport::Mpi => Ok(Self::Standing(Vec::new())),
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
pub struct Kept<'a> {
    config: &'a Config,
    points: &'a [Point<'a>],
    started: jiff::Timestamp,
    begin: Instant,
    hosts: BTreeMap<u32, HostEntry>,
    rows: Vec<Row>,
    nodes: Vec<NodeRow>,
    times: Vec<Vec<u64>>,
}

impl<'a> Kept<'a> {
    /// Nothing yet.
    #[must_use]
    pub fn new(config: &'a Config, points: &'a [Point<'a>]) -> Self {
        Self {
            config,
            points,
            started: jiff::Timestamp::now(),
            begin: Instant::now(),
            hosts: BTreeMap::new(),
            rows: Vec::new(),
            nodes: Vec::new(),
            times: vec![Vec::new(); points.len()],
        }
    }

    /// Keeps what is known of a host, once.
    pub fn host(&mut self, place: u32, entry: impl FnOnce() -> HostEntry) {
        self.hosts.entry(place).or_insert_with(entry);
    }

    /// Keeps a repetition of the point at a place of the list; `names` are the hosts of its nodes.
    pub fn delivery(&mut self, number: u64, repetition: u32, place: usize, names: &[String], delivery: &Delivery) {
        let of = (self.config.transport.name(), &self.points[place]);
        let (row, nodes) = record::rows(number, repetition, of, names, delivery);
        self.rows.push(row);
        self.nodes.extend(nodes);
        self.times[place].push(delivery.completion_ns);
    }

    /// Everything, summed up.
    #[must_use]
    pub fn records(self, status: Status, launch: Option<Launch>) -> Records {
        let transport = self.config.transport.name();
        let pairs = self.points.iter().zip(self.times);
        let summary = pairs.filter_map(|(point, times)| record::summary(transport, point, times)).collect();
        Records {
            status,
            started: self.started.to_string(),
            seconds: self.begin.elapsed().as_secs_f64(),
            hosts: self.hosts.into_values().collect(),
            launch,
            rows: self.rows,
            nodes: self.nodes,
            summary,
        }
    }
}

/// The rounds of a session, from 0, and the repetition that each is; the first ones are warm-up and none.
pub fn rounds(config: &Config) -> impl Iterator<Item = (u32, Option<u32>)> {
    let Config { warm_up, repetitions, .. } = *config;
    let number = move |round: u32| (round, (round + 1).checked_sub(warm_up).filter(|repetition| *repetition > 0));
    (0..warm_up.saturating_add(repetitions)).map(number)
}

/// Carrying out a plan over TCP.
struct Work<'a> {
    config: &'a Config,
    kept: Kept<'a>,
    number: u64,
    tick: &'a dyn Fn(),
}

/// Measures all points; `tick` is called after each multicast. What was finished before a failure is kept: see the status.
///
/// # Errors
/// Exit code 10 where emulated hosts cannot be made.
pub fn run(config: &Config, points: &[Point<'_>], tick: &dyn Fn()) -> Result<Records, Failure> {
    let kept = Kept::new(config, points);
    let sessions = plan::sessions(points);
    let most = points.iter().map(|point| point.hosts).max().unwrap_or(1);
    let hosts = Hosts::of(&config.transport, most)?;
    let mut work = Work { config, kept, number: 0, tick };
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
    Ok(work.kept.records(status, None))
}

impl Work<'_> {
    fn session(&mut self, index: usize, session: &Session, hosts: &[Host]) -> Result<(), Trouble> {
        let first_port = self.config.transport.first_port();
        let limit = self.config.limit;
        let mut cluster = Cluster::start(Layout { hosts, placement: &session.placement, first_port, limit })?;
        for (&place, joined) in session.placement.iter().zip(cluster.joined()) {
            let Host { name, address, .. } = &hosts[place as usize];
            let address = Some(address.to_string());
            self.kept.host(place, || HostEntry { name: name.clone(), address, facts: joined.facts.clone() });
        }
        for (round, repetition) in rounds(self.config) {
            for place in plan::order(index, round, &session.points, self.config.seed) {
                self.multicast(&mut cluster, place, repetition)?;
                (self.tick)();
            }
        }
        Ok(())
    }

    /// Carries out a point once; without a repetition its time is not kept.
    fn multicast(&mut self, cluster: &mut Cluster<'_>, place: usize, repetition: Option<u32>) -> Result<(), Trouble> {
        let point = &self.kept.points[place];
        self.number += 1;
        let delivery = match &point.tree {
            Some(tree) => cluster.multicast(&Multicast {
                number: self.number,
                schedule: &tree.schedule,
                bytes: point.bytes,
                hold_ns: point.hold_ns(),
                seed: self.config.seed,
            }),
            None => Err(Trouble::Failed("only MPI can do this".to_owned())),
        };
        let delivery = delivery.map_err(|trouble| match trouble {
            Trouble::Failed(reason) => Trouble::Failed(format!("{}: {reason}", point.describe())),
            Trouble::Interrupted => Trouble::Interrupted,
        })?;
        if let Some(repetition) = repetition {
            let names: Vec<String> = (0..point.K).map(|rank| cluster.host(rank).name.clone()).collect();
            self.kept.delivery(self.number, repetition, place, &names, &delivery);
        }
        Ok(())
    }
}
