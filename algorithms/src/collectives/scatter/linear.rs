//! Linear scatter.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! The root sends every other rank its block, in the order of the ranks.
//!
//! **Cost** with `G = max(g(n), o(n))`: `(K-2)G + D(n)`, and 0 for K = 1. Sends are G apart; a rank receives once.
//!
//! **When it wins.** Where the gap of a message is proportional to its words, at any point: the root's port is busy for the
//! fewest words, and no block is sent twice.
//!
//! **Departures.** None.

use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Linear;

impl Algorithm for Linear {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let Some(further) = task.K.checked_sub(2) else { return Ok(Some(0)) };
        let hop = task.hop(task.n)?;
        fit(further * hop.g.max(hop.o) + hop.D()).map(Some)
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K - 1)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        if u64::from(rank) != task.root {
            script.receive(narrow(task.root), 0, task.blocks(rank.into(), 1));
            return;
        }
        for to in (0..task.K).filter(|&to| to != task.root) {
            script.send(narrow(to), 0, task.blocks(to, 1));
        }
    }
}
