//! One message from one node to all of K under LogP: the trees, and the simulator that executes them.

pub mod audit;
pub mod binary;
pub mod chain;
pub mod fibonacci;
pub mod flat;
pub mod halving;
pub mod halving_floor;
pub mod k_nomial;
pub mod link_sharing;
pub mod opt_tree;
pub mod optimal;
pub mod problem;
pub(crate) mod recurrence;
pub(crate) mod rules;
pub mod schedule;
pub(crate) mod several_ports;
pub mod simulator;

use super::LogP;
use crate::cost::Published;
use crate::error::{Error, refuse_if};
use crate::plan::Family;
use optimal::neighbours::Neighbours;
use schedule::Schedule;

/// A multicast of one message from the node at position `source` to all of `1..=K`.
///
/// `K` counts the source and is at least 1; positions are `1..=K`, as in the papers. Callers ensure both: [`check_instance`].
#[expect(unused_variables, reason = "a default ignores what it does not need")]
pub trait Multicast: Sync {
    /// When the last node holds the message, in time units of the machine. It depends only on D and g' and grows with both.
    ///
    /// # Errors
    /// [`Error::Overflow`] where that does not fit in 64 bits.
    fn time(&self, model: LogP, K: u64, source: u64) -> Result<u64, Error>;

    /// The cost as [`Multicast::time`] computes it, from values kept of neighbouring points of a sweep.
    ///
    /// # Errors
    /// Errors of [`Multicast::time`].
    fn time_near(
        &self,
        model: LogP,
        K: u64,
        source: u64,
        neighbours: &mut Neighbours,
    ) -> Result<u64, Error> {
        self.time(model, K, source)
    }

    /// The receivers of each node, in order.
    fn schedule(&self, model: LogP, K: u32, source: u32) -> Schedule;

    /// The paper's figures for the cost, the most important first; none by default.
    fn published(&self, model: LogP, K: u64) -> Vec<Published> {
        Vec::new()
    }
}

/// A tree of numbers that count from the source, on all machines the same.
pub struct Numbered {
    /// The cost in closed form.
    pub(crate) time: fn(LogP, u64) -> Result<u64, Error>,
    /// The parent and the children of a number among K.
    pub(crate) family: fn(u64, u64) -> Family,
}

impl Multicast for Numbered {
    fn time(&self, model: LogP, K: u64, _: u64) -> Result<u64, Error> {
        (self.time)(model, K)
    }

    fn schedule(&self, _: LogP, K: u32, source: u32) -> Schedule {
        Schedule::from_family(K, source, |number| (self.family)(K.into(), number))
    }
}

/// Checks the size of a multicast and the position of its source.
///
/// # Errors
/// [`Error::Parameter`] for `K = 0` or a source outside `1..=K`.
pub fn check_instance(K: u64, source: u64) -> Result<(), Error> {
    refuse_if!(K == 0, "K" = 0 =>
        "expected at least 1: K counts the source; write 1 for a multicast that sends nothing");
    refuse_if!(source == 0 || source > K, "source" = source => "expected a position from 1 to K = {K}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_start_at_one() {
        assert!(check_instance(0, 0).is_err());
        assert!(check_instance(4, 0).is_err());
        assert!(check_instance(4, 5).is_err());
        assert!(check_instance(4, 4).is_ok());
    }
}
