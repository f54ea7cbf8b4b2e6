//! Broadcast of several messages in the multiport model: bounds, algorithms, and the simulator that executes them.
//!
//! | symbol | meaning |
//! |---|---|
//! | `n` | nodes, the source included; they are `0..n`, and node 0 is the source |
//! | `k` | ports: how many messages a node may send, and how many it may receive, in a round |
//! | `m` | messages; they are `0..m`, all of one size, all at the source before the first round |
//!
//! In a round a node sends only what it held before the round. The cost is the number of rounds until every node
//! holds every message. For `n = 1` there is nothing to send, so that costs 0 rounds whatever `m` is.

pub mod balanced;
pub mod bounds;
pub mod chain;
pub mod circulant;
pub mod grouped;
pub mod hypercube;
pub mod k_tree;
pub mod packed;
pub(crate) mod problem;
pub mod repeated;
pub mod simulator;
pub mod trees;

use crate::cost::Published;
use crate::error::Error;
pub use trees::Trees;

/// One message from one node to another, in a round that the context gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Who sends, `0..n`.
    pub from: u32,
    /// Who receives, `0..n`.
    pub to: u32,
    /// What, `0..m`.
    pub message: u32,
}

impl Transfer {
    /// A send in the numbers in which schedules reckon; they all fit where [`check_size`] allows the schedule.
    #[inline]
    fn of(from: u64, to: u64, message: u64) -> Option<Self> {
        match [from, to, message].map(u32::try_from) {
            [Ok(from), Ok(to), Ok(message)] => Some(Self { from, to, message }),
            _ => None,
        }
    }
}

/// Keeps one of the sends of a message to a node: the last batches fill several slots with a message.
fn once_to_a_node(sends: &mut Vec<Transfer>) {
    sends.sort_unstable_by_key(|send| (send.to, send.message));
    sends.dedup_by_key(|send| (send.to, send.message));
}

/// A schedule, round by round. It knows its algorithm only: judging it is the [simulator]'s work.
pub trait Rounds {
    /// Appends the sends of the next round; the caller clears the vector. False once the broadcast is over.
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool;
}

/// A broadcast of m messages from node 0 to all n nodes with k ports.
///
/// All three are at least 1: [`check_instance`].
pub trait Broadcast: Sync {
    /// How many rounds it takes.
    ///
    /// # Errors
    /// [`Error::Overflow`] where that does not fit in 64 bits; [`Error::Parameter`] for an instance of nothing or one
    /// that the algorithm is not made for.
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error>;

    /// Who sends what to whom in each round.
    ///
    /// # Errors
    /// [`Error::Parameter`] as for [`Broadcast::rounds`], or where the schedule would not fit in memory:
    /// `n*min(k, m)` above [`MAX_AT_ONCE`].
    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error>;

    /// The k spanning trees down which the messages go, where the algorithm has them and they fit in memory:
    /// `n*k` up to [`MAX_AT_ONCE`].
    fn trees(&self, n: u32, k: u32) -> Option<Trees> {
        let _ = (n, k);
        None
    }

    /// What the algorithm's paper says of its cost, headline first; nothing by default.
    fn published(&self, n: u64, k: u64, m: u64) -> Vec<Published> {
        let _ = (n, k, m);
        Vec::new()
    }
}

/// Most sends in a round of a schedule, and most nodes in its trees together: 12 and 8 bytes each, and for the
/// circulant schedule up to 25 more.
pub const MAX_AT_ONCE: u64 = 1 << 25;

/// Checks that there is a node, a port and a message.
///
/// # Errors
/// [`Error::Parameter`] for a zero.
pub fn check_instance(n: u64, k: u64, m: u64) -> Result<(), Error> {
    let expected = |symbol, what: &str| Err(Error::parameter(symbol, 0, format!("expected at least 1, {what}")));
    if n == 0 {
        return expected("n", "for n counts the source itself; write 1 for a broadcast that sends nothing");
    }
    if k == 0 {
        return expected("k", "for a node without a port sends nothing; write 1 for one message at a time");
    }
    if m == 0 {
        return expected("m", "for a broadcast has something to send; write 1 for a single message");
    }
    Ok(())
}

/// Checks that a schedule whose rounds move up to `at_once` messages to each node fits in memory.
fn check_size(n: u32, at_once: u32) -> Result<(), Error> {
    let together = u64::from(n) * u64::from(at_once);
    if together <= MAX_AT_ONCE {
        return Ok(());
    }
    let expected = format!(
        "expected at most {MAX_AT_ONCE} for a schedule that is executed; the number of rounds is known at any size"
    );
    Err(Error::formula("n*min(k, m)", "n", together, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_that_is_too_large_blames_n() {
        assert_eq!(check_size(1 << 20, 32), Ok(()));
        let refused = check_size(1 << 20, 33);
        assert!(matches!(refused, Err(Error::Parameter { symbol: "n*min(k, m)", axis: "n", .. })), "{refused:?}");
    }
}
