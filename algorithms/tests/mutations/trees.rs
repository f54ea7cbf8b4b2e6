//! Schedules of multicast trees, for the simulators of LogP and of shared links.
//!
//! A schedule has the receivers of each node in order; the simulators compute the times. `timed_trees` has executions
//! with wrong times.

use std::collections::BTreeSet;

use castbench_algorithms::internals::logp::multicast::link_sharing::{self, Message};
use castbench_algorithms::internals::logp::multicast::problem::MULTICASTS;
use castbench_algorithms::internals::logp::multicast::schedule::Schedule;
use castbench_algorithms::internals::logp::multicast::simulator::execute;
use castbench_algorithms::internals::violation;
use castbench_algorithms::internals::violation::Violation;
use castbench_algorithms::logp::LogP;

use super::{Judged, LEGAL, Mutants, Tally};

/// A schedule: the number of nodes, the source, the receivers of each node.
#[derive(Debug, Clone)]
pub struct Written {
    pub nodes: u32,
    pub source: u32,
    pub sends: Vec<(u32, u32)>,
}

impl Written {
    fn build(&self) -> Schedule {
        Schedule::new(self.nodes, self.source, &self.sends).unwrap()
    }

    /// The rules: nodes exist, no node sends to itself, each node receives exactly once, only nodes with the message
    /// send. A hop takes D, sends are `gap` apart. Returns the time at which the last node holds the message.
    fn judge(&self, D: u64, gap: u64) -> Judged<u64> {
        let Self {
            nodes,
            source,
            ref sends,
        } = *self;
        let mut broken = BTreeSet::new();
        let exists = |node: u32| (1..=nodes).contains(&node);
        if !exists(source) {
            return Err(BTreeSet::from(["NoSuchNode"]));
        }
        let mut held = vec![None; nodes as usize + 1];
        held[source as usize] = Some(0u64);
        let mut pending = vec![source];
        while let Some(sender) = pending.pop() {
            let since = held[sender as usize].expect("only holders are pending");
            let targets = sends
                .iter()
                .filter(|send| send.0 == sender)
                .map(|send| send.1);
            for (number, receiver) in (0..).zip(targets) {
                if !exists(receiver) {
                    broken.insert("NoSuchNode");
                } else if receiver == sender {
                    broken.insert("ToItself");
                } else if held[receiver as usize].is_some() {
                    broken.insert("Twice");
                } else {
                    held[receiver as usize] = Some(since + number * gap + D);
                    pending.push(receiver);
                }
            }
        }
        if held[1..].contains(&None) {
            broken.insert("Missing");
        }
        if broken.is_empty() {
            Ok(held.into_iter().flatten().max().unwrap_or(0))
        } else {
            Err(broken)
        }
    }

    /// Every mutant, with its kind.
    fn mutants(&self) -> Vec<(&'static str, Self)> {
        let mut mutants = Mutants::new(self);
        let mut with = |kind, change: &dyn Fn(&mut Self)| mutants.with(kind, change);
        for index in 0..self.sends.len() {
            let (sender, receiver) = self.sends[index];
            with("a message dropped", &|mutant| {
                mutant.sends.remove(index);
            });
            with("a message sent twice", &|mutant| {
                mutant.sends.push((sender, receiver))
            });
            for other in (0..=self.nodes + 1).filter(|&other| other != receiver) {
                with("a wrong receiver", &|mutant| mutant.sends[index].1 = other);
            }
            for other in (1..=self.nodes).filter(|&other| other != sender) {
                with("a wrong sender", &|mutant| mutant.sends[index].0 = other);
                // That would be a send of the receiver to itself.
                if other != receiver {
                    with("a node served twice", &|mutant| {
                        mutant.sends.push((other, receiver))
                    });
                }
            }
            if let Some(next) = self.sends[index + 1..]
                .iter()
                .position(|send| send.0 == sender)
            {
                with("two sends exchanged", &|mutant| {
                    mutant.sends.swap(index, index + 1 + next)
                });
            }
        }
        for other in 1..=self.nodes {
            if other != self.source {
                with("the source served", &|mutant| {
                    mutant.sends.push((other, self.source))
                });
            }
        }
        for other in (0..=self.nodes + 1).filter(|&other| other != self.source) {
            with("a wrong source", &|mutant| mutant.source = other);
        }
        for node in (1..=self.nodes).filter(|&node| node != self.source) {
            with("a node left out with what it sends", &|mutant| {
                mutant
                    .sends
                    .retain(|&(sender, receiver)| sender != node && receiver != node);
            });
        }
        mutants.made
    }
}

/// The verdicts that each kind can have.
const EXPECTED: [(&str, &[&str]); 9] = [
    ("a message dropped", &["Missing"]),
    ("a message sent twice", &["Twice"]),
    (
        "a wrong receiver",
        &["NoSuchNode", "ToItself", "Twice", "Missing"],
    ),
    // A node of its own subtree never holds the message; any other node may send it.
    ("a wrong sender", &[LEGAL, "Missing"]),
    ("a node served twice", &["Twice"]),
    ("two sends exchanged", &[LEGAL]),
    ("the source served", &["Twice"]),
    ("a wrong source", &["NoSuchNode", "Missing"]),
    ("a node left out with what it sends", &["Missing"]),
];

/// Machines: the papers' own, g' > D, o > g, no gap, no latency.
pub const MACHINES: [(u64, u64, u64); 6] = [
    (6, 2, 4),
    (1, 0, 3),
    (3, 5, 2),
    (4, 0, 0),
    (0, 1, 0),
    (5, 2, 12),
];

/// Every schedule of the catalogue for a machine.
pub fn schedules(model: LogP) -> Vec<Schedule> {
    let mut found = Vec::new();
    for entry in MULTICASTS.entries {
        let tree = entry.algorithm;
        for nodes in 2..=9 {
            found.extend(
                [1, nodes / 2 + 1, nodes].map(|source| tree.schedule(model, nodes, source)),
            );
        }
    }
    found
}

fn written(schedule: &Schedule) -> Written {
    let nodes = schedule.nodes();
    let of = |sender: u32| {
        schedule
            .targets(sender)
            .iter()
            .map(move |&receiver| (sender, receiver))
    };
    Written {
        nodes,
        source: schedule.source(),
        sends: (1..=nodes).flat_map(of).collect(),
    }
}

#[test]
fn the_simulator_of_trees_catches_every_mutant() {
    let mut tally = Tally::new("tree simulator");
    for (L, o, g) in MACHINES {
        let model = LogP::new(L, o, g).unwrap();
        let (D, gap) = (L + 2 * o, g.max(o));
        for schedule in schedules(model) {
            let original = written(&schedule);
            let run = |written: &Written| {
                let executed = execute(model, &written.build());
                executed.map_err(|error| violation::<Violation>(&error).cloned().expect("a rule"))
            };
            tally.hold_all(&original, original.mutants(), run, |written| {
                written.judge(D, gap)
            });
        }
    }
    tally.finish(&EXPECTED);
}

/// With one host per node, times are those of LogP; with shared hosts only the times differ, not the verdicts.
#[test]
fn the_simulator_of_shared_links_catches_every_mutant() {
    let mut tally = Tally::new("link sharing");
    let message = Message {
        wire: 5,
        latency: 3,
        gap: 2,
        overhead: 6,
    };
    let model = LogP::new(8, 0, 7).unwrap();
    for schedule in schedules(model) {
        let original = written(&schedule);
        for (kind, mutant) in original.mutants() {
            let judged = mutant.judge(8, 7);
            let built = mutant.build();
            let apart =
                link_sharing::simulate(message, &built, |node| node).map(|trace| trace.finish);
            tally.hold(kind, apart, &judged, &mutant);
            let shared = link_sharing::simulate(message, &built, |node| node / 3);
            assert_eq!(shared.is_ok(), judged.is_ok(), "{mutant:?}");
        }
    }
    tally.finish(&EXPECTED);
}
