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
        for &send in &sends {
            execution.check(send)?;
        }
        checked(execution.trace.rounds, &sends);
        for &send in &sends {
            execution.deliver(send);
        }
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

/// The state of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// At the source alone.
    Unsent,
    /// In transit: the slot with its holders.
    Slot(u32),
    /// At every node.
    Everywhere,
}

struct Execution {
    nodes: u32,
    ports: u32,
    stages: Vec<Stage>,
    /// 64-bit words of a slot.
    words: usize,
    /// The holders of each message in transit, by slot.
    holders: Vec<u64>,
    /// How many nodes lack the message in each slot.
    lacking: Vec<u32>,
    free: Vec<u32>,
    /// (sent, received) by each node in this round.
    used: Vec<(u32, u32)>,
    trace: Trace,
}

impl Execution {
    fn new(nodes: u32, ports: u32, messages: u32) -> Self {
        let stage = if nodes > 1 { Stage::Unsent } else { Stage::Everywhere };
        Self {
            nodes,
            ports,
            stages: vec![stage; messages as usize],
            words: nodes.div_ceil(64) as usize,
            holders: Vec::new(),
            lacking: Vec::new(),
            free: Vec::new(),
            used: vec![(0, 0); nodes as usize],
            trace: Trace { rounds: 0, sends: 0, repeated: 0 },
        }
    }

    /// Checks a send by the rules, with the state before the round.
    fn check(&mut self, send: Transfer) -> Result<(), Violation> {
        let (round, nodes, ports) = (self.trace.rounds, self.nodes, self.ports);
        let Transfer { from, to, message } = send;
        if from >= nodes || to >= nodes {
            return Err(Violation::NoSuchNode { round, from, to, nodes });
        }
        if from == to {
            return Err(Violation::ToItself { round, node: from });
        }
        let Some(&stage) = self.stages.get(message as usize) else {
            let messages = u32::try_from(self.stages.len()).unwrap_or(u32::MAX);
            return Err(Violation::NoSuchMessage { round, from, message, messages });
        };
        let held = match stage {
            Stage::Unsent => from == 0,
            Stage::Slot(slot) => {
                let (word, bit) = self.place(slot, from);
                self.holders[word] & bit != 0
            }
            Stage::Everywhere => true,
        };
        if !held {
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
    fn deliver(&mut self, Transfer { from, to, message }: Transfer) {
        self.used[from as usize] = (0, 0);
        self.used[to as usize] = (0, 0);
        let slot = match self.stages[message as usize] {
            Stage::Slot(slot) => slot,
            Stage::Unsent => self.open(message),
            Stage::Everywhere => {
                self.trace.repeated += 1;
                return;
            }
        };
        let (word, bit) = self.place(slot, to);
        if self.holders[word] & bit != 0 {
            self.trace.repeated += 1;
            return;
        }
        self.holders[word] |= bit;
        self.lacking[slot as usize] -= 1;
        if self.lacking[slot as usize] == 0 {
            self.stages[message as usize] = Stage::Everywhere;
            self.free.push(slot);
        }
    }

    /// A slot for a message that only the source holds.
    fn open(&mut self, message: u32) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.holders.resize(self.holders.len() + self.words, 0);
            self.lacking.push(0);
            u32::try_from(self.lacking.len() - 1).unwrap_or(u32::MAX)
        });
        let first = slot as usize * self.words;
        self.holders[first..first + self.words].fill(0);
        self.holders[first] = 1;
        self.lacking[slot as usize] = self.nodes - 1;
        self.stages[message as usize] = Stage::Slot(slot);
        slot
    }

    /// The word and the bit of a node in a slot.
    fn place(&self, slot: u32, node: u32) -> (usize, u64) {
        (slot as usize * self.words + node as usize / 64, 1 << (node % 64))
    }

    fn finish(self) -> Result<Trace, Violation> {
        let Some((message, &stage)) = (0..).zip(&self.stages).find(|(_, stage)| **stage != Stage::Everywhere) else {
            return Ok(self.trace);
        };
        let (count, first) = match stage {
            Stage::Slot(slot) => {
                let lacks = |&node: &u32| {
                    let (word, bit) = self.place(slot, node);
                    self.holders[word] & bit == 0
                };
                (self.lacking[slot as usize], (0..self.nodes).find(lacks).unwrap_or(0))
            }
            Stage::Unsent | Stage::Everywhere => (self.nodes - 1, 1),
        };
        Err(Violation::Missing { message, count, nodes: self.nodes, first })
    }
}

#[cfg(test)]
mod tests;
