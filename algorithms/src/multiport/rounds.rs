//! The rounds of a broadcast on several ports, and how large an instance may be.

use crate::error::Error;

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
    /// A send in the numbers in which schedules count; they all fit where [`check_size`] allows the schedule.
    #[inline]
    pub(super) fn of(from: u64, to: u64, message: u64) -> Option<Self> {
        match [from, to, message].map(u32::try_from) {
            [Ok(from), Ok(to), Ok(message)] => Some(Self { from, to, message }),
            _ => None,
        }
    }
}

/// Keeps one of the sends of a message to a node: the last batches fill several slots with a message.
pub(super) fn once_to_a_node(sends: &mut Vec<Transfer>) {
    // One number is compared faster than two.
    let key = |send: &Transfer| u64::from(send.to) << 32 | u64::from(send.message);
    sends.sort_unstable_by_key(key);
    sends.dedup_by_key(|send| key(send));
}

/// A schedule, round by round. It knows its algorithm only: judging it is the [simulator](super::simulator)'s work.
pub trait Rounds {
    /// Appends the sends of the next round; the caller clears the vector. False once the broadcast is over.
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool;
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
pub(super) fn check_size(n: u32, at_once: u32) -> Result<(), Error> {
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
