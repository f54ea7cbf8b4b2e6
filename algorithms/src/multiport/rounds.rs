//! The rounds of a broadcast on several ports, and the limits of an instance.

use crate::error::{Error, refuse_if};
pub use crate::rounds::{Rounds, Transfer};

impl Transfer {
    /// A send. All numbers fit in a schedule that is executed.
    #[inline]
    pub(super) fn new(from: u64, to: u64, message: u64) -> Option<Self> {
        match [from, to, message].map(u32::try_from) {
            [Ok(from), Ok(to), Ok(message)] => Some(Self { from, to, message }),
            _ => None,
        }
    }
}

/// Removes duplicate sends of a message to a node: in the last batches several slots have the same message.
pub(super) fn once_to_a_node(sends: &mut Vec<Transfer>) {
    // Comparing one number is faster than two.
    let key = |send: &Transfer| u64::from(send.to) << 32 | u64::from(send.message);
    sends.sort_unstable_by_key(key);
    sends.dedup_by_key(|send| key(send));
}

/// The most sends in a round of a schedule (12 bytes each), and the most nodes in its trees together (4 bytes each; for the circulant
/// schedule up to 25 more).
pub const MAX_AT_ONCE: u64 = 1 << 25;

/// Checks that n, k and m are at least 1.
///
/// # Errors
/// [`Error::Parameter`] for 0.
pub fn check_instance(n: u64, k: u64, m: u64) -> Result<(), Error> {
    for (symbol, value, what) in [
        (
            "n",
            n,
            "n counts the source; write 1 for a broadcast that sends nothing",
        ),
        (
            "k",
            k,
            "a node without a port sends nothing; write 1 for one message at a time",
        ),
        (
            "m",
            m,
            "a broadcast has something to send; write 1 for a single message",
        ),
    ] {
        refuse_if!(value == 0, symbol = 0 => "expected at least 1: {what}");
    }
    Ok(())
}
