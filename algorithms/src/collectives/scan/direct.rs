//! Scans in which every rank sends its words to all ranks after it.
//!
//! **Source.** Folklore. A brute force over all programs of three ranks finds none
//! that is faster for one word, on the machines that it tries.
//!
//! Rank r sends its words to ranks K-1, K-2, ..., r+1. Then it receives those of ranks r-1, r-2, ..., 0 and combines each
//! with what it has; in an exclusive scan the first of them is what it has, beside its own words, which it may still be sending.
//!
//! **Cost** with `G = max(g(n), o(n))` and `Q = max(g(n), o(n) + cn)`: `D(n) + cn + (K-2)Q`; exclusive
//! `D(n) + cn + G + (K-3)Q`, and D(n) for K = 2; 0 for K = 1. All messages for rank r are there at `(K-1-r)G + o(n) + L(n)`, after
//! its own sends, and its receives are Q apart, the first two of an exclusive scan G. So the last rank is the latest.
//!
//! **When it wins.** Short vectors on few ranks over a long latency: each message waits for it at the same time.
//!
//! **Departures.** None.

use super::{Algorithm, ScanKind};
use crate::collectives::trees::between;
use crate::collectives::{Closed, narrow};
use crate::error::Error;
use crate::plan::{Act, Plan, RESULT, Task};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Direct(pub ScanKind);

/// The words that an exclusive scan sends.
const OWN: u8 = 1;

impl Algorithm for Direct {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let hop = task.hop(task.n)?;
        let apart = |receives: u64| receives * between(hop);
        let time = match (self.0, task.K) {
            (_, 0 | 1) => Wide::ZERO,
            (ScanKind::Scan, K) => hop.combined() + apart(K - 2),
            (ScanKind::Exscan, 2) => hop.D(),
            (ScanKind::Exscan, K) => {
                hop.combined() + between(hop.without_combining()) + apart(K - 3)
            }
        };
        Closed::exact(time)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, kind) = (*task, self.0);
        let messages = u128::from(task.K) * u128::from(task.K - 1) / 2;
        Ok(Plan::script(messages, 1, move |rank, script| {
            let sent = if kind == ScanKind::Scan { RESULT } else { OWN };
            for to in (rank + 1..narrow(task.K)).rev() {
                script.push(Act::Send, sent, to, 0, task.vector());
            }
            for from in (0..rank).rev() {
                if kind == ScanKind::Exscan && from + 1 == rank {
                    script.receive(from, 0, task.vector());
                } else {
                    script.combine(rank, from, 0, task.vector());
                }
            }
        }))
    }
}
