//! Scans along a chain.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! Rank r receives the combination of ranks 0 to r-1, combines it with its own words, and sends that to rank r+1. In an
//! exclusive scan the words received are its result; the last rank then combines nothing.
//!
//! **Cost** `(K-1)(D(n) + cn)`; exclusive `(K-2)(D(n) + cn) + D(n)`; 0 for K = 1. Every rank sends and receives one
//! message, so no gap matters.
//!
//! **When it wins.** On 2 ranks, and against recursive doubling, which combines more, on 3, and on 4 where combining takes longer than
//! a hop. It sends K-1 messages, the fewest possible.
//!
//! **Departures.** None.

use super::{Algorithm, ScanKind};
use crate::collectives::Closed;
use crate::error::Error;
use crate::plan::{Act, Plan, RESULT, Task};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Linear(pub ScanKind);

/// The combination that an exclusive scan sends on.
const SENT: u8 = 1;

impl Algorithm for Linear {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let hop = task.hop(task.n)?;
        let Some(middle) = task.K.checked_sub(2) else {
            return Ok(Closed::Exact(0));
        };
        let last = if self.0 == ScanKind::Scan {
            hop.combined()
        } else {
            hop.D()
        };
        Closed::exact(middle * hop.combined() + last)
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        task.k == 1
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, kind) = (*task, self.0);
        Ok(Plan::script(task.K - 1, 1, move |rank, script| {
            let is_last = u64::from(rank) == task.K - 1;
            let sent = if kind == ScanKind::Scan { RESULT } else { SENT };
            if rank > 0 && kind == ScanKind::Scan {
                script.combine(rank, rank - 1, 0, task.vector());
            } else if rank > 0 {
                script.receive(rank - 1, 0, task.vector());
                if !is_last {
                    script.local(SENT, (RESULT, SENT), task.vector());
                }
            }
            if !is_last {
                script.push(Act::Send, sent, rank + 1, 0, task.vector());
            }
        }))
    }
}
