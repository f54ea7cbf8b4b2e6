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
use crate::error::Error;
use crate::logp::pipeline;
use crate::plan::{Family, Load, Plan, Task, Tree};

/// See the module.
pub struct Flat;

impl Algorithm for Flat {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        segments::time(task, |size, parts| parts.extend((size > 1).then(|| (1, size - 1))))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        Ok(Plan::Tree(Tree::down(Load::Vector, move |number| Family::flat(K, number))))
    }

    fn duplex(&self) -> Option<&'static dyn pipeline::Broadcast> {
        Some(&pipeline::trees::Pipelined::FLAT)
    }

    fn properties(&self) -> Properties {
        Properties { is_segmented: true, ..Properties::PLAIN }
    }
}
