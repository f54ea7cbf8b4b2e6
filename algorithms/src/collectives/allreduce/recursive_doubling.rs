//! Allreduce by recursive doubling.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.5; Open MPI: recursive doubling.
//!
//! For `K = 2^p`: in round j rank i exchanges all words with the rank whose number differs in bit j, and combines. For
//! other K, with `r = K - 2^p`: the first r even ranks send their words to the next rank, which takes part for both, and
//! get the result from it at the end.
//!
//! **Cost.** Let `M = D(n) + cn`, the time from a send until its words are combined, `G = max(M, g(n))` and
//! `W = max(2 o(n) + cn, g(n))`, the least time between two rounds of one rank.
//!
//! - `r = 0`: `M + (p-1) G`, and 0 for K = 1.
//! - else `max(M + pG, D(n) + max(M + dG + (p-d)W, pG))` with `d = ceil(log2 r)`. The first value is the last rank that
//!   stays, the second the last one that gets its result. The longest path to the second one begins at an odd rank of a
//!   pair and ends at such a rank: their numbers are below r and differ in at most d bits. In each other round the path
//!   stays at its rank, which takes W. A path that begins at another rank changes its rank in all p rounds.
//!
//! **When it wins.** Short vectors: `ceil(log2 K)` rounds for powers of two, and no algorithm needs fewer.
//!
//! **Departures.** None.

use super::{Algorithm, Folded, Task, narrow};
use crate::collectives::script::Script;
use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct RecursiveDoubling;

impl Algorithm for RecursiveDoubling {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let Folded { p, r } = Folded::of(task.K);
        let hop = task.hop(task.n)?;
        let (D, M) = (hop.D(), hop.combined());
        let (G, W) = (M.max(hop.g), (2 * hop.o + hop.q).max(hop.g));
        let rounds = u64::from(p);
        let time = match (p, r) {
            (0, _) => Wide::ZERO,
            (_, 0) => M + (rounds - 1) * G,
            _ => {
                let d = u64::from(ceil_log2(r));
                let handed_on = D + (M + d * G + (rounds - d) * W).max(rounds * G);
                handed_on.max(M + rounds * G)
            }
        };
        fit(time).map(Some)
    }

    fn messages(&self, task: &Task) -> Wide {
        let Folded { p, r } = Folded::of(task.K);
        u64::from(p) * Wide::from(1u64 << p) + 2 * Wide::from(r)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let folded = Folded::of(task.K);
        let Some(number) = folded.number(rank.into(), true) else {
            script.send(rank + 1, 0, task.vector());
            script.receive(rank + 1, folded.p + 1, task.vector());
            return;
        };
        let is_paired = number < folded.r;
        if is_paired {
            script.combine(rank, rank - 1, 0, task.vector());
        }
        for bit in 0..folded.p {
            let peer = narrow(folded.rank(number ^ (1 << bit), true));
            script.send(peer, bit + 1, task.vector());
            script.combine(rank, peer, bit + 1, task.vector());
        }
        if is_paired {
            script.send(rank - 1, folded.p + 1, task.vector());
        }
    }
}
