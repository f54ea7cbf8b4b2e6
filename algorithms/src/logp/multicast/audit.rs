//! Checks a *timed* multicast against every rule of LogP, one rule at a time.
//!
//! The [simulator](super::simulator) chooses the time of each send; the audit takes times as given and checks that they are allowed.
//! They share no code, so a mistake in one of them shows. Every execution is audited before its time is reported. The audit can
//! also check a trace of a real run or of another program.

use super::violation::Violation;
use crate::logp::LogP;

/// A send and the time at which its sender begins it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedSend {
    /// When its overhead begins.
    pub start: u64,
    /// The sender.
    pub sender: u32,
    /// The receiver.
    pub receiver: u32,
}

/// Checks a multicast from `source` to all of `1..=nodes` and returns when the last of them holds the message.
///
/// The rules, in the order in which they are checked:
///
/// 1. every node is one of `1..=nodes`, and no node sends to itself;
/// 2. no node gets the message twice, and the source does not get it;
/// 3. a sender holds the message when its send begins;
/// 4. two sends of a processor begin at least `g` apart;
/// 5. a processor spends its overhead `o` on one message at a time;
/// 6. at most `ceil(L/g')` messages from a processor are in transit;
/// 7. every node gets the message.
///
/// LogP also has gaps between receives and a limit on the messages in transit to a processor. By rule 2 a processor receives one
/// message only, and by rule 3 this ends before its first send, so these rules always hold.
///
/// Cost: sorting the sends by sender and time.
///
/// # Errors
/// The first broken rule; within rules 4 to 6, the first processor.
///
/// ```
/// # use castbench_algorithms::logp::LogP;
/// # use castbench_algorithms::internals::logp::multicast::audit::{TimedSend, audit};
/// let model = LogP::new(6, 2, 4)?;
/// let send = |start, receiver| TimedSend { start, sender: 1, receiver };
/// assert_eq!(audit(model, 3, 1, vec![send(0, 2), send(4, 3)])?, 14);
/// // The second begins before the gap of the first is over.
/// assert!(audit(model, 3, 1, vec![send(0, 2), send(3, 3)]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn audit(model: LogP, nodes: u32, source: u32, mut sends: Vec<TimedSend>) -> Result<u64, Violation> {
    let held = receive_times(model, nodes, source, &sends)?;
    if let Some(early) = sends.iter().find(|send| send.start < held[send.sender as usize - 1]) {
        return Err(Violation::NotHeld { sender: early.sender, time: early.start });
    }
    sends.sort_unstable_by_key(|send| (send.sender, send.start));
    for own in sends.chunk_by(|a, b| a.sender == b.sender) {
        processor(model, own)?;
    }
    match (1..=nodes).zip(&held).find(|(_, time)| **time == NEVER) {
        None => Ok(held.into_iter().max().unwrap_or(0)),
        Some((first, _)) => {
            let count = held.iter().map(|&time| u32::from(time == NEVER)).sum();
            Err(Violation::Unreached { count, nodes, first })
        }
    }
}

/// The time of a node that never holds the message.
const NEVER: u64 = u64::MAX;

/// When each node holds the message: rules 1 and 2.
fn receive_times(model: LogP, nodes: u32, source: u32, sends: &[TimedSend]) -> Result<Vec<u64>, Violation> {
    let exists = |node: u32| (1..=nodes).contains(&node);
    if !exists(source) {
        return Err(Violation::NoSuchNode { sender: source, receiver: source, nodes });
    }
    let mut held = vec![NEVER; nodes as usize];
    held[source as usize - 1] = 0;
    for &TimedSend { start, sender, receiver } in sends {
        if !exists(sender) || !exists(receiver) {
            return Err(Violation::NoSuchNode { sender, receiver, nodes });
        }
        if sender == receiver {
            return Err(Violation::ToItself(sender));
        }
        let done = start.checked_add(model.D()).filter(|&done| done != NEVER).ok_or(Violation::TimeOverflow)?;
        let time = &mut held[receiver as usize - 1];
        if *time != NEVER {
            return Err(Violation::Twice { sender, receiver, time: done - model.o() });
        }
        *time = done;
    }
    Ok(held)
}

/// Rules 4 to 6 for the sends of one processor, in order of time.
fn processor(model: LogP, sends: &[TimedSend]) -> Result<(), Violation> {
    let (g, o) = (model.g(), model.o());
    if let Some((earlier, later)) = closer_than(g, 1, sends) {
        return Err(Violation::Gap { node: later.sender, earlier: earlier.start, later: later.start, g });
    }
    if let Some((earlier, later)) = closer_than(o, 1, sends) {
        return Err(Violation::Overlap { node: later.sender, earlier: earlier.start, later: later.start, o });
    }
    within_capacity(model, sends)
}

/// Rule 6. A message is in transit for L from the end of its sender's overhead. So message i is still in transit when message
/// i + capacity enters, if their sends begin less than L apart.
fn within_capacity(model: LogP, sends: &[TimedSend]) -> Result<(), Violation> {
    let Some(capacity) = model.capacity() else { return Ok(()) };
    match closer_than(model.L(), usize::try_from(capacity).unwrap_or(usize::MAX), sends) {
        None => Ok(()),
        Some((_, last)) => Err(Violation::Capacity {
            node: last.sender,
            time: last.start + model.o(),
            count: capacity.saturating_add(1),
            capacity,
        }),
    }
}

/// Two sends, this many places apart, that begin less than `least` apart.
fn closer_than(least: u64, places: usize, sends: &[TimedSend]) -> Option<(&TimedSend, &TimedSend)> {
    sends.iter().zip(sends.iter().skip(places)).find(|(earlier, later)| later.start - earlier.start < least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sends(sends: &[(u64, u32, u32)]) -> Vec<TimedSend> {
        sends.iter().map(|&(start, sender, receiver)| TimedSend { start, sender, receiver }).collect()
    }

    fn judge((L, o, g): (u64, u64, u64), nodes: u32, timed: &[(u64, u32, u32)]) -> Result<u64, Violation> {
        audit(LogP::new(L, o, g).unwrap(), nodes, 1, sends(timed))
    }

    #[test]
    fn an_allowed_multicast_passes_even_when_it_idles() {
        assert_eq!(judge((6, 2, 4), 3, &[(0, 1, 2), (4, 1, 3)]), Ok(14));
        assert_eq!(judge((6, 2, 4), 3, &[(15, 2, 3), (5, 1, 2)]), Ok(25));
        assert_eq!(judge((6, 2, 4), 1, &[]), Ok(0));
        // No latency, or no gap: nothing to limit.
        assert_eq!(judge((0, 1, 0), 3, &[(0, 1, 2), (1, 1, 3)]), Ok(3));
        assert_eq!(judge((5, 0, 0), 3, &[(0, 1, 2), (0, 1, 3)]), Ok(5));
    }

    #[test]
    fn every_rule_can_be_broken() {
        let model = (6, 2, 4);
        assert!(matches!(judge(model, 2, &[(0, 1, 3)]), Err(Violation::NoSuchNode { receiver: 3, .. })));
        assert!(matches!(judge(model, 2, &[(0, 3, 2)]), Err(Violation::NoSuchNode { sender: 3, .. })));
        assert!(matches!(judge(model, 2, &[(0, 1, 1)]), Err(Violation::ToItself(1))));
        assert!(matches!(
            judge(model, 2, &[(0, 1, 2), (4, 1, 2)]),
            Err(Violation::Twice { receiver: 2, time: 12, .. })
        ));
        assert!(matches!(judge(model, 2, &[(0, 1, 2), (20, 2, 1)]), Err(Violation::Twice { receiver: 1, .. })));
        assert!(matches!(judge(model, 3, &[(0, 1, 2), (9, 2, 3)]), Err(Violation::NotHeld { sender: 2, time: 9 })));
        assert!(matches!(judge(model, 3, &[(0, 2, 3)]), Err(Violation::NotHeld { sender: 2, .. })));
        assert!(matches!(judge(model, 4, &[(0, 1, 2), (90, 4, 3), (90, 3, 4)]), Err(Violation::NotHeld { .. })));
        let gap = Violation::Gap { node: 1, earlier: 0, later: 3, g: 4 };
        assert_eq!(judge(model, 3, &[(3, 1, 3), (0, 1, 2)]), Err(gap));
        let overlap = Violation::Overlap { node: 1, earlier: 0, later: 3, o: 5 };
        assert_eq!(judge((6, 5, 0), 3, &[(0, 1, 2), (3, 1, 3)]), Err(overlap));
        assert!(matches!(judge(model, 3, &[(0, 1, 2)]), Err(Violation::Unreached { count: 1, first: 3, .. })));
        assert!(matches!(judge(model, 2, &[(u64::MAX - 9, 1, 2)]), Err(Violation::TimeOverflow)));
    }

    /// Sends `g'` apart never exceed `ceil(L/g')`, so rule 6 is tested separately.
    #[test]
    fn capacity_counts_messages_under_way() {
        let timed = |starts: &[u64]| sends(&starts.iter().map(|&start| (start, 1, 2)).collect::<Vec<_>>());
        // ceil(6/4) = 2.
        let model = LogP::new(6, 2, 4).unwrap();
        assert_eq!(within_capacity(model, &timed(&[0, 4, 8])), Ok(()));
        // A message leaves the network when another one enters: no overlap.
        assert_eq!(within_capacity(model, &timed(&[0, 3, 6, 9])), Ok(()));
        // The third enters at 6; the first is in transit from 2 to 8.
        let full = Violation::Capacity { node: 1, time: 6, count: 3, capacity: 2 };
        assert_eq!(within_capacity(model, &timed(&[0, 2, 4])), Err(full));
    }
}
