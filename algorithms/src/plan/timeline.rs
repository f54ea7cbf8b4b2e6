//! The time line of one rank, in numbers or as functions of one unknown time: when a message arrives. A [`Line`] follows one rule of
//! ports, and the [clock](super::clock) any of them.
//!
//! In an execution in order every time is a longest path, so as a function of the arrival `x` it is the larger of a
//! constant and x plus a constant.

use std::collections::VecDeque;

use super::task::{Hop, Task, narrow};
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
    pub const X: Self = Self {
        fixed: Wide::ZERO,
        later: Some(Wide::ZERO),
    };

    /// Time zero.
    pub const ZERO: Self = Self {
        fixed: Wide::ZERO,
        later: None,
    };

    /// The time for the x that this one states.
    pub fn after(self, x: Self) -> Self {
        let Some(later) = self.later else { return self };
        Self {
            fixed: Ord::max(self.fixed, x.fixed + later),
            later: x.later.map(|time| time + later),
        }
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
        Self {
            fixed: self.fixed + time,
            later: self.later.map(|later| later + time),
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            fixed: Ord::max(self.fixed, other.fixed),
            later: Ord::max(self.later, other.later),
        }
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
        let port = if self.received == T::default() {
            self.received
        } else {
            self.received.plus(hop.g)
        };
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

/// A rank under a rule of ports.
pub(crate) trait Line: Clone {
    /// A rank that has done nothing.
    fn idle(task: &Task) -> Self;
    /// Sends a message, and returns its arrival.
    fn send(&mut self, hop: Hop) -> Wide;
    /// Receives a message.
    fn receive(&mut self, hop: Hop, arrival: Wide);
    /// Receives a message, and combines it.
    fn combine(&mut self, hop: Hop, arrival: Wide);
    /// Combines words that it holds for so long.
    fn work(&mut self, time: Wide);
    /// When its last operation ends.
    fn end(&self) -> Wide;
    /// All times on it. Each is time zero before it is used, and then the latest of earlier ones and of arrivals, plus a constant.
    fn times(&mut self) -> impl Iterator<Item = &mut Wide>;
}

impl Line for RankClock {
    fn idle(_: &Task) -> Self {
        Self::default()
    }

    fn send(&mut self, hop: Hop) -> Wide {
        Self::send(self, hop)
    }

    fn receive(&mut self, hop: Hop, arrival: Wide) {
        Self::receive(self, hop.without_combining(), arrival);
    }

    fn combine(&mut self, hop: Hop, arrival: Wide) {
        Self::receive(self, hop, arrival);
    }

    fn work(&mut self, time: Wide) {
        Self::work(self, time);
    }

    fn end(&self) -> Wide {
        self.ready
    }

    fn times(&mut self) -> impl Iterator<Item = &mut Wide> {
        [&mut self.ready, &mut self.send, &mut self.received].into_iter()
    }
}

/// A rank with several strict ports, which its sends take in turn, and so do its receives.
#[derive(Debug, Clone)]
pub(crate) struct PortsClock {
    /// The rank, with the ports that it used last.
    rank: RankClock,
    /// [`RankClock::send`] of the other ports, from the next one on.
    sends: VecDeque<Wide>,
    /// [`RankClock::received`] of the other ports.
    receives: VecDeque<Wide>,
}

impl PortsClock {
    fn take_in(&mut self, hop: Hop, arrival: Wide) {
        self.receives.push_back(self.rank.received);
        self.rank.received = self.receives.pop_front().unwrap_or_default();
        self.rank.receive(hop, arrival);
    }
}

impl Line for PortsClock {
    fn idle(task: &Task) -> Self {
        let others = vec![Wide::ZERO; narrow(task.k.saturating_sub(1)) as usize];
        Self {
            rank: RankClock::default(),
            sends: others.clone().into(),
            receives: others.into(),
        }
    }

    fn send(&mut self, hop: Hop) -> Wide {
        self.sends.push_back(self.rank.send);
        self.rank.send = self.sends.pop_front().unwrap_or_default();
        self.rank.send(hop)
    }

    fn receive(&mut self, hop: Hop, arrival: Wide) {
        self.take_in(hop.without_combining(), arrival);
    }

    fn combine(&mut self, hop: Hop, arrival: Wide) {
        self.take_in(hop, arrival);
    }

    fn work(&mut self, time: Wide) {
        self.rank.work(time);
    }

    fn end(&self) -> Wide {
        self.rank.ready
    }

    fn times(&mut self) -> impl Iterator<Item = &mut Wide> {
        let ports = self.sends.iter_mut().chain(&mut self.receives);
        self.rank.times().chain(ports)
    }
}

/// A rank with [duplex](super::task::PortRule::Duplex) ports, which take the next messages in turn. A send waits for all that the rank
/// received before; combining waits for all that it sent and received before.
#[derive(Debug, Clone)]
pub(crate) struct DuplexClock {
    /// When each port can send again.
    sends: VecDeque<Wide>,
    /// For each port when its last receive began, zero before the first one, and when it can receive again.
    receives: VecDeque<(Wide, Wide)>,
    /// When all that it received is there and combined.
    held: Wide,
    /// When all of its sends have ended.
    sent: Wide,
}

impl DuplexClock {
    /// Receives on the next port: when that began and ended.
    fn begin_receive(&mut self, hop: Hop, arrival: Wide) -> [Wide; 2] {
        let (begun, ready) = self.receives.pop_front().unwrap_or_default();
        let port = if begun == Wide::ZERO {
            begun
        } else {
            begun + hop.g
        };
        let start = Ord::max(Ord::max(arrival, ready), port);
        [start, start + hop.o]
    }
}

impl Line for DuplexClock {
    fn idle(task: &Task) -> Self {
        let ports = narrow(task.k) as usize;
        Self {
            sends: vec![Wide::ZERO; ports].into(),
            receives: vec![(Wide::ZERO, Wide::ZERO); ports].into(),
            held: Wide::ZERO,
            sent: Wide::ZERO,
        }
    }

    fn send(&mut self, hop: Hop) -> Wide {
        let start = Ord::max(self.held, self.sends.pop_front().unwrap_or_default());
        self.sends.push_back(start + Ord::max(hop.g, hop.o));
        self.sent = Ord::max(self.sent, start + hop.o);
        start + hop.o + hop.L
    }

    fn receive(&mut self, hop: Hop, arrival: Wide) {
        let [start, end] = self.begin_receive(hop, arrival);
        self.receives.push_back((start, end));
        self.held = Ord::max(self.held, end);
    }

    fn combine(&mut self, hop: Hop, arrival: Wide) {
        let [start, end] = self.begin_receive(hop, arrival);
        self.held = Ord::max(self.held, Ord::max(end, self.sent)) + hop.q;
        self.receives.push_back((start, self.held));
    }

    fn work(&mut self, time: Wide) {
        self.held = Ord::max(self.held, self.sent) + time;
        for (_, ready) in &mut self.receives {
            *ready = self.held;
        }
    }

    fn end(&self) -> Wide {
        self.held
    }

    fn times(&mut self) -> impl Iterator<Item = &mut Wide> {
        let receives = self.receives.iter_mut();
        let receives = receives.flat_map(|(begun, ready)| [begun, ready]);
        let rank = [&mut self.held, &mut self.sent].into_iter();
        rank.chain(&mut self.sends).chain(receives)
    }
}
