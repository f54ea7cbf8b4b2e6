//! All ranks, as the process that gives them orders has them: over TCP the coordinator, over MPI rank 0.

use super::error::Error;
use super::wire::{Answer, Order};

/// The ranks of a run, over any transport.
pub trait Ranks {
    /// The number of ranks.
    fn size(&self) -> u32;

    /// The number of ranks that get a part of a task of K ranks; a part can be empty.
    fn in_task(&self, K: u32) -> u32;

    /// [`super::clock::domain`] of a rank.
    fn clock(&self, rank: u32) -> String;

    /// Gives an order.
    ///
    /// # Errors
    /// A rank that does not accept it in time; a request to stop.
    fn tell(&mut self, rank: u32, order: Order) -> Result<(), Error>;

    /// Waits until these ranks are ready, and lets those of `starters` begin.
    ///
    /// # Errors
    /// Errors of [`Ranks::collect`].
    fn start(&mut self, ranks: &[u32], starters: &[u32], doing: &str) -> Result<(), Error>;

    /// Waits for an answer of each of these ranks, in order.
    ///
    /// # Errors
    /// A rank that fails, gives another answer or none within the limit; a request to stop.
    fn collect<T>(
        &mut self,
        ranks: &[u32],
        doing: &str,
        take: impl Fn(Answer) -> Option<T>,
    ) -> Result<Vec<T>, Error>;

    /// The error of a rank.
    fn failed(&self, rank: u32, explanation: &str) -> Error;
}
