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

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
pub struct RecursiveDoubling;

impl Algorithm for RecursiveDoubling {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut rounds = RoundTimes::new(true);
        for bit in 0..task.power_of_two()? {
            rounds.exchange(task.hop(task.n << bit)?.without_combining(), 1);
        }
        rounds.closed()
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let to = |rank: u64, bit: u64| rank ^ 1 << bit;
        let held = |rank: u64, bit: u64| Words::Blocks(rank >> bit << bit, 1 << bit);
        Ok(Plan::phase(Phase::new(task, task.K.ilog2().into(), to, held)))
    }
}
