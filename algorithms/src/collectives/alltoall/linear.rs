//! Linear alltoall and allgather.
//!
//! **Source.** Folklore; Open MPI: basic linear for alltoall, libnbc for allgather.
//!
//! Rank i sends its blocks for ranks i+1, i+2, ... (modulo K), then receives those of ranks i-1, i-2, ... In an allgather it has
//! the same block for all.
//!
//! **Cost** with `G = max(g(n), o(n))`: `max((K-2)G + o(n), o(n) + L(n)) + (K-2)G + o(n)`, and 0 for K = 1. Sends are G
//! apart. The message of round r is there `(r-1)G` after the first one, so receives are G apart, too, from when the first
//! message is there and the last send is over.
//!
//! **When it wins.** Short blocks over a long latency: a rank waits for it once.
//!
//! **Departures.** Open MPI posts its receives first; they take messages in while it sends.

use std::ops::Range;

use super::words;
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    /// The words of one rank for another one.
    words: fn(&Task, u64, u64) -> Range<u64>,
}

impl Linear {
    /// A block for each rank.
    pub const ALLTOALL: Self = Self { words };
    /// One block for all.
    pub const ALLGATHER: Self = Self { words: |task, from, _| from * task.n..(from + 1) * task.n };
}

impl Algorithm for Linear {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let Some(further) = task.K.checked_sub(2) else { return Ok(Some(0)) };
        let hop = task.hop(task.n)?;
        let all = u128::from(further) * hop.g.max(hop.o);
        fit((all + hop.o).max(hop.o + hop.L) + all + hop.o).map(Some)
    }

    fn messages(&self, task: &Task) -> u128 {
        u128::from(task.K) * u128::from(task.K - 1)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        for round in 1..K {
            let to = (me + round) % K;
            script.send(narrow(to), narrow(round - 1), [(self.words)(task, me, to)]);
        }
        for round in 1..K {
            let from = (me + K - round) % K;
            script.receive(narrow(from), narrow(round - 1), [(self.words)(task, from, me)]);
        }
    }
}
