//! Linear barrier: every rank reports to rank 0, which then releases every rank.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! **Cost** `2D + 2(K-2) g'` for K >= 2, and 0 for K = 1. The K-1 reports arrive together at `o + L`. Rank 0 receives them
//! `g'` apart, so the last receive ends at `D + (K-2) g'`. Then rank 0 sends K-1 releases `g'` apart.
//!
//! **When it wins.** Where a hop takes many gaps: dissemination needs `R = ceil(log2 K)` hops, this barrier two. With
//! `D >= g'` it is faster where `(R-2) D > 2(K-2) g'`.
//!
//! **Departures.** None. The reports arrive at the same time; rank 0 receives them in the order of the ranks.

use super::{Barrier, LogP};
use crate::engine::builder::Builder;
use crate::engine::fault::Fault;
use crate::engine::program::{Operation, Program};
use crate::error::{Error, fit};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Linear;

impl Barrier for Linear {
    /// ```
    /// use castbench_algorithms::logp::{LogP, barrier::{Barrier, linear::Linear}};
    /// use castbench_algorithms::logp::barrier::dissemination::Dissemination;
    /// assert_eq!(Linear.time(LogP::new(6, 2, 4)?, 5)?, 2 * 10 + 6 * 4);
    /// // D = 64 and g' = 4: two hops and twelve gaps are less than three hops.
    /// let far = LogP::new(60, 2, 4)?;
    /// assert_eq!((Linear.time(far, 8)?, Dissemination.time(far, 8)?), (176, 192));
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn time(&self, model: LogP, K: u64) -> Result<u64, Error> {
        let Some(further) = K.checked_sub(2) else { return Ok(0) };
        fit(2 * u128::from(model.D()) + 2 * u128::from(further) * u128::from(model.gap()))
    }

    fn program(&self, K: u32, bytes: u64) -> Result<Program, Fault> {
        const REPORT: u32 = 0;
        const RELEASE: u32 = 1;
        let mut builder = Builder::new(K)?;
        builder.begin(0)?;
        for rank in 1..K {
            builder.push(Operation::Receive { from: rank, tag: REPORT, bytes })?;
        }
        for rank in 1..K {
            builder.push(Operation::Send { to: rank, tag: RELEASE, bytes })?;
        }
        for rank in 1..K {
            builder.begin(rank)?;
            builder.push(Operation::Send { to: 0, tag: REPORT, bytes })?;
            builder.push(Operation::Receive { from: 0, tag: RELEASE, bytes })?;
        }
        builder.in_order()
    }
}
