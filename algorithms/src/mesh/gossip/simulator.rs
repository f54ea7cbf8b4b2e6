//! Executes a gossip schedule under the rules of H*. It knows the mesh and the rules and no algorithm.
//!
//! Each step is read twice: first every transfer is checked, also that its sender held the message before the step, then all are
//! delivered. So no message crosses two links in one step.
//!
//! The holders of a message are bits side by side: the two neighbours of a transfer are mostly in one cache line.

use super::{MAX_SIDE, Steps, Transfer};
use crate::error::Broken;

/// An executed schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// Steps until every node held every message; later steps are checked and not counted.
    pub steps: u64,
    /// Messages that crossed a link.
    pub transfers: u64,
    /// Redundant ones: the receiver already held the message, or got it from another neighbour in that step.
    pub repeated: u64,
}

/// A rule that a schedule broke. Steps count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A mesh that is not simulated.
    #[error("a mesh of side {0} is not simulated: expected 1 to {MAX_SIDE}")]
    Side(u32),
    /// A node is named that does not exist.
    #[error("step {step} names node {node}, and there are only nodes 0 to {last}")]
    NoSuchNode {
        /// In which step.
        step: u64,
        /// The node.
        node: u32,
        /// The last node.
        last: u32,
    },
    /// A message is named that does not exist.
    #[error("step {step} names message {message}, and there are only messages 0 to {last}")]
    NoSuchMessage {
        /// In which step.
        step: u64,
        /// The message.
        message: u32,
        /// The last message.
        last: u32,
    },
    /// A transfer between nodes that no link joins.
    #[error("step {step}: no link leads from node {from} to node {to}")]
    NotNeighbours {
        /// In which step.
        step: u64,
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
    },
    /// A second transfer over one link in one step, in either direction.
    #[error("step {step}: the link between nodes {from} and {to} is in use already when node {from} sends over it")]
    LinkInUse {
        /// In which step.
        step: u64,
        /// The second sender.
        from: u32,
        /// The receiver.
        to: u32,
    },
    /// A node sends a message that it did not hold before the step.
    #[error("step {step}: node {from} sends message {message}, which it did not hold before that step")]
    NotHeld {
        /// In which step.
        step: u64,
        /// The sender.
        from: u32,
        /// The message.
        message: u32,
    },
    /// A node never gets a message.
    #[error("node {node} never gets message {message}; of all deliveries {count} are missing")]
    Missing {
        /// The number of such pairs of node and message.
        count: u64,
        /// A node that lacks a message.
        node: u32,
        /// The message.
        message: u32,
    },
}

impl Broken for Violation {
    const WHAT: &'static str = "schedule";
}

/// Executes `schedule` on the `n x n` mesh.
///
/// Cost: linear in the transfers, n^4 bits of memory; at most n = [`MAX_SIDE`].
///
/// # Errors
/// The first [`Violation`] in the order in which the schedule names its transfers; at the end, a node that lacks a
/// message.
///
/// ```
/// # use castbench_algorithms::internals::problem::Problem;
/// # use castbench_algorithms::internals::mesh::gossip::lower_bound;
/// # use castbench_algorithms::internals::mesh::gossip::simulator::simulate;
/// let optimal = castbench_algorithms::internals::mesh::gossip::problem::MeshGossip::find("gossip-optimal").unwrap();
/// let trace = simulate(6, &mut *optimal.schedule(6)?)?;
/// assert_eq!((trace.steps, trace.repeated), (lower_bound(6).try_into()?, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(n: u32, schedule: &mut dyn Steps) -> Result<Trace, Violation> {
    observe(n, schedule, |_, _| {})
}

/// Executes `schedule` and reports the checked transfers of each step, counted from 1.
///
/// # Errors
/// As [`simulate`].
pub fn observe(
    n: u32,
    schedule: &mut dyn Steps,
    mut checked: impl FnMut(u64, &[Transfer]),
) -> Result<Trace, Violation> {
    if !(1..=MAX_SIDE).contains(&n) {
        return Err(Violation::Side(n));
    }
    let mut execution = Execution::new(n);
    let mut trace = Trace { steps: 0, transfers: 0, repeated: 0 };
    let mut transfers = Vec::new();
    for step in 1.. {
        transfers.clear();
        if !schedule.step(&mut transfers) {
            break;
        }
        execution.check(step, &transfers)?;
        checked(step, &transfers);
        let repeated = execution.deliver(&transfers);
        let count = transfers.len() as u64;
        trace.transfers += count;
        trace.repeated += repeated;
        if repeated < count {
            trace.steps = step;
        }
    }
    execution.complete(trace.transfers - trace.repeated)?;
    Ok(trace)
}

/// The use of a link in the current step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Idle,
    InUse,
    /// Beyond the edge of the mesh.
    Absent,
}

struct Execution {
    n: u32,
    nodes: u32,
    /// Bit `message * nodes + node`: the node holds the message.
    held: Vec<u64>,
    /// The link from each node to the next one in its row, then in its column.
    links: Vec<Link>,
    /// The same while nothing is sent.
    idle: Vec<Link>,
}

impl Execution {
    /// Every node holds its own message.
    fn new(n: u32) -> Self {
        let nodes = n * n;
        let right = (0..nodes).map(|node| node % n + 1 < n);
        let down = (0..nodes).map(|node| node / n + 1 < n);
        let idle: Vec<Link> = right.chain(down).map(|there| if there { Link::Idle } else { Link::Absent }).collect();
        let bits = nodes as usize * nodes as usize;
        let mut execution = Self { n, nodes, held: vec![0; bits.div_ceil(64)], links: idle.clone(), idle };
        for node in 0..nodes {
            let (word, bit) = execution.place(node, node);
            execution.held[word] |= 1 << bit;
        }
        execution
    }

    /// The word and the bit of a node and a message.
    fn place(&self, message: u32, node: u32) -> (usize, usize) {
        let bit = message as usize * self.nodes as usize + node as usize;
        (bit / 64, bit % 64)
    }

    /// Whether a node holds a message.
    fn holds(&self, message: u32, node: u32) -> bool {
        let (word, bit) = self.place(message, node);
        self.held[word] >> bit & 1 == 1
    }

    /// Checks the transfers of one step.
    fn check(&mut self, step: u64, transfers: &[Transfer]) -> Result<(), Violation> {
        self.links.copy_from_slice(&self.idle);
        for &transfer in transfers {
            self.take_link(transfer, step)?;
            let Transfer { from, message, .. } = transfer;
            if message >= self.nodes {
                return Err(Violation::NoSuchMessage { step, message, last: self.nodes - 1 });
            }
            if !self.holds(message, from) {
                return Err(Violation::NotHeld { step, from, message });
            }
        }
        Ok(())
    }

    /// Takes the link of a transfer for the step.
    fn take_link(&mut self, Transfer { from, to, .. }: Transfer, step: u64) -> Result<(), Violation> {
        let (low, high) = (from.min(to), from.max(to));
        if high >= self.nodes {
            return Err(Violation::NoSuchNode { step, node: high, last: self.nodes - 1 });
        }
        let index = match high - low {
            1 => low,
            apart if apart == self.n => self.nodes + low,
            _ => return Err(Violation::NotNeighbours { step, from, to }),
        };
        let link = &mut self.links[index as usize];
        match *link {
            Link::Idle => *link = Link::InUse,
            Link::InUse => return Err(Violation::LinkInUse { step, from, to }),
            Link::Absent => return Err(Violation::NotNeighbours { step, from, to }),
        }
        Ok(())
    }

    /// Delivers the checked transfers of one step. Returns how many were redundant.
    fn deliver(&mut self, transfers: &[Transfer]) -> u64 {
        let mut repeated = 0;
        for &Transfer { to, message, .. } in transfers {
            let (word, bit) = self.place(message, to);
            repeated += self.held[word] >> bit & 1;
            self.held[word] |= 1 << bit;
        }
        repeated
    }

    /// Checks that every node holds every message, after this number of new deliveries.
    fn complete(&self, delivered: u64) -> Result<(), Violation> {
        let nodes = u64::from(self.nodes);
        let count = nodes * (nodes - 1) - delivered;
        if count == 0 {
            return Ok(());
        }
        let mut pairs = (0..self.nodes).flat_map(|message| (0..self.nodes).map(move |node| (message, node)));
        let missing = pairs.find(|&(message, node)| !self.holds(message, node));
        missing.map_or(Ok(()), |(message, node)| Err(Violation::Missing { count, node, message }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Schedule = Vec<Vec<Transfer>>;

    fn transfer((from, to, message): (u32, u32, u32)) -> Transfer {
        Transfer { from, to, message }
    }

    /// On 2x2 all messages go round in one direction: nodes 0, 1, 3, 2.
    fn round() -> Schedule {
        let steps = [
            [(0, 1, 0), (1, 3, 1), (3, 2, 3), (2, 0, 2)],
            [(0, 1, 2), (1, 3, 0), (3, 2, 1), (2, 0, 3)],
            [(0, 1, 3), (1, 3, 2), (3, 2, 0), (2, 0, 1)],
        ];
        steps.map(|step| step.map(transfer).to_vec()).to_vec()
    }

    fn run(schedule: &Schedule) -> Result<Trace, Violation> {
        simulate(2, &mut schedule.iter())
    }

    /// The round with one transfer (step and place from 0) replaced.
    fn with(step: usize, place: usize, other: (u32, u32, u32)) -> Result<Trace, Violation> {
        let mut schedule = round();
        schedule[step][place] = transfer(other);
        run(&schedule)
    }

    #[test]
    fn a_schedule_that_keeps_the_rules_is_counted() {
        assert_eq!(run(&round()), Ok(Trace { steps: 3, transfers: 12, repeated: 0 }));
        assert_eq!(simulate(1, &mut Schedule::new().iter()), Ok(Trace { steps: 0, transfers: 0, repeated: 0 }));
        // A step without transfers counts, unless all is done before.
        let mut schedule = round();
        schedule.insert(1, Vec::new());
        schedule.push(Vec::new());
        assert_eq!(run(&schedule), Ok(Trace { steps: 4, transfers: 12, repeated: 0 }));
    }

    #[test]
    fn what_a_receiver_holds_already_is_counted() {
        let mut schedule = round();
        schedule.push(vec![transfer((1, 0, 3))]);
        assert_eq!(run(&schedule), Ok(Trace { steps: 3, transfers: 13, repeated: 1 }));
        // Node 3 gets message 0 from both sides in step 2; then the others go round one by one.
        let mut schedule =
            vec![vec![transfer((0, 1, 0)), transfer((0, 2, 0))], vec![transfer((1, 3, 0)), transfer((2, 3, 0))]];
        let others =
            [(1, 3, 1), (3, 2, 1), (2, 0, 1), (2, 0, 2), (0, 1, 2), (1, 3, 2), (3, 2, 3), (2, 0, 3), (0, 1, 3)];
        schedule.extend(others.map(|other| vec![transfer(other)]));
        assert_eq!(run(&schedule), Ok(Trace { steps: 11, transfers: 13, repeated: 1 }));
    }

    #[test]
    fn a_sender_holds_what_it_sends() {
        assert_eq!(with(0, 0, (0, 1, 2)), Err(Violation::NotHeld { step: 1, from: 0, message: 2 }));
        assert_eq!(with(1, 2, (3, 2, 0)), Err(Violation::NotHeld { step: 2, from: 3, message: 0 }));
    }

    #[test]
    fn what_arrives_in_a_step_is_not_sent_on_in_it() {
        let early = Err(Violation::NotHeld { step: 1, from: 1, message: 0 });
        assert_eq!(with(0, 1, (1, 3, 0)), early);
        let mut schedule = round();
        schedule[0] = vec![transfer((1, 3, 0)), transfer((0, 1, 0))];
        assert_eq!(run(&schedule), early);
    }

    #[test]
    fn a_link_carries_one_message_a_step() {
        assert_eq!(with(0, 1, (0, 1, 0)), Err(Violation::LinkInUse { step: 1, from: 0, to: 1 }));
        assert_eq!(with(0, 1, (1, 0, 1)), Err(Violation::LinkInUse { step: 1, from: 1, to: 0 }));
        assert_eq!(with(2, 3, (3, 1, 3)), Err(Violation::LinkInUse { step: 3, from: 3, to: 1 }));
    }

    #[test]
    fn messages_cross_links_only() {
        assert_eq!(with(0, 0, (0, 3, 0)), Err(Violation::NotNeighbours { step: 1, from: 0, to: 3 }));
        assert_eq!(with(0, 2, (2, 1, 2)), Err(Violation::NotNeighbours { step: 1, from: 2, to: 1 }));
        assert_eq!(with(1, 0, (0, 0, 0)), Err(Violation::NotNeighbours { step: 2, from: 0, to: 0 }));
        // On 3x3: the end of a row and the beginning of the next, and every other pair that is not 1 apart.
        for from in 0..9u32 {
            for to in 0..9u32 {
                let schedule = [vec![transfer((from, to, from))]];
                let apart = (from % 3).abs_diff(to % 3) + (from / 3).abs_diff(to / 3);
                let refused = simulate(3, &mut schedule.iter()) == Err(Violation::NotNeighbours { step: 1, from, to });
                assert_eq!(refused, apart != 1, "{from} to {to}");
            }
        }
    }

    #[test]
    fn nodes_and_messages_are_there() {
        assert_eq!(with(1, 3, (2, 4, 2)), Err(Violation::NoSuchNode { step: 2, node: 4, last: 3 }));
        assert_eq!(with(1, 3, (4, 2, 2)), Err(Violation::NoSuchNode { step: 2, node: 4, last: 3 }));
        assert_eq!(with(0, 0, (u32::MAX, 0, 0)), Err(Violation::NoSuchNode { step: 1, node: u32::MAX, last: 3 }));
        assert_eq!(with(0, 0, (0, 1, 4)), Err(Violation::NoSuchMessage { step: 1, message: 4, last: 3 }));
        assert_eq!(with(0, 0, (0, 1, u32::MAX)), Err(Violation::NoSuchMessage { step: 1, message: u32::MAX, last: 3 }));
        let alone = [vec![transfer((0, 1, 0))]];
        assert_eq!(simulate(1, &mut alone.iter()), Err(Violation::NoSuchNode { step: 1, node: 1, last: 0 }));
    }

    #[test]
    fn who_is_left_without_a_message_is_named() {
        let mut schedule = round();
        schedule[2].pop();
        let missing = Violation::Missing { count: 1, node: 0, message: 1 };
        assert_eq!(run(&schedule), Err(missing));
        let text = "node 0 never gets message 1; of all deliveries 1 are missing";
        assert_eq!(missing.to_string(), text);
        schedule.pop();
        assert_eq!(run(&schedule), Err(Violation::Missing { count: 4, node: 2, message: 0 }));
        assert_eq!(run(&Vec::new()), Err(Violation::Missing { count: 12, node: 1, message: 0 }));
        // An idle link is no violation, but its message is missing.
        assert_eq!(with(2, 0, (1, 0, 0)), Err(Violation::Missing { count: 1, node: 1, message: 3 }));
    }

    #[test]
    fn the_end_of_a_schedule_is_checked_though_all_is_done() {
        let mut schedule = round();
        schedule.push(vec![transfer((0, 3, 0))]);
        assert_eq!(run(&schedule), Err(Violation::NotNeighbours { step: 4, from: 0, to: 3 }));
    }

    #[test]
    fn sides_that_cannot_be_held_in_memory_are_refused() {
        for n in [0, MAX_SIDE + 1, u32::MAX] {
            assert_eq!(simulate(n, &mut Schedule::new().iter()), Err(Violation::Side(n)));
        }
    }
}
