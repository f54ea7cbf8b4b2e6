//! `castbench show`: what an algorithm does at one point, as text and as a drawing.

use std::io::Write;

use algorithms::error::Error;
use algorithms::logp::multicast::critical::CriticalPath;
use algorithms::logp::multicast::problem::{self as multicast_problem, LogpMulticast};
use algorithms::logp::multicast::simulator::{Violation, simulate};
use algorithms::logp::pipeline::problem::PipelinedBroadcast;
use algorithms::logp::pipeline::{self, Instance};
use algorithms::logp::summation::Summation;
use algorithms::logp::summation::problem::{self as summation, LogpSummation};
use algorithms::logp::summation::simulator::execute as executed;
use algorithms::mesh::gossip::problem::MeshGossip;
use algorithms::mesh::gossip::{self, Gossip};
use algorithms::mesh::labelling::Mesh;
use algorithms::mesh::multicast::problem::MeshMulticast;
use algorithms::mesh::multicast::walk::{Routes, Walker};
use algorithms::mesh::wormhole::Scheme;
use algorithms::mesh::wormhole::problem::WormholeMulticast;
use algorithms::mesh::wormhole::simulator::Simulator;
use algorithms::mesh::{self, check_destinations, draw};
use algorithms::multiport::problem::KPortBroadcast;
use algorithms::problem::{Entry, Kind, Problem as _};
use algorithms::{logp, multiport};

use super::point::{self, Asked};
use crate::cli::{PointArgs, Show};
use crate::draw::Drawing;
use crate::draw::deliveries::Deliveries;
use crate::draw::forest::Forest;
use crate::draw::paths::MulticastPaths;
use crate::draw::segments::Segments;
use crate::draw::steps::GossipSteps;
use crate::draw::timelines::Timelines;
use crate::draw::tree::MulticastTree;
use crate::draw::worms::MulticastWorms;
use crate::failure::{Code, Failure, stdout};
use crate::output;
use crate::units::{grouped, parse_count, plural, show_bytes};

/// Largest tree or mesh printed, in nodes. A chain fills a triangle with its branches.
const MAX_PRINTED: u64 = 1024;
/// Most numbers that are really added to show how.
const MAX_ADDED: u64 = 100_000_000;
/// Most nodes of a broadcast printed with a column for each.
const MAX_COLUMNS: u64 = 64;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a point that makes no sense or is too large to show, 74 where the drawing cannot be written.
pub fn run(arguments: &Show) -> Result<(), Failure> {
    answer(arguments, &mut anstream::stdout().lock())
}

/// Writes the text, and the drawing where one is asked for.
///
/// # Errors
/// As [`run`].
pub fn answer(arguments: &Show, out: &mut impl Write) -> Result<(), Failure> {
    let entry = point::find(&arguments.point.algorithm)?;
    let drawing = drawing(entry, arguments)?;
    if let Some(path) = &arguments.svg {
        if let Some(reason) = drawing.too_large() {
            return Err(Failure::usage(format_args!("--svg: {reason}")));
        }
        let svg = drawing.to_svg().map_err(|error| Failure::new(Code::Internal, error))?;
        output::write(path, svg.as_bytes())?;
    }
    stdout(write!(out, "{drawing}"))
}

fn drawing(entry: Entry, arguments: &Show) -> Result<Box<dyn Drawing>, Failure> {
    let name = entry.name;
    let unread = |option: &str| {
        Failure::usage(format_args!("`{name}` ({}) does not read {option}; remove it", entry.problem().name()))
    };
    if arguments.row.is_some() && MeshGossip::find(name).is_none() {
        return Err(unread("--row"));
    }
    if let Some(algorithm) = MeshMulticast::find(name) {
        return Ok(Box::new(paths(entry, algorithm, arguments)?));
    }
    if let Some(scheme) = WormholeMulticast::find(name) {
        return Ok(Box::new(worms(entry, scheme, arguments)?));
    }
    if !arguments.to.is_empty() {
        return Err(unread("--to"));
    }
    let mut typed = arguments.point.clone();
    // One message for each port, unless -k is what is missing.
    if entry.axes().iter().any(|axis| axis.key == "m") && typed.get("m").is_none() {
        typed.set("m", Some(typed.get("k").unwrap_or("1").to_owned()));
    }
    let asked = Asked::new(entry, &typed, &[])?;
    let cell = asked.cell();
    let (setting, values) = (cell.machines.setting(), &*cell.values);
    let refuse = |error: Error| point::refuse_error(&error);
    if let Some(algorithm) = LogpMulticast::find(name) {
        let point = LogpMulticast::point(setting, values).map_err(refuse)?;
        let machine = cell.machine().map(|machine| (machine.name.clone(), cell.value("bytes").unwrap_or(1)));
        return Ok(Box::new(tree(name, algorithm, machine, point)?));
    }
    if let Some(algorithm) = LogpSummation::find(name) {
        return Ok(Box::new(timelines(name, algorithm, LogpSummation::point(setting, values).map_err(refuse)?)?));
    }
    if let Some(algorithm) = MeshGossip::find(name) {
        let n = MeshGossip::point(setting, values).map_err(refuse)?;
        return Ok(Box::new(steps(name, algorithm, n.into(), arguments.row.unwrap_or(0))?));
    }
    if let Some(algorithm) = KPortBroadcast::find(name) {
        return broadcast(name, algorithm, KPortBroadcast::point(setting, values).map_err(refuse)?);
    }
    if let Some(algorithm) = PipelinedBroadcast::find(name) {
        return Ok(Box::new(segments(name, algorithm, PipelinedBroadcast::point(setting, values).map_err(refuse)?)?));
    }
    Err(Failure::usage(format_args!("`{name}` ({}) has no drawing", entry.problem().name())))
}

fn too_many(option: &str, value: u64, most: u64, what: &str) -> Failure {
    Failure::usage(format_args!(
        "{option} {value}: expected at most {most} {what} to show; `castbench cost` takes more"
    ))
}

/// A number of nodes that can be shown.
fn shown(option: &str, value: u64, most: u64, what: &str) -> Result<u32, Failure> {
    u32::try_from(value).ok().filter(|_| value <= most).ok_or_else(|| too_many(option, value, most, what))
}

fn tree(
    name: &'static str,
    algorithm: &dyn logp::multicast::Multicast,
    machine: Option<(String, u64)>,
    multicast_problem::Point { model, K, source }: multicast_problem::Point,
) -> Result<MulticastTree, Failure> {
    let nodes = shown("-K", K, MAX_PRINTED, "nodes")?;
    let position = shown("--source", source, MAX_PRINTED, "nodes")?;
    let schedule = algorithm.schedule(model, nodes, position);
    let refuse = |violation: Violation| point::refuse_error(&violation.into());
    let trace = simulate(model, &schedule).map_err(refuse)?;
    let path = CriticalPath::of(model, &schedule, &trace).map_err(refuse)?;
    Ok(MulticastTree::new(name, machine, model, (schedule, trace), path))
}

fn timelines(
    algorithm: &'static str,
    summation: &dyn Summation,
    summation::Point { model, P, operands }: summation::Point,
) -> Result<Timelines, Failure> {
    let processors = shown("-P", P, MAX_PRINTED, "processors")?;
    if operands > MAX_ADDED {
        return Err(too_many("--operands", operands, MAX_ADDED, "operands"));
    }
    let schedule = summation.schedule(model, processors, operands).map_err(|error| point::refuse_error(&error))?;
    let trace = executed(model, &schedule).map_err(|violation| point::refuse_error(&violation.into()))?;
    Ok(Timelines { algorithm, model, schedule, trace })
}

fn steps(algorithm: &'static str, gossip: &dyn Gossip, n: u64, row: u64) -> Result<GossipSteps, Failure> {
    let side = shown("-n", n, 32, "nodes a side")?;
    let found = u32::try_from(row).ok().filter(|&row| row < side);
    let row =
        found.ok_or_else(|| Failure::usage(format_args!("--row {row}: expected a row from 0 to {}", side - 1)))?;
    let refuse = |error| point::refuse_error(&error);
    let mut schedule = gossip.schedule(side).map_err(refuse)?;
    gossip::simulator::simulate(side, schedule.as_mut()).map_err(|violation| refuse(violation.into()))?;
    // Once more, to keep it: the simulator takes a schedule step by step.
    let mut schedule = gossip.schedule(side).map_err(refuse)?;
    let mut steps = Vec::new();
    let mut step = Vec::new();
    while schedule.step(&mut step) {
        steps.push(std::mem::take(&mut step));
    }
    Ok(GossipSteps { algorithm, n: side, row, steps })
}

fn broadcast(
    algorithm: &'static str,
    broadcast: &dyn multiport::Broadcast,
    multiport::problem::Point { n, k, m }: multiport::problem::Point,
) -> Result<Box<dyn Drawing>, Failure> {
    let refuse = |error| point::refuse_error(&error);
    let nodes = shown("-n", n, MAX_PRINTED, "nodes")?;
    let ports = shown("-k", k, MAX_COLUMNS, "ports")?;
    let messages = shown("-m", m, MAX_PRINTED, "messages")?;
    let mut schedule = broadcast.schedule(nodes, ports, messages).map_err(refuse)?;
    let trace = multiport::simulator::simulate(nodes, ports, messages, schedule.as_mut())
        .map_err(|violation| refuse(violation.into()))?;
    if let Some(trees) = broadcast.trees(nodes, ports) {
        return Ok(Box::new(Forest { algorithm, trees, m, rounds: trace.rounds }));
    }
    shown("-n", n, MAX_COLUMNS, "nodes")?;
    let mut schedule = broadcast.schedule(nodes, ports, messages).map_err(refuse)?;
    let mut rounds = Vec::new();
    let mut round = Vec::new();
    while schedule.round(&mut round) {
        rounds.push(std::mem::take(&mut round));
    }
    Ok(Box::new(Deliveries { algorithm, n: nodes, k: ports, m: messages, rounds }))
}

/// Most sends of a broadcast that is listed node by node.
const MAX_SENDS: u64 = 1 << 20;

fn segments(
    name: &'static str,
    algorithm: &dyn pipeline::Broadcast,
    pipeline::problem::Point { machine, instance }: pipeline::problem::Point,
) -> Result<Segments, Failure> {
    let Instance { K, n, k, m } = instance;
    let refuse = |error| point::refuse_error(&error);
    shown("-K", K, MAX_PRINTED, "nodes")?;
    shown("-k", k, MAX_COLUMNS, "ports")?;
    shown("-m", m, MAX_SENDS / K, "segments")?;
    let program = algorithm.program(machine, instance).map_err(refuse)?;
    let (size, told) = match machine {
        pipeline::Machine::LogGops(_) => (show_bytes(n), "times in ns".to_owned()),
        pipeline::Machine::Words(model) | pipeline::Machine::LogP(model) => {
            let [L, o, g] = [model.L(), model.o(), model.g()].map(grouped);
            (plural(n, "word"), format!("L = {L}, o = {o}, g = {g}"))
        }
    };
    let segments = plural(instance.cut().segments, "segment");
    let title = format!("{name}: {size} in {segments} to {}, {} each", plural(K, "node"), plural(k, "port"));
    Segments::execute(title, &told, machine, &program).map_err(|failure| refuse(failure.into()))
}

/// A mesh that can be shown.
fn shown_mesh(entry: Entry, arguments: &Show) -> Result<Mesh, Failure> {
    // Whatever else is asked for, the mesh is known by its own options.
    let mut typed = PointArgs::default();
    for id in ["n", "mesh"] {
        typed.set(id, arguments.point.get(id).map(str::to_owned));
    }
    for axis in entry.axes().iter().filter(|axis| axis.default.is_none() && axis.kind != Kind::Sides) {
        let place = entry.axes().iter().position(|own| own.key == axis.key).unwrap_or_default();
        typed.set(axis.key, entry.example()[place].map(|value| value.to_string()));
    }
    let asked = Asked::new(entry, &typed, &[])?;
    let mesh = Mesh::of(asked.cell().value("n").unwrap_or_default()).map_err(|error| point::refuse_error(&error))?;
    if u64::from(mesh.nodes()) > MAX_PRINTED {
        return Err(Failure::usage(format_args!(
            "--mesh {mesh}: expected at most {MAX_PRINTED} nodes to show; `castbench cost` takes more"
        )));
    }
    Ok(mesh)
}

fn worms(entry: Entry, scheme: &dyn Scheme, arguments: &Show) -> Result<MulticastWorms, Failure> {
    let mesh = shown_mesh(entry, arguments)?;
    let (source, destinations) = multicast(mesh, entry, arguments)?;
    let mut typed = arguments.point.clone();
    // What was drawn or given is shown; the cost of a point is a mean.
    typed.set("source", None);
    typed.set("K", Some(destinations.len().to_string()));
    typed.set("trials", Some("1".to_owned()));
    let refuse = |error: Error| point::refuse_error(&error);
    let asked = Asked::new(entry, &typed, &[])?;
    let cell = asked.cell();
    let setting = WormholeMulticast::point(cell.machines.setting(), &cell.values).map_err(refuse)?;
    if setting.multicasts != 1 {
        let given = setting.multicasts;
        return Err(Failure::usage(format_args!("-m {given}: one multicast is shown; `castbench cost` takes several")));
    }
    let worms = scheme.worms(mesh, source, &destinations);
    let mut simulator = Simulator::new(mesh, setting.timing, setting.ports);
    let added = simulator.add(source, &destinations, &worms);
    added.and_then(|()| simulator.run()).map_err(|violation| refuse(violation.into()))?;
    let mut routes = Routes::default();
    for worm in &worms {
        routes.add(worm.path.iter().copied());
    }
    let links = worms.iter().map(|worm| worm.path.len() as u64 - 1).sum();
    let worms = worms.into_iter().zip(simulator.flights()).collect();
    let paths = MulticastPaths { algorithm: entry.name, mesh, source, destinations, routes, links };
    Ok(MulticastWorms { paths, timing: setting.timing, ports: setting.ports, worms })
}

fn paths(
    entry: Entry,
    algorithm: &dyn mesh::multicast::Multicast,
    arguments: &Show,
) -> Result<MulticastPaths, Failure> {
    let mesh = shown_mesh(entry, arguments)?;
    let (source, destinations) = multicast(mesh, entry, arguments)?;
    let mut routes = Routes::default();
    algorithm.route(mesh, source, &destinations, &mut routes);
    let links =
        Walker::new(mesh).walk(source, &destinations, &routes).map_err(|error| point::refuse_error(&error.into()))?;
    Ok(MulticastPaths { algorithm: entry.name, mesh, source, destinations, routes, links })
}

/// Source and destinations: as given, or drawn.
fn multicast(mesh: Mesh, entry: Entry, arguments: &Show) -> Result<(u32, Vec<u32>), Failure> {
    let given_source = arguments.point.get("source").map(|text| node(mesh, "--source", text)).transpose()?;
    let number = |id: &str, option: &str| {
        let text = arguments.point.get(id);
        text.map(parse_count)
            .transpose()
            .map_err(|expected| Failure::usage(format_args!("{option} {}: {expected}", text.unwrap_or_default())))
    };
    if arguments.to.is_empty() {
        let Some(K) = number("K", "-K")? else {
            return Err(Failure::usage(format_args!(
                "`{}` needs destinations: -K COUNT to draw them, or --to x,y for each",
                entry.name
            )));
        };
        let K = check_destinations(mesh, K).map_err(|error| point::refuse_error(&error))?;
        let (drawn_source, mut destinations) = draw(mesh, K, number("seed", "--seed")?.unwrap_or(1));
        let source = given_source.unwrap_or(drawn_source);
        // A source of one's own takes the place of the drawn one, also among the destinations.
        destinations.iter_mut().filter(|label| **label == source).for_each(|label| *label = drawn_source);
        return Ok((source, destinations));
    }
    let Some(source) = given_source else {
        return Err(Failure::usage("--to needs --source x,y, too"));
    };
    let mut destinations = Vec::new();
    for text in &arguments.to {
        let label = node(mesh, "--to", text)?;
        if label == source || destinations.contains(&label) {
            return Err(Failure::usage(format_args!(
                "--to {text}: this node is named twice; expected distinct destinations other than the source"
            )));
        }
        destinations.push(label);
    }
    Ok((source, destinations))
}

/// Reads `x,y`.
fn node(mesh: Mesh, option: &str, text: &str) -> Result<u32, Failure> {
    let position = text.split_once(',').and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
    match position {
        Some((x, y)) if x < mesh.w() && y < mesh.h() => Ok(mesh.label(x, y)),
        _ => Err(Failure::usage(format_args!(
            "{option} {text}: expected a node as x,y with x from 0 to {} and y from 0 to {}",
            mesh.w() - 1,
            mesh.h() - 1
        ))),
    }
}
