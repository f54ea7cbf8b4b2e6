//! Reduce-scatter around a ring.
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

use crate::collectives::rounds::Rounds;
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Ring;

impl Algorithm for Ring {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let mut rounds = Rounds::new(true);
        rounds.exchange(task.hop(task.n)?, task.K - 1);
        rounds.end().map(fit).transpose()
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K) * Wide::from(task.K - 1)
    }

    /// The combination of block i begins with rank i+1.
    fn keeps_order(&self) -> bool {
        false
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        for round in 0..K - 1 {
            script.send(narrow((me + 1) % K), narrow(round), task.blocks(me + K - 1 - round, 1));
            let previous = narrow((me + K - 1) % K);
            script.combine(rank, previous, narrow(round), task.blocks(me + 2 * K - 2 - round, 1));
        }
    }
}
