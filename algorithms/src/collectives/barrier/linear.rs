//! Linear barrier: every rank reports to rank 0, which then releases every rank.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! **Cost** `2D + 2(K-2) g'` for K >= 2, and 0 for K = 1. The K-1 reports arrive together at `o + L`. Rank 0 receives them
//! `g'` apart, so the last receive ends at `D + (K-2) g'`. Then rank 0 sends K-1 releases `g'` apart.
//!
//! **When it wins.** Where a hop takes many gaps: dissemination needs `R = ceil(log2 K)` hops, this barrier two. With
//! `D >= g'` it is faster where `(R-2) D > 2(K-2) g'`.
//!
//! **Departures.** None. The reports arrive at the same time; rank 0 receives them in the order of the ranks.

use super::{Algorithm, Task, narrow};
use crate::collectives::script::Script;
use crate::collectives::trees::between;
use crate::error::{Error, fit};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Linear;

const REPORT: u32 = 0;
const RELEASE: u32 = 1;

impl Algorithm for Linear {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let Some(further) = task.K.checked_sub(2) else { return Ok(Some(0)) };
        // On a machine profile the overhead may be longer than the gap.
        let hop = task.hop(task.n)?.plain();
        fit(2 * hop.D() + 2 * (further * between(hop))).map(Some)
    }

    fn messages(&self, task: &Task) -> Wide {
        2 * Wide::from(task.K - 1)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        if rank > 0 {
            script.send(0, REPORT, task.vector());
            script.receive(0, RELEASE, task.vector());
            return;
        }
        for other in 1..narrow(task.K) {
            script.combine(0, other, REPORT, task.vector());
        }
        for other in 1..narrow(task.K) {
            script.send(other, RELEASE, task.vector());
        }
    }
}
