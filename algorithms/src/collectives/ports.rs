//! Times of ranks that exchange several messages in a round, on one or more ports.
//!
//! In a round every rank sends some messages, then receives as many, of the same sizes in the same order. All ranks do
//! the same at the same time. The sends of a rank take its k ports in turn, and so do its receives.
//!
//! **Messages of one size** repeat: after some turns of the ports each time is `G = max(g, k o)` later than one turn
//! before. So only the first turns of many messages are followed.
//!
//! - Send i begins at `s(i) = max(s(i-1) + o, s(i-k) + g)` for `i >= k`: the longest of the paths from an `s(j)` with
//!   `j < k`, which have b gaps and `i - j - bk` overheads. For `g >= k o` a longest path has as many gaps as possible,
//!   else none. So `s(i+k) = s(i) + G` for `i >= k`.
//! - Receive i begins at `t(i) = max(t(i-1) + o, t(i-k) + g, a(i))` for `i >= k`. For arrivals, too,
//!   `a(i+k) = a(i) + G` for `i >= k`. The longest path that begins with an arrival before 2k is G longer for `i + k`
//!   than for i, if `i >= 2k - 1`; so is the longest of all others. So `t(i+k) = t(i) + G` from then on.

use std::collections::VecDeque;

use super::narrow;
use super::task::Hop;

/// The times of a rank.
#[derive(Debug, Clone)]
pub(super) struct Ports {
    /// When its processor is free.
    ready: u128,
    /// For each port, from the next one on, when it can send again.
    sends: VecDeque<u128>,
    /// For each port, from the next one on, when its last receive began; 0 before the first one.
    receives: VecDeque<u128>,
}

impl Ports {
    /// A rank that has done nothing.
    pub fn new(ports: u64) -> Self {
        let idle: VecDeque<_> = vec![0; narrow(ports) as usize].into();
        Self { ready: 0, sends: idle.clone(), receives: idle }
    }

    /// A round with messages of these sizes, in this order, each with its count.
    pub fn exchange(&mut self, messages: impl IntoIterator<Item = (Hop, u64)>) {
        let send = |(hop, count)| (hop, count, self.send(hop, count));
        let sent: Vec<_> = messages.into_iter().map(send).collect();
        for (hop, count, arrivals) in sent {
            self.receive(hop, count, &arrivals);
        }
    }

    /// When its last operation ends.
    pub fn end(&self) -> u128 {
        self.ready
    }

    /// Sends messages: when those arrive that are followed.
    fn send(&mut self, hop: Hop, count: u64) -> Vec<u128> {
        let (followed, later) = self.turns(hop, count);
        let send = |_| {
            let start = self.ready.max(self.sends.pop_front().unwrap_or(0));
            self.ready = start + hop.o;
            self.sends.push_back(start + hop.g);
            self.ready + hop.L
        };
        let arrivals = (0..followed).map(send).collect();
        self.ready += later;
        if later > 0 {
            self.sends.iter_mut().for_each(|time| *time += later);
        }
        arrivals
    }

    /// Receives them.
    fn receive(&mut self, hop: Hop, count: u64, arrivals: &[u128]) {
        for &arrival in arrivals {
            let port = self.receives.pop_front().filter(|&last| last > 0).map_or(0, |last| last + hop.g);
            let start = self.ready.max(arrival).max(port);
            self.ready = start + hop.o;
            self.receives.push_back(start);
        }
        let (_, later) = self.turns(hop, count);
        self.ready += later;
        if later > 0 {
            // Each port has received.
            self.receives.iter_mut().for_each(|last| *last += later);
        }
    }

    /// How many messages of one size are followed, and how much later the others end.
    fn turns(&self, hop: Hop, count: u64) -> (u64, u128) {
        let ports = self.sends.len() as u64;
        let followed = if count < 4 * ports { count } else { 3 * ports + count % ports };
        let period = hop.g.max(u128::from(ports) * hop.o);
        // More than any time that fits in 64 bits; sums of it fit in 128.
        let most = 1 << 100;
        (followed, u128::from((count - followed) / ports).saturating_mul(period).min(most))
    }
}
