//! Every problem, and every algorithm by name.
//!
//! Contributors: a new problem is a folder that implements `Problem` and one line here, a collective one in
//! [its list](crate::collectives::list); a new algorithm is one file
//! in its problem's folder and one entry there. All callers then have it.

use std::sync::LazyLock;

use crate::collectives::list;
use crate::logp::multicast::problem::LogpMulticast;
use crate::logp::summation::problem::LogpSummation;
use crate::mesh::gossip::problem::MeshGossip;
use crate::mesh::multicast::problem::MeshMulticast;
use crate::mesh::wormhole::problem::WormholeMulticast;
use crate::multiport::problem::KPortBroadcast;
use crate::problem::{self, AnyProblem, Axis, Entry};

/// The problems that are no collectives.
const OTHERS: [&dyn AnyProblem; 6] = [
    &LogpMulticast,
    &LogpSummation,
    &MeshMulticast,
    &MeshGossip,
    &KPortBroadcast,
    &WormholeMulticast,
];

/// The collectives behind the others.
const ALL: [&dyn AnyProblem; OTHERS.len() + list::ALL.len()] = {
    let mut all = [OTHERS[0]; OTHERS.len() + list::ALL.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = match index.checked_sub(OTHERS.len()) {
            Some(number) => list::ALL[number].problem,
            None => OTHERS[index],
        };
        index += 1;
    }
    all
};

/// The problems, in the order in which reports list them.
pub static PROBLEMS: &[&dyn AnyProblem] = &ALL;

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
