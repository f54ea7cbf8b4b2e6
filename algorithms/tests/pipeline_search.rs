//! The bound for messages in segments against an exhaustive search of all schedules.

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

use std::collections::BTreeSet;

use algorithms::catalogue::{ALGORITHMS, Algorithm};
use algorithms::logp::LogP;
use algorithms::logp::pipeline::bounds::least_time;
use algorithms::logp::pipeline::{Instance, Machine};

/// A node between two ticks: the segments it holds or has coming, as bits, those it holds, how long each port rests, and what is
/// under way to it for how long.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    taken: u8,
    held: u8,
    ports: Vec<u64>,
    coming: Vec<(u64, u8)>,
}

impl Node {
    fn new(held: u8, ports: usize) -> Self {
        Self { taken: held, held, ports: vec![0; ports], coming: Vec::new() }
    }

    /// One tick later.
    fn tick(&mut self) {
        self.ports.iter_mut().for_each(|wait| *wait = wait.saturating_sub(1));
        self.ports.sort_unstable();
        self.coming.iter_mut().for_each(|message| message.0 -= 1);
        for message in self.coming.iter().filter(|message| message.0 == 0) {
            self.held |= message.1;
        }
        self.coming.retain(|message| message.0 > 0);
        self.coming.sort_unstable();
    }
}

/// All that the nodes from `sender` on may begin in this tick; a node may also wait.
fn begin(nodes: &mut Vec<Node>, sender: usize, (D, gap): (u64, u64), found: &mut BTreeSet<Vec<Node>>) {
    if sender == nodes.len() {
        let mut after = nodes.clone();
        after.iter_mut().for_each(Node::tick);
        // All but the source are alike.
        after[1..].sort_unstable();
        found.insert(after);
        return;
    }
    begin(nodes, sender + 1, (D, gap), found);
    let Some(port) = nodes[sender].ports.iter().position(|&wait| wait == 0) else { return };
    for receiver in (0..nodes.len()).filter(|&receiver| receiver != sender) {
        for segment in (0..8).map(|bit| 1 << bit) {
            if nodes[sender].held & segment == 0 || nodes[receiver].taken & segment != 0 {
                continue;
            }
            nodes[sender].ports[port] = gap;
            nodes[receiver].taken |= segment;
            nodes[receiver].coming.push((D, segment));
            // It may have another port.
            begin(nodes, sender, (D, gap), found);
            nodes[receiver].coming.pop();
            nodes[receiver].taken &= !segment;
            nodes[sender].ports[port] = 0;
        }
    }
}

/// The least time in which K nodes with k ports hold c segments, by trying every schedule. No two messages of one
/// segment to a node: the second would be in vain.
fn by_exhaustion(D: u64, gap: u64, (K, c, k): (usize, u32, usize)) -> u64 {
    let all = (1u8 << c) - 1;
    let mut nodes = vec![Node::new(0, k); K];
    nodes[0] = Node::new(all, k);
    let mut states = BTreeSet::from([nodes]);
    for now in 0.. {
        if states.iter().any(|nodes| nodes.iter().all(|node| node.held == all)) {
            return now;
        }
        let mut next = BTreeSet::new();
        for mut nodes in states {
            begin(&mut nodes, 0, (D, gap), &mut next);
        }
        states = next;
    }
    unreachable!("time goes on")
}

#[test]
fn no_schedule_beats_the_bound() {
    let (mut met, mut tried) = (0, 0);
    for (D, gap) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)] {
        let machine = Machine::Words(LogP::new(D, 0, gap).unwrap());
        for (K, c, k) in [
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
        ] {
            let least = by_exhaustion(D, gap, (K, c, k));
            let instance = Instance { K: K as u64, n: c.into(), k: k as u64, m: c.into() };
            let bound = least_time(machine, instance).unwrap();
            assert!(bound <= least, "D={D} g'={gap} {instance:?}: bound {bound}, optimum {least}");
            tried += 1;
            met += u32::from(bound == least);
            for entry in ALGORITHMS {
                let Algorithm::PipelinedBroadcast(broadcast) = entry.algorithm else { continue };
                if let Ok(time) = broadcast.time(machine, instance) {
                    assert!(time >= least, "{} at {instance:?}: {time} is below the optimum {least}", entry.name);
                }
            }
        }
    }
    assert_eq!((met, tried), (45, 60));
}
