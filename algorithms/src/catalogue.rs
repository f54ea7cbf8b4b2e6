//! Every problem, and every algorithm by name.
//!
//! Contributors: a new problem is a folder with a `Problem` and one line here, a collective one in
//! [its list](crate::collectives::list); a new algorithm is one file
//! in its problem's folder and one entry there. All callers then have it.

use std::sync::LazyLock;

use crate::collectives::list;
use crate::logp::multicast::problem::LOGP_MULTICAST;
use crate::logp::summation::problem::LOGP_SUMMATION;
use crate::mesh::gossip::problem::MESH_GOSSIP;
use crate::mesh::multicast::problem::MESH_MULTICAST;
use crate::mesh::wormhole::problem::WORMHOLE_MULTICAST;
use crate::multiport::problem::K_PORT_BROADCAST;
use crate::problem::{self, Axis, Entry, Problem};

/// The problems that are no collectives.
static OTHERS: [Problem; 6] = [
    LOGP_MULTICAST,
    LOGP_SUMMATION,
    MESH_MULTICAST,
    MESH_GOSSIP,
    K_PORT_BROADCAST,
    WORMHOLE_MULTICAST,
];

/// The problems, in the order in which reports list them: the collectives behind the others.
pub static PROBLEMS: &[Problem] = &{
    let mut all = [OTHERS[0]; OTHERS.len() + list::ALL.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = match index.checked_sub(OTHERS.len()) {
            Some(number) => list::ALL[number].problem(),
            None => OTHERS[index],
        };
        index += 1;
    }
    all
};

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    for problem in PROBLEMS {
        entries.extend(problem::algorithms_of(problem, entries.len()));
    }
    entries
});

static AXES: LazyLock<Vec<&'static Axis>> = LazyLock::new(|| {
    let mut axes: Vec<&Axis> = Vec::new();
    for axis in PROBLEMS.iter().flat_map(|problem| problem.axes) {
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
pub fn problem(name: &str) -> Option<&'static Problem> {
    PROBLEMS.iter().find(|problem| problem.name == name)
}
