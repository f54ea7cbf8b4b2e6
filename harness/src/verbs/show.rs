//! `castbench show`: what an algorithm does at one point, as text and as a drawing.

use std::io::Write as _;

use algorithms::catalogue::{Algorithm, Entry};
use algorithms::logp::simulator::simulate;
use algorithms::mesh::labelling::Mesh;
use algorithms::mesh::walk::{Routes, Walker};
use algorithms::mesh::{check_destinations, draw};

use super::point;
use crate::cli::{PointArgs, Show};
use crate::draw::Drawing;
use crate::draw::paths::MulticastPaths;
use crate::draw::tree::MulticastTree;
use crate::failure::{Code, Failure, stdout};
use crate::output;

/// Largest tree or mesh printed, in nodes. A chain fills a triangle with its branches.
const MOST_PRINTED: u64 = 1024;
/// Largest tree or mesh drawn, in nodes.
const MOST_DRAWN: u64 = 256;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a point that makes no sense or is too large to show, 74 where the drawing cannot be written.
pub fn run(arguments: &Show) -> Result<(), Failure> {
    let entry = point::find(&arguments.point.algorithm)?;
    let drawing: Box<dyn Drawing> = match entry.algorithm {
        Algorithm::LogpMulticast(_) => Box::new(tree(entry, arguments)?),
        Algorithm::MeshMulticast(_) => Box::new(paths(entry, arguments)?),
    };
    if let Some(path) = &arguments.svg {
        let nodes = drawing.nodes();
        if u64::from(nodes) > MOST_DRAWN {
            return Err(Failure::usage(format_args!(
                "--svg: {nodes} nodes are too many to draw legibly; expected at most {MOST_DRAWN}"
            )));
        }
        let svg = drawing.to_svg().map_err(|error| Failure::new(Code::Internal, error))?;
        output::write(path, svg.as_bytes())?;
    }
    stdout(write!(anstream::stdout().lock(), "{drawing}"))
}

fn tree(entry: &'static Entry, arguments: &Show) -> Result<MulticastTree, Failure> {
    let machine = point::machine(&arguments.point)?;
    point::refuse_unread(entry, &[("--to", !arguments.to.is_empty())])?;
    let cell = point::tree(entry, &arguments.point, machine.as_ref())?;
    let checked = cell.point().map_err(|error| point::refuse(&error))?;
    let (Algorithm::LogpMulticast(tree), algorithms::catalogue::Point::LogpMulticast { model, K, source }) =
        (entry.algorithm, checked)
    else {
        return Err(point::refuse(&algorithms::error::Error::WrongProblem { algorithm: entry.name }));
    };
    let (Ok(nodes), Ok(position)) = (u32::try_from(K), u32::try_from(source)) else { return Err(too_many(K)) };
    if K > MOST_PRINTED {
        return Err(too_many(K));
    }
    let schedule = tree.schedule(model, nodes, position);
    let trace = simulate(model, &schedule).map_err(|violation| point::refuse(&violation.into()))?;
    let machine = machine.as_ref().map(|machine| (machine.name.clone(), arguments.point.bytes.unwrap_or(1)));
    Ok(MulticastTree::new(entry.name, machine, model, schedule, trace))
}

fn too_many(K: u64) -> Failure {
    Failure::usage(format_args!(
        "-K {K}: expected at most {MOST_PRINTED} nodes to show; `castbench cost` takes any size"
    ))
}

fn paths(entry: &'static Entry, arguments: &Show) -> Result<MulticastPaths, Failure> {
    let Algorithm::MeshMulticast(algorithm) = entry.algorithm else {
        return Err(point::refuse(&algorithms::error::Error::WrongProblem { algorithm: entry.name }));
    };
    let mesh = point::mesh(entry, &arguments.point)?;
    if u64::from(mesh.nodes()) > MOST_PRINTED {
        return Err(Failure::usage(format_args!(
            "--mesh {mesh}: expected at most {MOST_PRINTED} nodes to show; `castbench cost` takes more"
        )));
    }
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
