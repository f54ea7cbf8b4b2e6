//! Programs: what each processor does.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Machine;
use super::classes::Classes;
use super::dependencies::Dependents;
pub use super::dependencies::Until;
use super::fault::Wait;
pub use super::step::{ANY, MAX_OPERATIONS};
use super::step::{Kind, NONE, Step, decode};
use crate::error::Error;
use crate::logp::{Levels, LogP};

/// A flag in the level of a size: its messages are exchanged.
const EXCHANGED: u32 = 1 << 31;

/// Instead of a level: messages at a switch, where they take no time.
pub(super) const OF_SWITCH: u32 = EXCHANGED - 1;

/// Sender, receiver, and the turns in which they send and receive a message.
type Turns = (u32, u32, u32, u32);

/// One step of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Sends a message. Occupies the processor for `o`.
    Send {
        /// The receiver.
        to: u32,
        /// Distinguishes messages between the same two processors.
        tag: u32,
        /// Its size.
        bytes: u64,
    },
    /// Receives a message that has arrived. Occupies the processor for `o` of the message's size.
    Receive {
        /// The sender; [`ANY`] for a message from any processor.
        from: u32,
        /// The tag of the message; [`ANY`] for any tag.
        tag: u32,
        /// The largest message that it accepts.
        bytes: u64,
    },
    /// Occupies the processor for a while.
    Compute {
        /// How long.
        time: u64,
    },
}

/// Programs that fit together: every message has a sender and a receiver, and no operation waits for itself.
///
/// A [`Builder`](super::builder::Builder) makes it. It takes 12 bytes per operation and 8 per processor, and more with tags, several
/// ports, dependencies, or several messages of one tag between two processors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The operations of each processor, in any order of processors.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The operations.
    pub(super) steps: Vec<Step>,
    /// The tag of each operation; empty where all are 0.
    pub(super) tags: Vec<u32>,
    /// (cpu, nic) of each operation, empty where all are (0, 0).
    pub(super) resources: Vec<(u32, u32)>,
    /// The sizes of messages and receives, each once for each level.
    pub(super) sizes: Vec<u64>,
    /// The level of each size, and whether messages of this index are [`EXCHANGED`]; empty where all have level 0.
    pub(super) levels: Vec<u32>,
    /// The times of computations.
    pub(super) times: Vec<u64>,
    /// How many messages there are.
    pub(super) sent: u32,
    /// For each message the first one between the same processors with the same tag. Empty where each is the first.
    pub(super) channels: Vec<u32>,
    /// The processors that have a receive from any sender or with any tag, in order.
    pub(super) wild: Vec<u32>,
    /// Whether an operation waits for a receive to be posted.
    pub(super) posts: bool,
    /// Whether consecutive sends of a processor are posted together: all of their messages arrive with the last one.
    pub(super) together: bool,
    /// Whether the operations of a processor are listed in the order in which an algorithm states them, though they do not wait for
    /// each other: with duplex ports.
    pub(super) has_turns: bool,
    /// Whether the last processors are switches: an end of a message costs what it costs there.
    pub(super) has_switches: bool,
    /// The operations that wait for each one; none where every operation waits for the one before it.
    pub(super) dependents: Option<Dependents>,
    /// Operations by their resources; none where no processor has several cpus or nics.
    pub(super) classes: Option<Classes>,
}

impl Program {
    /// Processors without operations.
    pub(super) fn idle(ranges: Vec<(u32, u32)>) -> Self {
        Self {
            ranges,
            ..Self::default()
        }
    }

    /// Lets consecutive sends of a processor be posted together: all of their messages arrive when the last one does.
    pub fn posts_together(&mut self, together: bool) {
        self.together = together;
    }

    /// Whether they are.
    #[must_use]
    pub fn is_posted_together(&self) -> bool {
        self.together
    }

    /// Whether a send is followed by another one that is posted with it.
    pub(super) fn goes_on(&self, processor: u32, send: u32) -> bool {
        self.together
            && self.range(processor).contains(&(send + 1))
            && self.code(send + 1).0 == Kind::Send
    }

    /// Whether the last processors are switches.
    #[must_use]
    pub fn has_switches(&self) -> bool {
        self.has_switches
    }

    /// How many processors take part.
    #[must_use]
    pub fn processors(&self) -> u32 {
        // The builder ensures it.
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

    /// Whether every processor executes its program in order.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        self.dependents.is_none()
    }

    /// Whether two processors send messages to each other.
    #[must_use]
    pub fn sends_both_ways(&self) -> bool {
        let mut pairs = HashSet::new();
        for processor in 0..self.processors() {
            let sends = self
                .range(processor)
                .filter(|&operation| self.code(operation).0 == Kind::Send);
            pairs.extend(sends.map(|operation| (processor, self.peer(operation))));
        }
        pairs.iter().any(|&(from, to)| pairs.contains(&(to, from)))
    }

    /// Whether some receive is from [`ANY`] processor or has [`ANY`] tag.
    #[must_use]
    pub fn receives_any(&self) -> bool {
        !self.wild.is_empty()
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
            (Kind::Compute, index) => Operation::Compute {
                time: self.times[index as usize],
            },
            (Kind::Send, index) => Operation::Send {
                to: peer,
                tag,
                bytes: self.sizes[index as usize],
            },
            (Kind::Receive, index) => Operation::Receive {
                from: peer,
                tag,
                bytes: self.sizes[index as usize],
            },
        }
    }

    /// The cpu and the nic that an operation occupies on its processor.
    #[must_use]
    pub fn resources(&self, operation: u32) -> (u32, u32) {
        self.resources
            .get(operation as usize)
            .copied()
            .unwrap_or((0, 0))
    }

    /// The number that a send and its receive share: that of the message, or of the first one with the same sender, receiver and tag.
    /// Where the receiver has a receive of [`ANY`], only an execution finds it.
    #[must_use]
    pub fn channel(&self, operation: u32) -> u32 {
        let message = self.steps[operation as usize].message;
        self.channels
            .get(message as usize)
            .copied()
            .unwrap_or(message)
    }

    /// The programs on a machine with these levels: each message has the level at which its sender and its receiver meet.
    #[must_use]
    pub fn on(&self, levels: Option<&Levels>) -> Self {
        let mut placed = self.clone();
        let mut known = HashMap::new();
        (placed.sizes, placed.levels) = (Vec::new(), Vec::new());
        for processor in 0..self.processors() {
            for operation in self.range(processor) {
                let (kind, size) = self.code(operation);
                let level = match (kind, levels) {
                    (Kind::Compute, _) => continue,
                    (Kind::Send, Some(levels)) => {
                        levels.between(self.processors().into(), processor, self.peer(operation))
                    }
                    // The message of a receive may be of any level.
                    (Kind::Send | Kind::Receive, _) => 0,
                };
                let level = u32::try_from(level).unwrap_or(NONE);
                let index = *known
                    .entry((self.sizes[size as usize], level))
                    .or_insert_with(|| {
                        placed.sizes.push(self.sizes[size as usize]);
                        placed.levels.push(level);
                        u32::try_from(placed.sizes.len() - 1).unwrap_or(NONE)
                    });
                placed.steps[operation as usize].code = kind.code(index);
            }
        }
        if placed.levels.iter().all(|&level| level == 0) {
            placed.levels.clear();
        }
        if levels.is_some_and(Levels::has_exchange) {
            placed.mark_exchanges();
        }
        placed
    }

    /// The dependencies (later, earlier, for what in it), sorted by the later one; none for programs in order.
    #[must_use]
    pub fn dependencies(&self) -> Vec<(u32, u32, Until)> {
        let dependencies = self.dependents.iter().flat_map(Dependents::all);
        let mut all: Vec<_> = dependencies
            .map(|it| (it.later, it.earlier, it.until))
            .collect();
        all.sort_unstable_by_key(|&(later, earlier, _)| (later, earlier));
        all
    }

    /// The kind of an operation, and the index of its size or time.
    #[inline]
    pub(super) fn code(&self, operation: u32) -> (Kind, u32) {
        decode(self.steps[operation as usize].code)
    }

    /// The level of the messages with this index of a size.
    pub(super) fn level(&self, size: u32) -> u32 {
        self.levels
            .get(size as usize)
            .map_or(0, |level| level & !EXCHANGED)
    }

    /// The machine that the messages with this index of a size see.
    pub(super) fn model(&self, machine: Machine, size: u32) -> Result<LogP, Error> {
        let level = self.levels.get(size as usize).copied().unwrap_or(0);
        if level == OF_SWITCH {
            return Ok(LogP::FREE);
        }
        machine.of_message(
            (level & !EXCHANGED) as usize,
            self.sizes[size as usize],
            level & EXCHANGED != 0,
        )
    }

    /// The machine that an end of the message of a send sees: the send, or the receive.
    ///
    /// # Errors
    /// Errors of [`Machine::at`].
    ///
    /// # Panics
    /// If there is no such operation.
    pub fn seen_by(&self, end: u32, send: u32, machine: Machine) -> Result<LogP, Error> {
        let end = if self.has_switches { end } else { send };
        self.model(machine, self.code(end).1)
    }

    /// Gives exchanged messages sizes of their own, if processors have turns. Cost: linear in the operations.
    pub(super) fn mark_exchanges(&mut self) {
        if !self.is_in_order() && !self.has_turns {
            return;
        }
        let mut messages: Vec<(Turns, u32)> =
            vec![((NONE, NONE, NONE, NONE), NONE); self.messages() as usize];
        for processor in 0..self.processors() {
            let (mut turn, mut receives) = (0, false);
            for operation in self.range(processor) {
                let message = &mut messages[match self.code(operation).0 {
                    Kind::Compute => continue,
                    Kind::Send | Kind::Receive => self.steps[operation as usize].message as usize,
                }];
                if self.code(operation).0 == Kind::Send {
                    turn += u32::from(std::mem::take(&mut receives));
                    (message.0.0, message.0.2, message.1) = (processor, turn, operation);
                } else {
                    receives = true;
                    (message.0.1, message.0.3) = (processor, turn);
                }
            }
        }
        let known: HashSet<Turns> = messages.iter().map(|(turns, _)| *turns).collect();
        let mut sizes: HashMap<u32, u32> = HashMap::new();
        for ((from, to, sent, received), send) in messages {
            if !known.contains(&(to, from, received, sent)) {
                continue;
            }
            let size = self.code(send).1;
            let index = *sizes.entry(size).or_insert_with(|| {
                let level = self.level(size) | EXCHANGED;
                self.levels.resize(self.sizes.len(), 0);
                self.sizes.push(self.sizes[size as usize]);
                self.levels.push(level);
                u32::try_from(self.sizes.len() - 1).unwrap_or(NONE)
            });
            self.steps[send as usize].code = Kind::Send.code(index);
        }
    }

    /// Whether the message of a send is exchanged: its receiver sends one to its sender in the turn in which it receives it, and
    /// the sender receives that one in the turn of the send. Known of programs in order, and of those of duplex ports, on a machine where
    /// it matters.
    ///
    /// # Panics
    /// If there is no such operation.
    #[must_use]
    pub fn is_exchanged(&self, send: u32) -> bool {
        self.is_of_exchange(self.code(send).1)
    }

    /// Whether messages with this index of a size are exchanged.
    pub(super) fn is_of_exchange(&self, size: u32) -> bool {
        self.levels
            .get(size as usize)
            .is_some_and(|level| level & EXCHANGED != 0)
    }

    /// Whether a message has each size.
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

    /// The wait of a receive of this processor.
    pub(super) fn wait(&self, processor: u32, operation: u32) -> Wait {
        Wait {
            operation,
            processor,
            from: self.peer(operation),
            tag: self.tag(operation),
        }
    }
}
