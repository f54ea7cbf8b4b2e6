//! Flat broadcast, in segments.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! The root sends each segment to every other rank, in ascending order of numbers from the root.
//!
//! **Cost** for m dividing n, with a segment of s words and `G = max(g(s), o(s))`: `(m(K-1) - 1)G + D(s)`, and 0 for K = 1. For
//! segments of two sizes the [times of both](super::segments) are joined where the size changes. O(1).
//!
//! **When it wins.** Two ranks, or a few over a long latency.
//!
//! **Departures.** Open MPI sends a vector whole.

use super::segments;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::engine::{Machine, Program};
use crate::error::Error;
use crate::logp::pipeline::shape::ChildGroup;
use crate::logp::pipeline::{self, Instance};
use crate::plan::{Family, Load, Plan, Task, Tree};

/// See the module.
pub struct Flat;

/// Adds the children of the root.
fn parts(size: u64, parts: &mut Vec<ChildGroup>) {
    parts.extend((size > 1).then(|| (1, size - 1)));
}

impl Algorithm for Flat {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        segments::time(task, parts)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        Ok(Plan::Tree(Tree::down(Load::Vector, move |number| Family::flat(K, number))))
    }

    fn duplex(&self) -> Option<&dyn pipeline::Broadcast> {
        Some(self)
    }

    fn properties(&self) -> Properties {
        Properties { is_segmented: true, ..Properties::PLAIN }
    }
}

impl pipeline::Broadcast for Flat {
    fn crosses(&self) -> bool {
        false
    }

    fn time(&self, machine: Machine, instance: Instance) -> Result<u64, Error> {
        pipeline::shape::time(machine, instance, parts)
    }

    fn program(&self, machine: Machine, instance: Instance) -> Result<Program, Error> {
        pipeline::program::from_tree(machine, instance, |number| Family::flat(instance.K, number))
    }
}
