//! Every problem, and every algorithm by name.
//!
//! A new problem is a folder that implements [`Problem`](crate::problem::Problem) and one line in [`PROBLEMS`]; a new
//! algorithm is one file in its problem's folder and one entry there. Sweeps, `cost`, `show`, the agreement tests and
//! the listing then have it.

use std::sync::LazyLock;

use crate::logp::barrier::problem::LogpBarrier;
use crate::logp::multicast::problem::LogpMulticast;
use crate::logp::pipeline::problem::PipelinedBroadcast;
use crate::logp::summation::problem::LogpSummation;
use crate::mesh::gossip::problem::MeshGossip;
use crate::mesh::multicast::problem::MeshMulticast;
use crate::mesh::wormhole::problem::WormholeMulticast;
use crate::multiport::problem::KPortBroadcast;
use crate::problem::{AnyProblem, Axis, Entry};

/// The problems, in the order in which reports list them.
pub static PROBLEMS: &[&dyn AnyProblem] = &[
    &LogpMulticast,
    &LogpSummation,
    &MeshMulticast,
    &MeshGossip,
    &KPortBroadcast,
    &PipelinedBroadcast,
    &WormholeMulticast,
    &LogpBarrier,
];

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    for problem in PROBLEMS {
        entries.extend(Entry::all(*problem, entries.len()));
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

/// An axis for each key that any problem has; what it means and which columns it has differs between problems.
#[must_use]
pub fn axes() -> &'static [&'static Axis] {
    &AXES
}

/// The algorithm of this name, or formerly of this name.
#[must_use]
pub fn find(name: &str) -> Option<Entry> {
    entries().iter().copied().find(|entry| entry.name == name || entry.former == Some(name))
}

/// The problem of this name.
#[must_use]
pub fn problem(name: &str) -> Option<&'static dyn AnyProblem> {
    PROBLEMS.iter().copied().find(|problem| problem.name() == name)
}
