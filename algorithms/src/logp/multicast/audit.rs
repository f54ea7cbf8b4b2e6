//! Checks a *timed* multicast against every rule of LogP, one rule at a time.
//!
//! The [simulator](super::simulator) chooses the time of each send; the audit takes times as given and checks that they are allowed.
//! They share only the rules on which node sends to which, so a mistake in a time shows. Every execution is audited before
//! its time is reported. The audit can also check a trace of a real run or of another program.

use super::rules::{check_reached, check_send, check_source, twice};
use crate::logp::LogP;
use crate::logp::rules::{check_apart, check_capacity};
use crate::violation::{Rule, Violation};

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
pub fn audit(
    model: LogP,
    nodes: u32,
    source: u32,
    mut sends: Vec<TimedSend>,
) -> Result<u64, Violation> {
    let held = receive_times(model, nodes, source, &sends)?;
    for &TimedSend { start, sender, .. } in &sends {
        let text = || {
            format!(
                "node {sender} begins a send at time {start} but does not hold the message then"
            )
        };
        Rule::NotHeld.unless(start >= held[sender as usize - 1], text)?;
    }
    sends.sort_unstable_by_key(|send| (send.sender, send.start));
    // A single send breaks none of the rules between two.
    let several = |own: &&[TimedSend]| own.len() > 1;
    for own in sends.chunk_by(|a, b| a.sender == b.sender).filter(several) {
        processor(model, own[0].sender, own.iter().map(|send| send.start))?;
    }
    check_reached(&held, &NEVER)?;
    Ok(held.into_iter().max().unwrap_or(0))
}

/// The time of a node that never holds the message.
const NEVER: u64 = u64::MAX;

/// When each node holds the message: rules 1 and 2.
fn receive_times(
    model: LogP,
    nodes: u32,
    source: u32,
    sends: &[TimedSend],
) -> Result<Vec<u64>, Violation> {
    check_source(source, nodes)?;
    let mut held = vec![NEVER; nodes as usize];
    held[source as usize - 1] = 0;
    for &TimedSend {
        start,
        sender,
        receiver,
    } in sends
    {
        check_send(sender, receiver, nodes)?;
        let done = start
            .checked_add(model.D())
            .filter(|&done| done != NEVER)
            .ok_or_else(Violation::overflow)?;
        if std::mem::replace(&mut held[receiver as usize - 1], done) != NEVER {
            return Err(twice(sender, receiver, done - model.o()));
        }
    }
    Ok(held)
}

/// Rules 4 to 6 for the sends of one processor, in order of time.
fn processor(
    model: LogP,
    node: u32,
    starts: impl Iterator<Item = u64> + Clone,
) -> Result<(), Violation> {
    let what = format_args!("node {node} begins two sends");
    check_apart(Rule::Gap, what, ("g", model.g()), starts.clone())?;
    check_apart(Rule::Overlap, what, ("o", model.o()), starts.clone())?;
    check_capacity(
        model,
        format_args!("from node {node}"),
        starts.map(|start| start + model.o()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sends(sends: &[(u64, u32, u32)]) -> Vec<TimedSend> {
        sends
            .iter()
            .map(|&(start, sender, receiver)| TimedSend {
                start,
                sender,
                receiver,
            })
            .collect()
    }

    fn judge(
        (L, o, g): (u64, u64, u64),
        nodes: u32,
        timed: &[(u64, u32, u32)],
    ) -> Result<u64, Violation> {
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
        let broken = |rule: Rule, text: &str| Err(rule.broken(text));
        let no_node = |text| broken(Rule::NoSuchNode, text);
        assert_eq!(
            judge(model, 2, &[(0, 1, 3)]),
            no_node("node 1 sends to 3; the nodes are 1 to 2")
        );
        assert_eq!(
            judge(model, 2, &[(0, 3, 2)]),
            no_node("node 3 sends to 2; the nodes are 1 to 2")
        );
        assert_eq!(
            judge(model, 2, &[(0, 1, 1)]),
            broken(Rule::ToItself, "node 1 sends to itself")
        );
        assert_eq!(
            judge(model, 2, &[(0, 1, 2), (4, 1, 2)]),
            Err(twice(1, 2, 12))
        );
        assert_eq!(
            judge(model, 2, &[(0, 1, 2), (20, 2, 1)]),
            Err(twice(2, 1, 28))
        );
        let not_held = |node, time| {
            let text = format!(
                "node {node} begins a send at time {time} but does not hold the message then"
            );
            broken(Rule::NotHeld, &text)
        };
        assert_eq!(judge(model, 3, &[(0, 1, 2), (9, 2, 3)]), not_held(2, 9));
        assert_eq!(judge(model, 3, &[(0, 2, 3)]), not_held(2, 0));
        assert_eq!(
            judge(model, 4, &[(0, 1, 2), (90, 4, 3), (90, 3, 4)]),
            not_held(4, 90)
        );
        let gap = broken(
            Rule::Gap,
            "node 1 begins two sends at times 0 and 3, less than g = 4 apart",
        );
        assert_eq!(judge(model, 3, &[(3, 1, 3), (0, 1, 2)]), gap);
        let overlap = broken(
            Rule::Overlap,
            "node 1 begins two sends at times 0 and 3, less than o = 5 apart",
        );
        assert_eq!(judge((6, 5, 0), 3, &[(0, 1, 2), (3, 1, 3)]), overlap);
        let missing = broken(
            Rule::Missing,
            "1 of 3 nodes never get the message, node 3 among them",
        );
        assert_eq!(judge(model, 3, &[(0, 1, 2)]), missing);
        assert_eq!(
            judge(model, 2, &[(u64::MAX - 9, 1, 2)]),
            Err(Violation::overflow())
        );
    }

    /// Sends `g'` apart never exceed `ceil(L/g')`, so rule 6 is tested separately.
    #[test]
    fn capacity_counts_messages_under_way() {
        let model = LogP::new(6, 2, 4).unwrap();
        let within = |starts: &[u64]| {
            check_capacity(
                model,
                format_args!("from node 1"),
                starts.iter().map(|start| start + model.o()),
            )
        };
        // ceil(6/4) = 2.
        assert_eq!(within(&[0, 4, 8]), Ok(()));
        // A message leaves the network when another one enters: no overlap.
        assert_eq!(within(&[0, 3, 6, 9]), Ok(()));
        // The third enters at 6; the first is in transit from 2 to 8.
        let text =
            "3 messages are in transit from node 1 at time 6; the network takes ceil(L/g') = 2";
        assert_eq!(within(&[0, 2, 4]), Err(Rule::Capacity.broken(text)));
    }
}
