//! Why a program cannot be executed.

use std::fmt;

use super::step::ANY;
use crate::error::Broken;
use crate::text::grouped;

/// A mistake in a program, found before or while it is executed. Processors and operations count from 0, operations
/// over all processors in the order in which they were [pushed](super::builder::Builder::push).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// More operations or processors than the engine can number.
    #[error(
        "the program has more than {most} {what}, the most that are executed; simulate a smaller one"
    )]
    TooLarge {
        /// What there are too many of.
        what: &'static str,
        /// The maximum.
        most: u64,
    },
    /// A processor was given two programs.
    #[error("processor {0} has a second program; write one for each processor")]
    TwoPrograms(u32),
    /// An operation was added before the program of any processor was begun.
    #[error("an operation was added before a program was begun; begin one first")]
    NotBegun,
    /// A processor is named that does not exist.
    #[error("processor {named} does not exist: there are {processors}, counted from 0")]
    NoSuchProcessor {
        /// The operation that names it; none where a program was begun for it.
        operation: Option<u32>,
        /// The processor that does not exist.
        named: u32,
        /// How many there are.
        processors: u32,
    },
    /// A send with [any tag](ANY).
    #[error(
        "a message is sent with any tag: {ANY} stands for that in a receive; send with a smaller tag"
    )]
    AnyTag {
        /// The send.
        operation: u32,
    },
    /// A dependency names an operation of another processor.
    #[error(
        "operation {later} depends on {earlier}, which is not of the same processor; send a message instead"
    )]
    Foreign {
        /// The operation that waits.
        later: u32,
        /// The operation it waits for.
        earlier: u32,
    },
    /// Operations that wait for each other on one processor.
    #[error("{} on processor {processor} wait for each other", counted(.operations.len(), "operation"))]
    Cycle {
        /// The processor.
        processor: u32,
        /// The operations; each waits for the next, and the last for the first.
        operations: Vec<u32>,
    },
    /// A send without a receive, or a receive without a send.
    #[error(
        "from processor {from} to {to} with tag {tag}: {} sent, {} received; each needs its counterpart",
        counted(*sends, "message"),
        counted(*receives, "message")
    )]
    Unmatched {
        /// The first operation that has no counterpart.
        operation: u32,
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
        /// The tag.
        tag: u32,
        /// How many are sent.
        sends: u32,
        /// How many are received.
        receives: u32,
    },
    /// A processor with receives of [`ANY`] is sent another number of messages than it receives.
    #[error(
        "to processor {to}: {} sent, {} received; each needs its counterpart",
        counted(*sends, "message"),
        counted(*receives, "message")
    )]
    Uneven {
        /// The first of its operations.
        operation: u32,
        /// The receiver.
        to: u32,
        /// How many are sent.
        sends: u32,
        /// How many are received.
        receives: u32,
    },
    /// A message is larger than its receive.
    #[error(
        "message truncated: processor {processor} receives {} byte{}, the sender sends {}",
        grouped(*room),
        if *room == 1 { "" } else { "s" },
        grouped(*bytes)
    )]
    Truncated {
        /// The receive.
        operation: u32,
        /// The receiver.
        processor: u32,
        /// The size of the message.
        bytes: u64,
        /// The size of the receive.
        room: u64,
    },
    /// Processors wait for messages that are never sent, because their senders also wait.
    #[error("deadlock: {}", Waits(.waits, *.blocked))]
    Deadlock {
        /// Some of the waits; where programs run in order, each processor waits for the next and the last for the first.
        waits: Vec<Wait>,
        /// How many receives wait in all.
        blocked: u64,
    },
    /// A time does not fit in 64 bits.
    #[error(
        "a time of processor {processor} does not fit in 64 bits; use smaller values or a coarser unit of time"
    )]
    TimeOverflow {
        /// The operation that ends too late, or whose message arrives too late.
        operation: u32,
        /// Its processor.
        processor: u32,
    },
}

impl Broken for Fault {
    const WHAT: &'static str = "programs";

    fn is_overflow(&self) -> bool {
        matches!(self, Self::TimeOverflow { .. })
    }
}

/// A receive that never happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The receive.
    pub operation: u32,
    /// The processor that waits.
    pub processor: u32,
    /// The sender; [`ANY`] for any.
    pub from: u32,
    /// The tag; [`ANY`] for any.
    pub tag: u32,
}

/// The waits as text.
struct Waits<'a>(&'a [Wait], u64);

impl fmt::Display for Waits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, wait) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { ", " };
            let named = |number: u32| {
                if number == ANY {
                    "any".to_owned()
                } else {
                    number.to_string()
                }
            };
            let (from, tag) = (named(wait.from), named(wait.tag));
            write!(
                f,
                "{separator}processor {} waits for a message from {from} with tag {tag}",
                wait.processor
            )?;
        }
        match self.1.saturating_sub(self.0.len() as u64) {
            0 => Ok(()),
            more => write!(f, ", and {more} more wait"),
        }
    }
}

/// `1 message`, `2 messages`.
fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_time_that_does_not_fit_is_an_overflow() {
        assert_eq!(
            Error::from(Fault::TimeOverflow {
                operation: 1,
                processor: 0
            }),
            Error::Overflow
        );
    }
}
