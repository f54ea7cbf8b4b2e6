//! From the options of `cost` and `show` to a point: which of them the algorithm reads, which it lacks,
//! which it cannot read.

use std::path::Path;

use algorithms::catalogue::{self, ALGORITHMS, Entry, Point, Problem};
use algorithms::error::Error;
use algorithms::logp::LogP;
use algorithms::logp::pipeline::{self, Instance};
use algorithms::mesh::Sampling;
use algorithms::mesh::labelling::Mesh;

use crate::cli::PointArgs;
use crate::failure::{Code, Failure};
use crate::grid::{Cell, WormholeCell};
use crate::machine::Machine;
use crate::units::parse_count;

/// The algorithm of this name.
pub(super) fn find(name: &str) -> Result<&'static Entry, Failure> {
    catalogue::find(name).ok_or_else(|| {
        let names: Vec<&str> = ALGORITHMS.iter().map(|entry| entry.name).collect();
        Failure::usage(format_args!("there is no algorithm `{name}`; the algorithms are {}", names.join(", ")))
    })
}

/// An error of the library about a value that was typed.
pub(super) fn refuse(error: &Error) -> Failure {
    match error {
        Error::Parameter { .. } | Error::Overflow => Failure::usage(error),
        Error::WrongProblem { .. } => Failure::new(Code::Internal, error),
        // What is left is a schedule that its simulator rejected.
        _ => Failure::new(Code::Disagreement, format_args!("{error}; this is a bug in castbench")),
    }
}

/// The machine that was named, kept beside the cell that borrows it.
pub(super) fn machine(arguments: &PointArgs) -> Result<Option<Machine>, Failure> {
    arguments.machine.as_deref().map(named_machine).transpose()
}

/// The machine of this name.
pub(super) fn named_machine(name: &str) -> Result<Machine, Failure> {
    let found = Machine::find(name, Path::new(name))?;
    found.ok_or_else(|| Failure::usage(format_args!("there is no machine `{name}`; {}", Machine::names())))
}

/// Options that only some problems read: name, whether it was given, who reads it.
pub(super) type Readers<'a> = (&'a str, bool, &'a [Problem]);

/// Refuses options of a point that belong to another problem.
pub(super) fn refuse_unread(entry: &Entry, arguments: &PointArgs, others: &[Readers<'_>]) -> Result<(), Failure> {
    use Problem::{
        KPortBroadcast, LogpMulticast, LogpSummation, MeshGossip, MeshMulticast, PipelinedBroadcast, WormholeMulticast,
    };
    let PointArgs { algorithm: _, L, o, g, machine, bytes, K, source, mesh, n, k, m, P, operands, .. } = arguments;
    let PointArgs { startup, hop, flit, flits, seed, .. } = arguments;
    let own: [Readers<'_>; 18] = [
        ("-L", L.is_some(), &[LogpMulticast, LogpSummation, PipelinedBroadcast]),
        ("-o", o.is_some(), &[LogpMulticast, LogpSummation, PipelinedBroadcast]),
        ("-g", g.is_some(), &[LogpMulticast, LogpSummation, PipelinedBroadcast]),
        ("--machine", machine.is_some(), &[LogpMulticast, PipelinedBroadcast]),
        ("--bytes", bytes.is_some(), &[LogpMulticast, PipelinedBroadcast]),
        ("-K", K.is_some(), &[LogpMulticast, MeshMulticast, PipelinedBroadcast, WormholeMulticast]),
        ("--source", source.is_some(), &[LogpMulticast, MeshMulticast, WormholeMulticast]),
        ("--mesh", mesh.is_some(), &[MeshMulticast, WormholeMulticast]),
        ("-n", n.is_some(), &[MeshMulticast, MeshGossip, KPortBroadcast, PipelinedBroadcast, WormholeMulticast]),
        ("-k", k.is_some(), &[KPortBroadcast, PipelinedBroadcast, WormholeMulticast]),
        ("-m", m.is_some(), &[KPortBroadcast, PipelinedBroadcast, WormholeMulticast]),
        ("-P", P.is_some(), &[LogpSummation]),
        ("--operands", operands.is_some(), &[LogpSummation]),
        ("--startup", startup.is_some(), &[WormholeMulticast]),
        ("--hop", hop.is_some(), &[WormholeMulticast]),
        ("--flit", flit.is_some(), &[WormholeMulticast]),
        ("--flits", flits.is_some(), &[WormholeMulticast]),
        ("--seed", seed.is_some(), &[MeshMulticast, WormholeMulticast]),
    ];
    match own.iter().chain(others).find(|(_, given, readers)| *given && !readers.contains(&entry.problem())) {
        None => Ok(()),
        Some((option, ..)) => Err(Failure::usage(format_args!(
            "`{}` ({}) does not read {option}; remove it. {}",
            entry.name,
            entry.problem(),
            example(entry)
        ))),
    }
}

/// Some algorithms exist for some n and k only.
const KPORT_EXAMPLES: [(&str, u64, u64); 3] =
    [("-n 100 -k 3 -m 17", 100, 3), ("-n 64 -k 3 -m 17", 64, 3), ("-n 100 -k 1 -m 17", 100, 1)];

fn example(entry: &Entry) -> String {
    let options = match entry.problem() {
        Problem::LogpMulticast => "-L 6 -o 2 -g 4 -K 18",
        Problem::LogpSummation => "-L 5 -o 2 -g 4 -P 7 --operands 82",
        Problem::MeshMulticast => "--mesh 8x8 -K 16",
        Problem::MeshGossip => "-n 8",
        Problem::WormholeMulticast => "--mesh 8x8 -K 16 --startup 100 --hop 2 --flit 1 --flits 64",
        Problem::KPortBroadcast => {
            let takes = |&&(_, n, k): &&(&str, u64, u64)| entry.check(&Point::KPortBroadcast { n, k, m: 17 }).is_ok();
            KPORT_EXAMPLES.iter().find(takes).map_or("", |example| example.0)
        }
        Problem::PipelinedBroadcast => {
            let instance = Instance { K: 8, n: 64, k: 1, m: 16 };
            let takes = LogP::new(6, 2, 4).is_ok_and(|model| {
                entry.check(&Point::PipelinedBroadcast { machine: pipeline::Machine::Words(model), instance }).is_ok()
            });
            if takes { "-L 6 -o 2 -g 4 -K 8 -n 64 -k 1 -m 16" } else { "-L 6 -o 2 -g 4 -K 8 -n 64 -k 1 -m 1" }
        }
    };
    format!("For example: {} {options}", entry.name)
}

/// The values of options that an algorithm needs, all of them or an error that names those missing.
fn needed<const N: usize>(entry: &Entry, options: [(&str, Option<u64>); N]) -> Result<[u64; N], Failure> {
    let missing: Vec<&str> = options.iter().filter(|(_, value)| value.is_none()).map(|(name, _)| *name).collect();
    if missing.is_empty() {
        return Ok(options.map(|(_, value)| value.unwrap_or(0)));
    }
    Err(Failure::usage(format_args!("`{}` needs {}. {}", entry.name, missing.join(", "), example(entry))))
}

/// The cell that was asked for; `machine` is what [`machine`] found. `trials` is for the mesh.
pub(super) fn cell<'a>(
    entry: &Entry,
    arguments: &PointArgs,
    machine: Option<&'a Machine>,
    trials: Option<u64>,
) -> Result<Cell<'a>, Failure> {
    let PointArgs { L, o, g, n, k, m, P, operands, .. } = *arguments;
    match entry.problem() {
        Problem::LogpMulticast => tree(entry, arguments, machine),
        Problem::LogpSummation => {
            let options = [("-L", L), ("-o", o), ("-g", g), ("-P", P), ("--operands", operands)];
            let [L, o, g, P, operands] = needed(entry, options)?;
            Ok(Cell::Summation { parameters: (L, o, g), P, operands })
        }
        Problem::MeshMulticast => mesh_cell(entry, arguments, trials),
        Problem::MeshGossip => {
            let [n] = needed(entry, [("-n", n)])?;
            Ok(Cell::Gossip { n })
        }
        Problem::KPortBroadcast => {
            let [n, k, m] = needed(entry, [("-n", n), ("-k", k), ("-m", m)])?;
            Ok(Cell::KPort { n, k, m })
        }
        Problem::PipelinedBroadcast => pipelined(entry, arguments, machine),
        Problem::WormholeMulticast => wormhole_cell(entry, arguments, trials),
    }
}

fn tree<'a>(entry: &Entry, arguments: &PointArgs, machine: Option<&'a Machine>) -> Result<Cell<'a>, Failure> {
    let PointArgs { L, o, g, K, .. } = *arguments;
    if arguments.bytes.is_some() && machine.is_none() {
        return Err(Failure::usage("--bytes needs --machine NAME, for -L, -o and -g are those of one message already"));
    }
    let (parameters, K) = match machine {
        Some(_) => ((0, 0, 0), needed(entry, [("-K", K)])?[0]),
        None => {
            let [L, o, g, K] = needed(entry, [("-L", L), ("-o", o), ("-g", g), ("-K", K)])?;
            ((L, o, g), K)
        }
    };
    let source = match arguments.source.as_deref() {
        None => 1,
        Some(text) => parse_count(text)
            .map_err(|_| Failure::usage(format_args!("--source {text}: expected a position from 1 to K = {K}")))?,
    };
    Ok(Cell::Logp { machine: machine.map(|machine| (machine, arguments.bytes.unwrap_or(1))), parameters, K, source })
}

/// What a long message needs besides its machine: a node has one port unless `-k` says otherwise.
fn pipelined<'a>(entry: &Entry, arguments: &PointArgs, machine: Option<&'a Machine>) -> Result<Cell<'a>, Failure> {
    let PointArgs { L, o, g, K, n, k, m, bytes, .. } = *arguments;
    let k = Some(k.unwrap_or(1));
    match machine {
        Some(_) if n.is_some() => {
            Err(Failure::usage("-n counts words, and a machine counts bytes; write --bytes SIZE in its place"))
        }
        Some(_) => {
            let [n, K, k, m] = needed(entry, [("--bytes", bytes), ("-K", K), ("-k", k), ("-m", m)])?;
            Ok(Cell::Pipelined { machine, parameters: (0, 0, 0), instance: Instance { K, n, k, m } })
        }
        None if bytes.is_some() => {
            Err(Failure::usage("--bytes needs --machine NAME; without one the message has -n words of L, o and g each"))
        }
        None => {
            let options = [("-L", L), ("-o", o), ("-g", g), ("-K", K), ("-n", n), ("-k", k), ("-m", m)];
            let [L, o, g, K, n, k, m] = needed(entry, options)?;
            Ok(Cell::Pipelined { machine, parameters: (L, o, g), instance: Instance { K, n, k, m } })
        }
    }
}

/// The mesh that was asked for.
pub(super) fn mesh(entry: &Entry, arguments: &PointArgs) -> Result<Mesh, Failure> {
    match (&arguments.mesh, arguments.n) {
        (Some(text), _) => text.parse().map_err(|error: Error| refuse(&error)),
        (None, Some(side)) => Mesh::new(side, side).map_err(|error| refuse(&error)),
        (None, None) => Err(Failure::usage(format_args!("`{}` needs --mesh (or -n). {}", entry.name, example(entry)))),
    }
}

/// Multicasts with worms, for their mean time.
fn wormhole_cell(entry: &Entry, arguments: &PointArgs, trials: Option<u64>) -> Result<Cell<'static>, Failure> {
    let &PointArgs { K, startup, hop, flit, flits, .. } = arguments;
    let (mesh, sampling) = drawn(entry, arguments, trials.unwrap_or(1000))?;
    let options = [("-K", K), ("--startup", startup), ("--hop", hop), ("--flit", flit), ("--flits", flits)];
    let [K, t_s, t_h, t_f, flits] = needed(entry, options)?;
    let (k, m) = (arguments.k.unwrap_or(1), arguments.m.unwrap_or(1));
    let sides = (mesh.w().into(), mesh.h().into());
    Ok(Cell::Wormhole(WormholeCell { sides, K, k, m, timing: (t_s, t_h, t_f, flits), sampling }))
}

/// A mesh's point, for its expectation.
fn mesh_cell(entry: &Entry, arguments: &PointArgs, trials: Option<u64>) -> Result<Cell<'static>, Failure> {
    let (mesh, sampling) = drawn(entry, arguments, trials.unwrap_or(10_000))?;
    let [K] = needed(entry, [("-K", arguments.K)])?;
    Ok(Cell::Mesh { sides: (mesh.w().into(), mesh.h().into()), K, sampling })
}

/// The mesh on which multicasts are drawn, and how.
fn drawn(entry: &Entry, arguments: &PointArgs, trials: u64) -> Result<(Mesh, Sampling), Failure> {
    let mesh = mesh(entry, arguments)?;
    if arguments.source.is_some() {
        return Err(Failure::usage(format_args!(
            "the cost of `{}` is that of multicasts from random sources, so --source is not read; `castbench show` takes one",
            entry.name
        )));
    }
    if trials == 0 {
        return Err(Failure::usage("--trials 0: expected at least 1 random multicast, as in --trials 10000"));
    }
    Ok((mesh, Sampling { trials, seed: arguments.seed.unwrap_or(1) }))
}
