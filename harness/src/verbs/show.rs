//! `castbench show`: what an algorithm does at one point, as text and as a drawing.

use std::io::Write;

use algorithms::catalogue::{Algorithm, Entry, Point, Problem};
use algorithms::error::Error;
use algorithms::logp::multicast::critical::CriticalPath;
use algorithms::logp::multicast::simulator::{Violation, simulate};
use algorithms::logp::pipeline::{self, Instance};
use algorithms::logp::{self, LogP, summation};
use algorithms::mesh::check_destinations;
use algorithms::mesh::gossip::{self, Gossip};
use algorithms::mesh::labelling::Mesh;
use algorithms::mesh::multicast::walk::{Routes, Walker};
use algorithms::mesh::wormhole::Scheme;
use algorithms::mesh::wormhole::simulator::Simulator;
use algorithms::mesh::{self, draw};
use algorithms::multiport;

use super::point;
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
use crate::units::{grouped, plural, show_bytes};

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
    let others: [point::Readers<'_>; 2] = [
        ("--to", !arguments.to.is_empty(), &[Problem::MeshMulticast, Problem::WormholeMulticast]),
        ("--row", arguments.row.is_some(), &[Problem::MeshGossip]),
    ];
    point::refuse_unread(entry, &arguments.point, &others)?;
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

fn drawing(entry: &'static Entry, arguments: &Show) -> Result<Box<dyn Drawing>, Failure> {
    if let Algorithm::MeshMulticast(algorithm) = entry.algorithm {
        return Ok(Box::new(paths(entry, algorithm, arguments)?));
    }
    if let Algorithm::WormholeMulticast(scheme) = entry.algorithm {
        return Ok(Box::new(worms(entry, scheme, arguments)?));
    }
    let machine = point::machine(&arguments.point)?;
    let mut typed = arguments.point.clone();
    // One message for each port, unless -k is what is missing.
    typed.m = typed.m.or(typed.k).or(Some(1));
    let cell = point::cell(entry, &typed, machine.as_ref(), None)?;
    let checked = cell.point().map_err(|error| point::refuse(&error))?;
    let drawing: Result<Box<dyn Drawing>, Failure> = match (entry.algorithm, checked) {
        (Algorithm::LogpMulticast(algorithm), Point::LogpMulticast { model, K, source }) => {
            let machine = machine.as_ref().map(|machine| (machine.name.clone(), typed.bytes.unwrap_or(1)));
            tree(entry.name, algorithm, machine, (model, K, source)).map(|tree| Box::new(tree) as _)
        }
        (Algorithm::LogpSummation(algorithm), Point::LogpSummation { model, P, operands }) => {
            timelines(entry.name, algorithm, (model, P, operands)).map(|timelines| Box::new(timelines) as _)
        }
        (Algorithm::MeshGossip(algorithm), Point::MeshGossip { n }) => {
            steps(entry.name, algorithm, n, arguments.row.unwrap_or(0)).map(|steps| Box::new(steps) as _)
        }
        (Algorithm::KPortBroadcast(algorithm), Point::KPortBroadcast { n, k, m }) => {
            broadcast(entry.name, algorithm, (n, k, m))
        }
        (Algorithm::PipelinedBroadcast(algorithm), Point::PipelinedBroadcast { machine, instance }) => {
            segments(entry.name, algorithm, machine, instance).map(|segments| Box::new(segments) as _)
        }
        _ => Err(point::refuse(&Error::WrongProblem { algorithm: entry.name })),
    };
    drawing
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
    (model, K, source): (LogP, u64, u64),
) -> Result<MulticastTree, Failure> {
    let nodes = shown("-K", K, MAX_PRINTED, "nodes")?;
    let position = shown("--source", source, MAX_PRINTED, "nodes")?;
    let schedule = algorithm.schedule(model, nodes, position);
    let refuse = |violation: Violation| point::refuse(&violation.into());
    let trace = simulate(model, &schedule).map_err(refuse)?;
    let path = CriticalPath::of(model, &schedule, &trace).map_err(refuse)?;
    Ok(MulticastTree::new(name, machine, model, (schedule, trace), path))
}

fn timelines(
    algorithm: &'static str,
    summation: &dyn summation::Summation,
    (model, P, operands): (LogP, u64, u64),
) -> Result<Timelines, Failure> {
    let processors = shown("-P", P, MAX_PRINTED, "processors")?;
    if operands > MAX_ADDED {
        return Err(too_many("--operands", operands, MAX_ADDED, "operands"));
    }
    let schedule = summation.schedule(model, processors, operands).map_err(|error| point::refuse(&error))?;
    let trace =
        summation::simulator::execute(model, &schedule).map_err(|violation| point::refuse(&violation.into()))?;
    Ok(Timelines { algorithm, model, schedule, trace })
}

fn steps(algorithm: &'static str, gossip: &dyn Gossip, n: u64, row: u64) -> Result<GossipSteps, Failure> {
    let side = shown("-n", n, 32, "nodes a side")?;
    let found = u32::try_from(row).ok().filter(|&row| row < side);
    let row =
        found.ok_or_else(|| Failure::usage(format_args!("--row {row}: expected a row from 0 to {}", side - 1)))?;
    let refuse = |error| point::refuse(&error);
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
    (n, k, m): (u64, u64, u64),
) -> Result<Box<dyn Drawing>, Failure> {
    let refuse = |error| point::refuse(&error);
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
    machine: pipeline::Machine,
    instance: Instance,
) -> Result<Segments, Failure> {
    let Instance { K, n, k, m } = instance;
    let refuse = |error| point::refuse(&error);
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
fn shown_mesh(entry: &Entry, arguments: &Show) -> Result<Mesh, Failure> {
    let mesh = point::mesh(entry, &arguments.point)?;
    if u64::from(mesh.nodes()) > MAX_PRINTED {
        return Err(Failure::usage(format_args!(
            "--mesh {mesh}: expected at most {MAX_PRINTED} nodes to show; `castbench cost` takes more"
        )));
    }
    Ok(mesh)
}

fn worms(entry: &'static Entry, scheme: &dyn Scheme, arguments: &Show) -> Result<MulticastWorms, Failure> {
    let mesh = shown_mesh(entry, arguments)?;
    let (source, destinations) = multicast(mesh, entry, arguments)?;
    let mut typed = arguments.point.clone();
    // What was drawn or given is shown; the cost of a point is a mean.
    (typed.source, typed.K) = (None, Some(destinations.len() as u64));
    let refuse = |error: Error| point::refuse(&error);
    let Point::WormholeMulticast(setting) = point::cell(entry, &typed, None, Some(1))?.point().map_err(refuse)? else {
        return Err(point::refuse(&Error::WrongProblem { algorithm: entry.name }));
    };
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
    entry: &'static Entry,
    algorithm: &dyn mesh::multicast::Multicast,
    arguments: &Show,
) -> Result<MulticastPaths, Failure> {
    let mesh = shown_mesh(entry, arguments)?;
    let (source, destinations) = multicast(mesh, entry, arguments)?;
    let mut routes = Routes::default();
    algorithm.route(mesh, source, &destinations, &mut routes);
    let links = Walker::new(mesh).walk(source, &destinations, &routes).map_err(|error| point::refuse(&error.into()))?;
    Ok(MulticastPaths { algorithm: entry.name, mesh, source, destinations, routes, links })
}

/// Source and destinations: as given, or drawn.
fn multicast(mesh: Mesh, entry: &Entry, arguments: &Show) -> Result<(u32, Vec<u32>), Failure> {
    let PointArgs { K, source, seed, .. } = &arguments.point;
    let given_source = source.as_deref().map(|text| node(mesh, "--source", text)).transpose()?;
    if arguments.to.is_empty() {
        let Some(K) = *K else {
            return Err(Failure::usage(format_args!(
                "`{}` needs destinations: -K COUNT to draw them, or --to x,y for each",
                entry.name
            )));
        };
        let K = check_destinations(mesh, K).map_err(|error| point::refuse(&error))?;
        let (drawn_source, mut destinations) = draw(mesh, K, seed.unwrap_or(1));
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
