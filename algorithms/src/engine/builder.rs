//! How the program of each processor is put together and checked.

use std::collections::HashMap;

use super::classes::{Classes, Operations};
use super::dependencies::{Dependency, Dependents, Until, are_in_order};
use super::fault::Fault;
use super::matching::match_messages;
use super::program::{Operation, Program};
use super::step::{Kind, MAX_OPERATIONS, NONE, Step};

/// Takes programs operation by operation and checks that they fit together.
///
/// ```
/// use algorithms::logp::LogP;
/// use algorithms::engine::{self, Machine, builder::Builder, program::Operation};
///
/// let mut builder = Builder::new(2)?;
/// builder.begin(0)?;
/// builder.push(Operation::Compute { time: 3 })?;
/// builder.push(Operation::Send { to: 1, tag: 0, bytes: 1 })?;
/// builder.begin(1)?;
/// builder.push(Operation::Receive { from: 0, tag: 0, bytes: 1 })?;
/// let machine = Machine::LogP(LogP::new(6, 2, 4).unwrap());
/// assert_eq!(engine::run(machine, &builder.in_order()?).unwrap().finish, 13);
/// # Ok::<(), engine::Fault>(())
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    program: Program,
    /// Which processors have a program.
    begun: Vec<bool>,
    current: Option<u32>,
    /// Where each size stands.
    sizes: HashMap<u64, u32>,
    /// The last size and where it stands, for most messages are as large as the one before.
    last_size: (u64, u32),
    dependencies: Vec<Dependency>,
}

impl Builder {
    /// Programs for this many processors; those that are not begun do nothing.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] above [`MAX_OPERATIONS`] processors.
    pub fn new(processors: u32) -> Result<Self, Fault> {
        if processors > MAX_OPERATIONS {
            return Err(Fault::TooLarge { what: "processors", most: MAX_OPERATIONS.into() });
        }
        let program = Program::idle(vec![(0, 0); processors as usize]);
        let begun = vec![false; processors as usize];
        Ok(Self {
            program,
            begun,
            current: None,
            sizes: HashMap::new(),
            last_size: (0, NONE),
            dependencies: Vec::new(),
        })
    }

    /// Makes room for so many operations at once.
    pub fn reserve(&mut self, operations: usize) {
        self.program.steps.reserve(operations);
    }

    /// Begins the program of a processor; what is pushed from now on is its.
    ///
    /// # Errors
    /// [`Fault::NoSuchProcessor`], and [`Fault::TwoPrograms`] where it has one.
    pub fn begin(&mut self, processor: u32) -> Result<(), Fault> {
        let processors = self.program.processors();
        let begun = self.begun.get_mut(processor as usize);
        let begun = begun.ok_or(Fault::NoSuchProcessor { operation: None, named: processor, processors })?;
        if std::mem::replace(begun, true) {
            return Err(Fault::TwoPrograms(processor));
        }
        let next = self.next();
        self.program.ranges[processor as usize] = (next, next);
        self.current = Some(processor);
        Ok(())
    }

    /// The processors that have no program.
    pub fn idle(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.begun).filter(|(_, begun)| !**begun).map(|(processor, _)| processor)
    }

    /// Adds an operation to the program of the processor that was begun last. Returns its number.
    ///
    /// # Errors
    /// [`Fault::NotBegun`] before any was begun, [`Fault::NoSuchProcessor`] for a peer that is not there; [`Fault::TooLarge`].
    pub fn push(&mut self, operation: Operation) -> Result<u32, Fault> {
        let number = self.next();
        let processors = self.program.processors();
        let missing = |operation, named| Fault::NoSuchProcessor { operation, named, processors };
        let current = self.current.ok_or(Fault::NotBegun)?;
        if number == MAX_OPERATIONS {
            return Err(Fault::TooLarge { what: "operations", most: MAX_OPERATIONS.into() });
        }
        if let Operation::Send { to: peer, .. } | Operation::Receive { from: peer, .. } = operation
            && peer >= processors
        {
            return Err(missing(Some(number), peer));
        }
        let (kind, index, peer, tag) = match operation {
            Operation::Compute { time } => (Kind::Compute, self.time(time), NONE, 0),
            Operation::Send { to, tag, bytes } => (Kind::Send, self.size(bytes), to, tag),
            Operation::Receive { from, tag, bytes } => (Kind::Receive, self.size(bytes), from, tag),
        };
        if tag != 0 || !self.program.tags.is_empty() {
            self.program.tags.resize(number as usize, 0);
            self.program.tags.push(tag);
        }
        self.program.steps.push(Step { code: kind.code(index), peer, message: NONE });
        self.program.ranges[current as usize].1 = number + 1;
        Ok(number)
    }

    /// Adds an operation that occupies this cpu of the processor, and for its gap this nic: with several of each, a
    /// processor does several things at once.
    ///
    /// # Errors
    /// As [`Builder::push`].
    pub fn push_on(&mut self, operation: Operation, (cpu, nic): (u8, u8)) -> Result<u32, Fault> {
        let number = self.push(operation)?;
        if (cpu, nic) != (0, 0) {
            self.program.places.resize(number as usize, (0, 0));
            self.program.places.push((cpu, nic));
        }
        Ok(number)
    }

    /// Makes an operation of the current processor wait for another one.
    ///
    /// # Errors
    /// [`Fault::Foreign`] unless both are of the processor that was begun last.
    pub fn depend(&mut self, later: u32, earlier: u32, until: Until) -> Result<(), Fault> {
        let range = self.current.map_or(0..0, |processor| self.program.range(processor));
        if !range.contains(&later) || !range.contains(&earlier) {
            return Err(Fault::Foreign { later, earlier });
        }
        self.dependencies.push(Dependency { later, earlier, until });
        Ok(())
    }

    /// Programs in which every operation waits for the end of the one before it.
    ///
    /// # Errors
    /// [`Fault::Unmatched`]; those of [`Builder::by_dependencies`] where a dependency was given, too.
    pub fn in_order(mut self) -> Result<Program, Fault> {
        if self.dependencies.is_empty() && self.program.places.is_empty() {
            return self.matched();
        }
        for (first, end) in self.program.ranges.clone() {
            let pairs = (first..end).skip(1).map(|later| (later, later - 1));
            let each = |(later, earlier)| Dependency { later, earlier, until: Until::Done };
            self.dependencies.extend(pairs.map(each));
        }
        self.by_dependencies()
    }

    /// Programs in which an operation waits for nothing but what [`Builder::depend`] says, and for its cpu and nic.
    ///
    /// # Errors
    /// [`Fault::Cycle`] and [`Fault::Unmatched`].
    pub fn by_dependencies(mut self) -> Result<Program, Fault> {
        let dependencies = std::mem::take(&mut self.dependencies);
        let plain = self.program.places.is_empty();
        if !plain || !are_in_order(self.program.operations(), &self.program.ranges, &dependencies) {
            self.program.dependents =
                Some(Dependents::new(self.program.operations(), &self.program.ranges, &dependencies)?);
        }
        drop(dependencies);
        self.matched()
    }

    fn matched(mut self) -> Result<Program, Fault> {
        let operations = self.program.operations();
        if !self.program.tags.is_empty() {
            self.program.tags.resize(operations, 0);
        }
        if !self.program.places.is_empty() {
            self.program.places.resize(operations, (0, 0));
            let Program { ranges, steps, places, .. } = &self.program;
            self.program.classes = Classes::of(ranges, Operations { steps, places });
        }
        match_messages(&mut self.program)?;
        Ok(self.program)
    }

    /// The number of the next operation.
    fn next(&self) -> u32 {
        // Kept by `push`.
        u32::try_from(self.program.operations()).unwrap_or(MAX_OPERATIONS)
    }

    fn time(&mut self, time: u64) -> u32 {
        if self.program.times.last() != Some(&time) {
            self.program.times.push(time);
        }
        u32::try_from(self.program.times.len() - 1).unwrap_or(MAX_OPERATIONS)
    }

    fn size(&mut self, bytes: u64) -> u32 {
        if self.last_size.0 != bytes || self.last_size.1 == NONE {
            let sizes = &mut self.program.sizes;
            let index = *self.sizes.entry(bytes).or_insert_with(|| {
                sizes.push(bytes);
                u32::try_from(sizes.len() - 1).unwrap_or(MAX_OPERATIONS)
            });
            self.last_size = (bytes, index);
        }
        self.last_size.1
    }
}
