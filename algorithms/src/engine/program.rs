//! What the engine executes: a program for each processor.

use std::ops::Range;

use super::classes::Classes;
use super::dependencies::Dependents;
pub use super::dependencies::Until;
pub use super::step::MAX_OPERATIONS;
use super::step::{Kind, NONE, Step, decode};

/// In place of the sender or of the tag of a receive: any of them.
pub const ANY: u32 = NONE;

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
        /// The sender; [`ANY`] for a message from any processor.
        from: u32,
        /// The tag of the message; [`ANY`] for any tag.
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

/// Programs that fit together: every message has a sender and a receiver, and no operation waits for itself.
///
/// Made by a [`Builder`](super::builder::Builder). Takes 12 bytes an operation and 8 a processor, and more for what is used beyond the plain:
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
    /// The processors that have a receive from any sender or with any tag, in order.
    pub(super) wild: Vec<u32>,
    /// Whether an operation waits for a receive to be posted.
    pub(super) posts: bool,
    /// Who waits for each operation; none where every operation waits for the one before it.
    pub(super) dependents: Option<Dependents>,
    /// Operations by what they occupy; none where no processor has several cpus or nics.
    pub(super) classes: Option<Classes>,
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
            wild: Vec::new(),
            posts: false,
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
            (Kind::Compute, index) => Operation::Compute { time: self.times[index as usize] },
            (Kind::Send, index) => Operation::Send { to: peer, tag, bytes: self.sizes[index as usize] },
            (Kind::Receive, index) => Operation::Receive { from: peer, tag, bytes: self.sizes[index as usize] },
        }
    }

    /// The cpu and the nic that an operation occupies on its processor.
    #[must_use]
    pub fn place(&self, operation: u32) -> (u8, u8) {
        self.places.get(operation as usize).copied().unwrap_or((0, 0))
    }

    /// What a send and its receive have in common: the number of the message, or where several messages have the same
    /// sender, receiver and tag, that of the first of them. Only an execution finds it where the receiver has a receive of [`ANY`].
    #[must_use]
    pub fn channel(&self, operation: u32) -> u32 {
        let message = self.steps[operation as usize].message;
        self.channels.get(message as usize).copied().unwrap_or(message)
    }

    /// Which operation waits for which earlier one, and for what in it, by the later one; of programs in order nothing,
    /// because there every operation waits for the end of the one before it.
    #[must_use]
    pub fn dependencies(&self) -> Vec<(u32, u32, Until)> {
        let mut all = Vec::new();
        for earlier in 0..self.steps.len() {
            let Ok(earlier) = u32::try_from(earlier) else { break };
            let waiters = self.dependents.iter().flat_map(|dependents| dependents.of(earlier));
            all.extend(waiters.map(|waiter| (waiter.operation, earlier, waiter.until)));
        }
        all.sort_unstable_by_key(|&(later, earlier, _)| (later, earlier));
        all
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
