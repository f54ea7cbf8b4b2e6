//! Gossip schedules on small meshes: half-duplex links, one message per link and step, no message forwarded in the step
//! in which it arrives.

use std::collections::BTreeSet;

use castbench_algorithms::internals::mesh::gossip::Transfer;
use castbench_algorithms::internals::mesh::gossip::problem::GOSSIPS;
use castbench_algorithms::internals::mesh::gossip::simulator::simulate;

use super::{Judged, LEGAL, Mutants, Tally, rounds};

type Steps = Vec<Vec<Transfer>>;

/// Steps until every node holds all, transfers, useless transfers.
type Cost = (u64, u64, u64);

/// The rules, with the messages that each node holds.
fn judge(n: u32, steps: &Steps) -> Judged<Cost> {
    let nodes = n * n;
    let apart = |a: u32, b: u32| (a % n).abs_diff(b % n) + (a / n).abs_diff(b / n);
    let mut held: BTreeSet<(u32, u32)> = (0..nodes).map(|node| (node, node)).collect();
    let mut broken = BTreeSet::new();
    let (mut last, mut in_vain) = (0, 0);
    for (step, transfers) in (1..).zip(steps) {
        let before = held.clone();
        let mut used = BTreeSet::new();
        for &Transfer { from, to, message } in transfers {
            if from >= nodes || to >= nodes {
                broken.insert("NoSuchNode");
                continue;
            }
            if apart(from, to) != 1 {
                broken.insert("NoLink");
            } else if !used.insert((from.min(to), from.max(to))) {
                broken.insert("LinkInUse");
            }
            if message >= nodes {
                broken.insert("NoSuchMessage");
            } else if !before.contains(&(from, message)) {
                broken.insert("NotHeld");
            }
            if held.insert((to, message)) {
                last = step;
            } else {
                in_vain += 1;
            }
        }
    }
    if (0..nodes).any(|node| (0..nodes).any(|message| !held.contains(&(node, message)))) {
        broken.insert("Missing");
    }
    let transfers = steps.iter().map(|step| step.len() as u64).sum();
    if broken.is_empty() {
        Ok((last, transfers, in_vain))
    } else {
        Err(broken)
    }
}

fn mutants(n: u32, original: &Steps) -> Vec<(&'static str, Steps)> {
    let nodes = n * n;
    let mut mutants = Mutants::new(original);
    let mut with = |kind, change: &dyn Fn(&mut Steps)| mutants.with(kind, change);
    for step in 0..original.len() {
        for index in 0..original[step].len() {
            let transfer = original[step][index];
            let Transfer { from, to, message } = transfer;
            with("a message dropped", &|steps| {
                steps[step].remove(index);
            });
            for other in (0..=nodes).filter(|&other| other != message) {
                with("another message", &|steps| {
                    steps[step][index].message = other
                });
                with("a link used twice, same way", &|steps| {
                    steps[step].push(Transfer {
                        message: other,
                        ..transfer
                    });
                });
            }
            for other in 0..nodes {
                with("a link used twice, both ways", &|steps| {
                    steps[step].push(Transfer {
                        from: to,
                        to: from,
                        message: other,
                    });
                });
            }
            for other in (0..=nodes).filter(|&other| other != from) {
                with("a wrong sender", &|steps| steps[step][index].from = other);
            }
            for other in (0..=nodes).filter(|&other| other != to) {
                with("a wrong receiver", &|steps| steps[step][index].to = other);
            }
            with("the other way", &|steps| {
                steps[step][index] = Transfer {
                    from: to,
                    to: from,
                    message,
                }
            });
            for earlier in 0..step {
                with("a transfer too early", &|steps| {
                    steps[step].remove(index);
                    steps[earlier].push(transfer);
                });
            }
            for later in step + 1..=original.len() {
                with("a node served twice", &|steps| {
                    steps.resize(steps.len().max(later + 1), Vec::new());
                    steps[later].push(transfer);
                });
            }
        }
    }
    for node in 0..nodes {
        with("a node left out", &|steps| {
            steps
                .iter_mut()
                .for_each(|step| step.retain(|transfer| transfer.to != node));
        });
    }
    for step in 1..original.len() {
        with("two steps exchanged", &|steps| steps.swap(step - 1, step));
        with("two steps in one", &|steps| {
            let second = steps.remove(step);
            steps[step - 1].extend(second);
        });
    }
    mutants.made
}

#[test]
fn the_simulator_of_gossip_catches_every_mutant() {
    let mut tally = Tally::new("gossip simulator");
    for entry in GOSSIPS.entries {
        for n in 2..=3 {
            let original = rounds(entry.algorithm.schedule(n).unwrap().as_mut());
            let run = |steps: &Steps| {
                simulate(n, &mut steps.iter())
                    .map(|trace| (trace.last, trace.sends, trace.repeated))
            };
            tally.hold_all(&original, mutants(n, &original), run, |steps| {
                judge(n, steps)
            });
        }
    }
    tally.finish(&[
        ("a message dropped", &["NotHeld", "Missing"]),
        ("another message", &["NotHeld", "Missing", "NoSuchMessage"]),
        (
            "a link used twice, same way",
            &["LinkInUse", "NotHeld", "NoSuchMessage"],
        ),
        ("a link used twice, both ways", &["LinkInUse", "NotHeld"]),
        // The link on the receiver's other side may be idle, and its end may also hold the message.
        (
            "a wrong sender",
            &[LEGAL, "NoSuchNode", "NoLink", "LinkInUse", "NotHeld"],
        ),
        (
            "a wrong receiver",
            &["NoSuchNode", "NoLink", "LinkInUse", "NotHeld", "Missing"],
        ),
        ("the other way", &["NotHeld"]),
        ("a transfer too early", &[LEGAL, "LinkInUse", "NotHeld"]),
        ("a node served twice", &[LEGAL, "LinkInUse"]),
        // Every node forwards messages, which others then lack.
        ("a node left out", &["NotHeld"]),
        ("two steps exchanged", &[LEGAL, "NotHeld"]),
        ("two steps in one", &["LinkInUse", "NotHeld"]),
    ]);
}
