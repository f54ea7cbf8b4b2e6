//! The time line of one rank, in numbers or as functions of one unknown time: when a message arrives.
//!
//! In an execution in order every time is a longest path, so as a function of the arrival `x` it is the larger of a
//! constant and x plus a constant.

use super::task::Hop;
use crate::wide::Wide;

/// A time on the line of a rank; the default is time zero.
pub(crate) trait Instant: Copy + Default + PartialEq {
    /// The time that is later by `time`.
    fn plus(self, time: Wide) -> Self;

    /// The later of two.
    fn max(self, other: Self) -> Self;
}

impl Instant for Wide {
    fn plus(self, time: Wide) -> Self {
        self + time
    }

    fn max(self, other: Self) -> Self {
        Ord::max(self, other)
    }
}

/// The larger of `fixed` and `x + later`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Time {
    fixed: Wide,
    /// `None` where it does not depend on x.
    later: Option<Wide>,
}

impl Time {
    /// The unknown time x.
    pub const X: Self = Self { fixed: Wide::ZERO, later: Some(Wide::ZERO) };

    /// Time zero.
    pub const ZERO: Self = Self { fixed: Wide::ZERO, later: None };

    /// The time for the x that this one states.
    pub fn after(self, x: Self) -> Self {
        let Some(later) = self.later else { return self };
        Self { fixed: Ord::max(self.fixed, x.fixed + later), later: x.later.map(|time| time + later) }
    }

    /// Where it does not depend on x.
    pub fn known(self) -> Wide {
        self.fixed
    }
}

impl Default for Time {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Instant for Time {
    fn plus(self, time: Wide) -> Self {
        Self { fixed: self.fixed + time, later: self.later.map(|later| later + time) }
    }

    fn max(self, other: Self) -> Self {
        Self { fixed: Ord::max(self.fixed, other.fixed), later: Ord::max(self.later, other.later) }
    }
}

/// A rank that has done some of its operations. A send waits for the gap of the message sent before it, a receive for that
/// of its own message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RankClock<T = Wide> {
    /// When its processor is free.
    pub ready: T,
    /// Before this its port sends no other message.
    pub send: T,
    /// When the last receive began; time zero before the first one.
    pub received: T,
}

impl<T: Instant> RankClock<T> {
    /// When it can send next.
    pub fn next_send(&self) -> T {
        self.ready.max(self.send)
    }

    /// Sends a message, and returns its arrival.
    pub fn send(&mut self, hop: Hop) -> T {
        let start = self.next_send();
        self.ready = start.plus(hop.o);
        self.send = start.plus(hop.g);
        self.ready.plus(hop.L)
    }

    /// Receives a message, and combines it.
    pub fn receive(&mut self, hop: Hop, arrival: T) {
        let port = if self.received == T::default() { self.received } else { self.received.plus(hop.g) };
        self.received = self.ready.max(arrival).max(port);
        self.ready = self.received.plus(hop.o + hop.q);
    }

    /// Works so long.
    pub fn work(&mut self, time: Wide) {
        self.ready = self.ready.plus(time);
    }

    /// When one more message is received by a rank that waits for it.
    pub fn hand_on(mut self, hop: Hop) -> T {
        self.send(hop).plus(hop.o)
    }

    /// The later of two for each time.
    pub fn later(self, other: Self) -> Self {
        Self {
            ready: self.ready.max(other.ready),
            send: self.send.max(other.send),
            received: self.received.max(other.received),
        }
    }
}
