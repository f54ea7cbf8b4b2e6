//! What the operations of a processor occupy: one cpu and one nic, or several.

use super::NEVER;
use super::program::{Kind, NONE, Program};
use super::ready::Ready;

/// What may begin on processors, and what they are busy with.
pub(super) trait Ports {
    /// A processor: how long it is busy.
    type Busy: Copy;

    /// Whether a processor does one thing at a time, and so begins nothing before the end of what it began last.
    const ONE_AT_A_TIME: bool;

    /// A processor that has done nothing.
    fn idle() -> Self::Busy;

    /// An operation is ready: it waits for nothing but for what it occupies.
    fn ready(&mut self, program: &Program, operation: u32);

    /// What begins next, if nothing else gets ready, when, and its class. [`NEVER`] where nothing is ready.
    fn next(&self, program: &Program, processor: u32, busy: &Self::Busy) -> (u64, u32, u32);

    /// No operation begins before.
    fn wait(busy: &mut Self::Busy, until: u64);

    /// No operation begins before.
    fn now(busy: &Self::Busy) -> u64;

    /// An operation of this class, the next one, begins.
    fn begin(
        &mut self,
        program: &Program,
        processor: u32,
        begun: (u32, u32),
        busy: &mut Self::Busy,
        end: u64,
        gap: u64,
    );

    /// When each processor is done with its last operation.
    fn ends(&self, program: &Program, busy: impl ExactSizeIterator<Item = Self::Busy>) -> Vec<u64>;
}

/// Processors with one cpu, one nic to send and one to receive.
pub(super) struct Single {
    /// By kind of operation.
    ready: Ready<3>,
}

/// How long a processor is busy.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// When the cpu is free.
    free: u64,
    /// When the gap after its last send, and its last receive, is over.
    send_gap: u64,
    receive_gap: u64,
}

impl Single {
    pub fn new(program: &Program) -> Self {
        Self { ready: Ready::new(program.operations()) }
    }
}

impl Ports for Single {
    type Busy = Clock;
    const ONE_AT_A_TIME: bool = true;

    fn idle() -> Clock {
        Clock { free: 0, send_gap: 0, receive_gap: 0 }
    }

    #[inline]
    fn ready(&mut self, program: &Program, operation: u32) {
        self.ready.insert(program.code(operation).0 as usize, operation);
    }

    #[inline]
    fn next(&self, program: &Program, processor: u32, busy: &Clock) -> (u64, u32, u32) {
        let (start, end) = program.ranges[processor as usize];
        let mut next = (NEVER, NONE, 0);
        for (kind, gap) in [(Kind::Compute, 0), (Kind::Send, busy.send_gap), (Kind::Receive, busy.receive_gap)] {
            if let Some(operation) = self.ready.least(kind as usize, start, end) {
                next = next.min((busy.free.max(gap), operation, kind as u32));
            }
        }
        next
    }

    #[inline]
    fn wait(busy: &mut Clock, until: u64) {
        busy.free = busy.free.max(until);
    }

    #[inline]
    fn now(busy: &Clock) -> u64 {
        busy.free
    }

    #[inline]
    fn begin(&mut self, _: &Program, _: u32, (operation, kind): (u32, u32), busy: &mut Clock, end: u64, gap: u64) {
        self.ready.remove(kind as usize, operation);
        busy.free = end;
        if kind == Kind::Send as u32 {
            busy.send_gap = gap;
        } else if kind == Kind::Receive as u32 {
            busy.receive_gap = gap;
        }
    }

    fn ends(&self, _: &Program, busy: impl ExactSizeIterator<Item = Clock>) -> Vec<u64> {
        busy.map(|busy| busy.free).collect()
    }
}

/// Operations of a processor that occupy the same things, and so can begin at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Class {
    kind: Kind,
    cpu: u8,
    nic: u8,
    /// Its operations begin there in the table.
    first: u32,
}

/// The operations of a program by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Classes {
    /// Processor p has the classes `first[p]..first[p + 1]`.
    first: Vec<u32>,
    /// One more than there are.
    classes: Vec<Class>,
    /// The operations, processor by processor, class by class, by number.
    operations: Vec<u32>,
    /// Where each of them stands there.
    places: Vec<u32>,
}

impl Classes {
    /// The classes of a program; none if it needs but one cpu and one nic of each processor.
    pub fn of(program: &Program) -> Option<Self> {
        let processors = program.processors();
        if program.places.is_empty() || (0..processors).all(|processor| is_single(program, processor)) {
            return None;
        }
        let count = |length: usize| u32::try_from(length).unwrap_or(NONE);
        let mut all = Self {
            first: Vec::with_capacity(processors as usize + 1),
            classes: Vec::new(),
            operations: Vec::with_capacity(program.operations()),
            places: vec![0; program.operations()],
        };
        for processor in 0..processors {
            all.first.push(count(all.classes.len()));
            let start = all.operations.len();
            all.operations.extend(program.range(processor));
            all.operations[start..].sort_unstable_by_key(|&operation| (key(program, operation), operation));
            let mut last = None;
            for place in start..all.operations.len() {
                let operation = all.operations[place];
                let (kind, cpu, nic) = key(program, operation);
                if last.replace((kind, cpu, nic)) != Some((kind, cpu, nic)) {
                    all.classes.push(Class { kind, cpu, nic, first: count(place) });
                }
                all.places[operation as usize] = count(place);
            }
        }
        all.first.push(count(all.classes.len()));
        all.classes.push(Class { kind: Kind::Compute, cpu: 0, nic: 0, first: count(all.operations.len()) });
        Some(all)
    }

    fn range(&self, processor: u32) -> std::ops::Range<usize> {
        self.first[processor as usize] as usize..self.first[processor as usize + 1] as usize
    }
}

/// What an operation occupies; a computation needs no nic.
fn key(program: &Program, operation: u32) -> (Kind, u8, u8) {
    let (cpu, nic) = program.places.get(operation as usize).copied().unwrap_or((0, 0));
    let kind = program.code(operation).0;
    (kind, cpu, if kind == Kind::Compute { 0 } else { nic })
}

/// Whether all operations of a processor are on one cpu, and those of one kind on one nic.
fn is_single(program: &Program, processor: u32) -> bool {
    let mut nics = [None; 3];
    let mut cpus = None;
    program.range(processor).all(|operation| {
        let (kind, cpu, nic) = key(program, operation);
        *cpus.get_or_insert(cpu) == cpu && *nics[kind as usize].get_or_insert(nic) == nic
    })
}

/// Processors with several cpus or nics.
pub(super) struct Several<'a> {
    classes: &'a Classes,
    /// By place in the table.
    ready: Ready<1>,
    /// Of each class: when its cpu is free, and when the gap of its nic is over; of one direction, so that no other class
    /// needs it but those of other cpus.
    busy: Vec<(u64, u64)>,
}

impl<'a> Several<'a> {
    pub fn new(classes: &'a Classes) -> Self {
        let busy = vec![(0, 0); classes.classes.len() - 1];
        Self { classes, ready: Ready::new(classes.operations.len()), busy }
    }
}

impl Ports for Several<'_> {
    /// Before when nothing begins.
    type Busy = u64;
    const ONE_AT_A_TIME: bool = false;

    fn idle() -> u64 {
        0
    }

    #[inline]
    fn ready(&mut self, _: &Program, operation: u32) {
        self.ready.insert(0, self.classes.places[operation as usize]);
    }

    #[inline]
    fn next(&self, _: &Program, processor: u32, &now: &u64) -> (u64, u32, u32) {
        let mut next = (NEVER, NONE, 0);
        for (number, pair) in (0u32..).zip(self.classes.classes[self.range_with_end(processor)].windows(2)) {
            if let Some(place) = self.ready.least(0, pair[0].first, pair[1].first) {
                let class = self.classes.first[processor as usize] + number;
                let (free, gap) = self.busy[class as usize];
                next = next.min((now.max(free).max(gap), self.classes.operations[place as usize], class));
            }
        }
        next
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
    fn begin(&mut self, _: &Program, processor: u32, (operation, class): (u32, u32), _: &mut u64, end: u64, gap: u64) {
        self.ready.remove(0, self.classes.places[operation as usize]);
        let Class { kind, cpu, nic, .. } = self.classes.classes[class as usize];
        let range = self.classes.range(processor);
        for (other, busy) in self.classes.classes[range.clone()].iter().zip(&mut self.busy[range]) {
            if other.cpu == cpu {
                busy.0 = end;
            }
            if other.nic == nic && other.kind == kind {
                busy.1 = gap;
            }
        }
    }

    fn ends(&self, program: &Program, _: impl ExactSizeIterator<Item = u64>) -> Vec<u64> {
        let end = |processor| self.busy[self.classes.range(processor)].iter().map(|busy| busy.0).max().unwrap_or(0);
        (0..program.processors()).map(end).collect()
    }
}

impl Several<'_> {
    fn range_with_end(&self, processor: u32) -> std::ops::RangeInclusive<usize> {
        let range = self.classes.range(processor);
        range.start..=range.end
    }
}
