//! Reduce along a chain, in segments.
//!
//! **Source.** Folklore; Open MPI: pipeline (`chain` with a fanout of 1).
//!
//! Ranks are numbered from the root. The last one sends its segments to the one before. Every other rank receives a
//! segment, combines it with its own, and sends it on; the root keeps it.
//!
//! **Cost** for m dividing n, with a segment of s words: `(K-1)(D(s) + cs) + (m-1)P`, where `P = max(g(s), 2o(s) + cs)` is the
//! period of a rank between two others; for K = 2 there is none, and `P = max(g(s), o(s) + cs)`. 0 for K = 1. For segments
//! of two sizes the [lines of both](super::segments) are joined where the size changes, at the root or the rank after it.
//! O(1).
//!
//! **When it wins.** Long vectors on few ranks: in the steady state a rank receives, combines and sends each word once.
//!
//! **Departures.** None.

use crate::collectives::trees::Segments;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::{Family, Load, Plan, Task, Tree};

/// See the module.
pub struct Chain;

impl Algorithm for Chain {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let Some(relays) = task.K.checked_sub(2) else { return Ok(Closed::Exact(0)) };
        let segments = Segments::new(task)?;
        Closed::exact(segments.end(&[segments.relays(segments.leaf(), 1, relays)?]))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        Ok(Plan::Tree(Tree::up(Load::Vector, move |number| Family::chain(K, number))))
    }

    /// From the root to the last rank, then from rank 0 to the root.
    fn properties(&self) -> Properties {
        Properties { keeps_order: false, is_segmented: true, ..Properties::PLAIN }
    }
}
