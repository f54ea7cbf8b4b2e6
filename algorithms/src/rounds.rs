//! Executes a schedule round by round, or step by step. It knows no network and no algorithm.
//!
//! The rules of all networks: every node and message exists; a node sends only what it held *before* the round; at the end
//! every node holds every message. The network of a problem checks what a round has room for. Redundant messages are allowed
//! and counted.
//!
//! Each round is read twice: first every transfer is checked, then all are delivered. So no message moves twice in one round.
//!
//! The holders of a message are stored from its first send until all nodes hold it, one bit per node. So the memory is `n/8`
//! bytes per simultaneous message, independent of their number. Neighbours are mostly in one cache line.

use crate::violation::{Rule, Violation};

/// A message from one node to another within a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transfer {
    /// The sender, from 0.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The message, from 0.
    pub message: u32,
}

/// A schedule, one round at a time: all of them can be gigabytes.
pub trait Rounds {
    /// Appends the transfers of the next round; the caller clears the vector. Returns false at the end of the schedule.
    fn round(&mut self, transfers: &mut Vec<Transfer>) -> bool;
}

impl<F: FnMut(&mut Vec<Transfer>) -> bool> Rounds for F {
    fn round(&mut self, transfers: &mut Vec<Transfer>) -> bool {
        self(transfers)
    }
}

/// Replays a stored schedule, one vector per round.
impl Rounds for std::slice::Iter<'_, Vec<Transfer>> {
    fn round(&mut self, transfers: &mut Vec<Transfer>) -> bool {
        let next = self.next();
        transfers.extend(next.into_iter().flatten());
        next.is_some()
    }
}

/// An executed schedule.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// Its rounds.
    pub rounds: u64,
    /// The last round in which a node got a message that it did not hold; 0 without one.
    pub last: u64,
    /// Messages sent.
    pub sends: u64,
    /// Redundant ones: the receiver already held the message, or got it from another node in that round.
    pub repeated: u64,
}

/// What a round has room for.
pub(crate) trait Network {
    /// Takes what a transfer needs in a round. Its nodes exist.
    fn take(&mut self, round: u64, transfer: Transfer) -> Result<(), Violation>;

    /// Frees at the end of a round what its transfers took.
    fn free(&mut self, transfers: &[Transfer]);
}

/// Executes a schedule and reports the checked transfers of each round, counted from 1. `source` is the node that holds a
/// message at the start.
///
/// Cost: linear in the transfers, and `n/64` for every message.
///
/// # Errors
/// The first [`Violation`] in the order of the rounds and of the transfers within a round; at the end, the first message that
/// a node lacks.
pub(crate) fn observe(
    nodes: u32,
    (messages, source): (u32, impl Fn(u32) -> u32),
    mut network: impl Network,
    schedule: &mut dyn Rounds,
    mut checked: impl FnMut(u64, &[Transfer]),
) -> Result<Trace, Violation> {
    let mut holdings = Holdings::new(nodes, messages, source);
    let (mut trace, mut transfers) = (Trace::default(), Vec::new());
    while schedule.round(&mut transfers) {
        trace.rounds += 1;
        for &transfer in &transfers {
            holdings.check(trace.rounds, transfer)?;
            network.take(trace.rounds, transfer)?;
        }
        checked(trace.rounds, &transfers);
        network.free(&transfers);
        let mut delivered = 0;
        for &transfer in &transfers {
            delivered += usize::from(holdings.deliver(transfer));
        }
        if delivered > 0 {
            trace.last = trace.rounds;
        }
        trace.sends += transfers.len() as u64;
        trace.repeated += (transfers.len() - delivered) as u64;
        transfers.clear();
    }
    holdings.check_complete()?;
    Ok(trace)
}

/// Which node holds which message.
struct Holdings {
    nodes: u32,
    /// The slot of each message: where it begins in `holders`. All messages that only node 0 holds share the first slot, all
    /// messages that every node holds the second.
    slots: Vec<usize>,
    /// 64-bit words of a slot.
    words: usize,
    /// The slots. The first word of a slot says how many nodes lack the message; in the others each holder has a bit.
    holders: Vec<u64>,
    free: Vec<usize>,
}

/// The slot of the messages that only node 0 holds.
const UNSENT: usize = 0;

impl Holdings {
    fn new(nodes: u32, messages: u32, source: impl Fn(u32) -> u32) -> Self {
        let words = 1 + nodes.div_ceil(64).max(1) as usize;
        let mut holders = vec![0; words];
        (holders[0], holders[1]) = (u64::from(nodes.saturating_sub(1)), 1);
        holders.push(0);
        holders.resize(2 * words, u64::MAX);
        // All nodes are the source, if there is only one.
        let slots = vec![if nodes > 1 { UNSENT } else { words }; messages as usize];
        let mut holdings = Self {
            nodes,
            slots,
            words,
            holders,
            free: Vec::new(),
        };
        for message in (0..messages).filter(|&message| source(message) > 0) {
            let slot = holdings.open(message);
            let (word, bit) = bit_of(slot, source(message));
            holdings.holders[slot + 1] = 0;
            holdings.holders[word] = bit;
        }
        holdings
    }

    /// The slot of the messages that all nodes hold.
    fn everywhere(&self) -> usize {
        self.words
    }

    /// Checks a transfer by the rules of all networks, with the state before the round.
    #[inline]
    fn check(&self, round: u64, transfer: Transfer) -> Result<(), Violation> {
        let Transfer { from, to, message } = transfer;
        match self.slots.get(message as usize) {
            Some(&slot) if from.max(to) < self.nodes && self.holds(slot, from) => Ok(()),
            _ => Err(self.broken(round, transfer)),
        }
    }

    /// Whether a node holds the messages of a slot.
    #[inline]
    fn holds(&self, slot: usize, node: u32) -> bool {
        let (word, bit) = bit_of(slot, node);
        self.holders[word] & bit != 0
    }

    /// The rule that a transfer breaks. It is apart, because the loop of all others is shorter then.
    #[cold]
    fn broken(&self, round: u64, Transfer { from, to, message }: Transfer) -> Violation {
        let (nodes, messages) = (self.nodes, self.slots.len());
        let (rule, text) = if from.max(to) >= nodes {
            (
                Rule::NoSuchNode,
                format!("to {to}, of {nodes} nodes from 0"),
            )
        } else if message as usize >= messages {
            (
                Rule::NoSuchMessage,
                format!("message {message}, of {messages} messages from 0"),
            )
        } else {
            (
                Rule::NotHeld,
                format!("message {message}, which it did not hold before the round"),
            )
        };
        rule.broken(format_args!("round {round}: node {from} sends {text}"))
    }

    /// Delivers a checked message. Returns whether the receiver did not hold it.
    #[inline]
    fn deliver(&mut self, Transfer { to, message, .. }: Transfer) -> bool {
        let mut slot = self.slots[message as usize];
        if slot == UNSENT {
            slot = self.open(message);
        }
        let (word, bit) = bit_of(slot, to);
        let holders = &mut self.holders[word];
        if *holders & bit != 0 {
            return false;
        }
        *holders |= bit;
        let lack = &mut self.holders[slot];
        *lack -= 1;
        if *lack == 0 {
            self.close(message);
        }
        true
    }

    /// Frees the slot of a message that all nodes hold.
    #[cold]
    fn close(&mut self, message: u32) {
        let everywhere = self.everywhere();
        self.free.push(std::mem::replace(
            &mut self.slots[message as usize],
            everywhere,
        ));
    }

    /// Gives a slot of its own to a message that only node 0 holds, and returns it.
    #[cold]
    fn open(&mut self, message: u32) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.holders.resize(self.holders.len() + self.words, 0);
            self.holders.len() - self.words
        });
        self.holders.copy_within(UNSENT..UNSENT + self.words, slot);
        self.slots[message as usize] = slot;
        slot
    }

    /// Checks that every node holds every message.
    fn check_complete(&self) -> Result<(), Violation> {
        let missing = |(_, slot): &(u32, &usize)| **slot != self.everywhere();
        let Some((message, &slot)) = (0..).zip(&self.slots).find(missing) else {
            return Ok(());
        };
        let first = (0..self.nodes)
            .find(|&node| !self.holds(slot, node))
            .unwrap_or(0);
        let (count, nodes) = (self.holders[slot], self.nodes);
        let text = format_args!(
            "{count} of {nodes} nodes never get message {message}, node {first} among them"
        );
        Err(Rule::Missing.broken(text))
    }
}

/// The word and the bit of a node in a slot.
#[inline]
fn bit_of(slot: usize, node: u32) -> (usize, u64) {
    (slot + 1 + node as usize / 64, 1 << (node % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reused slot does not keep the holders of the message before.
    #[test]
    fn memory_is_for_messages_under_way() {
        let mut holdings = Holdings::new(130, 100, |_| 0);
        for message in 0..100 {
            assert!((1..130).all(|to| holdings.deliver(Transfer {
                from: 0,
                to,
                message
            })));
        }
        assert_eq!(holdings.check_complete(), Ok(()));
        // The two slots that messages share, and one.
        assert_eq!(holdings.holders.len(), 3 * holdings.words);
    }
}
