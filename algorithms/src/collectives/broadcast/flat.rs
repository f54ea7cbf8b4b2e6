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
use crate::collectives::script::Script;
use crate::collectives::trees::Family;
use crate::collectives::{Algorithm, Task};
use crate::error::Error;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Flat;

impl Algorithm for Flat {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        segments::time(task, |size, parts| parts.extend((size > 1).then(|| (1, size - 1))))
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K - 1) * Wide::from(task.m)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn is_segmented(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        Family::flat(task, rank).down(task, script);
    }
}
