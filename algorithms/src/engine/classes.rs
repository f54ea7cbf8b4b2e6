//! The operations of a processor with several cpus or nics, by the resources that they occupy.

use std::collections::BTreeMap;
use std::ops::Range;

use super::program::Program;
use super::step::{Kind, NONE};

/// Operations of a processor that occupy the same resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class {
    /// The index of its first operation in the table.
    first: u32,
    /// Its cpu and its direction of a nic, numbered over all processors; for a computation the cpu twice.
    pub cpu: u32,
    pub nic: u32,
}

/// The operations of a program by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Classes {
    /// Processor p has the classes `first[p]..first[p + 1]`.
    first: Vec<u32>,
    /// All classes, and one more as an end.
    pub classes: Vec<Class>,
    /// The operations, processor by processor, class by class, by number, and the class of each.
    pub operations: Vec<(u32, u32)>,
    /// The index of each operation in that table.
    pub index: Vec<u32>,
    /// How many cpus and directions of nics there are.
    pub resources: u32,
}

impl Classes {
    /// The classes of the operations of a program.
    pub fn new(program: &Program) -> Self {
        let count_of_all = program.operations();
        let mut all = Self {
            first: Vec::with_capacity(program.ranges.len() + 1),
            classes: Vec::new(),
            operations: Vec::with_capacity(count_of_all),
            index: vec![0; count_of_all],
            resources: 0,
        };
        // By name: of a cpu no kind and its number, of a direction of a nic the kind of its messages and the number.
        let mut known: BTreeMap<(Option<Kind>, u32), u32> = BTreeMap::new();
        let mut keyed = Vec::new();
        for processor in 0..program.processors() {
            all.first.push(count(all.classes.len()));
            known.clear();
            keyed.clear();
            keyed.extend(program.range(processor).map(|operation| (key(program, operation), operation)));
            keyed.sort_unstable();
            for own in keyed.chunk_by(|one, other| one.0 == other.0) {
                let (kind, cpu, nic) = own[0].0;
                let mut resource = |name| {
                    *known.entry(name).or_insert_with(|| {
                        all.resources += 1;
                        all.resources - 1
                    })
                };
                let cpu = resource((None, cpu));
                let nic = if kind == Kind::Compute { cpu } else { resource((Some(kind), nic)) };
                let class = count(all.classes.len());
                all.classes.push(Class { first: count(all.operations.len()), cpu, nic });
                for &(_, operation) in own {
                    all.index[operation as usize] = count(all.operations.len());
                    all.operations.push((operation, class));
                }
            }
        }
        all.first.push(count(all.classes.len()));
        all.classes.push(Class { first: count(all.operations.len()), cpu: NONE, nic: NONE });
        all
    }

    /// How many processors there are.
    #[inline]
    pub fn processors(&self) -> u32 {
        count(self.first.len() - 1)
    }

    /// The classes of a processor.
    #[inline]
    pub fn range(&self, processor: u32) -> Range<usize> {
        self.first[processor as usize] as usize..self.first[processor as usize + 1] as usize
    }

    /// Where the operations of a class stand in the table.
    #[inline]
    pub fn members(&self, class: u32) -> Range<u32> {
        self.classes[class as usize].first..self.classes[class as usize + 1].first
    }

    /// Where the operations of a processor stand in the table.
    #[inline]
    pub fn indices(&self, processor: u32) -> Range<u32> {
        let range = self.range(processor);
        self.classes[range.start].first..self.classes[range.end].first
    }
}

/// What an operation occupies: its kind, cpu and nic; a computation needs no nic.
fn key(program: &Program, operation: u32) -> (Kind, u32, u32) {
    let kind = program.code(operation).0;
    let (cpu, nic) = program.resources(operation);
    (kind, cpu, if kind == Kind::Compute { 0 } else { nic })
}

/// A count that is at most the number of operations.
pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}
