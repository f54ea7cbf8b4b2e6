//! Pipelined broadcasts against a clock that shares nothing with the engine, and beyond the points of `catalogue`.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod common;
mod random;

use std::collections::BTreeMap;

use castbench_algorithms::cost::{Agreement, Exact, Limits};
use castbench_algorithms::error::Error;
use castbench_algorithms::internals::engine;
use castbench_algorithms::internals::logp::multicast::problem::LogpMulticast;
use castbench_algorithms::internals::logp::pipeline::bounds::least_time;
use castbench_algorithms::internals::logp::pipeline::problem::{
    PipelinedBroadcast, PipelinedPoint,
};
use castbench_algorithms::internals::logp::pipeline::{Broadcast, Instance, MAX_PORTS, Machine};
use castbench_algorithms::internals::problem::{Listed, Problem as _};
use castbench_algorithms::logp::LogGops;
use castbench_algorithms::logp::LogP;
use castbench_algorithms::problem::Setting;
use castbench_algorithms::tree::Schedule;
use common::MACHINES;
use proptest::prelude::*;

/// Checks one broadcast at one point; returns its time, if it exists there.
fn check(entry: &Listed<dyn Broadcast>, machine: Machine, instance: Instance) -> Option<u64> {
    let broadcast = entry.algorithm;
    let what = format!("{} on {machine:?} at {instance:?}", entry.name);
    let analytic = match broadcast.time(machine, instance) {
        Ok(time) => time,
        Err(error) => {
            assert!(
                matches!(
                    error,
                    Error::Parameter {
                        symbol: "m" | "K",
                        ..
                    }
                ),
                "{what}: {error}"
            );
            assert_eq!(
                broadcast.program(machine, instance).err(),
                Some(error),
                "{what}"
            );
            return None;
        }
    };
    let program = broadcast.program(machine, instance).expect(&what);
    let ended = engine::run(machine, &program).expect(&what).finish;
    assert_eq!(analytic, ended, "{what}: executed against analytic");
    let least = least_time(machine, instance).expect(&what);
    assert!(
        least <= analytic,
        "{what}: {analytic} is below the bound {least}"
    );
    Some(analytic)
}

/// The receivers of every node, from 1, in order.
fn tree(broadcast: &dyn Broadcast, machine: Machine, instance: Instance) -> Schedule {
    let program = broadcast.program(machine, instance).unwrap();
    let sends = (0..program.processors())
        .flat_map(|from| program.range(from).map(move |send| (from, send)));
    let of_first = sends.filter_map(|(from, send)| match program.operation(send) {
        engine::Operation::Send { to, tag: 0, .. } => Some((from + 1, to + 1)),
        _ => None,
    });
    Schedule::new(program.processors(), 1, &of_first.collect::<Vec<_>>()).unwrap()
}

/// Segments down a tree by a clock: at every tick each node begins all sends that it may. Ports differ only in when
/// they are free.
fn by_the_clock(broadcast: &dyn Broadcast, machine: Machine, instance: Instance) -> Option<u64> {
    let tree = (!broadcast.crosses()).then(|| tree(broadcast, machine, instance))?;
    let cut = instance.cut();
    let hop = |segment: u64| {
        let model = machine.at(cut.size(segment)).unwrap();
        (model.D(), model.gap())
    };
    let K = tree.nodes();
    let degree = (1..=K)
        .map(|node| tree.targets(node).len() as u64)
        .max()
        .unwrap_or(0)
        .max(1);
    let (lanes, ports) = if instance.k >= degree {
        (instance.k / degree, degree)
    } else {
        (1, instance.k)
    };
    // The remaining sends of each port of each node, the next one first: segment and receiver.
    let mut queues: BTreeMap<(u32, u64, u64), Vec<(u64, u32)>> = BTreeMap::new();
    for node in 1..=K {
        for segment in 0..cut.segments {
            for (child, &to) in (0u64..).zip(tree.targets(node)) {
                queues
                    .entry((node, segment % lanes, child % ports))
                    .or_default()
                    .insert(0, (segment, to));
            }
        }
    }
    let mut held: BTreeMap<(u32, u64), u64> =
        (0..cut.segments).map(|segment| ((1, segment), 0)).collect();
    let mut free: BTreeMap<(u32, u64, u64), u64> = BTreeMap::new();
    let all = u64::from(K) * cut.segments;
    for now in 0.. {
        // With a gap of 0 a port sends several times in one tick.
        let mut is_busy = true;
        while std::mem::take(&mut is_busy) {
            for (port, queue) in &mut queues {
                let Some(&(segment, to)) = queue.last() else {
                    continue;
                };
                let holds = held
                    .get(&(port.0, segment))
                    .is_some_and(|&since| since <= now);
                if holds && free.get(port).is_none_or(|&free| free <= now) {
                    let (D, gap) = hop(segment);
                    queue.pop();
                    free.insert(*port, now + gap);
                    assert_eq!(
                        held.insert((to, segment), now + D),
                        None,
                        "node {to} gets segment {segment} twice"
                    );
                    is_busy = true;
                }
            }
        }
        if held.len() as u64 == all {
            return held.values().max().copied();
        }
    }
    unreachable!("time goes on")
}

fn instances() -> impl Iterator<Item = Instance> {
    let cut = [
        (1, 1),
        (2, 1),
        (2, 2),
        (5, 1),
        (5, 2),
        (5, 3),
        (5, 5),
        (13, 4),
        (16, 4),
        (17, 6),
        (18, 9),
    ];
    let nodes = (1..=8).flat_map(|K| [1, 2, 3, 4, 5, 7, 8, 16].map(|k| (K, k)));
    nodes.flat_map(move |(K, k)| cut.map(|(n, m)| Instance { K, n, k, m }))
}

#[test]
fn broadcasts_by_the_clock() {
    for (L, o, g) in MACHINES.into_iter().filter(|machine| machine.0 < 50) {
        let words = Machine::Words(LogP::new(L, o, g).unwrap());
        let bytes = Machine::LogGops(
            LogGops {
                L,
                o,
                g,
                G: 700_000,
                O: 300_000,
                H: 1_200_000,
            }
            .into(),
        );
        for entry in PipelinedBroadcast::ENTRIES {
            let broadcast = entry.algorithm;
            for instance in instances() {
                for machine in [words, bytes] {
                    let Some(time) = check(entry, machine, instance) else {
                        continue;
                    };
                    if let Some(clock) = by_the_clock(broadcast, machine, instance) {
                        assert_eq!(
                            clock, time,
                            "{} on {machine:?} at {instance:?}: by the clock",
                            entry.name
                        );
                    }
                }
            }
        }
    }
}

/// The formulas of LogGP for a pipeline and for a root that sends to all, as Pjesivac-Grbovic et al., "Performance
/// analysis of MPI collective operations", Cluster Computing 2007, have them: sends are `g + (s-1)G` apart, for any g
/// and G.
#[test]
fn the_formulas_of_loggp() {
    let (L, o) = (900, 40);
    for (g, G) in [(40, 1), (200, 9), (5000, 3), (0, 7), (60_000, 0)] {
        let machine = Machine::LogGops(
            LogGops {
                L,
                o,
                g,
                G: G * 1_000_000,
                O: 0,
                H: 0,
            }
            .into(),
        );
        for (K, c, s) in [
            (2, 1, 1),
            (2, 6, 100),
            (9, 4, 1000),
            (16, 64, 3),
            (5, 30, 40_000),
        ] {
            let (hop, port) = (L + 2 * o + (s - 1) * G, (g + (s - 1) * G).max(o));
            let instance = Instance {
                K,
                n: c * s,
                k: 1,
                m: c,
            };
            let of = |name| {
                PipelinedBroadcast::find(name)
                    .unwrap()
                    .time(machine, instance)
            };
            assert_eq!(
                of("segmented-chain"),
                Ok((K - 1) * hop + (c - 1) * port),
                "{machine:?} {instance:?}"
            );
            assert_eq!(
                of("segmented-flat"),
                Ok(hop + (c * (K - 1) - 1) * port),
                "{machine:?} {instance:?}"
            );
        }
    }
}

/// A message of one word in one segment on one port is a multicast.
#[test]
fn one_word_is_a_multicast() {
    for (L, o, g) in MACHINES {
        let model = LogP::new(L, o, g).unwrap();
        for entry in PipelinedBroadcast::ENTRIES {
            let broadcast = entry.algorithm;
            let name = entry.name.strip_prefix("segmented-");
            let Some(tree) = name.and_then(LogpMulticast::find) else {
                continue;
            };
            for K in (1..300).chain([1 << 20, 999_999_999_999]) {
                let instance = Instance {
                    K,
                    n: 1,
                    k: 1,
                    m: 1,
                };
                let time = broadcast.time(Machine::Words(model), instance);
                // A tree of a great many sizes is refused.
                if K < 300 || time.is_ok() {
                    assert_eq!(
                        time,
                        tree.time(model, K, 1),
                        "{} on {model:?}, K = {K}",
                        entry.name
                    );
                }
            }
        }
    }
}

/// Steps predict what takes long: a tree refused for its parts has over a million, one on a small machine few, other
/// trees none.
#[test]
fn steps_predict_what_takes_long() {
    let of = |name: &str, L: u64, K: u64, most: usize| {
        let entry = castbench_algorithms::catalogue::find(name).unwrap();
        let values = [
            None,
            None,
            Some(L),
            Some(1),
            Some(1),
            Some(K),
            Some(1000),
            Some(1),
            Some(10),
        ];
        let instance = entry.at(&Setting::default(), &values).unwrap();
        (instance.steps(most), instance.admit().is_ok())
    };
    assert_eq!(
        of(
            "segmented-optimal",
            1_000_000_000,
            1_000_000_000_000,
            1 << 20
        ),
        (1 << 20, false)
    );
    // One part per size and node if no node sends equal parts: K - 1 at the source alone.
    assert_eq!(
        of("segmented-optimal", 1_000_000_000, 4000, 1 << 20),
        (3999, true)
    );
    assert_eq!(
        of("segmented-optimal", 1_000_000_000, 4000, 3999),
        (3999, true)
    );
    assert_eq!(
        of("segmented-optimal", 1_000_000_000, 4000, 3998),
        (3998, true)
    );
    assert_eq!(of("segmented-optimal", 6, 2, 100), (1, true));
    // Closed forms take no steps.
    assert_eq!(
        of("segmented-halving", 1_000_000_000, 1_000_000_000_000, 100),
        (0, true)
    );
}

proptest! {
    #![proptest_config(random::cases(300, 19_931))]

    #[test]
    fn random_machines_and_sizes(
        L in 0u64..6000, o in 0u64..200, g in 0u64..800, G in 0u64..3000, O in 0u64..2000, H in 0u64..9000,
        K in 1u64..200, n in 1u64..5000, k in 1u64..12, at in 0u64..1000,
    ) {
        prop_assume!(L + o > 0);
        // Every other profile in parts of a picosecond.
        let [G, O, H] = [G, O, H].map(|time| time * (1_000 + L % 2));
        let words = Machine::Words(LogP::new(L % 60, o % 20 + 1, g % 80).unwrap());
        for machine in [words, Machine::LogGops(LogGops { L, o, g, G, O, H }.into())] {
            let instance = Instance { K, n, k, m: 1 + at % n.min(40) };
            for entry in PipelinedBroadcast::ENTRIES {
                check(entry, machine, instance);
            }
        }
    }
}

/// The engine distinguishes this many ports of a node.
#[test]
fn as_many_ports_as_the_engine_has_are_executed() {
    let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
    for entry in PipelinedBroadcast::ENTRIES
        .iter()
        .filter(|entry| entry.name.starts_with("segmented-"))
    {
        for (k, is_simulated) in [
            (MAX_PORTS - 1, true),
            (MAX_PORTS, true),
            (MAX_PORTS + 1, false),
        ] {
            let point = PipelinedPoint {
                machine,
                instance: Instance {
                    K: 150,
                    n: 2,
                    k,
                    m: 2,
                },
            };
            let skipped = PipelinedBroadcast::too_large(entry.algorithm, point, &Limits::default());
            assert_eq!(
                skipped.is_none(),
                is_simulated,
                "{} with k = {k}",
                entry.name
            );
        }
    }
}

/// Without receivers there are no deliveries, but 2^64 segments cannot be enumerated.
#[test]
fn a_source_alone_with_many_segments_is_not_executed() {
    let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
    for entry in PipelinedBroadcast::ENTRIES {
        let broadcast = entry.algorithm;
        let instance = |m| Instance {
            K: 1,
            n: m,
            k: 1,
            m,
        };
        let evaluate = |m| {
            PipelinedBroadcast::at(
                broadcast,
                PipelinedPoint {
                    machine,
                    instance: instance(m),
                },
                &Limits::default(),
            )
        };
        assert_eq!(
            evaluate(1).unwrap().agreement(),
            Agreement::Agree,
            "{}",
            entry.name
        );
        let Ok(evaluation) = evaluate(u64::MAX) else {
            assert!(
                broadcast.time(machine, instance(u64::MAX)).is_err(),
                "{}",
                entry.name
            );
            continue;
        };
        assert_eq!(
            evaluation.analytic,
            Some(Exact::Integer(0)),
            "{}",
            entry.name
        );
        assert_eq!(
            evaluation.agreement(),
            Agreement::NotCompared,
            "{}",
            entry.name
        );
        assert_eq!(
            evaluate(1000).unwrap().agreement(),
            Agreement::Agree,
            "{}",
            entry.name
        );
    }
}
