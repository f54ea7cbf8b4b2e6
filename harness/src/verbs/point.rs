//! From the options of `cost` and `show` to a point: which of them the algorithm reads, which it lacks,
//! which it cannot read.

use std::path::Path;

use algorithms::catalogue::{self, ALGORITHMS, Entry, Problem};
use algorithms::error::Error;
use algorithms::mesh::Sampling;
use algorithms::mesh::labelling::Mesh;

use crate::cli::PointArgs;
use crate::failure::{Code, Failure};
use crate::grid::Cell;
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
    let Some(name) = arguments.machine.as_deref() else { return Ok(None) };
    match Machine::find(name, Path::new(name))? {
        Some(machine) => Ok(Some(machine)),
        None => Err(Failure::usage(format_args!("there is no machine `{name}`; {}", Machine::names()))),
    }
}

/// Refuses options that belong to another problem.
pub(super) fn refuse_unread(entry: &Entry, unread: &[(&str, bool)]) -> Result<(), Failure> {
    match unread.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::usage(format_args!(
            "`{}` ({}) does not read {option}; remove it. {}",
            entry.name,
            entry.problem(),
            example(entry)
        ))),
    }
}

fn example(entry: &Entry) -> String {
    match entry.problem() {
        Problem::LogpMulticast => format!("For example: castbench cost {} -L 6 -o 2 -g 4 -K 18", entry.name),
        Problem::MeshMulticast => format!("For example: castbench cost {} --mesh 8x8 -K 16", entry.name),
    }
}

/// A tree's point; `machine` is what [`machine`] found.
pub(super) fn tree<'a>(
    entry: &Entry,
    arguments: &PointArgs,
    machine: Option<&'a Machine>,
) -> Result<Cell<'a>, Failure> {
    let PointArgs { L, o, g, K, mesh, n, seed, .. } = arguments;
    refuse_unread(entry, &[("--mesh", mesh.is_some()), ("-n", n.is_some()), ("--seed", seed.is_some())])?;
    if arguments.bytes.is_some() && machine.is_none() {
        return Err(Failure::usage("--bytes needs --machine NAME, for -L, -o and -g are those of one message already"));
    }
    let mut missing = Vec::new();
    if machine.is_none() {
        missing.extend(
            [("-L", L), ("-o", o), ("-g", g)].iter().filter(|(_, value)| value.is_none()).map(|(name, _)| *name),
        );
    }
    missing.extend(K.is_none().then_some("-K"));
    let (parameters, Some(K), true) = ((L.unwrap_or(0), o.unwrap_or(0), g.unwrap_or(0)), *K, missing.is_empty()) else {
        return Err(Failure::usage(format_args!("`{}` needs {}. {}", entry.name, missing.join(", "), example(entry))));
    };
    let source = match arguments.source.as_deref() {
        None => 1,
        Some(text) => parse_count(text)
            .map_err(|_| Failure::usage(format_args!("--source {text}: expected a position from 1 to K = {K}")))?,
    };
    Ok(Cell::Logp { machine: machine.map(|machine| (machine, arguments.bytes.unwrap_or(1))), parameters, K, source })
}

/// The mesh that was asked for.
pub(super) fn mesh(entry: &Entry, arguments: &PointArgs) -> Result<Mesh, Failure> {
    let PointArgs { L, o, g, machine, bytes, .. } = arguments;
    refuse_unread(
        entry,
        &[
            ("-L", L.is_some()),
            ("-o", o.is_some()),
            ("-g", g.is_some()),
            ("--machine", machine.is_some()),
            ("--bytes", bytes.is_some()),
        ],
    )?;
    match (&arguments.mesh, arguments.n) {
        (Some(text), _) => text.parse().map_err(|error: Error| refuse(&error)),
        (None, Some(side)) => Mesh::new(side, side).map_err(|error| refuse(&error)),
        (None, None) => Err(Failure::usage(format_args!("`{}` needs --mesh (or -n). {}", entry.name, example(entry)))),
    }
}

/// A mesh's point, for its expectation.
pub(super) fn mesh_cell(entry: &Entry, arguments: &PointArgs, trials: Option<u64>) -> Result<Cell<'static>, Failure> {
    let mesh = mesh(entry, arguments)?;
    if arguments.source.is_some() {
        return Err(Failure::usage(format_args!(
            "the cost of `{}` is the expectation over a uniform source, so --source is not read; `castbench show` takes one",
            entry.name
        )));
    }
    let Some(K) = arguments.K else {
        return Err(Failure::usage(format_args!("`{}` needs -K. {}", entry.name, example(entry))));
    };
    let trials = trials.unwrap_or(10_000);
    if trials == 0 {
        return Err(Failure::usage("--trials 0: expected at least 1 random multicast, as in --trials 10000"));
    }
    let sampling = Sampling { trials, seed: arguments.seed.unwrap_or(1) };
    Ok(Cell::Mesh { sides: (mesh.w().into(), mesh.h().into()), K, sampling })
}
