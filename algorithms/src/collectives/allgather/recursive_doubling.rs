//! Allgather by recursive doubling.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.1.
//!
//! For `K = 2^p`. In round j ranks whose numbers differ in bit j exchange the 2^j blocks that each holds.
//!
//! **Cost** the sum over j of `D(2^j n)` where no gap is longer than its hop; else rounds are as far apart as gaps require.
//!
//! **When it wins.** Powers of two: `log2 K` rounds with the fewest words.
//!
//! **Departures.** MPICH takes other K, too, with more rounds; here they are refused.

use crate::collectives::rounds::Rounds;
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct RecursiveDoubling;

impl Algorithm for RecursiveDoubling {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let mut rounds = Rounds::new(true);
        for bit in 0..task.power_of_two()? {
            rounds.exchange(task.hop(task.n << bit)?.plain(), 1);
        }
        rounds.end().map(fit).transpose()
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K) * Wide::from(task.K.ilog2())
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        for bit in 0..task.K.ilog2() {
            let peer = rank ^ 1 << bit;
            let held = |rank: u32| task.blocks((rank >> bit << bit).into(), 1 << bit);
            script.send(peer, narrow(bit.into()), held(rank));
            script.receive(peer, narrow(bit.into()), held(peer));
        }
    }
}
