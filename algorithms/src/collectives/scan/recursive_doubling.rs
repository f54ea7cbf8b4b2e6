//! Scans by recursive doubling.
//!
//! **Source.** Folklore; Open MPI: recursive doubling (`coll_base_scan.c`, `coll_base_exscan.c`), MPICH: recursive
//! doubling.
//!
//! A rank has two vectors: its result, and the combination of all ranks that it has heard of. In round j it exchanges the
//! second one with the rank whose number differs in bit j, if that is below K, and combines what it receives with it. The
//! higher of the two ranks combines it with its result first, in a combination of its own, whose time is rounded by itself. In an exclusive scan the first words that a rank receives
//! from below are its result.
//!
//! **Cost**, 0 for K = 1. Let `M1 = D(n) + cn` and `M2 = D(n) + 2cn`, the time from a send until the lower and the higher
//! rank have combined, `G1 = max(M1, g(n))` and `G2 = max(M2, g(n))`; `p = ceil(log2 K)` and
//! `h = floor(log2(K - 2^(p-1)))`:
//!
//! - `M2 + max(h G2 + (p-1-h) G1, (p-2) G2)`, the second value for p >= 2 only;
//! - exclusive: the same with one G2 replaced by G1 in each value, where there is one; for h = 0 the first value is
//!   `M1 + (p-1) G1`; for p = 2 the second one is `M1`.
//!
//! The cost is a longest path. It ends at some rank i. Before round j the path is at i, but for bits j and higher: only
//! exchanges of round j change bit j. So round j takes 2cn where bit j of i is 1, and cn where it is 0 (exclusive: also at
//! the lowest 1). Going to the other rank takes a hop and not going takes two overheads or a gap, so a round takes G1 or
//! G2, the last one M1 or M2. A rank of the upper half has all rounds open: the lower half is complete. Up to K-1 such
//! a rank has at most 1 + h bits that are 1. In the lower half rank `2^(p-1) - 1` has only 1s; it has p-1 rounds if K is
//! no power of two, and else costs less than rank K-1.
//!
//! **When it wins.** Short vectors: `ceil(log2 K)` hops, the fewest possible.
//!
//! **Departures.** None: as in Open MPI all ranks combine what they send also after the last round, when they send no
//! more.

use super::{Algorithm, ScanKind};
use crate::collectives::Closed;
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Act, Plan, RESULT, Script, Task, narrow};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct RecursiveDoubling(pub ScanKind);

/// The combination of all ranks that a rank has heard of.
const HEARD: u8 = 1;
/// The message.
const MESSAGE: u8 = 2;

impl Algorithm for RecursiveDoubling {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let p = ceil_log2(task.K);
        if p == 0 {
            return Ok(Closed::Exact(0));
        }
        let hop = task.hop(task.n)?;
        let M = [hop.combined(), hop.combined() + hop.q];
        let G = M.map(|time| time.max(hop.g));
        // The time of a rank after `rounds` rounds, in `higher` of which, the last one included, it is the higher one.
        let path = |rounds: u32, higher: u32| {
            let twice = if self.0 == ScanKind::Scan {
                higher
            } else {
                higher.saturating_sub(1)
            };
            let Some(before) = rounds.checked_sub(1) else {
                return Wide::ZERO;
            };
            let last = usize::from(twice > 0);
            let twice_before = twice.saturating_sub(1);
            u64::from(before - twice_before) * G[0] + u64::from(twice_before) * G[1] + M[last]
        };
        let h = (task.K - (1 << (p - 1))).ilog2();
        Closed::exact(path(p, 1 + h).max(path(p - 1, p - 1)))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, kind) = (*task, self.0);
        // In each round all ranks of the complete blocks, and in the last block as many pairs as it has higher ranks.
        let K = u128::from(task.K);
        let pairs =
            |bit: u32| ((K >> (bit + 1)) << bit) + (K % (2 << bit)).saturating_sub(1 << bit);
        let messages = (0..ceil_log2(task.K))
            .map(|bit| 2 * pairs(bit))
            .sum::<u128>();
        Ok(Plan::script(
            messages,
            ceil_log2(task.K).into(),
            move |rank, script| write(&task, kind, rank, script),
        ))
    }
}

/// What a rank does.
fn write(task: &Task, kind: ScanKind, rank: u32, script: &mut Script) {
    let mut has_result = kind == ScanKind::Scan;
    for bit in 0..ceil_log2(task.K) {
        let peer = u64::from(rank) ^ (1 << bit);
        if peer >= task.K {
            continue;
        }
        let peer = narrow(peer);
        script.push(Act::Send, HEARD, peer, bit, task.vector());
        let into = if peer < rank && !has_result {
            RESULT
        } else {
            MESSAGE
        };
        script.push(Act::Receive, into, peer, bit, task.vector());
        if peer > rank {
            script.local(HEARD, (HEARD, MESSAGE), task.vector());
            continue;
        }
        if has_result {
            script.local(RESULT, (MESSAGE, RESULT), task.vector());
        }
        script.local(HEARD, (into, HEARD), task.vector());
        has_result = true;
    }
}
