//! What the operations of a processor occupy: one cpu and one nic, or several.

use std::ops::Range;

use super::program::Program;
use super::ready::{Ready, is_short};
use super::step::Kind;

/// What may begin on processors, and what they are busy with.
pub(super) trait Ports {
    /// A processor: how long it is busy.
    type Busy: Copy;

    /// Whether a processor does one thing at a time, and so begins nothing before the end of what it began last.
    const ONE_AT_A_TIME: bool;

    /// A processor that has done nothing.
    fn idle() -> Self::Busy;

    /// An operation is ready: it waits for nothing but for what it occupies.
    fn ready(&mut self, program: &Program, processor: u32, operation: u32);

    /// When what begins next does if nothing else gets ready, which it is, and its class. At `NEVER` where nothing is ready.
    fn next(&self, program: &Program, processor: u32, busy: &Self::Busy) -> (u64, u32, u32);

    /// When an operation begins if it is the only one that is ready, and its class.
    fn alone(&self, program: &Program, operation: u32, busy: &Self::Busy) -> (u64, u32);

    /// Lets no operation begin before.
    fn wait(busy: &mut Self::Busy, until: u64);

    /// Before this, no operation begins.
    fn now(busy: &Self::Busy) -> u64;

    /// An operation is ready no more.
    fn take(&mut self, program: &Program, processor: u32, operation: u32, class: u32);

    /// An operation of this class begins.
    fn begin(&mut self, busy: &mut Self::Busy, class: u32, end: u64, gap: u64);

    /// When each processor is done with its last operation.
    fn ends(&self, program: &Program, busy: impl ExactSizeIterator<Item = Self::Busy>) -> Vec<u64>;
}

/// Processors with one cpu, one nic to send and one to receive.
pub(super) struct Single {
    /// By kind of operation.
    ready: Ready<3>,
}

impl Single {
    /// As [`Ports::next`] for a processor with many operations.
    fn next_of_many(&self, range: Range<u32>, busy: &Clock) -> (u64, u32, u32) {
        let earliest = |kind| {
            let operation = self.ready.least(kind, range.clone())?;
            Some(candidate(busy[CPU].max(busy[kind]), operation, kind))
        };
        split((0..3).filter_map(earliest).min().unwrap_or(u128::MAX))
    }
}

/// When an operation of some class could begin: of several the least is the one that does.
#[inline]
fn candidate(time: u64, operation: u32, class: usize) -> u128 {
    u128::from(time) << 64 | u128::from(operation) << 32 | class as u128
}

/// The parts of a candidate.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the parts are put together from these types")]
fn split(candidate: u128) -> (u64, u32, u32) {
    ((candidate >> 64) as u64, (candidate >> 32) as u32, candidate as u32)
}

/// How long a processor is busy, by kind of operation: in place of a computation until when its cpu is, then until when the
/// gap after its last send lasts, and after its last receive.
pub(super) type Clock = [u64; 3];

/// The cpu in a [`Clock`].
const CPU: usize = Kind::Compute as usize;

impl Single {
    pub fn new(program: &Program) -> Self {
        let ranges = (0..program.processors()).map(|processor| program.range(processor));
        Self { ready: Ready::new(program.operations(), ranges) }
    }
}

impl Ports for Single {
    type Busy = Clock;
    const ONE_AT_A_TIME: bool = true;

    fn idle() -> Clock {
        [0; 3]
    }

    #[inline]
    fn ready(&mut self, program: &Program, processor: u32, operation: u32) {
        self.ready.insert(&program.range(processor), program.code(operation).0 as usize, operation);
    }

    #[inline]
    fn next(&self, program: &Program, processor: u32, busy: &Clock) -> (u64, u32, u32) {
        let range = program.range(processor);
        if !is_short(&range) {
            return self.next_of_many(range, busy);
        }
        let window = self.ready.window(&range);
        // No branch here: which kind comes next is hard to foretell.
        let earliest = |kind: usize| {
            let bits = window[kind];
            let nothing = u64::from(bits == 0).wrapping_neg();
            candidate(busy[CPU].max(busy[kind]) | nothing, range.start + bits.trailing_zeros(), kind)
        };
        split(earliest(0).min(earliest(1)).min(earliest(2)))
    }

    #[inline]
    fn wait(busy: &mut Clock, until: u64) {
        busy[CPU] = busy[CPU].max(until);
    }

    #[inline]
    fn now(busy: &Clock) -> u64 {
        busy[CPU]
    }

    #[inline]
    fn alone(&self, program: &Program, operation: u32, busy: &Clock) -> (u64, u32) {
        let kind = program.code(operation).0;
        (busy[CPU].max(busy[kind as usize]), kind as u32)
    }

    #[inline]
    fn take(&mut self, program: &Program, processor: u32, operation: u32, kind: u32) {
        self.ready.remove(&program.range(processor), kind as usize, operation);
    }

    #[inline]
    fn begin(&mut self, busy: &mut Clock, kind: u32, end: u64, gap: u64) {
        // In this order: a computation has no gap.
        busy[kind as usize] = gap;
        busy[CPU] = end;
    }

    fn ends(&self, _: &Program, busy: impl ExactSizeIterator<Item = Clock>) -> Vec<u64> {
        busy.map(|busy| busy[CPU]).collect()
    }
}
