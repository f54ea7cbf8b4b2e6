//! Bruck's alltoall.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, section 3, radix 2.
//!
//! The block of rank i for rank `i + s` (modulo K) goes 2^j ranks further in round j where bit j of s is 1. In round j each
//! rank passes on all such blocks that it has, in one message, and receives as many.
//!
//! **Cost** the sum over `j < ceil(log2 K)` of `D(b(j) n)` where no gap is longer than its hop, with `b(j)` the numbers
//! below K that have bit j; else rounds are as far apart as gaps require.
//!
//! **When it wins.** Short blocks on many ranks: `ceil(log2 K)` messages a rank, with up to K/2 blocks each.
//!
//! **Departures.** Blocks are not rotated locally; that takes no time here.

use super::words;
use crate::collectives::rounds::Rounds;
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::log2::ceil_log2;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Bruck;

impl Algorithm for Bruck {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let mut rounds = Rounds::new(true);
        for round in 0..ceil_log2(task.K) {
            rounds.exchange(task.hop(with_bit(task.K, round) * task.n)?.plain(), 1);
        }
        rounds.end().map(fit).transpose()
    }

    fn messages(&self, task: &Task) -> u128 {
        u128::from(task.K) * u128::from(ceil_log2(task.K))
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        for round in 0..ceil_log2(K) {
            let distance = 1u64 << round;
            // What a rank passes on: a block has come as far as the lower bits of its way say.
            let passed_on = |rank: u64| {
                (0..K).filter(move |way| way & distance != 0).map(move |way| {
                    let from = rank + K - way % distance;
                    words(task, from, from + way)
                })
            };
            let from = (me + K - distance) % K;
            script.send(narrow((me + distance) % K), round, passed_on(me));
            script.receive(narrow(from), round, passed_on(from));
        }
    }
}

/// How many numbers below K have this bit.
fn with_bit(K: u64, bit: u32) -> u64 {
    let half = 1 << bit;
    K / (2 * half) * half + (K % (2 * half)).saturating_sub(half)
}
