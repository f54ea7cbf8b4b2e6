//! Processors with several cpus or nics.

use super::classes::{Class, Classes, count};
use super::ports::{Gaps, Ports};
use super::program::Program;
use super::ready::{Ready, is_short};
use super::step::{Kind, NONE};
use super::times::NEVER;

/// Processors with several cpus or nics.
pub(super) struct Several<'a> {
    classes: &'a Classes,
    /// By index in the table.
    ready: Ready<1>,
    /// When each cpu is free, and when the gap of each direction of a nic ends; see [`Gaps::differ`].
    busy: Vec<u64>,
    /// The table index of the least ready operation of each class, for processors with many operations; [`NONE`] where none is.
    least: Vec<u32>,
    /// Whether [gaps differ](Gaps::differ).
    gaps_differ: bool,
}

impl<'a> Several<'a> {
    pub fn new(classes: &'a Classes, gaps_differ: bool) -> Self {
        let ranges = (0..classes.processors()).map(|processor| classes.indices(processor));
        let ready = Ready::new(classes.operations.len(), ranges);
        let least = vec![NONE; classes.classes.len()];
        Self {
            classes,
            ready,
            busy: vec![0; classes.resources as usize],
            least,
            gaps_differ,
        }
    }

    /// When a ready operation of a class can begin.
    #[inline]
    fn earliest(&self, class: u32) -> u64 {
        let Class { cpu, nic, .. } = self.classes.classes[class as usize];
        self.busy[cpu as usize].max(self.busy[nic as usize])
    }

    /// When an operation of a class may begin where gaps differ.
    fn earliest_by_gap(
        &self,
        program: &Program,
        operation: u32,
        class: u32,
        gaps: Gaps<'_>,
    ) -> u64 {
        let Class { cpu, nic, .. } = self.classes.classes[class as usize];
        if program.code(operation).0 != Kind::Receive {
            return self.earliest(class);
        }
        self.busy[cpu as usize].max(gaps.after(program, operation, self.busy[nic as usize]))
    }

    /// When and which operation begins next where gaps differ: a later receive of a class may begin earlier than the first.
    fn next_by_gap(
        &self,
        program: &Program,
        processor: u32,
        now: u64,
        gaps: Gaps<'_>,
    ) -> (u64, u32, u32) {
        let candidate = |index: u32| {
            let (operation, class) = self.classes.operations[index as usize];
            (
                now.max(self.earliest_by_gap(program, operation, class, gaps)),
                operation,
                class,
            )
        };
        self.ready
            .all(0, self.classes.indices(processor))
            .map(candidate)
            .min()
            .unwrap_or((NEVER, NONE, 0))
    }

    /// When and which operation begins next on a processor with many operations.
    fn next_of_many(&self, processor: u32, now: u64) -> (u64, u32, u32) {
        let least = |class: usize| {
            let operation = self.classes.operations.get(self.least[class] as usize)?.0;
            let class = count(class);
            Some((now.max(self.earliest(class)), operation, class))
        };
        self.classes
            .range(processor)
            .filter_map(least)
            .min()
            .unwrap_or((NEVER, NONE, 0))
    }
}

impl Ports for Several<'_> {
    /// No operation begins before this time.
    type Busy = u64;
    const ONE_AT_A_TIME: bool = false;

    fn idle() -> u64 {
        0
    }

    #[inline]
    fn ready(&mut self, program: &Program, processor: u32, operation: u32) {
        let index = self.classes.index[operation as usize];
        // As many as indices.
        let operations = program.range(processor);
        self.ready.insert(&operations, 0, index);
        if !is_short(&operations) {
            let least = &mut self.least[self.classes.operations[index as usize].1 as usize];
            *least = index.min(*least);
        }
    }

    #[inline]
    fn next(
        &self,
        program: &Program,
        processor: u32,
        &now: &u64,
        gaps: Gaps<'_>,
    ) -> (u64, u32, u32) {
        if self.gaps_differ {
            return self.next_by_gap(program, processor, now, gaps);
        }
        if !is_short(&program.range(processor)) {
            return self.next_of_many(processor, now);
        }
        let indices = self.classes.indices(processor);
        let mut left = self.ready.window(&indices)[0];
        let mut next = (NEVER, NONE, 0);
        while left != 0 {
            // The first of its class; there is a class after each.
            let index = indices.start + left.trailing_zeros();
            let (operation, class) = self.classes.operations[index as usize];
            next = next.min((now.max(self.earliest(class)), operation, class));
            let end = self.classes.members(class).end - indices.start;
            left &= u64::MAX.checked_shl(end).unwrap_or(0);
        }
        next
    }

    #[inline]
    fn alone(&self, program: &Program, operation: u32, &now: &u64, gaps: Gaps<'_>) -> (u64, u32) {
        let index = self.classes.index[operation as usize];
        let class = self.classes.operations[index as usize].1;
        let earliest = if self.gaps_differ {
            self.earliest_by_gap(program, operation, class, gaps)
        } else {
            self.earliest(class)
        };
        (now.max(earliest), class)
    }

    #[inline]
    fn wait(busy: &mut u64, until: u64) {
        *busy = until.max(*busy);
    }

    #[inline]
    fn now(busy: &u64) -> u64 {
        *busy
    }

    #[inline]
    fn take(&mut self, program: &Program, processor: u32, operation: u32, class: u32) {
        let operations = program.range(processor);
        let index = self.classes.index[operation as usize];
        self.ready.remove(&operations, 0, index);
        if !is_short(&operations) && self.least[class as usize] == index {
            self.least[class as usize] = self
                .ready
                .least(0, index..self.classes.members(class).end)
                .unwrap_or(NONE);
        }
    }

    #[inline]
    fn begin(&mut self, _: &mut u64, class: u32, end: u64, gap: u64) {
        let Class { cpu, nic, .. } = self.classes.classes[class as usize];
        // The order matters: a computation has no gap.
        self.busy[nic as usize] = gap;
        self.busy[cpu as usize] = end;
    }

    fn ends(&self, program: &Program, _: impl ExactSizeIterator<Item = u64>) -> Vec<u64> {
        let cpus = |processor| {
            self.classes.classes[self.classes.range(processor)]
                .iter()
                .map(|class| class.cpu as usize)
        };
        let end = |processor| cpus(processor).map(|cpu| self.busy[cpu]).max().unwrap_or(0);
        (0..program.processors()).map(end).collect()
    }
}
