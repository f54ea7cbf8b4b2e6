//! Alltoall by pairwise exchange.
//!
//! **Source.** Folklore; Open MPI and MPICH: pairwise.
//!
//! In round `0 < r < K` rank i sends its block for rank i+r there and receives that of rank i-r (modulo K).
//!
//! **Cost** `(K-2) max(D(n), g(n)) + D(n)`, and 0 for K = 1: all ranks do the same at the same time.
//!
//! **When it wins.** Where few messages may be under way: a rank sends the next block once it has received one.
//!
//! **Departures.** None.

use super::words;
use crate::collectives::rounds::InRounds;
use crate::plan::{Phase, Plan, Words};

/// See the module.
pub const PAIRWISE: InRounds = InRounds {
    combines: false,
    gathers: false,
    times: |_, task, times| {
        times.exchange(task.hop(task.n)?.without_combining(), task.K - 1);
        Ok(())
    },
    plan: |_, task| {
        let task = *task;
        let to = move |rank, round| (rank + round + 1) % task.K;
        Ok(Plan::phase(Phase::new(
            &task,
            task.K - 1,
            to,
            move |rank, round| Words::Range(words(&task, rank, to(rank, round))),
        )))
    },
};
