//! The times of an execution: what a message costs, when a program is done, and which numbers are no times.

use super::fault::Fault;
use super::program::Program;
use crate::cost::LARGEST;

/// When a program was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// When the last processor was done, in time units of the machine.
    pub finish: u64,
    /// When each processor was done with its last operation; 0 where it has none.
    pub ends: Vec<u64>,
}

impl Completion {
    pub(super) fn new(ends: Vec<u64>) -> Self {
        Self { finish: ends.iter().copied().max().unwrap_or(0), ends }
    }
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

/// Times are before this: what is left of 64 bits says in place of a time that it is not known, and which of fewer than
/// 2^30 operations waits for it.
pub(super) const LATEST: u64 = LARGEST + 1;

/// `time + delay`, refusing what would wrap or is too late to be told from what is no time.
#[inline]
pub(super) fn later(time: u64, delay: u64, (processor, operation): (u32, u32)) -> Result<u64, Fault> {
    time.checked_add(delay).filter(|&sum| sum < LATEST).ok_or(Fault::TimeOverflow { operation, processor })
}

/// `time + gap`, from when a port may be used again; at [`LATEST`], which only unused ports can have, where that is too late.
#[inline]
pub(super) fn free_from(time: u64, gap: u64) -> u64 {
    time.saturating_add(gap).min(LATEST)
}

/// Checks that a message, by the place of its size, is not larger than its receive.
#[inline]
pub(super) fn fits(program: &Program, processor: u32, operation: u32, size: u32, room: u32) -> Result<(), Fault> {
    let (bytes, room) = (program.sizes[size as usize], program.sizes[room as usize]);
    if bytes > room { Err(Fault::Truncated { operation, processor, bytes, room }) } else { Ok(()) }
}
