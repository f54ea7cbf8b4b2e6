//! Checks a *timed* multicast against every rule of LogP, one rule at a time.
//!
//! The [simulator](super::simulator) decides when each send happens; this takes the times as given and
//! asks whether they are allowed. The two share no code, so a mistake in one shows in the other. It is
//! also the judge of schedules from elsewhere: a trace of a real run, or of another program.

use std::collections::BTreeMap;

use super::LogP;
use super::schedule::Schedule;
use super::simulator::{Trace, Violation};

/// A send and the time at which its sender begins it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedSend {
    /// When the sender begins to spend its overhead.
    pub start: u64,
    /// Who sends.
    pub sender: u32,
    /// Who receives.
    pub receiver: u32,
}

/// Judges a multicast from `source` to all of `1..=nodes` and returns when the last of them holds the message.
///
/// Rules: nodes exist and do not send to themselves; a sender holds the message; sends of a processor
/// begin at least `g` apart, and so do its receives; a processor spends its overhead `o` on one message
/// at a time; at most `ceil(L/g')` messages are in transit from, and to, a processor; every node gets
/// the message exactly once.
///
/// Cost: sorting the sends.
///
/// # Errors
/// The first rule broken, in the order above and within a rule by processor and time.
pub fn audit(model: LogP, nodes: u32, source: u32, sends: &[TimedSend]) -> Result<u64, Violation> {
    let ends = |send: &TimedSend| {
        let injected = send.start.checked_add(model.o()).ok_or(Violation::TimeOverflow)?;
        let arrived = injected.checked_add(model.L()).ok_or(Violation::TimeOverflow)?;
        let held = arrived.checked_add(model.o()).ok_or(Violation::TimeOverflow)?;
        Ok((injected, arrived, held))
    };
    let mut held = BTreeMap::from([(source, 0)]);
    let mut outgoing: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    let mut incoming: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    let mut in_order = sends.to_vec();
    in_order.sort_by_key(|send| (send.start, send.sender, send.receiver));
    for send in &in_order {
        let &TimedSend { start, sender, receiver } = send;
        if !(1..=nodes).contains(&sender) || !(1..=nodes).contains(&receiver) {
            return Err(Violation::NoSuchNode { sender, receiver, nodes });
        }
        if sender == receiver {
            return Err(Violation::ToItself(sender));
        }
        // D >= 1, so whoever may send at `start` was sent to before it and is known by now.
        if held.get(&sender).is_none_or(|&since| since > start) {
            return Err(Violation::NotHeld { sender, time: start });
        }
        let (_, arrived, done) = ends(send)?;
        outgoing.entry(sender).or_default().push(start);
        incoming.entry(receiver).or_default().push(arrived);
        held.entry(receiver).and_modify(|since| *since = done.min(*since)).or_insert(done);
    }
    for node in 1..=nodes {
        let sent = outgoing.get(&node).map_or(&[][..], Vec::as_slice);
        let received = incoming.get(&node).map_or(&[][..], Vec::as_slice);
        spaced(model, node, "sends", sent)?;
        spaced(model, node, "receives", received)?;
        exclusive(model, node, sent, received)?;
        within_capacity(model, node, sent, received)?;
    }
    every_node_once(nodes, source, &in_order, &held, |send| ends(send).map(|times| times.1))?;
    Ok(held.values().copied().max().unwrap_or(0))
}

/// Gives every send of an executed schedule its time, from the trace alone: the i-th send of a node
/// begins `i * g'` after the node held the message.
#[must_use]
pub fn timed(model: LogP, schedule: &Schedule, trace: &Trace) -> Vec<TimedSend> {
    (1..=schedule.nodes())
        .flat_map(|sender| {
            let held = trace.held[sender as usize - 1];
            (0u64..).zip(schedule.targets(sender)).map(move |(i, &receiver)| TimedSend {
                start: held + i * model.gap(),
                sender,
                receiver,
            })
        })
        .collect()
}

fn spaced(model: LogP, node: u32, what: &'static str, starts: &[u64]) -> Result<(), Violation> {
    let g = model.g();
    match starts.windows(2).find(|pair| pair[1] - pair[0] < g) {
        None => Ok(()),
        Some(pair) => Err(Violation::Gap { node, what, earlier: pair[0], later: pair[1], g }),
    }
}

fn exclusive(model: LogP, node: u32, sent: &[u64], received: &[u64]) -> Result<(), Violation> {
    let o = model.o();
    let mut busy: Vec<u64> = sent.iter().chain(received).copied().collect();
    busy.sort_unstable();
    match busy.windows(2).find(|pair| pair[1] - pair[0] < o) {
        None => Ok(()),
        Some(pair) => Err(Violation::Overlap { node, earlier: pair[0], later: pair[1], o }),
    }
}

fn within_capacity(model: LogP, node: u32, sent: &[u64], received: &[u64]) -> Result<(), Violation> {
    let Some(capacity) = model.capacity().filter(|_| model.L() > 0) else { return Ok(()) };
    let injected_from = sent.iter().map(|start| start + model.o());
    let injected_to = received.iter().map(|arrived| arrived - model.L());
    for (direction, injected) in [("from", injected_from.collect::<Vec<_>>()), ("to", injected_to.collect::<Vec<_>>())]
    {
        for (i, &time) in injected.iter().enumerate() {
            // In transit during [injected, injected + L): count those that entered before and are still under way.
            let count =
                1 + injected[..i].iter().rev().take_while(|&&earlier| earlier + model.L() > time).count() as u64;
            if count > capacity {
                return Err(Violation::Capacity { node, direction, time, count, capacity });
            }
        }
    }
    Ok(())
}

fn every_node_once(
    nodes: u32,
    source: u32,
    sends: &[TimedSend],
    held: &BTreeMap<u32, u64>,
    arrival: impl Fn(&TimedSend) -> Result<u64, Violation>,
) -> Result<(), Violation> {
    let mut seen = vec![false; nodes as usize];
    seen[source as usize - 1] = true;
    for send in sends {
        let seen = &mut seen[send.receiver as usize - 1];
        if std::mem::replace(seen, true) {
            return Err(Violation::Twice { sender: send.sender, receiver: send.receiver, time: arrival(send)? });
        }
    }
    match (1..=nodes).find(|node| !held.contains_key(node)) {
        None => Ok(()),
        Some(first) => {
            let count = (1..=nodes).filter(|node| !held.contains_key(node)).map(|_| 1).sum();
            Err(Violation::Unreached { count, nodes, first })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(model: (u64, u64, u64), nodes: u32, sends: &[(u64, u32, u32)]) -> Result<u64, Violation> {
        let sends: Vec<TimedSend> =
            sends.iter().map(|&(start, sender, receiver)| TimedSend { start, sender, receiver }).collect();
        audit(LogP::new(model.0, model.1, model.2).unwrap(), nodes, 1, &sends)
    }

    #[test]
    fn an_allowed_multicast_passes_even_when_it_idles() {
        assert_eq!(judge((6, 2, 4), 3, &[(0, 1, 2), (4, 1, 3)]), Ok(14));
        assert_eq!(judge((6, 2, 4), 3, &[(5, 1, 2), (15, 2, 3)]), Ok(25));
    }

    #[test]
    fn every_rule_can_be_broken() {
        let model = (6, 2, 4);
        assert!(matches!(judge(model, 3, &[(0, 1, 2), (3, 1, 3)]), Err(Violation::Gap { what: "sends", .. })));
        assert!(matches!(judge((6, 5, 0), 3, &[(0, 1, 2), (3, 1, 3)]), Err(Violation::Overlap { node: 1, .. })));
        assert!(matches!(judge(model, 3, &[(0, 1, 2), (9, 2, 3)]), Err(Violation::NotHeld { sender: 2, time: 9 })));
        assert!(matches!(judge(model, 3, &[(0, 2, 3)]), Err(Violation::NotHeld { sender: 2, .. })));
        assert!(matches!(judge(model, 3, &[(0, 1, 2)]), Err(Violation::Unreached { count: 1, first: 3, .. })));
        assert!(matches!(judge(model, 2, &[(0, 1, 2), (4, 1, 2)]), Err(Violation::Twice { receiver: 2, .. })));
        assert!(matches!(judge(model, 2, &[(0, 1, 3)]), Err(Violation::NoSuchNode { receiver: 3, .. })));
        assert!(matches!(judge(model, 2, &[(0, 1, 1)]), Err(Violation::ToItself(1))));
    }

    #[test]
    fn two_receives_need_a_gap_too() {
        // 2 and 3 both hold at 10 or 14 and send to 4 so that the messages arrive 1 apart.
        let sends = [(0, 1, 2), (4, 1, 3), (20, 2, 4), (21, 3, 4)];
        assert!(matches!(judge((6, 2, 4), 4, &sends), Err(Violation::Gap { what: "receives", .. })));
    }

    #[test]
    fn capacity_counts_messages_under_way() {
        // ceil(6/4) = 2; the third of three sends to node 5 enters while two are under way.
        let model = LogP::new(6, 2, 4).unwrap();
        assert_eq!(within_capacity(model, 1, &[0, 4, 8], &[]), Ok(()));
        assert!(matches!(
            within_capacity(model, 1, &[0, 2, 4], &[]),
            Err(Violation::Capacity { direction: "from", count: 3, capacity: 2, .. })
        ));
        assert!(matches!(
            within_capacity(model, 1, &[], &[10, 11, 12]),
            Err(Violation::Capacity { direction: "to", count: 3, .. })
        ));
        // A message leaves the network at the very moment another enters: no overlap.
        assert_eq!(within_capacity(model, 1, &[0, 3, 6, 9], &[]), Ok(()));
    }
}
