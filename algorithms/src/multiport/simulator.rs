//! Executes a broadcast round by round under the rules of the multiport model. It knows the model and no algorithm.
//!
//! The rules: every node and message exists; no node sends to itself; in a round a node sends at most k messages and receives at most k; it
//! sends only what it held *before* the round; at the end every node holds every message. Redundant messages, and several between two
//! nodes in a round, are allowed and counted.
//!
//! The holders of a message are stored from its first send until all nodes hold it, one bit per node. So the memory is `n/8` bytes per
//! simultaneous message, independent of m.

use super::rounds::{Rounds, Transfer};
use crate::error::Broken;

/// An executed schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// Its rounds.
    pub rounds: u64,
    /// Its sends.
    pub sends: u64,
    /// How many of them went to a node that already held the message.
    pub repeated: u64,
}

/// A rule that a schedule broke. Rounds count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A node is named that does not exist.
    #[error("round {round}: node {from} sends to {to}, which are not both among the {nodes} nodes from 0")]
    NoSuchNode {
        /// The round.
        round: u64,
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
        /// How many nodes there are.
        nodes: u32,
    },
    /// A message is named that does not exist.
    #[error("round {round}: node {from} sends message {message}, which is not among the {messages} from 0")]
    NoSuchMessage {
        /// The round.
        round: u64,
        /// The sender.
        from: u32,
        /// The message.
        message: u32,
        /// How many messages there are.
        messages: u32,
    },
    /// A node sends to itself.
    #[error("round {round}: node {node} sends to itself")]
    ToItself {
        /// The round.
        round: u64,
        /// The node.
        node: u32,
    },
    /// A node sends more messages than it has ports.
    #[error("round {round}: node {node} sends more than its k = {ports} ports allow")]
    TooManySent {
        /// The round.
        round: u64,
        /// The node.
        node: u32,
        /// Its ports.
        ports: u32,
    },
    /// A node receives more messages than it has ports.
    #[error("round {round}: node {node} receives more than its k = {ports} ports allow")]
    TooManyReceived {
        /// The round.
        round: u64,
        /// The node.
        node: u32,
        /// Its ports.
        ports: u32,
    },
    /// A node sends a message that it did not hold before the round.
    #[error("round {round}: node {node} sends message {message}, which it did not hold before the round")]
    NotHeld {
        /// The round.
        round: u64,
        /// The node.
        node: u32,
        /// The message.
        message: u32,
    },
    /// A message did not reach all nodes.
    #[error("{count} of {nodes} nodes never get message {message}, node {first} among them")]
    Missing {
        /// The first such message.
        message: u32,
        /// How many nodes lack it.
        count: u32,
        /// How many nodes there are.
        nodes: u32,
        /// The first of them.
        first: u32,
    },
}

impl Broken for Violation {
    const WHAT: &'static str = "rounds";
}

/// Executes the rounds of a broadcast of m messages from node 0 to n nodes with k ports.
///
/// Cost: linear in the sends, and `n/64` for every message.
///
/// # Errors
/// The first [`Violation`] in the order of the rounds and of the sends within a round.
///
/// ```
/// # use castbench_algorithms::internals::problem::Problem;
/// # use castbench_algorithms::internals::multiport::simulator::simulate;
/// let trees = castbench_algorithms::internals::multiport::problem::KPortBroadcast::find("k-tree").unwrap();
/// let trace = simulate(14, 3, 6, &mut *trees.schedule(14, 3, 6)?)?;
/// assert_eq!((trace.rounds, trace.sends, trace.repeated), (trees.rounds(14, 3, 6)?, 6 * 13, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(n: u32, k: u32, m: u32, schedule: &mut dyn Rounds) -> Result<Trace, Violation> {
    observe(n, k, m, schedule, |_, _| {})
}

/// Executes the rounds and reports the checked sends of each round, counted from 1.
///
/// # Errors
/// As [`simulate`].
pub fn observe(
    n: u32,
    k: u32,
    m: u32,
    schedule: &mut dyn Rounds,
    mut checked: impl FnMut(u64, &[Transfer]),
) -> Result<Trace, Violation> {
    let mut execution = Execution::new(n, k, m);
    let mut sends = Vec::new();
    while schedule.round(&mut sends) {
        execution.trace.rounds += 1;
        execution.trace.sends += sends.len() as u64;
        execution.check_all(&sends)?;
        checked(execution.trace.rounds, &sends);
        execution.deliver_all(&sends);
        sends.clear();
    }
    execution.finish()
}

/// The most messages that a schedule sends between two nodes, in one direction, in a round. It is 1 if links with one message at a time
/// are enough.
///
/// Cost: sorts the sends of each round.
#[cfg(test)]
pub(super) fn most_parallel(schedule: &mut dyn Rounds) -> usize {
    let mut sends = Vec::new();
    let mut most = 0;
    while schedule.round(&mut sends) {
        sends.sort_unstable_by_key(|send| (send.from, send.to));
        let pairs = sends.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to));
        most = pairs.map(<[Transfer]>::len).fold(most, usize::max);
        sends.clear();
    }
    most
}

struct Execution {
    nodes: u32,
    ports: u32,
    /// The slot of each message: where it begins in `holders`. All messages that only the source holds share the first slot, all messages
    /// that every node holds the second.
    slots: Vec<usize>,
    /// 64-bit words of a slot.
    words: usize,
    /// The slots. The first word of a slot says how many nodes lack the message; in the others each holder has a bit.
    holders: Vec<u64>,
    free: Vec<usize>,
    /// (sent, received) by each node in this round.
    used: Vec<(u32, u32)>,
    trace: Trace,
}

/// The slot of the messages that only the source holds.
const UNSENT: usize = 0;

impl Execution {
    fn new(nodes: u32, ports: u32, messages: u32) -> Self {
        let words = 1 + nodes.div_ceil(64).max(1) as usize;
        let mut holders = vec![0; words];
        (holders[0], holders[1]) = (u64::from(nodes.saturating_sub(1)), 1);
        holders.push(0);
        holders.resize(2 * words, u64::MAX);
        Self {
            nodes,
            ports,
            // All nodes are the source, if there is only one.
            slots: vec![if nodes > 1 { UNSENT } else { words }; messages as usize],
            words,
            holders,
            free: Vec::new(),
            used: vec![(0, 0); nodes as usize],
            trace: Trace { rounds: 0, sends: 0, repeated: 0 },
        }
    }

    /// The slot of the messages that all nodes hold.
    fn everywhere(&self) -> usize {
        self.words
    }

    /// Checks the sends of a round.
    fn check_all(&mut self, sends: &[Transfer]) -> Result<(), Violation> {
        sends.iter().try_for_each(|&send| self.check(send))
    }

    /// Delivers the checked sends of a round.
    fn deliver_all(&mut self, sends: &[Transfer]) {
        sends.iter().for_each(|&send| self.deliver(send));
    }

    /// Checks a send by the rules, with the state before the round.
    #[inline]
    fn check(&mut self, send: Transfer) -> Result<(), Violation> {
        let (round, nodes, ports) = (self.trace.rounds, self.nodes, self.ports);
        let Transfer { from, to, message } = send;
        if from >= nodes || to >= nodes {
            return Err(Violation::NoSuchNode { round, from, to, nodes });
        }
        if from == to {
            return Err(Violation::ToItself { round, node: from });
        }
        let Some(&slot) = self.slots.get(message as usize) else {
            let messages = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
            return Err(Violation::NoSuchMessage { round, from, message, messages });
        };
        let (word, bit) = place(slot, from);
        if self.holders[word] & bit == 0 {
            return Err(Violation::NotHeld { round, node: from, message });
        }
        let sent = &mut self.used[from as usize].0;
        if *sent >= ports {
            return Err(Violation::TooManySent { round, node: from, ports });
        }
        *sent += 1;
        let received = &mut self.used[to as usize].1;
        if *received >= ports {
            return Err(Violation::TooManyReceived { round, node: to, ports });
        }
        *received += 1;
        Ok(())
    }

    /// Delivers a checked message, and resets the ports used by its round.
    #[inline]
    fn deliver(&mut self, Transfer { from, to, message }: Transfer) {
        self.used[from as usize] = (0, 0);
        self.used[to as usize] = (0, 0);
        if self.slots[message as usize] == UNSENT {
            self.open(message);
        }
        let slot = self.slots[message as usize];
        let (word, bit) = place(slot, to);
        if self.holders[word] & bit != 0 {
            self.trace.repeated += 1;
            return;
        }
        self.holders[word] |= bit;
        self.holders[slot] -= 1;
        if self.holders[slot] == 0 {
            self.close(message);
        }
    }

    /// Frees the slot of a message that all nodes hold.
    #[cold]
    fn close(&mut self, message: u32) {
        let everywhere = self.everywhere();
        self.free.push(std::mem::replace(&mut self.slots[message as usize], everywhere));
    }

    /// Gives a slot of its own to a message that only the source holds.
    #[cold]
    fn open(&mut self, message: u32) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.holders.resize(self.holders.len() + self.words, 0);
            self.holders.len() - self.words
        });
        self.holders.copy_within(UNSENT..UNSENT + self.words, slot);
        self.slots[message as usize] = slot;
    }

    fn finish(self) -> Result<Trace, Violation> {
        let missing = |(_, slot): &(u32, &usize)| **slot != self.everywhere();
        let Some((message, &slot)) = (0..).zip(&self.slots).find(missing) else {
            return Ok(self.trace);
        };
        let lacks = |&node: &u32| {
            let (word, bit) = place(slot, node);
            self.holders[word] & bit == 0
        };
        let count = u32::try_from(self.holders[slot]).unwrap_or(u32::MAX);
        let first = (0..self.nodes).find(lacks).unwrap_or(0);
        Err(Violation::Missing { message, count, nodes: self.nodes, first })
    }
}

/// The word and the bit of a node in a slot.
#[inline]
fn place(slot: usize, node: u32) -> (usize, u64) {
    (slot + 1 + node as usize / 64, 1 << (node % 64))
}

#[cfg(test)]
mod tests;
