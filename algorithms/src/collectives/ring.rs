//! Around a ring: an allreduce, and its halves.
//!
//! # Allreduce
//!
//! **Source.** Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", Journal of Parallel
//! and Distributed Computing 69(2), 2009; Open MPI: ring.
//!
//! The words are K blocks, the first `n mod K` of them one word longer. In round `r < K-1` rank i sends block `i - r` to
//! rank i+1 and combines block `i-1-r` of rank i-1 with its own (all modulo K). Then rank i holds all contributions to
//! block i+1. In K-1 more rounds the finished blocks go around the ring.
//!
//! **Cost** for K dividing n, with `s = n/K`: `(K-1)(D(s) + cs) + (K-1) D(s)` where `D(s) >= g(s)`; else rounds are
//! `g(s)` apart where that is longer than a round. For other n the same with `s = ceil(n/K)` where `D(s) >= g(s)`: a
//! longer block passes through all 2(K-1) rounds without a wait. Elsewhere all ranks are followed round by round, in time
//! O(K^2), for up to 2^22 messages.
//!
//! **When it wins.** Long vectors: no rank sends more than `2(K-1)ceil(n/K)` words, the fewest possible where K divides n.
//!
//! **Departures.** Open MPI takes recursive doubling for n < K; here blocks are empty then, and their messages take the
//! time of a message of one word.
//!
//! # Reduce-scatter
//!
//! **Source.** Folklore; Open MPI: ring. It is the first half of the allreduce around a ring.
//!
//! In round `r < K-1` rank i sends block `i-1-r` to rank i+1 and combines block `i-2-r` of rank i-1 with its own (modulo K).
//!
//! **Cost** `(K-2) max(D(n) + cn, g(n)) + D(n) + cn`, and 0 for K = 1: all ranks do the same at the same time.
//!
//! **When it wins.** As pairwise exchange where only messages between neighbours are cheap.
//!
//! **Departures.** None.
//!
//! # Allgather
//!
//! **Source.** Folklore; Open MPI and MPICH: ring.
//!
//! In round `r < K-1` rank i sends block `i - r` to rank i+1 and receives block `i-1-r` (modulo K).
//!
//! **Cost** `(K-2) max(D(n), g(n)) + D(n)`, and 0 for K = 1: all ranks do the same at the same time.
//!
//! **When it wins.** Long blocks: a rank sends (K-1)n words, the fewest possible, and only to its neighbour.
//!
//! **Departures.** None.

use super::rounds::InRounds;
use crate::plan::{Phase, Plan, Task, Words, narrow};

/// The combination of a block begins with another rank for each block.
pub const ALLREDUCE: InRounds = InRounds {
    combines: true,
    gathers: true,
    times: |own, task, times| {
        // The rounds, with the longest block in each.
        let hop = task.hop(own.longest(task))?;
        if own.combines {
            times.exchange(hop, task.K - 1);
        }
        if own.gathers {
            times.exchange(hop.without_combining(), task.K - 1);
        }
        Ok(())
    },
    plan: |own, task| {
        let (K, around) = (task.K, |first| around(task, own.words(), first));
        // A half alone begins with a block, or ends with it, at its rank.
        let combining = || around(if own.gathers { K } else { K - 1 }).combined();
        let (first, tag) = if own.combines { (K + 1, K - 1) } else { (K, 0) };
        let gathering = || around(first).tags(narrow(tag));
        let phases = [own.combines.then(combining), own.gathers.then(gathering)];
        Ok(Plan::Rounds(phases.into_iter().flatten().collect()))
    },
};

/// See the module.
pub const REDUCE_SCATTER: InRounds = InRounds {
    gathers: false,
    ..ALLREDUCE
};

/// See the module.
pub const ALLGATHER: InRounds = InRounds {
    combines: false,
    ..ALLREDUCE
};

/// Once around the ring; the first message of rank i has block `first + i`.
pub(super) fn around<'a>(task: &Task, words: fn(u64, u64) -> Words, first: u64) -> Phase<'a> {
    let K = task.K;
    let block = move |rank, round| words(rank + first - round, 1);
    Phase::new(task, K - 1, move |rank, _| (rank + 1) % K, block)
}
