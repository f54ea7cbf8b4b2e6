//! The times of an execution, and the numbers that are no times.

use super::fault::Fault;
use super::program::Program;
use crate::cost::LARGEST;

/// When a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// When the last processor ended, in time units of the machine.
    pub finish: u64,
    /// When the last operation of each processor ended; 0 where it has none.
    pub ends: Vec<u64>,
}

impl Completion {
    pub(super) fn new(ends: Vec<u64>) -> Self {
        Self {
            finish: ends.iter().copied().max().unwrap_or(0),
            ends,
        }
    }
}

/// An operation that begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    /// Who does it.
    pub processor: u32,
    /// Its number in the program.
    pub operation: u32,
    /// When it begins.
    pub start: u64,
    /// The number of its message, which a send and its receive share; no meaning for a computation.
    pub message: u32,
}

/// What a message costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub L: u64,
    pub o: u64,
    pub g: u64,
}

/// Not yet; later than any time.
pub(super) const NEVER: u64 = u64::MAX;

/// Times are before this. The larger 64-bit numbers mean an unknown time, and encode which of at most 2^30 operations waits for it.
pub(super) const LATEST: u64 = LARGEST + 1;

/// `time + delay`; an error from [`LATEST`] on.
#[inline]
pub(super) fn later(
    time: u64,
    delay: u64,
    (processor, operation): (u32, u32),
) -> Result<u64, Fault> {
    time.checked_add(delay)
        .filter(|&sum| sum < LATEST)
        .ok_or(Fault::TimeOverflow {
            operation,
            processor,
        })
}

/// `time + gap`, when a port is free again; at most [`LATEST`], which only ports have that are not used again.
#[inline]
pub(super) fn free_from(time: u64, gap: u64) -> u64 {
    time.saturating_add(gap).min(LATEST)
}

/// When a message with this gap can be received after a receive that began at `last`; 0 for the first one, because none begins
/// at 0.
#[inline]
pub(super) fn after_receive(last: u64, gap: u64) -> u64 {
    if last == 0 { 0 } else { free_from(last, gap) }
}

/// Checks that a message is not larger than its receive. Both sizes are indices.
#[inline]
pub(super) fn fits(
    program: &Program,
    processor: u32,
    operation: u32,
    size: u32,
    room: u32,
) -> Result<(), Fault> {
    let (bytes, room) = (program.sizes[size as usize], program.sizes[room as usize]);
    if bytes > room {
        Err(Fault::Truncated {
            operation,
            processor,
            bytes,
            room,
        })
    } else {
        Ok(())
    }
}
