//! Allgather around a ring.
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
        rounds.exchange(task.hop(task.n)?.plain(), task.K - 1);
        rounds.end().map(fit).transpose()
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K) * Wide::from(task.K - 1)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        for round in 0..K - 1 {
            script.send(narrow((me + 1) % K), narrow(round), task.blocks(me + K - round, 1));
            script.receive(narrow((me + K - 1) % K), narrow(round), task.blocks(me + K - 1 - round, 1));
        }
    }
}
