//! Processors with several cpus or nics.

use std::collections::BTreeMap;
use std::ops::Range;

use super::NEVER;
use super::ports::Ports;
use super::program::{NONE, Program};
use super::ready::{Ready, is_short};
use super::step::Kind;

/// Operations of a processor that occupy the same things, and so can begin at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Class {
    /// Its operations begin there in the table.
    first: u32,
    /// Which cpu and which direction of which nic, over all processors; of a computation the cpu twice.
    cpu: u32,
    nic: u32,
}

/// The operations of a program by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Classes {
    /// Processor p has the classes `first[p]..first[p + 1]`.
    first: Vec<u32>,
    /// One more than there are.
    classes: Vec<Class>,
    /// The operations, processor by processor, class by class, by number, and the class of each.
    operations: Vec<(u32, u32)>,
    /// Where each of them stands there.
    places: Vec<u32>,
    /// How many cpus and directions of nics there are.
    resources: u32,
}

impl Classes {
    /// The classes of a program; none if it needs but one cpu and one nic of each processor.
    pub fn of(program: &Program) -> Option<Self> {
        let processors = program.processors();
        if program.places.is_empty() || (0..processors).all(|processor| is_single(program, processor)) {
            return None;
        }
        let mut all = Self {
            first: Vec::with_capacity(processors as usize + 1),
            classes: Vec::new(),
            operations: Vec::with_capacity(program.operations()),
            places: vec![0; program.operations()],
            resources: 0,
        };
        // In place of a cpu, the kind and the nic.
        let mut known: BTreeMap<(Option<Kind>, u8), u32> = BTreeMap::new();
        for processor in 0..processors {
            all.first.push(count(all.classes.len()));
            known.clear();
            let start = all.operations.len();
            all.operations.extend(program.range(processor).map(|operation| (operation, 0)));
            all.operations[start..].sort_unstable_by_key(|&(operation, _)| (key(program, operation), operation));
            let mut last = None;
            for place in start..all.operations.len() {
                let operation = all.operations[place].0;
                let (kind, cpu, nic) = key(program, operation);
                if last.replace((kind, cpu, nic)) != Some((kind, cpu, nic)) {
                    let mut resource = |name| {
                        *known.entry(name).or_insert_with(|| {
                            all.resources += 1;
                            all.resources - 1
                        })
                    };
                    let cpu = resource((None, cpu));
                    let nic = if kind == Kind::Compute { cpu } else { resource((Some(kind), nic)) };
                    all.classes.push(Class { first: count(place), cpu, nic });
                }
                all.operations[place].1 = count(all.classes.len() - 1);
                all.places[operation as usize] = count(place);
            }
        }
        all.first.push(count(all.classes.len()));
        all.classes.push(Class { first: count(all.operations.len()), cpu: NONE, nic: NONE });
        Some(all)
    }

    /// The classes of a processor.
    fn range(&self, processor: u32) -> Range<usize> {
        self.first[processor as usize] as usize..self.first[processor as usize + 1] as usize
    }

    /// Where the operations of a class stand in the table.
    fn members(&self, class: u32) -> Range<u32> {
        self.classes[class as usize].first..self.classes[class as usize + 1].first
    }

    /// Where the operations of a processor stand in the table.
    fn places(&self, processor: u32) -> Range<u32> {
        let range = self.range(processor);
        self.classes[range.start].first..self.classes[range.end].first
    }
}

/// Of things of which there is at most one for each operation.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
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
    /// When each cpu is free, and when the gap of each direction of a nic is over.
    busy: Vec<u64>,
}

impl<'a> Several<'a> {
    pub fn new(classes: &'a Classes) -> Self {
        let ranges = (0..count(classes.first.len() - 1)).map(|processor| classes.places(processor));
        let ready = Ready::new(classes.operations.len(), ranges);
        Self { classes, ready, busy: vec![0; classes.resources as usize] }
    }

    /// When an operation of a class may begin that is ready.
    #[inline]
    fn earliest(&self, class: u32) -> u64 {
        let Class { cpu, nic, .. } = self.classes.classes[class as usize];
        self.busy[cpu as usize].max(self.busy[nic as usize])
    }

    /// As [`Ports::next`] for a processor with many operations.
    fn next_of_many(&self, processor: u32, now: u64) -> (u64, u32, u32) {
        let least = |class: usize| {
            let class = count(class);
            let place = self.ready.least(0, self.classes.members(class))?;
            Some((now.max(self.earliest(class)), self.classes.operations[place as usize].0, class))
        };
        self.classes.range(processor).filter_map(least).min().unwrap_or((NEVER, NONE, 0))
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
    fn ready(&mut self, _: &Program, processor: u32, operation: u32) {
        self.ready.insert(&self.classes.places(processor), 0, self.classes.places[operation as usize]);
    }

    #[inline]
    fn next(&self, _: &Program, processor: u32, &now: &u64) -> (u64, u32, u32) {
        let places = self.classes.places(processor);
        if !is_short(&places) {
            return self.next_of_many(processor, now);
        }
        let mut left = self.ready.window(&places)[0];
        let mut next = (NEVER, NONE, 0);
        while left != 0 {
            // The first of its class; there is a class after each.
            let place = places.start + left.trailing_zeros();
            let (operation, class) = self.classes.operations[place as usize];
            next = next.min((now.max(self.earliest(class)), operation, class));
            let end = self.classes.members(class).end - places.start;
            left &= u64::MAX.checked_shl(end).unwrap_or(0);
        }
        next
    }

    #[inline]
    fn alone(&self, _: &Program, operation: u32, &now: &u64) -> (u64, u32) {
        let place = self.classes.places[operation as usize];
        let class = self.classes.operations[place as usize].1;
        (now.max(self.earliest(class)), class)
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
    fn take(&mut self, _: &Program, processor: u32, operation: u32, _: u32) {
        self.ready.remove(&self.classes.places(processor), 0, self.classes.places[operation as usize]);
    }

    #[inline]
    fn begin(&mut self, _: &mut u64, class: u32, end: u64, gap: u64) {
        let Class { cpu, nic, .. } = self.classes.classes[class as usize];
        // In this order: a computation has no gap.
        self.busy[nic as usize] = gap;
        self.busy[cpu as usize] = end;
    }

    fn ends(&self, program: &Program, _: impl ExactSizeIterator<Item = u64>) -> Vec<u64> {
        let cpus =
            |processor| self.classes.classes[self.classes.range(processor)].iter().map(|class| class.cpu as usize);
        let end = |processor| cpus(processor).map(|cpu| self.busy[cpu]).max().unwrap_or(0);
        (0..program.processors()).map(end).collect()
    }
}
