//! Summation under LogP: N operands, P processors, the sum on processor 0.
//!
//! To the rules of [LogP](super) comes one: a processor adds two numbers in one time unit. While it spends its overhead
//! `o` on a send or a receive it cannot add; while a message is under way it can. The operands may lie wherever the
//! algorithm wants them.
//!
//! Summation is broadcast read backwards. A processor that must begin its send at T can use a partial sum that was
//! sent by `T - D'`, where `D' = L + 1 + 2o`: the message takes `L + 2o` and adding it a unit. The next one before
//! that must have been sent `g' = max(g, o+1)` earlier, for to receive one and to add it occupies `o + 1`. So the
//! trees are the broadcast trees of a machine with D' for D and this g'; a processor's *label* says how long before
//! the end it must begin its send.

mod audit;
pub mod optimal;
pub mod paper;
pub mod problem;
pub mod schedule;
pub mod simulator;
mod trace;
mod tree;
mod violation;

use super::LogP;
use crate::cost::Published;
use crate::error::Error;
use schedule::Schedule;

/// A summation of `operands` numbers on `P` processors, the result on processor 0.
///
/// Both are at least 1, which all of these check with [`check_instance`].
pub trait Summation: Sync {
    /// When processor 0 holds the sum, in time units; an addition takes one.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an instance the algorithm does not solve, [`Error::Overflow`] where the time does not
    /// fit in 64 bits.
    fn time(&self, model: LogP, P: u64, operands: u64) -> Result<u64, Error>;

    /// What each processor does, in which order.
    ///
    /// # Errors
    /// As [`Summation::time`].
    fn schedule(&self, model: LogP, P: u32, operands: u64) -> Result<Schedule, Error>;

    /// What the algorithm's paper says of its cost, headline first; nothing by default, nor where there is no time.
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
    if P == 0 {
        return Err(Error::parameter(
            "P",
            0,
            "expected at least 1, for processor 0 holds the sum; write 1 to add alone",
        ));
    }
    if operands == 0 {
        return Err(Error::parameter(
            "operands",
            0,
            "expected at least 1, for nothing has no sum; write 1 for a sum that needs no addition",
        ));
    }
    Ok(())
}

/// `g' = max(g, o+1)`: what separates the partial sums that a processor takes in, in time units.
#[must_use]
pub fn gap(model: LogP) -> u64 {
    model.g().max(model.o().saturating_add(1))
}

/// The machine whose broadcast trees, read backwards, are the summation trees: `D()` is D', `gap()` is g' of the
/// module. `None` where D' does not fit in 64 bits.
fn backwards(model: LogP) -> Option<LogP> {
    LogP::new(model.L().checked_add(1)?, model.o(), gap(model)).ok()
}

/// The least number in `low..=high` that is large enough, where all above it are, too, and `high` is.
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
