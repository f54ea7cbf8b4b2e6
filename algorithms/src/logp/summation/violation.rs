//! The rules that a summation schedule, or its execution, can break.

use super::schedule::Operation;
use crate::error::{Error, Rejected};

/// A rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A processor was named that does not exist.
    #[error("processor {processor} {operation}, but the processors are 0 to P - 1 with P = {processors}")]
    NoSuchProcessor {
        /// Whose program it is.
        processor: u32,
        /// What names the other.
        operation: Operation,
        /// How many processors there are.
        processors: u32,
    },
    /// A message to or from oneself.
    #[error("processor {0} exchanges a message with itself")]
    ToItself(u32),
    /// An operation on a partial sum that is not there: no operand of its own, or sent already.
    #[error("processor {processor} {operation}, but holds nothing")]
    NothingHeld {
        /// Who holds nothing.
        processor: u32,
        /// What needs a partial sum.
        operation: Operation,
    },
    /// More operands are added than there are.
    #[error("processor {processor} {operation}, but has only {left} left")]
    NoOperand {
        /// Who adds them.
        processor: u32,
        /// How many it wants to add.
        operation: Operation,
        /// How many it has.
        left: u64,
    },
    /// A processor would receive what was sent to another.
    #[error("processor {processor} receives from {from}, which sends to {to}")]
    NotAddressed {
        /// Who would receive.
        processor: u32,
        /// Who sent.
        from: u32,
        /// To whom.
        to: u32,
    },
    /// A message is received again.
    #[error("processor {processor} receives the partial sum of {from} a second time")]
    ReceivedTwice {
        /// The receiver.
        processor: u32,
        /// Who sent.
        from: u32,
    },
    /// A partial sum is added that is not there.
    #[error("processor {processor} adds the partial sum of {from}, which it has not received or has added before")]
    NotReceived {
        /// Who adds.
        processor: u32,
        /// Whose partial sum.
        from: u32,
    },
    /// A message is awaited that never comes.
    #[error("processor {processor} waits forever: {from} never sends it a message")]
    Deadlock {
        /// Who waits.
        processor: u32,
        /// Who should send.
        from: u32,
    },
    /// A message is never received.
    #[error("the partial sum that processor {from} sends to {to} is never received")]
    Unread {
        /// Who sent.
        from: u32,
        /// To whom.
        to: u32,
    },
    /// A partial sum is received and lost.
    #[error("processor {to} receives the partial sum of {from} but never adds it")]
    NotCombined {
        /// Who sent.
        from: u32,
        /// Who received.
        to: u32,
    },
    /// Operands are left over.
    #[error("processor {processor} never adds {left} of its operands")]
    NotAdded {
        /// Whose operands.
        processor: u32,
        /// How many.
        left: u64,
    },
    /// A partial sum stays where it is.
    #[error("processor {0} never sends its partial sum")]
    Kept(u32),
    /// There is no result.
    #[error("processor 0 holds no sum at the end")]
    NoResult,
    /// The result is wrong.
    #[error("processor 0 holds {held} at the end, the sum of all operands is {sum}")]
    Sum {
        /// What it holds.
        held: u128,
        /// What it should hold.
        sum: u128,
    },
    /// What was executed is not the program.
    #[error("what processor {0} did is not its program")]
    Program(u32),
    /// An operation takes another time than the model says.
    #[error("processor {processor} {operation} from time {start} to {end}, which is not how long that takes")]
    Duration {
        /// Who.
        processor: u32,
        /// What.
        operation: Operation,
        /// When it begins.
        start: u64,
        /// When it ends.
        end: u64,
    },
    /// A processor does two things at once.
    #[error("processor {processor} {operation} from time {start}, but is busy until {until}")]
    Overlap {
        /// Who.
        processor: u32,
        /// The later operation.
        operation: Operation,
        /// When it begins.
        start: u64,
        /// When the earlier one ends.
        until: u64,
    },
    /// Two receives of one processor are less than `g` apart.
    #[error("processor {processor} begins two receives at times {earlier} and {later}, less than g = {g} apart")]
    Gap {
        /// Who.
        processor: u32,
        /// The earlier start.
        earlier: u64,
        /// The later start.
        later: u64,
        /// The gap of the model.
        g: u64,
    },
    /// A message is received before it is there.
    #[error("processor {processor} receives from {from} at time {start}, but the message arrives at {arrival}")]
    Early {
        /// The receiver.
        processor: u32,
        /// Who sent.
        from: u32,
        /// When the receive begins.
        start: u64,
        /// When the message arrives.
        arrival: u64,
    },
    /// More messages in transit than the network takes.
    #[error(
        "{count} messages are in transit to processor {processor} at time {time}; the network takes ceil(L/g') = {capacity}"
    )]
    Capacity {
        /// Their destination.
        processor: u32,
        /// When the last of them entered the network.
        time: u64,
        /// How many there were.
        count: u64,
        /// How many there may be.
        capacity: u64,
    },
    /// The execution and its audit found different ends: a bug in one of them.
    #[error("the execution ends at {executed}, its audit says {audited}")]
    Finish {
        /// By the simulator.
        executed: u64,
        /// By the audit.
        audited: u64,
    },
    /// A time, or the number of operands, does not fit in 64 bits.
    #[error("a time of the execution, or the number of operands, does not fit in 64 bits")]
    TimeOverflow,
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        match violation {
            Violation::TimeOverflow => Self::Overflow,
            other => Rejected::new("schedule", other).into(),
        }
    }
}
