//! Flat reduce.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! Every rank sends its words to the root. The root combines those of the ranks after it, in ascending order, then those of
//! the ranks before it, in descending order. So it combines in the order of the ranks.
//!
//! **Cost** with `M = max(g(n), o(n) + cn)`: `(K-2)M + D(n) + cn`, and 0 for K = 1. All messages are at the root at
//! `o(n) + L(n)`; it receives them M apart.
//!
//! **When it wins.** Two ranks, or a few over a long latency.
//!
//! **Departures.** Open MPI receives from rank K-1 down to rank 0, and combines the root's words in their place.

use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Flat;

impl Algorithm for Flat {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let Some(further) = task.K.checked_sub(2) else { return Ok(Some(0)) };
        let hop = task.hop(task.n)?;
        fit(further * hop.g.max(hop.o + hop.q) + hop.combined()).map(Some)
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K - 1)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let root = narrow(task.root);
        if rank != root {
            script.send(root, 0, task.vector());
            return;
        }
        for from in (root + 1..narrow(task.K)).chain((0..root).rev()) {
            script.combine(root, from, 0, task.vector());
        }
    }
}
