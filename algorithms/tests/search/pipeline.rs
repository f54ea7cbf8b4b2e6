//! Broadcast in segments on k ports: every schedule of few nodes, segments and ports.
//!
//! **Enumerated.** At every whole time every node may begin, on each of its ports that is free, to send any segments
//! that it holds to any other node, as one message, or wait. A message of b segments is there `D + (b-1)g'` after its
//! send began, and its port is free after `b*g'`; a node that sends takes in at the same time, from any number of
//! others (the model of the problem). A state has the segments that each node holds or will receive, and the remaining
//! gaps of its ports.
//!
//! **Why that is all.** Whole times suffice (see the head of this test). The ports of a node are equivalent, and so are
//! all nodes but the source. No segment goes to a node that has it or will receive it: of two the later one is left out,
//! because leaving a segment out of a message, or a message with one segment, keeps every rule.

use std::collections::BTreeSet;

use castbench_algorithms::cost::Exact;
use castbench_algorithms::internals::collectives::broadcast::BROADCAST;
use castbench_algorithms::internals::collectives::{PortRule, Task};
use castbench_algorithms::internals::engine::Machine;
use castbench_algorithms::internals::problem::{Case as _, Memo};
use castbench_algorithms::logp::LogP;

use super::Effort;

/// A node between two ticks: the segments that it holds or will receive, as bits; those that it holds; the remaining
/// gap of each port; the messages in transit to it with their remaining times.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    taken: u8,
    held: u8,
    ports: Vec<u64>,
    coming: Vec<(u64, u8)>,
}

impl Node {
    fn new(held: u8, ports: usize) -> Self {
        Self {
            taken: held,
            held,
            ports: vec![0; ports],
            coming: Vec::new(),
        }
    }

    /// One tick later.
    fn tick(&mut self) {
        self.ports
            .iter_mut()
            .for_each(|wait| *wait = wait.saturating_sub(1));
        self.ports.sort_unstable();
        self.coming.iter_mut().for_each(|message| message.0 -= 1);
        for message in self.coming.iter().filter(|message| message.0 == 0) {
            self.held |= message.1;
        }
        self.coming.retain(|message| message.0 > 0);
        self.coming.sort_unstable();
    }
}

/// What a segment costs, and how many of them a message may have.
#[derive(Clone, Copy)]
struct Search {
    D: u64,
    gap: u64,
    longest: u64,
}

impl Search {
    /// All that the nodes from `sender` on may begin in this tick, messages to other receivers or of other segments in
    /// ascending order from `least` on; a node may also wait.
    fn begin(
        self,
        nodes: &mut Vec<Node>,
        sender: usize,
        least: usize,
        found: &mut BTreeSet<Vec<Node>>,
    ) {
        if sender == nodes.len() {
            let mut after = nodes.clone();
            after.iter_mut().for_each(Node::tick);
            // All but the source are alike.
            after[1..].sort_unstable();
            found.insert(after);
            return;
        }
        self.begin(nodes, sender + 1, 0, found);
        let Some(port) = nodes[sender].ports.iter().position(|&wait| wait == 0) else {
            return;
        };
        for number in least..nodes.len() * 16 {
            let (receiver, message) = (number / 16, u8::try_from(number % 16).unwrap());
            let length = u64::from(message.count_ones());
            let of_use = message & (!nodes[sender].held | nodes[receiver].taken) == 0;
            if receiver == sender || length == 0 || length > self.longest || !of_use {
                continue;
            }
            nodes[sender].ports[port] = length * self.gap;
            nodes[receiver].taken |= message;
            nodes[receiver]
                .coming
                .push((self.D + (length - 1) * self.gap, message));
            // It may have another port.
            self.begin(nodes, sender, number, found);
            nodes[receiver].coming.pop();
            nodes[receiver].taken &= !message;
            nodes[sender].ports[port] = 0;
        }
    }

    /// The least time in which K nodes with k ports hold c segments, and the number of states.
    fn by_exhaustion(self, (K, c, k): (usize, u32, usize)) -> (u64, usize) {
        let all = (1u8 << c) - 1;
        let mut nodes = vec![Node::new(0, k); K];
        nodes[0] = Node::new(all, k);
        let mut states = BTreeSet::from([nodes]);
        let mut met = 0;
        for now in 0.. {
            met += states.len();
            if states
                .iter()
                .any(|nodes| nodes.iter().all(|node| node.held == all))
            {
                return (now, met);
            }
            let mut next = BTreeSet::new();
            for mut nodes in states {
                self.begin(&mut nodes, 0, 0, &mut next);
            }
            states = next;
        }
        unreachable!("time goes on")
    }
}

/// Compares every broadcast with lanes, and the bound, with the search. Returns whether the bound is met.
fn check(
    (L, o, g): (u64, u64, u64),
    (K, c, k): (usize, u32, usize),
    longest: u64,
    effort: &mut Effort,
) -> bool {
    let model = LogP::new(L, o, g).unwrap();
    let search = Search {
        D: L + 2 * o,
        gap: g.max(o),
        longest,
    };
    let (least, states) = search.by_exhaustion((K, c, k));
    effort.add(states);
    let machine = Machine::Words(model);
    let task = Task {
        k: k as u64,
        m: c.into(),
        rule: PortRule::Duplex,
        ..Task::new(machine, K as u64, c.into(), 0)
    };
    let bound = BROADCAST
        .at(BROADCAST.entries[0].algorithm, task)
        .lower_bound(&mut Memo::default())
        .unwrap();
    let least_cost = Exact::Integer(least);
    assert!(
        bound <= least_cost,
        "{task:?}: bound {bound}, optimum {least}"
    );
    let of_lanes = BROADCAST
        .entries
        .iter()
        .filter(|listed| listed.algorithm.duplex().is_some());
    let cases = of_lanes.map(|listed| (listed.name, BROADCAST.at(listed.algorithm, task)));
    effort.hold_of(cases, &task, least);
    bound == least_cost
}

const SIZES: [(usize, u32, usize); 10] = [
    (2, 3, 1),
    (2, 4, 2),
    (3, 2, 1),
    (3, 3, 1),
    (3, 2, 2),
    (3, 3, 2),
    (3, 4, 1),
    (4, 2, 1),
    (4, 3, 1),
    (4, 2, 2),
];

#[test]
fn no_schedule_beats_the_bound() {
    let mut effort = Effort::default();
    let mut met = 0;
    for (D, gap) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)] {
        met += SIZES
            .into_iter()
            .filter(|&size| check((D, 0, gap), size, 1, &mut effort))
            .count();
    }
    assert_eq!((met, effort.instances), (45, 60));
    effort.tell("segments one by one");
}

/// Several segments in one message, and overheads.
#[test]
fn no_bundle_of_segments_beats_the_bound() {
    let mut effort = Effort::default();
    for machine in [
        (1, 0, 1),
        (2, 0, 1),
        (1, 0, 2),
        (0, 1, 1),
        (1, 1, 2),
        (0, 2, 1),
        (4, 0, 1),
    ] {
        for size in [
            (2, 3, 1),
            (2, 4, 2),
            (3, 2, 1),
            (3, 3, 1),
            (3, 2, 2),
            (4, 2, 1),
        ] {
            check(machine, size, u64::MAX, &mut effort);
        }
    }
    effort.tell("segments in any messages of use");
}
