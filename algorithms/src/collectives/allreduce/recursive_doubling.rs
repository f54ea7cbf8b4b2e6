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

use crate::collectives::numbers::Numbers;
use crate::collectives::{Closed, Plain, Properties};
use crate::log2::ceil_log2;
use crate::plan::{Plan, Words};
use crate::wide::Wide;

/// See the module.
pub const RECURSIVE_DOUBLING: Plain = Plain {
    formula: |task| {
        let numbers = Numbers::in_pairs(task.K, false);
        let hop = task.hop(task.n)?;
        let (D, M) = (hop.D(), hop.combined());
        let (G, W) = (M.max(hop.g), (2 * hop.o + hop.q).max(hop.g));
        let rounds = u64::from(numbers.bits());
        let time = match (rounds, numbers.outside) {
            (0, _) => Wide::ZERO,
            (_, 0) => M + (rounds - 1) * G,
            (_, outside) => {
                let d = u64::from(ceil_log2(outside));
                let handed_on = D + (M + d * G + (rounds - d) * W).max(rounds * G);
                handed_on.max(M + rounds * G)
            }
        };
        Closed::exact(time)
    },
    holds_on_duplex: |task| task.k == 1 && task.K.is_power_of_two(),
    plan: |task| {
        let (n, numbers) = (task.n, Numbers::in_pairs(task.K, false));
        let all = move |_| Words::Range(0..n);
        let exchange = numbers.exchange_bits(|bit| 1 << bit, move |_, _| Words::Range(0..n));
        Ok(Plan::Rounds(vec![
            numbers.enter(all).combined(),
            exchange.tags(1).combined(),
            numbers.leave(all).tag(numbers.bits() + 1),
        ]))
    },
    properties: Properties::PLAIN,
};
