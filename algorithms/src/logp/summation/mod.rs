//! Summation under LogP: N operands, P processors, the sum on processor 0.
//!
//! One rule is added to [LogP](super): a processor adds two numbers in one time unit. It cannot add during its overhead `o` of a send or
//! a receive; it can while a message is in transit. The algorithm chooses which rank has which operands.
//!
//! Summation is broadcast in reverse. A processor that must begin its send at T can use a partial sum that was sent by `T - D'`, where
//! `D' = L + 1 + 2o`: the message takes `L + 2o`, and adding it one unit. The one before that must have been sent `g' = max(g, o+1)`
//! earlier, because receiving and adding occupies `o + 1`. So the trees are the broadcast trees of a machine with D' for D and this g';
//! a processor's *label* is the time before the end at which it must begin its send.

mod audit;
pub mod optimal;
pub mod paper;
pub mod problem;
pub mod schedule;
pub mod simulator;
mod trace;
mod tree;

use super::LogP;
use crate::cost::Published;
use crate::error::{Error, refuse_if};
use schedule::Schedule;

/// A summation of `operands` numbers on `P` processors, the result on processor 0.
///
/// Both are at least 1; all methods check that with [`check_instance`].
pub trait Summation: Sync {
    /// When processor 0 holds the sum, in time units; an addition takes one.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an instance the algorithm does not solve, [`Error::Overflow`] where the time does not
    /// fit in 64 bits.
    fn time(&self, model: LogP, P: u64, operands: u64) -> Result<u64, Error>;

    /// The operations of each processor, in order.
    ///
    /// # Errors
    /// Errors of [`Summation::time`].
    fn schedule(&self, model: LogP, P: u32, operands: u64) -> Result<Schedule, Error>;

    /// The paper's figures for the cost, the most important first; none by default.
    fn published(&self, model: LogP, P: u64, operands: u64) -> Vec<Published> {
        let _ = (model, P, operands);
        Vec::new()
    }
}

/// Checks the size of a summation.
///
/// # Errors
/// [`Error::Parameter`] without a processor or without an operand.
pub fn check_instance(P: u64, operands: u64) -> Result<(), Error> {
    refuse_if!(P == 0, "P" = 0 => "expected at least 1: processor 0 holds the sum; write 1 for a single processor");
    refuse_if!(operands == 0, "operands" = 0 => "expected at least 1 operand; write 1 for a sum without additions");
    Ok(())
}

/// `g' = max(g, o+1)`: the least time between two partial sums that a processor receives.
#[must_use]
pub fn gap(model: LogP) -> u64 {
    model.g().max(model.o().saturating_add(1))
}

/// The machine whose reversed broadcast trees are the summation trees: `D()` is the module's D', `gap()` its g'. `None` where D' does
/// not fit in 64 bits.
fn backwards(model: LogP) -> Option<LogP> {
    LogP::new(model.L().checked_add(1)?, model.o(), gap(model)).ok()
}

/// The least number in `low..=high` that is large enough. All larger ones are, and `high` is.
fn least(mut low: u64, mut high: u64, enough: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
