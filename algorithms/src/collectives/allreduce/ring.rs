//! Allreduce around a ring.
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

use super::Algorithm;
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Closed, Properties};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words, narrow};

/// See the module.
pub struct Ring;

impl Algorithm for Ring {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        // The rounds, with the longest block in each.
        let hop = task.hop(task.n.div_ceil(task.K))?;
        let mut rounds = RoundTimes::new(task, task.n.is_multiple_of(task.K));
        rounds.exchange(hop, task.K - 1);
        rounds.exchange(hop.without_combining(), task.K - 1);
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        let next = move |rank, _| (rank + 1) % K;
        let combining = Phase::new(task, K - 1, next, move |rank, round| {
            Words::Dealt(rank + K - round, 1)
        })
        .combined();
        let finished = Phase::new(task, K - 1, next, move |rank, round| {
            Words::Dealt(rank + 1 + K - round, 1)
        });
        Ok(Plan::Rounds(vec![combining, finished.tags(narrow(K - 1))]))
    }

    /// The combination of a block begins with another rank for each block.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            ..Properties::PLAIN
        }
    }
}
