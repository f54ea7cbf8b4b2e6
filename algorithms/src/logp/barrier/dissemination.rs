//! Barrier by dissemination.
//!
//! **Source.** Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", International Journal of Parallel
//! Programming 17(1), 1988; Open MPI and MPICH name it Bruck's barrier.
//!
//! In round r = 0, 1, ... every rank i sends to `(i + 2^r) mod K` and then receives from `(i - 2^r) mod K`. After round r
//! it has heard from the `2^(r+1)` ranks up to itself, so `R = ceil(log2 K)` rounds are enough.
//!
//! **Cost** `(R-1) max(D, g') + D`, and 0 for K = 1. All ranks do the same at the same time. A round that begins at t ends
//! at `t + D`, for the receive follows the send by `o + L`; the next send begins then, but not before `t + g'`. Receives
//! are as far apart as sends, so their gap delays none. This is exact for every g, also where g exceeds D.
//!
//! **When it wins.** It takes the fewest rounds with one send per round, and is the usual choice of MPI libraries. Brute
//! force over small barriers finds nothing faster where a hop is at most as long as the gap. Where a hop takes two gaps,
//! three ranks that each send to both others are faster.
//!
//! **Departures.** None.

use super::{Barrier, LogP};
use crate::engine::builder::Builder;
use crate::engine::fault::Fault;
use crate::engine::program::{Operation, Program};
use crate::error::{Error, fit};
use crate::log2::ceil_log2;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Dissemination;

impl Barrier for Dissemination {
    /// ```
    /// use castbench_algorithms::logp::{LogP, barrier::{Barrier, dissemination::Dissemination}};
    /// // Three rounds of D = 10.
    /// assert_eq!(Dissemination.time(LogP::new(6, 2, 4)?, 8)?, 30);
    /// // g = 15 > D: the second and the third round begin 15 after the one before.
    /// assert_eq!(Dissemination.time(LogP::new(6, 2, 15)?, 8)?, 40);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn time(&self, model: LogP, K: u64) -> Result<u64, Error> {
        let Some(later) = ceil_log2(K).checked_sub(1) else { return Ok(0) };
        fit(u128::from(later) * u128::from(model.D().max(model.gap())) + u128::from(model.D()))
    }

    fn program(&self, K: u32, bytes: u64) -> Result<Program, Fault> {
        let mut builder = Builder::new(K)?;
        let rounds = ceil_log2(K.into());
        for rank in 0..u64::from(K) {
            builder.begin(narrow(rank))?;
            for round in 0..rounds {
                let distance = 1u64 << round;
                let (to, from) = ((rank + distance) % u64::from(K), (rank + u64::from(K) - distance) % u64::from(K));
                builder.push(Operation::Send { to: narrow(to), tag: round, bytes })?;
                builder.push(Operation::Receive { from: narrow(from), tag: round, bytes })?;
            }
        }
        builder.in_order()
    }
}

/// A rank below K, which has 32 bits.
fn narrow(rank: u64) -> u32 {
    u32::try_from(rank).unwrap_or(u32::MAX)
}
