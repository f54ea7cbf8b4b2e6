//! The ready operations of processors, and the cpus and nics that they occupy.

use super::classes::{Class, Classes};
use super::mail::Mail;
use super::program::Program;
use super::ready::Ready;
use super::step::{Kind, NONE};
use super::times::{Cost, NEVER, after_receive};

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
    fn after(self, program: &Program, receive: u32, last: u64) -> u64 {
        let size = self.mail.size(self.mail.taken(program, receive));
        after_receive(last, self.costs[size as usize].g)
    }
}

/// The ready operations of all processors, and their busy resources.
pub(super) struct Ports<'a> {
    classes: &'a Classes,
    /// By index in the table of classes.
    ready: Ready,
    /// When each cpu is free, and when the gap of each direction of a nic ends; see [`Gaps::differ`].
    busy: Vec<u64>,
    /// The table index of the least ready operation of each class; [`NONE`] where none is.
    least: Vec<u32>,
    /// Whether [gaps differ](Gaps::differ).
    gaps_differ: bool,
}

impl<'a> Ports<'a> {
    pub fn new(classes: &'a Classes, gaps_differ: bool) -> Self {
        let least = vec![NONE; classes.classes.len()];
        let busy = vec![0; classes.resources as usize];
        Self { classes, ready: Ready::new(classes.operations.len()), busy, least, gaps_differ }
    }

    /// When an operation of a class can begin, as far as its resources are concerned.
    #[inline]
    fn earliest(&self, program: &Program, operation: u32, class: u32, gaps: Gaps<'_>) -> u64 {
        let Class { cpu, nic, .. } = self.classes.classes[class as usize];
        let free = self.busy[nic as usize];
        let is_receive = self.gaps_differ && program.code(operation).0 == Kind::Receive;
        self.busy[cpu as usize].max(if is_receive { gaps.after(program, operation, free) } else { free })
    }

    /// An operation is ready: it waits only for its resources.
    #[inline]
    pub fn ready(&mut self, operation: u32) {
        let index = self.classes.index[operation as usize];
        self.ready.insert(index);
        let least = &mut self.least[self.classes.operations[index as usize].1 as usize];
        *least = index.min(*least);
    }

    /// The start of the next operation from `now` on if no other gets ready, its number and its class. [`NEVER`] where none is
    /// ready.
    #[inline]
    pub fn next(&self, program: &Program, processor: u32, now: u64, gaps: Gaps<'_>) -> (u64, u32, u32) {
        let candidate = |index: u32| {
            let &(operation, class) = self.classes.operations.get(index as usize)?;
            Some((now.max(self.earliest(program, operation, class, gaps)), operation, class))
        };
        let next = if self.gaps_differ {
            // A later receive of a class may begin earlier than the first.
            self.ready.all(self.classes.indices(processor)).filter_map(candidate).min()
        } else {
            self.least[self.classes.range(processor)].iter().filter_map(|&index| candidate(index)).min()
        };
        next.unwrap_or((NEVER, NONE, 0))
    }

    /// The start of an operation that is the only ready one, and its class.
    #[inline]
    pub fn alone(&self, program: &Program, operation: u32, now: u64, gaps: Gaps<'_>) -> (u64, u32) {
        let class = self.classes.operations[self.classes.index[operation as usize] as usize].1;
        (now.max(self.earliest(program, operation, class, gaps)), class)
    }

    /// An operation is no longer ready.
    #[inline]
    pub fn take(&mut self, operation: u32, class: u32) {
        let index = self.classes.index[operation as usize];
        self.ready.remove(index);
        if self.least[class as usize] == index {
            self.least[class as usize] = self.ready.least(index..self.classes.members(class).end).unwrap_or(NONE);
        }
    }

    /// An operation of this class begins.
    #[inline]
    pub fn begin(&mut self, class: u32, end: u64, gap: u64) {
        let Class { cpu, nic, .. } = self.classes.classes[class as usize];
        // The order matters: a computation has no gap.
        self.busy[nic as usize] = gap;
        self.busy[cpu as usize] = end;
    }

    /// When the last operation of each processor ends.
    pub fn ends(&self) -> Vec<u64> {
        let cpus =
            |processor| self.classes.classes[self.classes.range(processor)].iter().map(|class| class.cpu as usize);
        let end = |processor| cpus(processor).map(|cpu| self.busy[cpu]).max().unwrap_or(0);
        (0..self.classes.processors()).map(end).collect()
    }
}
