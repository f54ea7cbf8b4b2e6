//! The rules that a multicast schedule or its execution can break.

use crate::error::Broken;

/// A rule that a schedule broke.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A node is named that does not exist.
    #[error("node {sender} sends to {receiver}, which is not one of the nodes 1 to {nodes}")]
    NoSuchNode {
        /// The sender.
        sender: u32,
        /// The receiver.
        receiver: u32,
        /// How many nodes there are.
        nodes: u32,
    },
    /// A node sends to itself.
    #[error("node {0} sends to itself")]
    ToItself(u32),
    /// A node gets the message a second time.
    #[error("node {receiver} gets the message a second time, from node {sender} at time {time}")]
    Twice {
        /// The sender of the second message.
        sender: u32,
        /// Its receiver.
        receiver: u32,
        /// When it arrives.
        time: u64,
    },
    /// A node never gets the message.
    #[error("{count} of {nodes} nodes never get the message, node {first} among them")]
    Unreached {
        /// How many nodes never get it.
        count: u32,
        /// How many nodes there are.
        nodes: u32,
        /// The first of them.
        first: u32,
    },
    /// A node sends before it holds the message.
    #[error("node {sender} begins a send at time {time} but does not hold the message then")]
    NotHeld {
        /// The sender.
        sender: u32,
        /// When the send begins.
        time: u64,
    },
    /// Two sends of one processor are less than `g` apart.
    #[error("node {node} begins two sends at times {earlier} and {later}, less than g = {g} apart")]
    Gap {
        /// The processor.
        node: u32,
        /// The earlier start.
        earlier: u64,
        /// The later start.
        later: u64,
        /// The gap of the model.
        g: u64,
    },
    /// The overheads of two messages overlap on one processor.
    #[error("node {node} is busy with one message from time {earlier} for o = {o} and with another from {later}")]
    Overlap {
        /// The processor.
        node: u32,
        /// When the first occupation begins.
        earlier: u64,
        /// When the second begins.
        later: u64,
        /// The overhead of the model.
        o: u64,
    },
    /// More messages are in transit than the model allows.
    #[error(
        "{count} messages are in transit from node {node} at time {time}; the network takes ceil(L/g') = {capacity}"
    )]
    Capacity {
        /// The processor.
        node: u32,
        /// When the last of them enters the network.
        time: u64,
        /// How many there are.
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
    /// A time does not fit in 64 bits.
    #[error("a time of the execution does not fit in 64 bits")]
    TimeOverflow,
}

impl Broken for Violation {
    const WHAT: &'static str = "schedule";

    fn is_overflow(&self) -> bool {
        matches!(self, Self::TimeOverflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_time_that_does_not_fit_is_an_overflow() {
        assert_eq!(Error::from(Violation::TimeOverflow), Error::Overflow);
    }
}
