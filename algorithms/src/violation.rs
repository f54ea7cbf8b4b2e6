//! A rule of a model that a simulator or an audit found broken.

use std::fmt::{self, Display};

use crate::error::Broken;

/// The rules of all models; each simulator checks those of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Every named node exists.
    NoSuchNode,
    /// Every named message exists.
    NoSuchMessage,
    /// No node sends to itself.
    ToItself,
    /// A node holds what it sends.
    NotHeld,
    /// A node receives a message once.
    Twice,
    /// Every node gets every message that it should get, and no other.
    Missing,
    /// A link joins successive nodes.
    NoLink,
    /// A link carries one message at a time.
    LinkInUse,
    /// A node sends at most k messages in a round.
    TooManySent,
    /// A node receives at most k messages in a round.
    TooManyReceived,
    /// Contributions are combined in the order of the ranks.
    OutOfOrder,
    /// A worm passes its receivers in order.
    Receivers,
    /// Nothing waits in a ring, or for a message that is never sent.
    Deadlock,
    /// Two sends, or receives, of a processor begin at least `g` apart.
    Gap,
    /// A processor does one thing at a time.
    Overlap,
    /// At most `ceil(L/g')` messages are in transit.
    Capacity,
    /// An operation takes as long as in the model.
    Duration,
    /// A message is received after its arrival.
    Early,
    /// A processor adds all of its operands.
    NotAdded,
    /// A processor does not add more operands than it has.
    NoOperand,
    /// A message is sent to its receiver, and carries what that expects.
    NotAddressed,
    /// Every message is received.
    Unread,
    /// A partial sum is added once, after it was received.
    NotReceived,
    /// A received partial sum is added.
    NotCombined,
    /// Every processor but the root sends its partial sum.
    Kept,
    /// The root holds a sum at the end.
    NoResult,
    /// A processor does what its program says, in that order.
    Program,
    /// Two independent ways find the same number.
    Differs,
    /// Every time fits in 64 bits.
    TimeOverflow,
    /// What is simulated fits in memory.
    TooLarge,
}

/// A broken rule; the text names the node, the time and what is wrong.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Violation {
    /// The broken rule.
    pub rule: Rule,
    text: String,
}

impl Rule {
    /// This rule is broken; the text says by which node and when.
    #[cold]
    #[must_use]
    pub fn broken(self, text: impl Display) -> Violation {
        Violation {
            rule: self,
            text: text.to_string(),
        }
    }

    /// Checks that this rule is kept. The text is made only where it is not.
    #[inline]
    pub(crate) fn unless<T: Display>(
        self,
        is_kept: bool,
        text: impl FnOnce() -> T,
    ) -> Result<(), Violation> {
        if is_kept {
            Ok(())
        } else {
            Err(self.broken(text()))
        }
    }
}

impl Violation {
    /// A time that does not fit in 64 bits.
    #[cold]
    pub(crate) fn overflow() -> Self {
        Rule::TimeOverflow.broken("a time of the execution does not fit in 64 bits")
    }
}

/// The rule first: the mutation tests read it.
impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.text)
    }
}

impl Broken for Violation {
    const WHAT: &'static str = "schedule";

    fn is_overflow(&self) -> bool {
        self.rule == Rule::TimeOverflow
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_time_that_does_not_fit_is_an_overflow() {
        assert_eq!(Error::from(Violation::overflow()), Error::Overflow);
        assert!(matches!(
            Error::from(Rule::Twice.broken("node 1")),
            Error::Rejected(_)
        ));
    }
}
