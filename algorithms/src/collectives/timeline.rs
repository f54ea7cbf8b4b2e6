//! Times of one rank as functions of one unknown time: when a message arrives.
//!
//! In an execution in order every time is a longest path, so as a function of the arrival `x` it is the larger of a
//! constant and x plus a constant.

use super::task::Hop;

/// Earlier than all times, by more than any time: sums of times are below `2^80`.
const NEVER: i128 = -(1 << 100);

/// The larger of `fixed` and `x + later`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    fixed: i128,
    later: i128,
}

impl Time {
    /// The unknown time x.
    pub const X: Self = Self { fixed: 0, later: 0 };

    /// Time zero.
    pub const ZERO: Self = Self { fixed: 0, later: NEVER };

    /// So much later.
    pub fn plus(self, time: u128) -> Self {
        let time = time.cast_signed();
        Self { fixed: self.fixed + time, later: self.later + time }
    }

    /// The later of two.
    pub fn max(self, other: Self) -> Self {
        Self { fixed: self.fixed.max(other.fixed), later: self.later.max(other.later) }
    }

    /// The time for the x that this one states.
    pub fn of(self, x: Self) -> Self {
        Self { fixed: self.fixed.max(x.fixed + self.later), later: x.later + self.later }
    }

    /// Where it does not depend on x.
    pub fn known(self) -> u128 {
        self.fixed.cast_unsigned()
    }
}

/// A rank that has done some of its operations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// When its processor is free.
    pub ready: Time,
    /// Before this its port sends no other message.
    send: Time,
    /// Before this its port receives no other message.
    receive: Time,
}

impl Line {
    /// A rank that has done nothing.
    pub const START: Self = Self { ready: Time::ZERO, send: Time::ZERO, receive: Time::ZERO };

    /// When it can send next.
    pub fn next_send(&self) -> Time {
        self.ready.max(self.send)
    }

    /// Sends: when the message arrives.
    pub fn send(&mut self, hop: Hop) -> Time {
        let start = self.next_send();
        self.ready = start.plus(hop.o);
        self.send = start.plus(hop.g);
        start.plus(hop.o + hop.L)
    }

    /// Receives a message that arrives then.
    pub fn receive(&mut self, hop: Hop, arrival: Time) {
        let start = self.ready.max(arrival).max(self.receive);
        self.ready = start.plus(hop.o);
        self.receive = start.plus(hop.g);
    }

    /// Works so long.
    pub fn work(&mut self, time: u128) {
        self.ready = self.ready.plus(time);
    }
}
