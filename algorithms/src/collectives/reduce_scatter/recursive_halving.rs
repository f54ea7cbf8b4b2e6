//! Reduce-scatter by recursive halving.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.3.
//!
//! For `K = 2^p`. In round j, from p-1 down to 0, ranks whose numbers differ in bit j halve the blocks for which both are
//! responsible: each sends the half of the other one and combines its own.
//!
//! **Cost** the sum over j of `D(2^j n) + c 2^j n` where no gap is longer than its hop; else rounds are as far apart as gaps
//! require.
//!
//! **When it wins.** Powers of two: `log2 K` rounds with the fewest words.
//!
//! **Departures.** MPICH takes other K, too, with one more round; here they are refused.

use crate::collectives::rounds::Rounds;
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task};
use crate::error::{Error, fit};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct RecursiveHalving;

impl Algorithm for RecursiveHalving {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let mut rounds = Rounds::new(true);
        for bit in (0..task.power_of_two()?).rev() {
            rounds.exchange(task.hop(task.n << bit)?, 1);
        }
        rounds.end().map(fit).transpose()
    }

    fn messages(&self, task: &Task) -> u128 {
        u128::from(task.K) * u128::from(task.K.ilog2())
    }

    /// Far ranks are combined first.
    fn keeps_order(&self) -> bool {
        false
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        for (round, bit) in (0..).zip((0..task.K.ilog2()).rev()) {
            let peer = rank ^ 1 << bit;
            let half = |rank: u32| task.blocks((rank >> bit << bit).into(), 1 << bit);
            script.send(peer, round, half(peer));
            script.combine(rank, peer, round, half(rank));
        }
    }
}
