//! Bruck's allgather.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, section 4, for one port.
//!
//! In round j rank i holds blocks `i .. i + 2^j` and sends the first `min(2^j, K - 2^j)` of them to rank `i - 2^j` (modulo
//! K). It receives as many from rank `i + 2^j`.
//!
//! **Cost** the sum over `j < ceil(log2 K)` of `D(min(2^j, K - 2^j) n)` where no gap is longer than its hop; else rounds are
//! as far apart as gaps require.
//!
//! **When it wins.** Short blocks, for any K: `ceil(log2 K)` rounds, the fewest possible, with the fewest words.
//!
//! **Departures.** Blocks stay in place; the original rotates them locally at the end, which takes no time here.

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
            let distance = 1 << round;
            rounds.exchange(task.hop(distance.min(task.K - distance) * task.n)?.plain(), 1);
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
            let count = distance.min(K - distance);
            script.send(narrow((me + K - distance) % K), round, task.blocks(me, count));
            script.receive(narrow((me + distance) % K), round, task.blocks(me + distance, count));
        }
    }
}
