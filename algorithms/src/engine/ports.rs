//! The resources that operations of a processor occupy: one cpu and one nic, or several.

use std::ops::Range;

use super::mail::Mail;
use super::program::Program;
use super::ready::{Ready, is_short};
use super::step::Kind;
use super::times::{Cost, after_receive};

/// The ready operations of processors, and their busy resources.
pub(super) trait Ports {
    /// How long the resources of a processor are busy.
    type Busy: Copy;

    /// Whether a processor executes one operation at a time.
    const ONE_AT_A_TIME: bool;

    /// A processor before its first operation.
    fn idle() -> Self::Busy;

    /// An operation is ready: it waits only for its resources.
    fn ready(&mut self, program: &Program, processor: u32, operation: u32);

    /// The start of the next operation if no other gets ready, its number and its class. `NEVER` where none is ready.
    fn next(
        &self,
        program: &Program,
        processor: u32,
        busy: &Self::Busy,
        gaps: Gaps<'_>,
    ) -> (u64, u32, u32);

    /// The start of an operation that is the only ready one, and its class.
    fn alone(
        &self,
        program: &Program,
        operation: u32,
        busy: &Self::Busy,
        gaps: Gaps<'_>,
    ) -> (u64, u32);

    /// Lets no operation begin before.
    fn wait(busy: &mut Self::Busy, until: u64);

    /// Before this, no operation begins.
    fn now(busy: &Self::Busy) -> u64;

    /// An operation is no longer ready.
    fn take(&mut self, program: &Program, processor: u32, operation: u32, class: u32);

    /// An operation of this class begins.
    fn begin(&mut self, busy: &mut Self::Busy, class: u32, end: u64, gap: u64);

    /// When the last operation of each processor ends.
    fn ends(&self, program: &Program, busy: impl ExactSizeIterator<Item = Self::Busy>) -> Vec<u64>;
}

/// The gaps of the messages of receives that are ready.
#[derive(Clone, Copy)]
pub(super) struct Gaps<'a> {
    pub mail: &'a Mail,
    pub costs: &'a [Cost],
}

impl Gaps<'_> {
    /// Whether messages have different gaps. Then what is kept of a port that receives is when its last receive began; else
    /// when the gap after that is over.
    pub fn differ(costs: &[Cost]) -> bool {
        costs.windows(2).any(|pair| pair[0].g != pair[1].g)
    }

    /// From when on a port may receive the message of this receive, if its last receive began at `last`.
    #[inline]
    pub fn after(self, program: &Program, receive: u32, last: u64) -> u64 {
        let size = self.mail.size(self.mail.taken(program, receive));
        after_receive(last, self.costs[size as usize].g)
    }
}

/// Processors with one cpu, one nic to send and one to receive.
pub(super) struct Single {
    /// By kind of operation.
    ready: Ready<3>,
    /// Whether [gaps differ](Gaps::differ).
    gaps_differ: bool,
}

impl Single {
    /// When and which operation begins next on a processor with many operations.
    fn next_of_many(&self, range: Range<u32>, busy: &Clock) -> (u64, u32, u32) {
        let earliest = |kind| {
            let operation = self.ready.least(kind, range.clone())?;
            Some(candidate(busy[CPU].max(busy[kind]), operation, kind))
        };
        split((0..3).filter_map(earliest).min().unwrap_or(u128::MAX))
    }

    /// When and which operation begins next where gaps differ: a later receive may begin earlier than the first.
    fn next_by_gap(
        &self,
        program: &Program,
        range: Range<u32>,
        busy: &Clock,
        gaps: Gaps<'_>,
    ) -> (u64, u32, u32) {
        let all = |kind| self.ready.all(kind, range.clone());
        let first = |kind| {
            all(kind)
                .next()
                .map(|operation| candidate(busy[CPU].max(busy[kind]), operation, kind))
        };
        let receive = |operation| {
            let start = gaps.after(program, operation, busy[RECEIVE]);
            candidate(busy[CPU].max(start), operation, RECEIVE)
        };
        let others = [CPU, SEND].into_iter().filter_map(first);
        split(
            others
                .chain(all(RECEIVE).map(receive))
                .min()
                .unwrap_or(u128::MAX),
        )
    }
}

/// When an operation of some class could begin; the least of several begins.
#[inline]
fn candidate(time: u64, operation: u32, class: usize) -> u128 {
    u128::from(time) << 64 | u128::from(operation) << 32 | class as u128
}

/// The parts of a candidate.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the parts are put together from these types"
)]
fn split(candidate: u128) -> (u64, u32, u32) {
    (
        (candidate >> 64) as u64,
        (candidate >> 32) as u32,
        candidate as u32,
    )
}

/// How long a processor is busy, by kind of operation: its cpu, the gap after its last send, the gap after its last receive.
pub(super) type Clock = [u64; 3];

/// The indices of a [`Clock`].
const CPU: usize = Kind::Compute as usize;
const SEND: usize = Kind::Send as usize;
const RECEIVE: usize = Kind::Receive as usize;

impl Single {
    pub fn new(program: &Program, gaps_differ: bool) -> Self {
        let ranges = (0..program.processors()).map(|processor| program.range(processor));
        Self {
            ready: Ready::new(program.operations(), ranges),
            gaps_differ,
        }
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
        self.ready.insert(
            &program.range(processor),
            program.code(operation).0 as usize,
            operation,
        );
    }

    #[inline]
    fn next(
        &self,
        program: &Program,
        processor: u32,
        busy: &Clock,
        gaps: Gaps<'_>,
    ) -> (u64, u32, u32) {
        let range = program.range(processor);
        if self.gaps_differ {
            return self.next_by_gap(program, range, busy, gaps);
        }
        if !is_short(&range) {
            return self.next_of_many(range, busy);
        }
        let window = self.ready.window(&range);
        // No branch: the cpu cannot predict which kind comes next.
        let earliest = |kind: usize| {
            let bits = window[kind];
            let nothing = u64::from(bits == 0).wrapping_neg();
            candidate(
                busy[CPU].max(busy[kind]) | nothing,
                range.start + bits.trailing_zeros(),
                kind,
            )
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
    fn alone(&self, program: &Program, operation: u32, busy: &Clock, gaps: Gaps<'_>) -> (u64, u32) {
        let kind = program.code(operation).0;
        let port = if self.gaps_differ && kind == Kind::Receive {
            gaps.after(program, operation, busy[RECEIVE])
        } else {
            busy[kind as usize]
        };
        (busy[CPU].max(port), kind as u32)
    }

    #[inline]
    fn take(&mut self, program: &Program, processor: u32, operation: u32, kind: u32) {
        self.ready
            .remove(&program.range(processor), kind as usize, operation);
    }

    #[inline]
    fn begin(&mut self, busy: &mut Clock, kind: u32, end: u64, gap: u64) {
        // The order matters: a computation has no gap.
        busy[kind as usize] = gap;
        busy[CPU] = end;
    }

    fn ends(&self, _: &Program, busy: impl ExactSizeIterator<Item = Clock>) -> Vec<u64> {
        busy.map(|busy| busy[CPU]).collect()
    }
}
