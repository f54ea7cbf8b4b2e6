//! What the engine executes: a program for each processor.

use std::collections::HashMap;
use std::ops::Range;

use super::fault::Fault;
use super::step::{Kind, Step, decode};
use super::{dependencies, matching, several};

/// One step of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Sends a message. Occupies the processor for `o`.
    Send {
        /// To whom.
        to: u32,
        /// What tells it from other messages between the two.
        tag: u32,
        /// Its size.
        bytes: u64,
    },
    /// Takes in a message once it has arrived. Occupies the processor for `o` of the message's size.
    Receive {
        /// From whom.
        from: u32,
        /// The tag of the message.
        tag: u32,
        /// The largest message there is room for.
        bytes: u64,
    },
    /// Occupies the processor for a while.
    Compute {
        /// For how long.
        time: u64,
    },
}

/// What an operation waits for in another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Its end: GOAL's `requires`.
    Done,
    /// Its start: GOAL's `irequires`.
    Started,
}

/// The most operations of a program: two bits of 32 tell what an operation is.
pub const MAX_OPERATIONS: u32 = (1 << 30) - 1;

/// No operation, no message.
pub(super) const NONE: u32 = u32::MAX;

/// Programs that fit together: every message has a sender and a receiver, and no operation waits for itself.
///
/// Made by a [`Builder`]. Takes 12 bytes an operation and 8 a processor, and more for what is used beyond the plain:
/// tags, processors with several ports, dependencies, several messages of one tag between two processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The operations of each processor; processors may stand in any order.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The operations.
    pub(super) steps: Vec<Step>,
    /// Of each operation, empty where all are 0.
    pub(super) tags: Vec<u32>,
    /// (cpu, nic) of each operation, empty where all are (0, 0).
    pub(super) places: Vec<(u8, u8)>,
    /// The sizes of messages and receives, each once.
    pub(super) sizes: Vec<u64>,
    /// The times of computations.
    pub(super) times: Vec<u64>,
    /// How many messages there are.
    pub(super) sent: u32,
    /// Of each message: the first of those between the same processors with the same tag. Empty where no two are.
    pub(super) channels: Vec<u32>,
    /// Who waits for each operation; none where every operation waits for the one before it.
    pub(super) dependents: Option<dependencies::Dependents>,
    /// Operations by what they occupy; none where no processor has several cpus or nics.
    pub(super) classes: Option<several::Classes>,
}

impl Program {
    /// Processors whose operations are yet to come.
    pub(super) fn idle(ranges: Vec<(u32, u32)>) -> Self {
        Self {
            ranges,
            steps: Vec::new(),
            tags: Vec::new(),
            places: Vec::new(),
            sizes: Vec::new(),
            times: Vec::new(),
            sent: 0,
            channels: Vec::new(),
            dependents: None,
            classes: None,
        }
    }

    /// How many processors take part.
    #[must_use]
    pub fn processors(&self) -> u32 {
        // Checked by the builder.
        u32::try_from(self.ranges.len()).unwrap_or(NONE)
    }

    /// How many operations there are in all.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.steps.len()
    }

    /// How many messages are sent in all.
    #[must_use]
    pub fn messages(&self) -> u32 {
        self.sent
    }

    /// Whether every processor does one thing after the other, in the order of its program.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        self.dependents.is_none()
    }

    /// The numbers of the operations of a processor.
    ///
    /// # Panics
    /// If `processor` is not one of `0..processors`.
    #[must_use]
    pub fn range(&self, processor: u32) -> Range<u32> {
        let (start, end) = self.ranges[processor as usize];
        start..end
    }

    /// The operation with this number.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn operation(&self, operation: u32) -> Operation {
        let (peer, tag) = (self.peer(operation), self.tag(operation));
        match self.code(operation) {
            (Kind::Compute, index) => Operation::Compute { time: self.times[index as usize] },
            (Kind::Send, index) => Operation::Send { to: peer, tag, bytes: self.sizes[index as usize] },
            (Kind::Receive, index) => Operation::Receive { from: peer, tag, bytes: self.sizes[index as usize] },
        }
    }

    /// What an operation is, and where its size or time stands.
    #[inline]
    pub(super) fn code(&self, operation: u32) -> (Kind, u32) {
        decode(self.steps[operation as usize].code)
    }

    /// Of each size, whether a message has it.
    pub(super) fn sent_sizes(&self) -> Vec<bool> {
        let mut sent = vec![false; self.sizes.len()];
        for step in &self.steps {
            if let (Kind::Send, size) = decode(step.code) {
                sent[size as usize] = true;
            }
        }
        sent
    }

    /// The other processor of an operation.
    pub(super) fn peer(&self, operation: u32) -> u32 {
        self.steps[operation as usize].peer
    }

    pub(super) fn tag(&self, operation: u32) -> u32 {
        self.tags.get(operation as usize).copied().unwrap_or(0)
    }
}

/// Takes programs operation by operation and checks that they fit together.
///
/// ```
/// use algorithms::logp::LogP;
/// use algorithms::engine::{self, Machine, program::{Builder, Operation}};
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
    dependencies: Vec<dependencies::Dependency>,
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
        self.dependencies.push(dependencies::Dependency { later, earlier, until });
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
            let each = |(later, earlier)| dependencies::Dependency { later, earlier, until: Until::Done };
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
        if !plain || !dependencies::are_in_order(&self.program, &dependencies) {
            self.program.dependents = Some(dependencies::Dependents::new(&self.program, &dependencies)?);
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
            self.program.classes = several::Classes::of(&self.program);
        }
        matching::match_messages(&mut self.program)?;
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
