//! The points of a measurement, with their predicted times.

use std::borrow::Cow;
use std::sync::Arc;

use algorithms::catalogue::axes;
use algorithms::cost::Limits;
use algorithms::error::Error;
use algorithms::internals::engine::{Operation, Program};
use algorithms::internals::logp::multicast::link_sharing;
use algorithms::internals::logp::multicast::schedule::Schedule;
use algorithms::internals::problem::{Carrier, Run};
use algorithms::logp::Profile;
use algorithms::problem::{self, Entry, Kind, Refused, Setting, Value};
use measure::library::Library;
use measure::serial::{Serial, one_by_one};
use measure::settings::Transport;
use measure::task::{Task, Way};

use super::config::{
    Config, Coordinates, MAX_BYTES, MAX_NODES, MAX_OPERATIONS, Measurement, NODES, ROOT, SOURCE,
};
use crate::base::failure::{Failure, Result};
use crate::base::units::{grouped, joined, plural, show_bytes, together};
use crate::record::measured::held;
use crate::record::measurement::Algorithm;

/// A point of a measurement.
#[derive(Debug, Clone)]
pub struct Point<'a> {
    /// The part of the configuration it comes from.
    pub measurement: &'a Measurement,
    /// What executes it.
    pub algorithm: Algorithm,
    /// Values of axes other than `K` and the source, as `k=1 m=16`; empty if there are none.
    pub axes: String,
    /// Position of the source; none if the algorithm has no such axis.
    pub source: Option<u32>,
    /// The mapping of ranks to hosts.
    pub mapping: &'static str,
    /// Time of the machine by the engine, with the relay delay, ns; none for functions of the MPI library.
    pub model_ns: Option<u64>,
    /// For trees, the same with the nodes of a host sharing its link max-min fairly, ns; none if all are on one host.
    pub link_sharing_ns: Option<u64>,
    /// The work of the ranks.
    pub task: Task,
}

/// All points of a configuration, in the order of its lists. `launched` is the host of each rank that MPI started;
/// other transports ignore it.
///
/// # Errors
/// Exit code 3 for a point that cannot be measured or too few ranks, 5 for a rejected program.
pub fn points<'a>(config: &'a Config, launched: &[u32]) -> Result<Vec<Point<'a>>> {
    let mut points = Vec::new();
    let mut operations = 0_usize;
    for measurement in &config.measurements {
        for &algorithm in &measurement.algorithms {
            for coordinates in measurement.coordinates(algorithm) {
                let plan = Combination {
                    measurement,
                    algorithm,
                    coordinates,
                };
                let made = plan.ways(&mut operations)?;
                let Some(K) = made.first().map(|made| made.K) else {
                    continue;
                };
                if !(2..=MAX_NODES).contains(&K.into()) {
                    let ranks = plural(K.into(), "rank");
                    return Err(plan.refuse(format_args!("{ranks}; expected 2 to {MAX_NODES}")));
                }
                for (mapping, placement) in
                    placements(&config.settings.transport, measurement, K, launched)?
                {
                    for made in &made {
                        points.push(plan.point(made, mapping, &placement)?);
                    }
                }
            }
        }
    }
    Ok(points)
}

/// A warning for each profile whose predictions are guesses at some points.
pub fn guesses(points: &[Point<'_>]) -> Vec<String> {
    let guess = |point: &Point<'_>| {
        let machine = &point.measurement.machine;
        match &point.task.way {
            Way::Program(program) => Some((machine.name.clone(), machine.guess_of(program)?)),
            Way::Library { .. } => None,
        }
    };
    let warning = |(_, guesses): (String, Vec<String>)| {
        let count = plural(guesses.len() as u64, "point");
        format!("warning: {}, at {count}", guesses[0])
    };
    together(points.iter().filter_map(guess))
        .into_iter()
        .map(warning)
        .collect()
}

/// A task for one size and relay delay, before its ranks are placed.
struct Made {
    bytes: u64,
    machine: Profile,
    hold_ps_per_byte: u64,
    way: Way,
    model_ns: Option<u64>,
    K: u32,
}

/// An algorithm with a value for each axis except size and relay delay.
struct Combination<'a> {
    measurement: &'a Measurement,
    algorithm: Algorithm,
    coordinates: Coordinates,
}

/// A value of an axis of the catalogue or of measurements, as users write it.
fn spelled(key: &str, value: u64) -> Cow<'static, str> {
    match axes().iter().find(|axis| axis.key == key) {
        Some(axis) => problem::spelled(axis, value),
        None => value.to_string().into(),
    }
}

impl<'a> Combination<'a> {
    fn refuse(&self, why: impl std::fmt::Display) -> Failure {
        let (name, algorithm) = (&self.measurement.name, self.algorithm.name());
        let at = joined(
            ", ",
            self.coordinates
                .iter()
                .map(|(key, value)| format!("{key} = {}", self::spelled(key, *value))),
        );
        failure!(
            Configuration,
            "measurement `{name}`: {algorithm}, {at}: {why}"
        )
    }

    fn refuse_size(&self, bytes: u64, why: impl std::fmt::Display) -> Failure {
        self.refuse(format_args!("{}: {why}", show_bytes(bytes)))
    }

    /// A program that cannot be executed: a bug, unless a user gave the plan.
    fn rejected(&self, error: impl Into<Error>) -> Failure {
        Failure::from(error.into()).of(self.algorithm.name())
    }

    fn coordinate(&self, key: &str) -> Option<u64> {
        self.coordinates
            .iter()
            .find(|(own, _)| *own == key)
            .map(|(_, value)| *value)
    }

    /// A task for each relay delay and size. Adds its operations to the total of all programs.
    fn ways(&self, operations: &mut usize) -> Result<Vec<Made>> {
        let mut made = Vec::new();
        for &hold_ps_per_byte in &self.measurement.holds {
            for &bytes in &self.measurement.bytes {
                let machine = match self.measurement.machine.profile() {
                    Profile::Flat(machine) => held(machine, hold_ps_per_byte).map(Profile::Flat),
                    // The configuration has no relay delay there.
                    levels @ Profile::Levels(_) => Some(levels),
                };
                let machine = machine.ok_or_else(|| {
                    self.refuse_size(bytes, "the relay delay does not fit in 64 bits")
                })?;
                let (K, way, model_ns) = match self.algorithm {
                    Algorithm::Library(function) => {
                        let K = self
                            .coordinate(NODES)
                            .and_then(|K| u32::try_from(K).ok())
                            .unwrap_or(0);
                        (
                            K,
                            Way::Library {
                                function,
                                root: self.root(function)?,
                            },
                            None,
                        )
                    }
                    Algorithm::Program(entry) => {
                        let (program, finish) = self.program(entry, machine, bytes, operations)?;
                        (
                            program.processors(),
                            Way::Program(Arc::new(program)),
                            Some(finish),
                        )
                    }
                };
                made.push(Made {
                    bytes,
                    machine,
                    hold_ps_per_byte,
                    way,
                    model_ns,
                    K,
                });
            }
        }
        Ok(made)
    }

    /// The root of a function of the library, below the number of ranks.
    fn root(&self, function: Library) -> Result<u32> {
        if function.is_broadcast() {
            return Ok(self.measurement.source - 1);
        }
        let (root, K) = (
            self.coordinate(ROOT).unwrap_or(0),
            self.coordinate(NODES).unwrap_or(0),
        );
        match u32::try_from(root) {
            Ok(number) if root < K => Ok(number),
            _ => Err(self.refuse(format_args!(
                "the root is above K-1 = {}",
                K.saturating_sub(1)
            ))),
        }
    }

    fn program(
        &self,
        entry: Entry,
        machine: Profile,
        bytes: u64,
        operations: &mut usize,
    ) -> Result<(Program, u64)> {
        let run = self.run(entry, machine, bytes)?;
        if run.1.is_posted_together() {
            let why = "its sends are posted together; a measured rank ends each before the next. Name it without `:posted`";
            return Err(self.refuse(why));
        }
        let Serial {
            program,
            finish,
            several_ports,
        } = one_by_one(&run).map_err(|error| match error {
            Error::Parameter { .. } | Error::Overflow => self.refuse_size(bytes, error),
            other => self.rejected(other),
        })?;
        if let Some(processor) = several_ports {
            let node = entry.problem().first + processor;
            let why = format_args!(
                "node {node} sends through several ports; a measured node has one. Choose one port"
            );
            return Err(self.refuse_size(bytes, why));
        }
        *operations += program.operations();
        if *operations > MAX_OPERATIONS {
            let most = grouped(MAX_OPERATIONS as u64);
            let why = format_args!(
                "more than {most} operations in the points up to this one; measure fewer or smaller \
                              points"
            );
            return Err(self.refuse_size(bytes, why));
        }
        Ok((program, finish))
    }

    /// The program at these coordinates. A problem without profiles takes L, o and g of a message of this size.
    fn run(&self, entry: Entry, machine: Profile, bytes: u64) -> Result<Run> {
        if machine.levels().is_some() && entry.axes().iter().all(|axis| axis.kind != Kind::Profile)
        {
            let name = &self.measurement.machine.name;
            return Err(self.refuse(format_args!(
                "its problem has no ranks that are near or far, as `{name}` has"
            )));
        }
        let model = machine
            .at(bytes)
            .map_err(|error| self.refuse_size(bytes, error))?;
        let mut values: Vec<Value> = vec![None; entry.axes().len()];
        for index in self.measurement.indices(entry).unwrap_or_default() {
            let axis = &entry.axes()[index];
            values[index] = match (axis.kind, axis.key) {
                (Kind::Profile, _) => Some(0),
                (Kind::Bytes, "bytes") => Some(bytes),
                (Kind::Time, "L") => Some(model.L()),
                (Kind::Time, "o") => Some(model.o()),
                (Kind::Time, "g") => Some(model.g()),
                (_, SOURCE) => Some(self.measurement.source.into()),
                (_, key) => self
                    .coordinate(key)
                    .or_else(|| self.measurement.machine.value_of(axis)),
            };
        }
        let setting = Setting {
            profiles: vec![machine],
        };
        let limits = Limits {
            nodes: MAX_NODES,
            ..Limits::default()
        };
        let carrier = Carrier {
            profile: Some(machine),
            bytes,
        };
        entry
            .at(&setting, &values)
            .and_then(|instance| instance.program(&limits, Some(carrier)))
            .map_err(|refused| match refused {
                Refused::Broken(error) => self.rejected(error),
                other => self.refuse_size(bytes, other),
            })?
            .ok_or_else(|| self.refuse("its processors send no messages"))
    }

    fn point(&self, made: &Made, mapping: &'static str, placement: &[u32]) -> Result<Point<'a>> {
        let Made {
            bytes,
            hold_ps_per_byte,
            ref way,
            model_ns,
            ..
        } = *made;
        let link_sharing_ns = self.link_sharing(made, placement)?;
        let mut task = Task {
            label: String::new(),
            way: way.clone(),
            bytes,
            hold_ps_per_byte,
            placement: placement.to_vec(),
        };
        if task.memory() > MAX_BYTES {
            let most = show_bytes(MAX_BYTES);
            return Err(self.refuse(format_args!(
                "the messages of one rank take more than {most}; choose shorter ones"
            )));
        }
        let others = self
            .coordinates
            .iter()
            .filter(|(key, _)| *key != NODES)
            .map(|(key, value)| format!("{key}={}", spelled(key, *value)));
        let others = joined(" ", others);
        let (K, hosts, axes) = (task.ranks(), task.hosts(), others);
        let with = if axes.is_empty() {
            String::new()
        } else {
            format!(", {axes}")
        };
        let (name, size, on) = (
            self.algorithm.name(),
            show_bytes(bytes),
            plural(hosts.into(), "host"),
        );
        task.label = format!("{name}, K = {K}{with}, {size} on {on} ({mapping})");
        Ok(Point {
            measurement: self.measurement,
            algorithm: self.algorithm,
            axes,
            source: self
                .algorithm
                .has_source()
                .then_some(self.measurement.source),
            mapping,
            model_ns,
            link_sharing_ns,
            task,
        })
    }

    /// The time of a tree whose nodes share the links of their hosts; none if no message uses a link, or on a machine with
    /// levels, which states itself what ranks share.
    fn link_sharing(&self, made: &Made, placement: &[u32]) -> Result<Option<u64>> {
        let several = placement.iter().any(|host| *host != placement[0]);
        let (Way::Program(program), Profile::Flat(machine)) = (&made.way, made.machine) else {
            return Ok(None);
        };
        let Some((schedule, bytes)) = tree(program).filter(|_| several) else {
            return Ok(None);
        };
        let message =
            link_sharing::Message::new(&machine, bytes).map_err(|error| self.refuse(error))?;
        let shared =
            link_sharing::simulate(message, &schedule, |node| placement[node as usize - 1]);
        Ok(Some(shared.map_err(|error| self.rejected(error))?.finish))
    }
}

/// The tree of a program that sends one message down, and its length; none if a node receives twice, sends first or
/// computes, or if lengths differ.
fn tree(program: &Program) -> Option<(Schedule, u64)> {
    let mut sends = Vec::new();
    let mut sources = Vec::new();
    let mut size = None;
    for processor in 0..program.processors() {
        for (index, operation) in program.range(processor).enumerate() {
            match program.operation(operation) {
                Operation::Send { to, bytes, .. } if *size.get_or_insert(bytes) == bytes => {
                    sends.push((processor + 1, to + 1));
                }
                Operation::Receive { .. } if index == 0 => {}
                _ => return None,
            }
        }
        let first = program
            .range(processor)
            .next()
            .map(|first| program.operation(first));
        if !matches!(first, Some(Operation::Receive { .. })) {
            sources.push(processor + 1);
        }
    }
    match sources[..] {
        [source] if sends.len() + 1 == program.processors() as usize => Some((
            Schedule::new(program.processors(), source, &sends).ok()?,
            size?,
        )),
        _ => None,
    }
}

/// The mappings of a measurement with the host of each rank.
fn placements(
    transport: &Transport,
    measurement: &Measurement,
    K: u32,
    launched: &[u32],
) -> Result<Vec<(&'static str, Vec<u32>)>> {
    let refuse = |why: std::fmt::Arguments<'_>| {
        failure!(
            Configuration,
            "measurement `{}`: K = {K}{why}",
            measurement.name
        )
    };
    let machine = &measurement.machine;
    let nodes = machine
        .nodes(K)
        .map_err(|error| refuse(format_args!(": machine `{}`: {error}", machine.name)))?;
    let Some(most) = transport.hosts(K) else {
        let placement = launched.get(..K as usize).ok_or_else(|| {
            let ranks = plural(launched.len() as u64, "rank");
            refuse(format_args!(
                " needs as many ranks, and MPI started {ranks}; write `mpirun -n {K}`"
            ))
        })?;
        if let Some(why) = nodes.and_then(|(_, nodes)| elsewhere(placement, &nodes)) {
            return Err(refuse(format_args!(
                " on the nodes of machine `{}`: {why}",
                machine.name
            )));
        }
        return Ok(vec![("launched", placement.to_vec())]);
    };
    let ways = nodes.map_or_else(|| mapped(measurement, K, most), |nodes| vec![nodes]);
    let needed = ways
        .iter()
        .flat_map(|(_, placement)| placement)
        .max()
        .map_or(0, |last| last + 1);
    if needed <= most {
        return Ok(ways);
    }
    let [needed, most] = [needed, most].map(|hosts| plural(hosts.into(), "host"));
    let by = match measurement.ranks_per_node {
        Some(ranks) => format!("with `ranks_per_node` = {ranks}"),
        None => format!("on the nodes of machine `{}`", machine.name),
    };
    Err(refuse(format_args!(
        " {by} takes {needed}, and the transport `{}` has {most}; put more ranks on a node, or add `hosts` to [tcp]",
        transport.name()
    )))
}

/// The different placements by the mappings of a measurement; without a number of hosts or ranks on each, on `most` hosts.
fn mapped(measurement: &Measurement, K: u32, most: u32) -> Vec<(&'static str, Vec<u32>)> {
    let hosts = measurement
        .ranks_per_node
        .map(|ranks| K.div_ceil(ranks))
        .or(measurement.hosts)
        .map_or(most, |hosts| hosts.min(K));
    let ranks = measurement.ranks_per_node.unwrap_or(K.div_ceil(hosts));
    let mut ways: Vec<(&'static str, Vec<u32>)> = Vec::new();
    for &mapping in &measurement.mappings {
        let placement = mapping.placement(K, hosts, ranks);
        // With a host per rank, all mappings are equal.
        if ways.iter().all(|(_, known)| *known != placement) {
            ways.push((mapping.name(), placement));
        }
    }
    ways
}

/// Two ranks that share a host and not a node, or a node and not a host, and advice.
fn elsewhere(hosts: &[u32], nodes: &[u32]) -> Option<String> {
    let pairs = (0..hosts.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let are_equal = |of: &[u32], (a, b): (usize, usize)| of[a] == of[b];
    let (a, b) = pairs
        .into_iter()
        .find(|&pair| are_equal(hosts, pair) != are_equal(nodes, pair))?;
    let (node, host) = if nodes[a] == nodes[b] {
        ("one node", "two hosts")
    } else {
        ("two nodes", "one host")
    };
    Some(format!(
        "ranks {a} and {b} are on {node}, and MPI started them on {host}; start them as the machine has them \
         (`mpirun --map-by ppr:RANKS:node`, or `--map-by node` for round robin), or change `ranks_per_node` or `placement`"
    ))
}
