//! Executions of multicast trees with wrong times, for their audit.

use std::collections::BTreeSet;

use castbench_algorithms::internals::logp::multicast::audit::{TimedSend, audit};
use castbench_algorithms::internals::logp::multicast::simulator::simulate;
use castbench_algorithms::logp::LogP;

use super::trees::{MACHINES, schedules};
use super::{Judged, LEGAL, Mutants, Tally};

/// An execution: the source, and (start, sender, receiver) of each send.
#[derive(Debug, Clone)]
struct Timed {
    model: (u64, u64, u64),
    nodes: u32,
    source: u32,
    sends: Vec<(u64, u32, u32)>,
}

impl Timed {
    /// All rules that it breaks, each checked separately, or the time at which the last node holds the message.
    fn judge(&self) -> Judged<u64> {
        let (L, o, g) = self.model;
        let exists = |node: u32| (1..=self.nodes).contains(&node);
        let mut broken = BTreeSet::new();
        let mut rule = |name, is_broken| {
            if is_broken {
                broken.insert(name);
            }
        };
        rule(
            "NoSuchNode",
            self.sends
                .iter()
                .any(|send| !exists(send.1) || !exists(send.2)),
        );
        rule("ToItself", self.sends.iter().any(|send| send.1 == send.2));
        let times_told = |node: u32| self.sends.iter().filter(|send| send.2 == node).count();
        rule(
            "Twice",
            (1..=self.nodes).any(|node| times_told(node) > usize::from(node != self.source)),
        );
        rule(
            "Missing",
            (1..=self.nodes).any(|node| node != self.source && times_told(node) == 0),
        );
        let held = |node: u32| {
            let received = self
                .sends
                .iter()
                .filter(|send| send.2 == node)
                .map(|send| send.0 + L + 2 * o)
                .min();
            if node == self.source {
                Some(0)
            } else {
                received
            }
        };
        rule(
            "NotHeld",
            self.sends
                .iter()
                .any(|send| held(send.1).is_none_or(|since| send.0 < since)),
        );
        let pairs = || {
            let all = self.sends.iter().enumerate();
            all.flat_map(|(i, a)| {
                self.sends[i + 1..]
                    .iter()
                    .filter(move |b| b.1 == a.1)
                    .map(move |b| a.0.abs_diff(b.0))
            })
        };
        rule("Gap", pairs().any(|apart| apart < g));
        rule("Overlap", pairs().any(|apart| apart < o));
        // In transit when a send of the same node enters: the messages that entered less than L before.
        let under_way = |at: u64, sender| {
            let own = self.sends.iter().filter(|send| send.1 == sender);
            own.filter(|send| send.0 <= at && at - send.0 < L).count() as u64
        };
        let most = if g.max(o) == 0 {
            u64::MAX
        } else {
            L.div_ceil(g.max(o))
        };
        rule(
            "Capacity",
            self.sends
                .iter()
                .any(|send| under_way(send.0, send.1) > most),
        );
        if broken.is_empty() {
            Ok((1..=self.nodes).filter_map(held).max().unwrap_or(0))
        } else {
            Err(broken)
        }
    }

    fn audit(&self) -> Result<u64, castbench_algorithms::internals::violation::Violation> {
        let (L, o, g) = self.model;
        let timed = |&(start, sender, receiver): &(u64, u32, u32)| TimedSend {
            start,
            sender,
            receiver,
        };
        audit(
            LogP::new(L, o, g).unwrap(),
            self.nodes,
            self.source,
            self.sends.iter().map(timed).collect(),
        )
    }

    fn mutants(&self) -> Vec<(&'static str, Self)> {
        let mut mutants = Mutants::new(self);
        let mut with = |kind, change: &dyn Fn(&mut Self)| mutants.with(kind, change);
        let finish = self.judge().expect("the original breaks no rule");
        let (L, o, _) = self.model;
        let D = L + 2 * o;
        for (index, &(start, sender, receiver)) in self.sends.iter().enumerate() {
            let held = self
                .sends
                .iter()
                .find(|send| send.2 == sender)
                .map_or(0, |send| send.0 + D);
            let before = self
                .sends
                .iter()
                .filter(|send| send.1 == sender && send.0 < start)
                .map(|send| send.0)
                .max();
            // The first send of the source begins at 0, as do others if there is no gap.
            if start > 0 {
                with("a send one unit too early", &|mutant| {
                    mutant.sends[index].0 -= 1
                });
            }
            for early in 0..held {
                with("a message not held yet", &|mutant| {
                    mutant.sends[index].0 = early
                });
            }
            for close in before.into_iter().flat_map(|before| before..start) {
                with("two sends of a node too close", &|mutant| {
                    mutant.sends[index].0 = close
                });
            }
            with("a send one unit later", &|mutant| {
                mutant.sends[index].0 += 1
            });
            with("a message dropped", &|mutant| {
                mutant.sends.remove(index);
            });
            for other in (1..=self.nodes).filter(|&other| other != sender && other != receiver) {
                with("a node served twice", &|mutant| {
                    mutant.sends.push((finish + 100, other, receiver))
                });
                with("a wrong sender", &|mutant| mutant.sends[index].1 = other);
                with("a wrong receiver", &|mutant| mutant.sends[index].2 = other);
                with("the source served", &|mutant| {
                    mutant.sends.push((finish + 100, receiver, self.source))
                });
            }
            with("to itself", &|mutant| mutant.sends[index].2 = sender);
            for absent in [0, self.nodes + 1] {
                with("a node that is not there", &|mutant| {
                    mutant.sends[index].1 = absent
                });
                with("a node that is not there", &|mutant| {
                    mutant.sends[index].2 = absent
                });
            }
        }
        mutants.made
    }
}

/// Sends that keep the gap cannot exceed the capacity of the network; the audit's own test checks that rule.
#[test]
fn the_audit_of_trees_catches_every_mutant() {
    let mut tally = Tally::new("tree audit");
    for (L, o, g) in MACHINES {
        let model = LogP::new(L, o, g).unwrap();
        for schedule in schedules(model) {
            let trace = simulate(model, &schedule).unwrap();
            let sends = trace
                .sends
                .iter()
                .map(|send| (send.start, send.sender, send.receiver))
                .collect();
            let original = Timed {
                model: (L, o, g),
                nodes: schedule.nodes(),
                source: schedule.source(),
                sends,
            };
            tally.hold_all(&original, original.mutants(), Timed::audit, Timed::judge);
        }
    }
    tally.finish(&[
        ("a send one unit too early", &["NotHeld", "Gap", "Overlap"]),
        ("a message not held yet", &["NotHeld"]),
        ("two sends of a node too close", &["Gap", "Overlap"]),
        (
            "a send one unit later",
            &[LEGAL, "NotHeld", "Gap", "Overlap"],
        ),
        ("a message dropped", &["Missing", "NotHeld"]),
        ("a node served twice", &["Twice"]),
        ("a wrong sender", &[LEGAL, "NotHeld", "Gap", "Overlap"]),
        ("a wrong receiver", &["Twice"]),
        ("the source served", &["Twice"]),
        ("to itself", &["ToItself"]),
        ("a node that is not there", &["NoSuchNode"]),
    ]);
}
