//! The operations of a processor with several cpus or nics, by the resources that they occupy.

use std::collections::BTreeMap;
use std::ops::Range;

use super::step::{Kind, NONE, Step, decode};

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
    /// The classes of these operations; none if one cpu and one nic per processor are enough. `ranges` are the operations of each
    /// processor.
    pub fn new(ranges: &[(u32, u32)], operations: Operations<'_>) -> Option<Self> {
        if operations.resources.is_empty()
            || ranges
                .iter()
                .all(|&(start, end)| operations.are_single(start..end))
        {
            return None;
        }
        let count_of_all = operations.steps.len();
        let mut all = Self {
            first: Vec::with_capacity(ranges.len() + 1),
            classes: Vec::new(),
            operations: Vec::with_capacity(count_of_all),
            index: vec![0; count_of_all],
            resources: 0,
        };
        // By name: of a cpu no kind and its number, of a direction of a nic the kind of its messages and the number.
        let mut known: BTreeMap<(Option<Kind>, u32), u32> = BTreeMap::new();
        let mut next = Found {
            keys: Vec::new(),
            last: 0,
        };
        for &(from, to) in ranges {
            all.first.push(count(all.classes.len()));
            known.clear();
            // Counting sort.
            next.keys.clear();
            (from..to).for_each(|operation| next.entry(operations.key(operation)).index += 1);
            for Next {
                key: (kind, cpu, nic),
                index,
            } in &mut next.keys
            {
                let mut resource = |name| {
                    *known.entry(name).or_insert_with(|| {
                        all.resources += 1;
                        all.resources - 1
                    })
                };
                let cpu = resource((None, *cpu));
                let nic = if *kind == Kind::Compute {
                    cpu
                } else {
                    resource((Some(*kind), *nic))
                };
                let class = count(all.classes.len());
                let start = all.operations.len();
                all.operations.resize(start + *index as usize, (0, class));
                *index = count(start);
                all.classes.push(Class {
                    first: *index,
                    cpu,
                    nic,
                });
            }
            for operation in from..to {
                let Next { index, .. } = next.entry(operations.key(operation));
                all.operations[*index as usize].0 = operation;
                all.index[operation as usize] = *index;
                *index += 1;
            }
        }
        all.first.push(count(all.classes.len()));
        all.classes.push(Class {
            first: count(all.operations.len()),
            cpu: NONE,
            nic: NONE,
        });
        Some(all)
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

/// What an operation occupies: its kind, cpu and nic.
type Key = (Kind, u32, u32);

/// Operations of a processor with one key: first how many there are, then the index of the next one.
struct Next {
    key: Key,
    index: u32,
}

/// The keys of a processor, sorted.
struct Found {
    keys: Vec<Next>,
    /// The key that was found last: many operations have that of the one before.
    last: usize,
}

impl Found {
    fn entry(&mut self, key: Key) -> &mut Next {
        let is_at =
            |keys: &[Next], index: usize| keys.get(index).is_some_and(|next| next.key == key);
        if !is_at(&self.keys, self.last) {
            self.last = self.keys.partition_point(|next| next.key < key);
            if !is_at(&self.keys, self.last) {
                self.keys.insert(self.last, Next { key, index: 0 });
            }
        }
        &mut self.keys[self.last]
    }
}

/// A count that is at most the number of operations.
pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

/// Operations before their classes are known.
#[derive(Clone, Copy)]
pub(super) struct Operations<'a> {
    pub steps: &'a [Step],
    /// (cpu, nic) of each, empty where all are (0, 0).
    pub resources: &'a [(u32, u32)],
}

impl Operations<'_> {
    /// What an operation occupies; a computation needs no nic.
    #[inline]
    fn key(&self, operation: u32) -> Key {
        let (cpu, nic) = self
            .resources
            .get(operation as usize)
            .copied()
            .unwrap_or((0, 0));
        let kind = decode(self.steps[operation as usize].code).0;
        (kind, cpu, if kind == Kind::Compute { 0 } else { nic })
    }

    /// Whether all operations of a processor are on one cpu, and those of one kind on one nic.
    fn are_single(&self, mut range: Range<u32>) -> bool {
        let mut nics = [None; 3];
        let mut cpus = None;
        range.all(|operation| {
            let (kind, cpu, nic) = self.key(operation);
            *cpus.get_or_insert(cpu) == cpu && *nics[kind as usize].get_or_insert(nic) == nic
        })
    }
}
