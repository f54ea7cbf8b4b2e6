//! Barrier under LogP: no rank leaves before every rank has entered.
//!
//! | symbol | meaning |
//! |---|---|
//! | `K` | ranks; all enter at time 0 |
//! | `D = L + 2o` | a hop: a message whose send begins at `t` is taken in by `t + D` |
//! | `g' = max(g, o)` | what separates two sends, or two receives, of one rank |
//!
//! A message tells its receiver which ranks have entered, as far as its sender knows when the send begins. The cost is
//! the time until every rank knows that all have entered, and every operation has ended.

pub mod dissemination;
pub mod linear;
pub mod problem;
pub mod simulator;

use super::LogP;
use crate::engine::fault::Fault;
use crate::engine::program::Program;
use crate::error::Error;

/// A barrier of K >= 1 ranks.
pub trait Barrier: Sync {
    /// When the last rank leaves, in time units of the machine.
    ///
    /// # Errors
    /// [`Error::Overflow`] where that does not fit in 64 bits.
    fn time(&self, model: LogP, K: u64) -> Result<u64, Error>;

    /// What every rank does, in order, with messages of `bytes` bytes.
    ///
    /// # Errors
    /// Those of the builder, for more operations than a program can have.
    fn program(&self, K: u32, bytes: u64) -> Result<Program, Fault>;
}
