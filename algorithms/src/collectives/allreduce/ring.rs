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

use super::{Algorithm, Task, narrow};
use crate::collectives::rounds::{Ranks, Rounds};
use crate::collectives::script::Script;
use crate::error::Error;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Ring;

impl Algorithm for Ring {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        rounds(task)?.end_or(|| followed(task))
    }

    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        rounds(task)?.bounds()
    }

    fn messages(&self, task: &Task) -> Wide {
        2 * Wide::from(task.K) * Wide::from(task.K - 1)
    }

    /// The combination of a block begins with another rank for each block.
    fn keeps_order(&self) -> bool {
        false
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        let (next, previous) = (narrow((me + 1) % K), narrow((me + K - 1) % K));
        let block = |number: u64| [task.block(number % K, K)];
        for round in 0..K - 1 {
            script.send(next, narrow(round), block(me + K - round));
            script.combine(rank, previous, narrow(round), block(me + K - 1 - round));
        }
        for round in 0..K - 1 {
            script.send(next, narrow(K - 1 + round), block(me + 1 + K - round));
            script.receive(previous, narrow(K - 1 + round), block(me + K - round));
        }
    }
}

/// The rounds, with the longest block in each.
fn rounds(task: &Task) -> Result<Rounds, Error> {
    let hop = task.hop(task.n.div_ceil(task.K))?;
    let mut rounds = Rounds::new(task.n.is_multiple_of(task.K));
    rounds.exchange(hop, task.K - 1);
    rounds.exchange(hop.plain(), task.K - 1);
    Ok(rounds)
}

/// When the last rank is done, from the times of all ranks.
fn followed(task: &Task) -> Result<Option<Wide>, Error> {
    let K = task.K;
    let Some(mut ranks) = Ranks::new(K, (K - 1).saturating_mul(2)) else { return Ok(None) };
    let [short, long] = [task.hop(task.n / K)?, task.hop(task.n.div_ceil(K))?];
    let block = |number: u64| if number % K < task.n % K { long } else { short };
    for round in 0..K - 1 {
        ranks.exchange(|rank| Ok(Some(((rank + 1) % K, block(rank + K - round)))))?;
    }
    for round in 0..K - 1 {
        ranks.exchange(|rank| Ok(Some(((rank + 1) % K, block(rank + 1 + K - round).plain()))))?;
    }
    Ok(Some(ranks.end()))
}
