//! The execution of a summation: the simulator writes it, the audit reads it.

use super::schedule::Operation;

/// An operation with its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// When it begins.
    pub start: u64,
    /// When it ends.
    pub end: u64,
    /// What it is.
    pub operation: Operation,
}

/// An executed schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// When processor 0 held the sum.
    pub finish: u64,
    /// The sum that it held.
    pub sum: u128,
    /// The operations, by processor.
    pub(super) spans: Vec<Span>,
    /// The spans of processor p end at `ends[p]`, where those of p + 1 begin.
    pub(super) ends: Vec<usize>,
}

impl Trace {
    /// The operations of processor p, in order.
    ///
    /// # Panics
    /// If p is not one of `0..P`.
    #[must_use]
    pub fn spans(&self, p: u32) -> &[Span] {
        let start = p
            .checked_sub(1)
            .map_or(0, |before| self.ends[before as usize]);
        &self.spans[start..self.ends[p as usize]]
    }
}

/// The value of operand i, such that different sets of operands have different sums with high probability.
pub(super) fn value(index: u64) -> u64 {
    let mixed = (index ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}
