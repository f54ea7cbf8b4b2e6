//! Multicasts with worms, for the simulator of exclusive links.
//!
//! Its input has paths and receivers; it decides when a worm gets a link, so no mutant can take a held link. The
//! simulator of single flits must give a legal mutant the same time, which shows that no link is granted twice.

use std::collections::{BTreeMap, BTreeSet};

use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::wormhole::problem::SCHEMES;
use castbench_algorithms::internals::mesh::wormhole::simulator::Simulator;
use castbench_algorithms::internals::mesh::wormhole::{Timing, Worm};
use castbench_algorithms::internals::violation::{Rule, Violation};

use super::{Judged, LEGAL, Mutants, Tally, on_snake, ticks};

/// A multicast on a mesh of columns of h nodes.
#[derive(Debug, Clone)]
struct Written {
    w: u32,
    h: u32,
    ports: u64,
    source: u32,
    to: Vec<u32>,
    worms: Vec<Worm>,
}

fn timing() -> Timing {
    Timing::new(2, 3, 2, 4).unwrap()
}

impl Written {
    fn run(&self) -> Result<u64, Violation> {
        let mut simulator = Simulator::new(
            Mesh::new(self.w.into(), self.h.into()).unwrap(),
            timing(),
            self.ports,
        );
        simulator.add(self.source, &self.to, &self.worms)?;
        simulator.run()
    }

    fn are_beside(&self, a: u32, b: u32) -> bool {
        let ((ax, ay), (bx, by)) = (on_snake(self.h, a), on_snake(self.h, b));
        a.max(b) < self.w * self.h && ax.abs_diff(bx) + ay.abs_diff(by) == 1
    }

    /// The rules: a path consists of links, ends at its last receiver and first passes the others in their order; the
    /// receivers are the destinations, each once; every sender receives the message. The time is by single flits.
    fn judge(&self) -> Judged<u64> {
        let mut broken = BTreeSet::new();
        let mut rule = |name, is_broken| {
            if is_broken {
                broken.insert(name);
            }
        };
        let mut served: BTreeMap<u32, usize> = BTreeMap::new();
        for Worm { path, receivers } in &self.worms {
            rule(
                "NoLink",
                path.len() < 2 || path.windows(2).any(|hop| !self.are_beside(hop[0], hop[1])),
            );
            let passed = path.get(1..).unwrap_or_default();
            let indices: Vec<Option<usize>> = receivers
                .iter()
                .map(|node| passed.iter().position(|passed| passed == node))
                .collect();
            let in_order = indices.iter().all(Option::is_some)
                && indices.windows(2).all(|pair| pair[0] < pair[1]);
            let at_end = indices
                .last()
                .copied()
                .flatten()
                .is_some_and(|index| index + 1 == passed.len());
            rule("Receivers", !in_order || !at_end);
            receivers
                .iter()
                .for_each(|&node| *served.entry(node).or_default() += 1);
        }
        let is_once = served.values().all(|&count| count == 1)
            && served.keys().eq(&BTreeSet::from_iter(self.to.clone()));
        rule("Missing", !is_once);
        let mut holds = BTreeSet::from([self.source]);
        for _ in &self.worms {
            for worm in self
                .worms
                .iter()
                .filter(|worm| worm.path.first().is_some_and(|node| holds.contains(node)))
                .collect::<Vec<_>>()
            {
                holds.extend(&worm.receivers);
            }
        }
        rule(
            "NotHeld",
            self.worms
                .iter()
                .any(|worm| worm.path.first().is_none_or(|node| !holds.contains(node))),
        );
        if !broken.is_empty() {
            return Err(broken);
        }
        let there = ticks::run(timing(), self.ports, &[(self.source, self.worms.clone())]);
        there
            .map(|there| there.into_iter().max().unwrap_or(0))
            .ok_or_else(|| BTreeSet::from(["Deadlock"]))
    }

    fn mutants(&self) -> Vec<(&'static str, Self)> {
        let mut mutants = Mutants::new(self);
        let mut with = |kind, change: &dyn Fn(&mut Self)| mutants.with(kind, change);
        let nodes = self.w * self.h;
        for number in 0..self.worms.len() {
            let worm = &self.worms[number];
            with("a worm left out", &|mutant| {
                mutant.worms.remove(number);
            });
            with("a worm sent twice", &|mutant| {
                mutant.worms.push(mutant.worms[number].clone())
            });
            with("a worm that begins late", &|mutant| {
                mutant.worms[number].path.remove(0);
            });
            with("a worm that ends early", &|mutant| {
                mutant.worms[number].path.pop();
            });
            for index in 0..worm.path.len() {
                for other in (0..=nodes).filter(|&other| other != worm.path[index]) {
                    with("a link that does not exist", &|mutant| {
                        mutant.worms[number].path[index] = other
                    });
                }
                if index > 0 {
                    let (before, here) = (worm.path[index - 1], worm.path[index]);
                    with("a link used twice by a worm", &|mutant| {
                        mutant.worms[number]
                            .path
                            .splice(index + 1..index + 1, [before, here]);
                    });
                }
                if index + 1 < worm.path.len() {
                    with("two nodes of a path exchanged", &|mutant| {
                        mutant.worms[number].path.swap(index, index + 1)
                    });
                }
            }
            for index in 0..worm.receivers.len() {
                with("a destination left out", &|mutant| {
                    mutant.worms[number].receivers.remove(index);
                });
                let node = worm.receivers[index];
                with("a destination served twice", &|mutant| {
                    mutant.worms[number].receivers.insert(index, node)
                });
                if index > 0 {
                    with("receivers in another order", &|mutant| {
                        mutant.worms[number].receivers.swap(index - 1, index)
                    });
                }
            }
            for &node in worm.path[1..]
                .iter()
                .filter(|node| !worm.receivers.contains(node))
            {
                with("a receiver that is no destination", &|mutant| {
                    let path = mutant.worms[number].path.clone();
                    let own = &mut mutant.worms[number].receivers;
                    own.push(node);
                    own.sort_by_key(|node| path.iter().position(|passed| passed == node));
                });
            }
            if number > 0 {
                with("two worms exchanged", &|mutant| {
                    mutant.worms.swap(number - 1, number)
                });
            }
        }
        for other in (0..nodes).filter(|other| *other != self.source && !self.to.contains(other)) {
            with("a destination without a sender", &|mutant| {
                mutant.to.push(other)
            });
            with("a wrong source", &|mutant| mutant.source = other);
        }
        with("a wrong source", &|mutant| mutant.source = nodes);
        mutants.made
    }
}

#[test]
fn the_simulator_of_worms_catches_every_mutant() {
    let mut tally = Tally::new("worm simulator");
    for (w, h) in [(3, 3), (4, 2)] {
        let mesh = Mesh::new(w.into(), h.into()).unwrap();
        for entry in SCHEMES.entries {
            let scheme = entry.algorithm;
            for (source, ports) in [(0, 1), (4, 2)] {
                for set in (1..1u32 << mesh.nodes())
                    .step_by(5)
                    .filter(|set| set >> source & 1 == 0)
                {
                    let to: Vec<u32> = (0..mesh.nodes())
                        .filter(|node| set >> node & 1 == 1)
                        .collect();
                    let worms = scheme.worms(mesh, source, &to);
                    let original = Written {
                        w,
                        h,
                        ports,
                        source,
                        to,
                        worms,
                    };
                    tally.hold_all(&original, original.mutants(), Written::run, Written::judge);
                }
            }
        }
    }
    tally.finish(&[
        // A detour is legal.
        (
            "a link that does not exist",
            &[LEGAL, "NoLink", "NotHeld", "Receivers"],
        ),
        ("two nodes of a path exchanged", &["NoLink", "Receivers"]),
        (
            "a worm that begins late",
            &[LEGAL, "NoLink", "NotHeld", "Receivers"],
        ),
        ("a worm that ends early", &["NoLink", "Receivers"]),
        // It waits for itself, because its messages are longer than a link.
        ("a link used twice by a worm", &["Deadlock", "Receivers"]),
        ("a worm left out", &["Missing"]),
        ("a worm sent twice", &["Missing"]),
        ("two worms exchanged", &[LEGAL]),
        ("a destination left out", &["Missing", "Receivers"]),
        ("a destination served twice", &["Receivers"]),
        ("receivers in another order", &["Receivers"]),
        ("a receiver that is no destination", &["Missing"]),
        ("a destination without a sender", &["Missing"]),
        ("a wrong source", &["NotHeld"]),
    ]);
}

/// Around every square of a mesh, in both directions, four worms that turn form a ring, unless one is left out.
#[test]
fn every_ring_of_worms_is_named() {
    let (w, h) = (4u32, 3u32);
    let mesh = Mesh::new(w.into(), h.into()).unwrap();
    let (mut rings, mut passed) = (0, 0);
    for (x, y) in (0..w - 1).flat_map(|x| (0..h - 1).map(move |y| (x, y))) {
        let mut around =
            [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(right, up)| mesh.label(x + right, y + up));
        for _ in 0..2 {
            around.reverse();
            let worm = |start: usize| {
                let path: Vec<u32> = (0..3).map(|step| around[(start + step) % 4]).collect();
                Worm {
                    receivers: vec![path[2]],
                    path,
                }
            };
            let worms = [0, 1, 2, 3].map(worm);
            for left_out in (0..4).map(Some).chain([None]) {
                let mut simulator = Simulator::new(mesh, timing(), 1);
                let kept = || {
                    (0..4)
                        .filter(|&number| Some(number) != left_out)
                        .map(|number| worms[number].clone())
                };
                let all: Vec<(u32, Vec<Worm>)> =
                    kept().map(|worm| (worm.path[0], vec![worm])).collect();
                for (source, worms) in &all {
                    simulator.add(*source, &worms[0].receivers, worms).unwrap();
                }
                match (simulator.run(), ticks::run(timing(), 1, &all)) {
                    (Ok(end), Some(there)) => {
                        assert!(left_out.is_some() && there.into_iter().max() == Some(end));
                        passed += 1;
                    }
                    (
                        Err(
                            deadlock @ Violation {
                                rule: Rule::Deadlock,
                                ..
                            },
                        ),
                        None,
                    ) => {
                        assert!(left_out.is_none());
                        let text = deadlock.to_string();
                        let waits: Vec<&str> =
                            text.trim_start_matches("deadlock: ").split(", ").collect();
                        let mut worm = 0;
                        for wait in &waits {
                            let (from, to) = (worms[worm].path[1], worms[worm].path[2]);
                            let (said, by) = wait.rsplit_once(' ').unwrap();
                            assert_eq!(
                                said,
                                format!("worm {worm} waits for link {from}->{to} held by worm")
                            );
                            worm = by.parse().unwrap();
                        }
                        assert_eq!((waits.len(), worm), (4, 0));
                        rings += 1;
                    }
                    (said, there) => panic!("{said:?}, by flits {there:?}"),
                }
            }
        }
    }
    println!(
        "worm simulator | a ring of worms | Deadlock {rings}, with one left out legal {passed}"
    );
    assert_eq!((rings, passed), (12, 48));
}
