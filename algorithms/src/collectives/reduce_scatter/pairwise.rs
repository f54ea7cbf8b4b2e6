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
        rounds.exchange(task.hop(task.n)?, task.K - 1);
        rounds.end().map(fit).transpose()
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K) * Wide::from(task.K - 1)
    }

    /// Rank i combines with rank i-1 first.
    fn keeps_order(&self) -> bool {
        false
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        for round in 1..K {
            script.send(narrow((me + round) % K), narrow(round - 1), task.blocks(me + round, 1));
            script.combine(rank, narrow((me + K - round) % K), narrow(round - 1), task.blocks(me, 1));
        }
    }
}
