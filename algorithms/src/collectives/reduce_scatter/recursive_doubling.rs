//! Reduce-scatter by recursive doubling.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International Journal of High
//! Performance Computing Applications 19(1), 2005, section 4.3; Open MPI and MPICH: `recursive_doubling`.
//!
//! For `K = 2^p`. In round `j < p` ranks whose numbers differ in bit j exchange all blocks but those of the `2^j` ranks that agree with the
//! sender above bit j-1, and combine them. A rank needs none of these later but its own.
//!
//! **Cost** the sum over j of `D(b(j) n) + c b(j) n`, `b(j) = K - 2^j`, where no gap is longer than its hop; else rounds are as far apart as
//! gaps require. All ranks do the same at the same time.
//!
//! **When it wins.** Never by this cost: recursive halving sends fewer words in as many rounds. It combines in the order of ranks.
//!
//! **Departures.** Other K are refused; in the libraries ranks without a partner get words from a rank that has one.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Plain, Properties};
use crate::plan::{Phase, Plan, Words};

/// See the module.
pub const RECURSIVE_DOUBLING: Plain = Plain {
    formula: |task| {
        let mut times = RoundTimes::new(task, true);
        for bit in 0..task.power_of_two()? {
            let blocks = task.K - (1 << bit);
            times.exchange(task.hop(blocks * task.n)?, 1);
        }
        times.closed()
    },
    holds_on_duplex: |_| true,
    plan: |task| {
        let K = task.K;
        let words = move |rank: u64, bit: u64| {
            let after = (rank >> bit) + 1;
            Words::Blocks(after << bit, K - (1 << bit))
        };
        let to = |rank: u64, bit: u64| rank ^ (1 << bit);
        let rounds = task.power_of_two()?.into();
        Ok(Plan::phase(Phase::new(task, rounds, to, words).combined()))
    },
    properties: Properties::PLAIN,
};
