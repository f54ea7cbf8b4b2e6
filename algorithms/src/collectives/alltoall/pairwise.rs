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
use crate::collectives::rounds::Rounds;
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Pairwise;

impl Algorithm for Pairwise {
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
        for round in 1..K {
            let (to, from) = ((me + round) % K, (me + K - round) % K);
            script.send(narrow(to), narrow(round - 1), [words(task, me, to)]);
            script.receive(narrow(from), narrow(round - 1), [words(task, from, me)]);
        }
    }
}
