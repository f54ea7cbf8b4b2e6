//! Which operations of a processor wait for which.

use super::fault::Fault;
use super::step::NONE;

/// What an operation waits for in another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Its end: GOAL's `requires`.
    Done,
    /// Its start: GOAL's `irequires`.
    Started,
}

/// One operation waits for another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dependency {
    pub later: u32,
    pub earlier: u32,
    pub until: Until,
}

/// Who waits for an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiter {
    pub operation: u32,
    /// Whether it waits for others, too.
    pub is_join: bool,
    pub until: Until,
}

/// Beside the number of an operation that waits for several.
const JOIN: u32 = 1 << 31;

/// Who waits for each operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependents {
    /// Those of operation i are `waiting[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    /// The number of the waiter, doubled, and 1 where it waits for the start.
    waiting: Vec<u32>,
    /// Operations that wait for several others, and for how many.
    joins: Vec<(u32, u32)>,
    /// Operations that wait for no other, processor by processor.
    pub free: Vec<u32>,
}

impl Dependents {
    /// Dependencies for a given number of operations; `ranges` are the operations of each processor.
    pub fn new(operations: usize, ranges: &[(u32, u32)], dependencies: &[Dependency]) -> Result<Self, Fault> {
        if u32::try_from(dependencies.len()).is_err() {
            return Err(Fault::TooLarge { what: "dependencies", most: u32::MAX.into() });
        }
        let mut first = vec![0u32; operations + 1];
        let mut awaited = vec![0u32; operations];
        for dependency in dependencies {
            first[dependency.earlier as usize] += 1;
            awaited[dependency.later as usize] += 1;
        }
        let mut total = 0;
        for count in &mut first {
            total += *count;
            *count = total;
        }
        let is_free = |operation: &u32| awaited[*operation as usize] == 0;
        let free = ranges.iter().flat_map(|&(start, end)| start..end).filter(is_free).collect();
        let several = (0u32..).zip(&awaited).filter(|(_, count)| **count > 1);
        let joins = several.map(|(join, &count)| (join, count)).collect();
        let name = |operation: u32| if awaited[operation as usize] > 1 { JOIN } else { 0 } | operation << 1;
        // Filled from the back, which leaves each count where its operation's dependents begin.
        let mut waiting = vec![0; dependencies.len()];
        for dependency in dependencies.iter().rev() {
            let slot = &mut first[dependency.earlier as usize];
            *slot -= 1;
            waiting[*slot as usize] = name(dependency.later) | u32::from(dependency.until == Until::Started);
        }
        let dependents = Self { first, waiting, joins, free };
        // Who waits for earlier ones only waits in no circle.
        if dependencies.iter().any(|dependency| dependency.later <= dependency.earlier) {
            dependents.check(operations, ranges)?;
        }
        Ok(dependents)
    }

    /// Who waits for an operation, and for what in it.
    #[inline]
    pub fn of(&self, operation: u32) -> impl Iterator<Item = Waiter> + '_ {
        let range = self.first[operation as usize] as usize..self.first[operation as usize + 1] as usize;
        self.waiting[range].iter().map(|&waiter| Waiter {
            operation: (waiter & !JOIN) >> 1,
            is_join: waiter & JOIN != 0,
            until: if waiter & 1 == 1 { Until::Started } else { Until::Done },
        })
    }

    /// Where [`Dependents::of`] begins to read.
    #[inline]
    pub fn first_of(&self, operation: u32) -> u32 {
        self.first[operation as usize]
    }

    /// What [`Dependents::of`] reads first.
    #[inline]
    pub fn waiter(&self, place: u32) -> u32 {
        self.waiting.get(place as usize).copied().unwrap_or(0)
    }

    /// Of each operation that waits for several others: for how many. Empty if there is none.
    pub fn awaited(&self, operations: usize) -> Vec<u32> {
        let mut awaited = vec![0; if self.joins.is_empty() { 0 } else { operations }];
        for &(join, count) in &self.joins {
            awaited[join as usize] = count;
        }
        awaited
    }

    /// Refuses cycles: takes away operations that wait for nobody until none is left.
    fn check(&self, operations: usize, ranges: &[(u32, u32)]) -> Result<(), Fault> {
        let mut awaited = vec![1; operations];
        for &(join, count) in &self.joins {
            awaited[join as usize] = count;
        }
        let mut free = self.free.clone();
        for &operation in &free {
            awaited[operation as usize] = 0;
        }
        let mut left = operations;
        while let Some(operation) = free.pop() {
            left -= 1;
            for waiter in self.of(operation).map(|waiter| waiter.operation) {
                awaited[waiter as usize] -= 1;
                if awaited[waiter as usize] == 0 {
                    free.push(waiter);
                }
            }
        }
        if left == 0 { Ok(()) } else { Err(self.cycle(ranges, &awaited)) }
    }

    /// A cycle among those operations that still wait for others.
    fn cycle(&self, ranges: &[(u32, u32)], awaited: &[u32]) -> Fault {
        let still = || (0u32..).zip(awaited).filter(|(_, count)| **count > 0).map(|still| still.0);
        // Each of them waits for another one of them.
        let mut waits_for = vec![NONE; awaited.len()];
        for earlier in still() {
            for later in self.of(earlier).map(|waiter| waiter.operation).filter(|&later| awaited[later as usize] > 0) {
                waits_for[later as usize] = earlier;
            }
        }
        let mut met = vec![false; awaited.len()];
        let mut operation = still().next().unwrap_or(0);
        while !std::mem::replace(&mut met[operation as usize], true) {
            operation = waits_for[operation as usize];
        }
        let mut operations = vec![operation];
        let mut next = waits_for[operation as usize];
        while next != operation {
            operations.push(next);
            next = waits_for[next as usize];
        }
        let holds = |(_, (start, end)): &(u32, &(u32, u32))| (*start..*end).contains(&operation);
        let processor = (0u32..).zip(ranges).find(holds).map_or(0, |(processor, _)| processor);
        Fault::Cycle { processor, operations }
    }
}

/// Whether the dependencies say no more and no less than that every operation waits for the end of the one before it.
pub(super) fn are_in_order(operations: usize, ranges: &[(u32, u32)], dependencies: &[Dependency]) -> bool {
    if dependencies.iter().any(|dependency| dependency.later <= dependency.earlier) {
        return false;
    }
    let mut follows = vec![false; operations];
    for dependency in dependencies {
        if dependency.until == Until::Done && dependency.later == dependency.earlier + 1 {
            follows[dependency.later as usize] = true;
        }
    }
    ranges.iter().all(|&(start, end)| (start..end).skip(1).all(|later| follows[later as usize]))
}
