//! Broadcast along a chain, in segments.
//!
//! **Source.** Folklore; Open MPI: pipeline (`chain` with a fanout of 1).
//!
//! Ranks are numbered from the root. Every number receives a segment from the one before and sends it to the next.
//!
//! **Cost** for m dividing n, with a segment of s words: `(K-1)D(s) + (m-1)P`, where `P = max(g(s), 2o(s))` is the period of a
//! rank between two others; for K = 2 there is none, and `P = max(g(s), o(s))`. 0 for K = 1. For segments of two sizes the
//! [times of both](super::segments) are joined where the size changes. O(1).
//!
//! **When it wins.** Long vectors on few ranks: in the steady state a rank receives and sends each word once.
//!
//! **Departures.** None.

use super::segments;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::engine::{Machine, Program};
use crate::error::Error;
use crate::logp::pipeline::{self, Instance};
use crate::plan::{Family, Load, Plan, Task, Tree};

/// See the module.
pub struct Chain;

impl Algorithm for Chain {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        segments::chain(task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        Ok(Plan::Tree(Tree::down(Load::Vector, move |number| Family::chain(K, number))))
    }

    fn duplex(&self) -> Option<&dyn pipeline::Broadcast> {
        Some(self)
    }

    fn properties(&self) -> Properties {
        Properties { is_segmented: true, ..Properties::PLAIN }
    }
}

impl pipeline::Broadcast for Chain {
    fn crosses(&self) -> bool {
        false
    }

    fn time(&self, machine: Machine, instance: Instance) -> Result<u64, Error> {
        pipeline::shape::chain(machine, instance)
    }

    fn program(&self, machine: Machine, instance: Instance) -> Result<Program, Error> {
        pipeline::program::from_tree(machine, instance, |number| Family::chain(instance.K, number))
    }
}
