//! Times of ranks that exchange several messages in a round, on one or more ports.
//!
//! In a round every rank sends some messages, then receives as many, of the same sizes in the same order. All ranks do
//! the same at the same time. The sends of a rank take its k ports in turn, and so do its receives. With strict ports each operation
//! also waits for the one before it; with duplex ones a send waits for all receives before it.
//!
//! **Messages of one size** repeat: after some turns of the ports each time is `G = max(g, k o)` later than one turn
//! before, with duplex ports `G = max(g, o)`. So only the first turns of many messages are followed. With strict ports:
//!
//! - Send i begins at `s(i) = max(s(i-1) + o, s(i-k) + g)` for `i >= k`: the longest of the paths from an `s(j)` with
//!   `j < k`, which have b gaps and `i - j - bk` overheads. For `g >= k o` a longest path has as many gaps as possible,
//!   else none. So `s(i+k) = s(i) + G` for `i >= k`.
//! - Receive i begins at `t(i) = max(t(i-1) + o, t(i-k) + g, a(i))` for `i >= k`. For arrivals, too,
//!   `a(i+k) = a(i) + G` for `i >= k`. The longest path that begins with an arrival before 2k is G longer for `i + k`
//!   than for i, if `i >= 2k - 1`; so is the longest of all others. So `t(i+k) = t(i) + G` from then on.
//!
//! With duplex ports `s(i+k) = s(i) + G`, because s(i) is not before the receives of earlier rounds. So `a(i+k) = a(i) + G`, and
//! `t(i+k) = max(t(i) + G, a(i) + G) = t(i) + G`.

use std::collections::VecDeque;

use crate::plan::task::PortRule;
use crate::plan::{Hop, Task, narrow};
use crate::wide::Wide;

/// The times of a rank.
#[derive(Debug, Clone)]
pub(super) struct Ports {
    rule: PortRule,
    /// When its processor is free; of duplex ports when the last of its receives has ended.
    ready: Wide,
    /// For each port, from the next one on, when it can send again.
    sends: VecDeque<Wide>,
    /// For each port, from the next one on, when its last receive began and ended; 0 before the first one.
    receives: VecDeque<[Wide; 2]>,
}

impl Ports {
    /// A rank that has done nothing.
    pub fn new(task: &Task) -> Self {
        let idle: VecDeque<_> = vec![Wide::ZERO; narrow(task.k) as usize].into();
        Self {
            rule: task.rule,
            ready: Wide::ZERO,
            receives: idle.iter().map(|&time| [time; 2]).collect(),
            sends: idle,
        }
    }

    /// A round with messages of these sizes, in this order, each with its count.
    pub fn exchange(&mut self, messages: impl IntoIterator<Item = (Hop, u64)>) {
        let send = |(hop, count)| (hop, count, self.send(hop, count));
        let sent: Vec<_> = messages.into_iter().map(send).collect();
        for (hop, count, arrivals) in sent {
            self.receive(hop, count, &arrivals);
        }
    }

    /// A round in turns: a rank sends as many of these messages as it has ports and receives as many, until all are
    /// exchanged.
    pub fn exchange_in_turns(&mut self, messages: impl IntoIterator<Item = (Hop, u64)>) {
        let ports = self.sends.len() as u64;
        // The messages of a turn, and how many it lacks.
        let (mut turn, mut lacking) = (Vec::new(), ports);
        for (hop, mut count) in messages {
            if lacking == ports {
                self.repeat(hop, ports, count / ports);
                count %= ports;
            }
            while count > 0 {
                let part = count.min(lacking);
                turn.push((hop, part));
                (count, lacking) = (count - part, lacking - part);
                if lacking == 0 {
                    self.exchange(turn.drain(..));
                    lacking = ports;
                    self.repeat(hop, ports, count / ports);
                    count %= ports;
                }
            }
        }
        self.exchange(turn);
    }

    /// Follows `rounds` rounds with `each` messages of one size. Once all times are as much later as the rank is, they are in all further
    /// rounds.
    pub fn repeat(&mut self, hop: Hop, each: u64, rounds: u64) {
        for left in (0..rounds).rev() {
            let before = self.clone();
            self.exchange([(hop, each)]);
            let Some(period) = self.ready.checked_sub(before.ready) else {
                continue;
            };
            let is_later = |(now, then): (&Wide, &Wide)| *now == *then + period;
            let same = self.sends.iter().zip(&before.sends).all(is_later);
            let received = self.receives.iter().flatten();
            if same && received.zip(before.receives.iter().flatten()).all(is_later) {
                let later = left * period;
                self.ready += later;
                self.sends
                    .iter_mut()
                    .chain(self.receives.iter_mut().flatten())
                    .for_each(|time| *time += later);
                return;
            }
        }
    }

    /// When its last operation ends.
    pub fn end(&self) -> Wide {
        self.ready
    }

    /// Sends messages: when those arrive that are followed.
    fn send(&mut self, hop: Hop, count: u64) -> Vec<Wide> {
        let (followed, later) = self.turns(hop, count);
        let send = |_| {
            let start = self.ready.max(self.sends.pop_front().unwrap_or_default());
            if self.rule == PortRule::Strict {
                self.ready = start + hop.o;
            }
            self.sends.push_back(start + hop.gap());
            start + hop.o + hop.L
        };
        let arrivals = (0..followed).map(send).collect();
        if self.rule == PortRule::Strict {
            self.ready += later;
        }
        if later > Wide::ZERO {
            self.sends.iter_mut().for_each(|time| *time += later);
        }
        arrivals
    }

    /// Receives them.
    fn receive(&mut self, hop: Hop, count: u64, arrivals: &[Wide]) {
        for &arrival in arrivals {
            let [last, ended] = self.receives.pop_front().unwrap_or_default();
            // Before the first one there is no gap.
            let port = if last > Wide::ZERO {
                last + hop.g
            } else {
                last
            };
            let mut start = arrival.max(port).max(ended);
            if self.rule == PortRule::Strict {
                start = start.max(self.ready);
            }
            self.ready = self.ready.max(start + hop.o);
            self.receives.push_back([start, start + hop.o]);
        }
        let (_, later) = self.turns(hop, count);
        self.ready += later;
        if later > Wide::ZERO {
            // Each port has received.
            let times = self.receives.iter_mut().flatten();
            times.for_each(|time| *time += later);
        }
    }

    /// How many messages of one size are followed, and how much later the others end.
    fn turns(&self, hop: Hop, count: u64) -> (u64, Wide) {
        let ports = self.sends.len() as u64;
        let followed = if count < 4 * ports {
            count
        } else {
            3 * ports + count % ports
        };
        (
            followed,
            (count - followed) / ports
                * hop.g.max(match self.rule {
                    PortRule::Strict => ports * hop.o,
                    PortRule::Duplex => hop.o,
                }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Machine;
    use crate::logp::LogP;

    /// Turns of many messages of one size are those of their messages one by one.
    #[test]
    fn repeated_turns_are_followed() {
        for (o, L, g) in [
            (0, 4, 4),
            (2, 6, 4),
            (1, 0, 50),
            (3, 100, 1),
            (7, 1, 3),
            (0, 0, 5),
        ] {
            let [hop, longer] = [(L, g), (L + 9, g + 9)].map(|(L, g)| {
                let [o, L, g] = [o, L, g].map(|time: u64| time.into());
                Hop {
                    o,
                    L,
                    g,
                    q: Wide::ZERO,
                }
            });
            for (ports, rule) in (1..5).flat_map(|k| [(k, PortRule::Strict), (k, PortRule::Duplex)])
            {
                let machine = Machine::Words(LogP::new(1, 1, 1).unwrap());
                let task = Task {
                    k: ports,
                    rule,
                    ..Task::new(machine, 2, 1, 0)
                };
                for counts in (0..24).flat_map(|a| [0, 1, 7, 20].map(|b| [a, b])) {
                    let messages = [(longer, counts[0]), (hop, counts[1]), (longer, 3)];
                    let all: Vec<Hop> = messages
                        .iter()
                        .flat_map(|&(hop, count)| (0..count).map(move |_| hop))
                        .collect();
                    let [mut fast, mut slow] = [Ports::new(&task), Ports::new(&task)];
                    fast.exchange_in_turns(messages);
                    for turn in all.chunks(usize::try_from(ports).unwrap()) {
                        slow.exchange(turn.iter().map(|&hop| (hop, 1)));
                    }
                    assert_eq!(
                        fast.end(),
                        slow.end(),
                        "{ports} {rule:?} ports, {messages:?}"
                    );
                }
            }
        }
    }
}
