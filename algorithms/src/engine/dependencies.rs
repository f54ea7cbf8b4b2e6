//! Which operations of a processor wait for which.

use super::fault::Fault;
use super::step::NONE;

/// What an operation waits for in another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Its end: GOAL's `requires`.
    Done,
    /// Its start, or for a receive its posting: GOAL's `irequires`.
    Started,
}

/// One operation waits for another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dependency {
    pub later: u32,
    pub earlier: u32,
    pub until: Until,
}

/// An operation that waits for another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiter {
    pub operation: u32,
    /// Whether it also waits for others.
    pub is_join: bool,
    pub until: Until,
}

/// A flag in the number of an operation that waits for several.
const JOIN: u32 = 1 << 31;

/// Which operations wait for each operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependents {
    /// The operations that wait for operation i are `waiting[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    /// The number of the waiter, doubled, and 1 where it waits for the start.
    waiting: Vec<u32>,
    /// Operations that wait for several others, and how many these are.
    joins: Vec<(u32, u32)>,
    /// Operations that wait for no other, by processor.
    pub free: Vec<u32>,
}

impl Dependents {
    /// The dependents of no operations.
    pub fn new() -> Self {
        Self {
            first: vec![0],
            waiting: Vec::new(),
            joins: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Adds the operations up to this one with their dependencies; `ranges` are the programs of the processors.
    pub fn append(
        &mut self,
        end: u32,
        dependencies: &[Dependency],
        ranges: &[(u32, u32)],
    ) -> Result<(), Fault> {
        let start = self.first.len() - 1;
        let base = self.waiting.len();
        if u32::try_from(base + dependencies.len()).is_err() {
            return Err(Fault::TooLarge {
                what: "dependencies",
                most: u32::MAX.into(),
            });
        }
        let mut awaited = vec![0u32; end as usize - start];
        let mut total = std::mem::take(&mut self.first[start]);
        self.first.resize(end as usize + 1, 0);
        for dependency in dependencies {
            self.first[dependency.earlier as usize] += 1;
            awaited[dependency.later as usize - start] += 1;
        }
        for count in &mut self.first[start..] {
            total += *count;
            *count = total;
        }
        let joins = self.joins.len();
        let free = self.free.len();
        for (operation, &count) in (0u32..end).skip(start).zip(&awaited) {
            match count {
                0 => self.free.push(operation),
                1 => {}
                _ => self.joins.push((operation, count)),
            }
        }
        let name = |operation: u32| if awaited[operation as usize - start] > 1 { JOIN } else { 0 } | operation << 1;
        // Filled from the back, so that each count ends at the first dependent of its operation.
        self.waiting.resize(base + dependencies.len(), 0);
        for dependency in dependencies.iter().rev() {
            let slot = &mut self.first[dependency.earlier as usize];
            *slot -= 1;
            self.waiting[*slot as usize] =
                name(dependency.later) | u32::from(dependency.until == Until::Started);
        }
        // Without a wait for a later operation there is no cycle.
        if dependencies
            .iter()
            .any(|dependency| dependency.later <= dependency.earlier)
        {
            self.check(start, (joins, free), ranges)?;
        }
        Ok(())
    }

    /// How many operations were added.
    pub fn operations(&self) -> u32 {
        // The builder ensures it.
        u32::try_from(self.first.len() - 1).unwrap_or(NONE)
    }

    /// Sorts the operations that wait for no other by processor.
    pub fn sort_free(&mut self, ranges: &[(u32, u32)]) {
        if ranges.is_sorted_by_key(|range| range.0) {
            return;
        }
        let index = |operation: u32| self.free.partition_point(|&free| free < operation);
        self.free = ranges
            .iter()
            .flat_map(|&(start, end)| &self.free[index(start)..index(end)])
            .copied()
            .collect();
    }

    /// All dependencies, by the operation that is waited for.
    pub fn all(&self) -> impl Iterator<Item = Dependency> + '_ {
        (0..self.operations()).flat_map(|earlier| {
            self.waiters(earlier).map(
                move |Waiter {
                          operation: later,
                          until,
                          ..
                      }| Dependency {
                    later,
                    earlier,
                    until,
                },
            )
        })
    }

    /// The operations that wait for this one, and for what in it.
    #[inline]
    pub fn waiters(&self, operation: u32) -> impl Iterator<Item = Waiter> + '_ {
        let range =
            self.first[operation as usize] as usize..self.first[operation as usize + 1] as usize;
        self.waiting[range].iter().map(|&waiter| Waiter {
            operation: (waiter & !JOIN) >> 1,
            is_join: waiter & JOIN != 0,
            until: if waiter & 1 == 1 {
                Until::Started
            } else {
                Until::Done
            },
        })
    }

    /// The index at which [`Dependents::waiters`] begins.
    #[inline]
    pub fn first_of(&self, operation: u32) -> u32 {
        self.first[operation as usize]
    }

    /// The first entry that [`Dependents::waiters`] reads.
    #[inline]
    pub fn waiter(&self, index: u32) -> u32 {
        self.waiting.get(index as usize).copied().unwrap_or(0)
    }

    /// For each operation that waits for several others, how many these are. Empty if there is none.
    pub fn awaited(&self, operations: usize) -> Vec<u32> {
        let mut awaited = vec![0; if self.joins.is_empty() { 0 } else { operations }];
        for &(join, count) in &self.joins {
            awaited[join as usize] = count;
        }
        awaited
    }

    /// Refuses cycles among the operations from `start` on, which have these `joins` and `free` ones: removes operations that wait
    /// for nothing until none is left.
    fn check(
        &self,
        start: usize,
        (joins, free): (usize, usize),
        ranges: &[(u32, u32)],
    ) -> Result<(), Fault> {
        let mut awaited = vec![1; self.first.len() - 1 - start];
        for &(join, count) in &self.joins[joins..] {
            awaited[join as usize - start] = count;
        }
        let mut free = self.free[free..].to_vec();
        for &operation in &free {
            awaited[operation as usize - start] = 0;
        }
        let mut left = awaited.len();
        while let Some(operation) = free.pop() {
            left -= 1;
            for waiter in self.waiters(operation).map(|waiter| waiter.operation) {
                let awaited = &mut awaited[waiter as usize - start];
                *awaited -= 1;
                if *awaited == 0 {
                    free.push(waiter);
                }
            }
        }
        if left == 0 {
            Ok(())
        } else {
            Err(self.cycle(start, ranges, &awaited))
        }
    }

    /// A cycle among those operations from `start` on that still wait for others.
    fn cycle(&self, start: usize, ranges: &[(u32, u32)], awaited: &[u32]) -> Fault {
        let still = || {
            (0u32..)
                .skip(start)
                .zip(awaited)
                .filter(|(_, count)| **count > 0)
                .map(|(operation, _)| operation)
        };
        let offset = |operation: u32| operation as usize - start;
        // Each remaining operation waits for another remaining one.
        let mut waits_for = vec![NONE; awaited.len()];
        for earlier in still() {
            let waiters = self.waiters(earlier).map(|waiter| waiter.operation);
            for later in waiters.filter(|&later| awaited[offset(later)] > 0) {
                waits_for[offset(later)] = earlier;
            }
        }
        let mut met = vec![false; awaited.len()];
        let mut operation = still().next().unwrap_or(0);
        while !std::mem::replace(&mut met[offset(operation)], true) {
            operation = waits_for[offset(operation)];
        }
        let mut operations = vec![operation];
        let mut next = waits_for[offset(operation)];
        while next != operation {
            operations.push(next);
            next = waits_for[offset(next)];
        }
        let holds = |(_, (start, end)): &(u32, &(u32, u32))| (*start..*end).contains(&operation);
        let processor = (0u32..)
            .zip(ranges)
            .find(holds)
            .map_or(0, |(processor, _)| processor);
        Fault::Cycle {
            processor,
            operations,
        }
    }
}

/// Whether the dependencies of a processor are exactly that every operation waits for the end of the one before it.
pub(super) fn are_in_order((start, end): (u32, u32), dependencies: &[Dependency]) -> bool {
    if dependencies
        .iter()
        .any(|dependency| dependency.later <= dependency.earlier)
    {
        return false;
    }
    let mut follows = vec![false; (end - start) as usize];
    for dependency in dependencies {
        if dependency.until == Until::Done && dependency.later == dependency.earlier + 1 {
            follows[(dependency.later - start) as usize] = true;
        }
    }
    follows.iter().skip(1).all(|&follows| follows)
}

/// Every operation of a processor waits for the end of the one before it.
pub(super) fn chain((start, end): (u32, u32)) -> impl Iterator<Item = Dependency> {
    (start..end).skip(1).map(|later| Dependency {
        later,
        earlier: later - 1,
        until: Until::Done,
    })
}
