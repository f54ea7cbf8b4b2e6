//! Reduce-scatter by pairwise exchange.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.3.
//!
//! In round `0 < r < K` rank i sends its words for rank i+r there, and combines the words of rank i-r for itself (modulo
//! K).
//!
//! **Cost** `(K-2) max(D(n) + cn, g(n)) + D(n) + cn`, and 0 for K = 1: all ranks do the same at the same time.
//!
//! **When it wins.** Long blocks on any K: every rank sends (K-1)n words, the fewest possible.
//!
//! **Departures.** None.

use crate::collectives::rounds::InRounds;
use crate::plan::{Phase, Plan, Words};

/// Rank i combines with rank i-1 first.
pub const PAIRWISE: InRounds = InRounds {
    combines: true,
    gathers: false,
    times: |_, task, times| {
        times.exchange(task.hop(task.n)?, task.K - 1);
        Ok(())
    },
    plan: |_, task| {
        let K = task.K;
        let to = move |rank, round| (rank + round + 1) % K;
        Ok(Plan::phase(
            Phase::new(task, K - 1, to, move |rank, round| {
                Words::Blocks(to(rank, round), 1)
            })
            .combined(),
        ))
    },
};
