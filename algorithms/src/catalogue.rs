//! Every problem, and every algorithm by name.
//!
//! Contributors: a new problem is a folder that implements `Problem` and one line in [`PROBLEMS`]; a new algorithm is one file
//! in its problem's folder and one entry there. All callers then have it.

use std::sync::LazyLock;

use crate::collectives::allgather::Allgather;
use crate::collectives::allreduce::Allreduce;
use crate::collectives::alltoall::Alltoall;
use crate::collectives::barrier::Barrier;
use crate::collectives::broadcast::Broadcast;
use crate::collectives::gather::Gather;
use crate::collectives::reduce::Reduce;
use crate::collectives::reduce_scatter::ReduceScatter;
use crate::collectives::scan::{Exscan, Scan};
use crate::collectives::scatter::Scatter;
use crate::logp::multicast::problem::LogpMulticast;
use crate::logp::summation::problem::LogpSummation;
use crate::mesh::gossip::problem::MeshGossip;
use crate::mesh::multicast::problem::MeshMulticast;
use crate::mesh::wormhole::problem::WormholeMulticast;
use crate::multiport::problem::KPortBroadcast;
use crate::problem::{self, AnyProblem, Axis, Entry};

/// The problems, in the order in which reports list them.
pub static PROBLEMS: &[&dyn AnyProblem] = &[
    &LogpMulticast,
    &LogpSummation,
    &MeshMulticast,
    &MeshGossip,
    &KPortBroadcast,
    &WormholeMulticast,
    &Barrier,
    &Allreduce,
    &ReduceScatter,
    &Allgather,
    &Alltoall,
    &Scan,
    &Exscan,
    &Reduce,
    &Broadcast,
    &Gather,
    &Scatter,
];

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    for problem in PROBLEMS {
        entries.extend(problem::algorithms_of(*problem, entries.len()));
    }
    entries
});

static AXES: LazyLock<Vec<&'static Axis>> = LazyLock::new(|| {
    let mut axes: Vec<&Axis> = Vec::new();
    for axis in PROBLEMS.iter().flat_map(|problem| problem.axes()) {
        if axes.iter().all(|known| known.key != axis.key) {
            axes.push(axis);
        }
    }
    axes
});

/// Every algorithm, in the order in which reports list them.
#[must_use]
pub fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// One axis for each key in use. Its meaning and its columns differ between problems.
#[must_use]
pub fn axes() -> &'static [&'static Axis] {
    &AXES
}

/// The algorithm of this name, or that a name composes of others.
#[must_use]
pub fn find(name: &str) -> Option<Entry> {
    let listed = entries().iter().copied().find(|entry| entry.name == name);
    listed.or_else(|| problem::composed(PROBLEMS, name))
}

/// The problem of this name.
#[must_use]
pub fn problem(name: &str) -> Option<&'static dyn AnyProblem> {
    PROBLEMS
        .iter()
        .copied()
        .find(|problem| problem.name() == name)
}
