//! The rules that a summation schedule or its execution can break.

use super::schedule::Operation;
use crate::error::Broken;

/// A rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A processor is named that does not exist.
    #[error("processor {processor} {operation}, but the processors are 0 to P - 1 with P = {processors}")]
    NoSuchProcessor {
        /// The processor of the program.
        processor: u32,
        /// The operation that names the other one.
        operation: Operation,
        /// How many processors there are.
        processors: u32,
    },
    /// A message from a processor to itself.
    #[error("processor {0} exchanges a message with itself")]
    ToItself(u32),
    /// An operation on a partial sum that does not exist: no own operand, or already sent.
    #[error("processor {processor} {operation}, but holds nothing")]
    NothingHeld {
        /// The processor that holds nothing.
        processor: u32,
        /// The operation.
        operation: Operation,
    },
    /// More operands are added than there are.
    #[error("processor {processor} {operation}, but has only {left} left")]
    NoOperand {
        /// The processor.
        processor: u32,
        /// The operation.
        operation: Operation,
        /// How many there are.
        left: u64,
    },
    /// A processor receives a message that was sent to another one.
    #[error("processor {processor} receives from {from}, which sends to {to}")]
    NotAddressed {
        /// The receiver.
        processor: u32,
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
    },
    /// A message is received again.
    #[error("processor {processor} receives the partial sum of {from} a second time")]
    ReceivedTwice {
        /// The receiver.
        processor: u32,
        /// The sender.
        from: u32,
    },
    /// A partial sum is added that was not received.
    #[error("processor {processor} adds the partial sum of {from}, which it has not received or has added before")]
    NotReceived {
        /// The processor.
        processor: u32,
        /// Whose partial sum.
        from: u32,
    },
    /// A message is awaited that never comes.
    #[error("processor {processor} waits forever: {from} never sends it a message")]
    Deadlock {
        /// The processor that waits.
        processor: u32,
        /// The missing sender.
        from: u32,
    },
    /// A message is never received.
    #[error("the partial sum that processor {from} sends to {to} is never received")]
    Unread {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
    },
    /// A partial sum is received and lost.
    #[error("processor {to} receives the partial sum of {from} but never adds it")]
    NotCombined {
        /// The sender.
        from: u32,
        /// The receiver.
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
    /// A partial sum is never sent.
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
    /// The executed operations differ from the program.
    #[error("what processor {0} did is not its program")]
    Program(u32),
    /// An operation takes another time than in the model.
    #[error("processor {processor} {operation} from time {start} to {end}, which is not how long that takes")]
    Duration {
        /// The processor.
        processor: u32,
        /// The operation.
        operation: Operation,
        /// When it begins.
        start: u64,
        /// When it ends.
        end: u64,
    },
    /// Two operations of a processor overlap.
    #[error("processor {processor} {operation} from time {start}, but is busy until {until}")]
    Overlap {
        /// The processor.
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
        /// The processor.
        processor: u32,
        /// The earlier start.
        earlier: u64,
        /// The later start.
        later: u64,
        /// The gap of the model.
        g: u64,
    },
    /// A message is received before it arrives.
    #[error("processor {processor} receives from {from} at time {start}, but the message arrives at {arrival}")]
    Early {
        /// The receiver.
        processor: u32,
        /// The sender.
        from: u32,
        /// When the receive begins.
        start: u64,
        /// When the message arrives.
        arrival: u64,
    },
    /// More messages are in transit than the model allows.
    #[error(
        "{count} messages are in transit to processor {processor} at time {time}; the network takes ceil(L/g') = {capacity}"
    )]
    Capacity {
        /// Their destination.
        processor: u32,
        /// When the last of them enters the network.
        time: u64,
        /// How many messages there are.
        count: u64,
        /// The maximum.
        capacity: u64,
    },
    /// The execution and its audit find different ends: a bug in one of them.
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

impl Broken for Violation {
    const WHAT: &'static str = "schedule";

    fn is_overflow(&self) -> bool {
        matches!(self, Self::TimeOverflow)
    }
}
