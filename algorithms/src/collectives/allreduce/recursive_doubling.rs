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

use super::{Algorithm, Folded};
use crate::collectives::Closed;
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Phase, Plan, Task, Words};
use crate::wide::Wide;

/// See the module.
pub struct RecursiveDoubling;

impl Algorithm for RecursiveDoubling {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let Folded { p, r } = Folded::new(task.K);
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
        Closed::exact(time)
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        task.k == 1 && task.K.is_power_of_two()
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let folded = Folded::new(task.K);
        let (n, Folded { p, r }) = (task.n, folded);
        let all = move |_, _| Words::Range(0..n);
        let back = move |rank: u64, _| (rank < 2 * r && rank % 2 == 1).then(|| rank - 1);
        Ok(Plan::Rounds(vec![
            folded.to_odd(all),
            folded
                .exchange(true, |bit| 1 << bit, all)
                .tags(1)
                .combined(),
            Phase::some(r, 1, back, all).tag(p + 1),
        ]))
    }
}
