//! Broadcasts of several messages on k ports, round by round.

use std::collections::{BTreeMap, BTreeSet};

use castbench_algorithms::internals::multiport::Transfer;
use castbench_algorithms::internals::multiport::problem::ROUND_BROADCASTS;
use castbench_algorithms::internals::multiport::simulator::simulate;

use super::{Judged, LEGAL, Mutants, Tally, rounds};

/// A schedule by rounds.
#[derive(Debug, Clone, PartialEq)]
struct Written {
    n: u32,
    k: u32,
    m: u32,
    rounds: Vec<Vec<Transfer>>,
}

/// Rounds, sends, useless sends.
type Cost = (u64, u64, u64);

impl Written {
    fn run(&self) -> Result<Cost, castbench_algorithms::internals::violation::Violation> {
        let trace = simulate(self.n, self.k, self.m, &mut self.rounds.iter())?;
        Ok((trace.rounds, trace.sends, trace.repeated))
    }

    /// The rules, with the messages that each node holds.
    fn judge(&self) -> Judged<Cost> {
        let Self {
            n,
            k,
            m,
            ref rounds,
        } = *self;
        let mut held: BTreeSet<(u32, u32)> = (0..m).map(|message| (0, message)).collect();
        let mut broken = BTreeSet::new();
        let mut in_vain = 0;
        for sends in rounds {
            let before = held.clone();
            let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
            for &Transfer { from, to, message } in sends {
                let rules = [
                    ("NoSuchNode", from >= n || to >= n),
                    ("ToItself", from == to),
                    ("NoSuchMessage", message >= m),
                    ("NotHeld", !before.contains(&(from, message))),
                ];
                broken.extend(rules.into_iter().filter(|rule| rule.1).map(|rule| rule.0));
                *sent.entry(from).or_insert(0) += 1;
                *received.entry(to).or_insert(0) += 1;
                in_vain += u64::from(!held.insert((to, message)));
            }
            broken.extend(
                sent.into_values()
                    .any(|count| count > k)
                    .then_some("TooManySent"),
            );
            broken.extend(
                received
                    .into_values()
                    .any(|count| count > k)
                    .then_some("TooManyReceived"),
            );
        }
        if (0..n).any(|node| (0..m).any(|message| !held.contains(&(node, message)))) {
            broken.insert("Missing");
        }
        let sends = rounds.iter().map(|round| round.len() as u64).sum();
        if broken.is_empty() {
            Ok((rounds.len() as u64, sends, in_vain))
        } else {
            Err(broken)
        }
    }

    fn mutants(&self) -> Vec<(&'static str, Self)> {
        let mut mutants = Mutants::new(self);
        let mut with = |kind, change: &dyn Fn(&mut Vec<Vec<Transfer>>)| {
            mutants.with(kind, |mutant| change(&mut mutant.rounds))
        };
        for round in 0..self.rounds.len() {
            for index in 0..self.rounds[round].len() {
                let send = self.rounds[round][index];
                with("a message dropped", &|rounds| {
                    rounds[round].remove(index);
                });
                for other in (0..=self.m).filter(|&other| other != send.message) {
                    with("another message", &|rounds| {
                        rounds[round][index].message = other
                    });
                }
                for other in (0..=self.n).filter(|&other| other != send.from) {
                    with("a wrong sender", &|rounds| {
                        rounds[round][index].from = other
                    });
                }
                for other in (0..=self.n).filter(|&other| other != send.to) {
                    with("a wrong receiver", &|rounds| {
                        rounds[round][index].to = other
                    });
                }
                for earlier in 0..round {
                    with("a send too early", &|rounds| {
                        rounds[round].remove(index);
                        rounds[earlier].push(send);
                    });
                }
                for later in round..self.rounds.len() {
                    with("a node served twice", &|rounds| rounds[later].push(send));
                }
            }
            // The source holds everything, so only its ports limit its sends.
            with("a port too many, sending", &|rounds| {
                let to = |port: u32| 1 + port % (self.n - 1);
                rounds[round] = (0..=self.k)
                    .map(|port| Transfer {
                        from: 0,
                        to: to(port),
                        message: 0,
                    })
                    .collect();
            });
        }
        // After the end, when every node could send.
        with("a port too many, receiving", &|rounds| {
            let others: Vec<u32> = (0..self.n).filter(|&node| node != 1).collect();
            let senders = others.iter().cycle().take(self.k as usize + 1);
            rounds.push(
                senders
                    .map(|&from| Transfer {
                        from,
                        to: 1,
                        message: 0,
                    })
                    .collect(),
            );
        });
        for node in 1..self.n {
            with("a node left out", &|rounds| {
                rounds
                    .iter_mut()
                    .for_each(|round| round.retain(|send| send.from != node && send.to != node));
            });
        }
        for round in 1..self.rounds.len() {
            with("two rounds in one", &|rounds| {
                let second = rounds.remove(round);
                rounds[round - 1].extend(second);
            });
        }
        mutants.made
    }
}

#[test]
fn the_simulator_of_ports_catches_every_mutant() {
    let mut tally = Tally::new("k-port simulator");
    for entry in ROUND_BROADCASTS.entries {
        let broadcast = entry.algorithm;
        for (n, k, m) in [
            (2, 1, 2),
            (4, 1, 3),
            (5, 1, 2),
            (3, 2, 3),
            (6, 2, 3),
            (9, 2, 4),
            (4, 3, 4),
            (7, 3, 2),
        ] {
            // Some exist only for one port or for some sizes.
            let Ok(mut schedule) = broadcast.schedule(n, k, m) else {
                continue;
            };
            let original = Written {
                n,
                k,
                m,
                rounds: rounds(schedule.as_mut()),
            };
            tally.hold_all(&original, original.mutants(), Written::run, Written::judge);
        }
    }
    tally.finish(&[
        // Some algorithms have useless sends, which can be left out.
        ("a message dropped", &[LEGAL, "NotHeld", "Missing"]),
        (
            "another message",
            &[LEGAL, "NotHeld", "Missing", "NoSuchMessage"],
        ),
        (
            "a wrong sender",
            &[LEGAL, "NoSuchNode", "ToItself", "NotHeld", "TooManySent"],
        ),
        (
            "a wrong receiver",
            &[
                LEGAL,
                "NoSuchNode",
                "ToItself",
                "NotHeld",
                "Missing",
                "TooManyReceived",
            ],
        ),
        ("a send too early", &[LEGAL, "NotHeld", "TooManySent"]),
        (
            "a node served twice",
            &[LEGAL, "TooManySent", "TooManyReceived"],
        ),
        ("a port too many, sending", &["TooManySent"]),
        (
            "a port too many, receiving",
            &["TooManySent", "TooManyReceived"],
        ),
        ("a node left out", &["NotHeld", "Missing"]),
        ("two rounds in one", &["NotHeld", "TooManySent"]),
    ]);
}
