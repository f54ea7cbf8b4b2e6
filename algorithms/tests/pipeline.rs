//! Pipelined broadcasts against a clock that shares nothing with the engine, and beyond the points of `catalogue`.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod common;
mod random;

use std::collections::BTreeMap;

use castbench_algorithms::cost::{Agreement, Exact, Limits, Simulated};
use castbench_algorithms::error::Error;
use castbench_algorithms::internals::collectives::broadcast::{BROADCAST, Tree};
use castbench_algorithms::internals::collectives::{PortRule, Task};
use castbench_algorithms::internals::engine;
use castbench_algorithms::internals::engine::Machine;
use castbench_algorithms::internals::logp::multicast::problem::MULTICASTS;
use castbench_algorithms::internals::logp::pipeline::{Cut, Duplex, MAX_PORTS};
use castbench_algorithms::internals::problem::{Case, Memo};
use castbench_algorithms::logp::{Level, Levels, LogGops, LogP, Placement, Profile};
use castbench_algorithms::problem::Setting;
use castbench_algorithms::tree::Schedule;
use common::MACHINES;
use proptest::prelude::*;

/// The broadcasts with lanes, and their names.
fn broadcasts() -> impl Iterator<Item = (&'static str, &'static dyn Duplex)> {
    BROADCAST
        .entries
        .iter()
        .filter_map(|listed| Some((listed.name, listed.algorithm.duplex()?)))
}

/// One message on duplex ports.
fn task(machine: Machine, [K, n, k, m]: [u64; 4]) -> Task {
    Task {
        k,
        m,
        rule: PortRule::Duplex,
        ..Task::new(machine, K, n, 0)
    }
}

/// Checks one broadcast at one point; returns its time, if it exists there.
fn check(name: &str, broadcast: &dyn Duplex, task: &Task) -> Option<u64> {
    let what = format!("{name} at {task:?}");
    let analytic = match broadcast.time(task) {
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
            assert_eq!(broadcast.compiled(task).err(), Some(error), "{what}");
            return None;
        }
    };
    let program = broadcast.compiled(task).expect(&what).program;
    let ended = engine::run(task.machine, &program).expect(&what).finish;
    assert_eq!(analytic, ended, "{what}: executed against analytic");
    let listed = BROADCAST.entries.iter().find(|listed| listed.name == name);
    let case = BROADCAST.at(listed.unwrap().algorithm, *task);
    let least = case.lower_bound(&mut Memo::default()).expect(&what);
    assert!(
        least <= Exact::Integer(analytic),
        "{what}: {analytic} is below the bound {least}"
    );
    Some(analytic)
}

/// The receivers of every node, from 1, in order.
fn tree(broadcast: &dyn Duplex, task: &Task) -> Schedule {
    let program = broadcast.compiled(task).unwrap().program;
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
fn by_the_clock(broadcast: &dyn Duplex, task: &Task) -> Option<u64> {
    let tree = (!broadcast.crosses()).then(|| tree(broadcast, task))?;
    let (machine, cut) = (task.machine, Cut::of(task));
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
    let (lanes, ports) = if task.k >= degree {
        (task.k / degree, degree)
    } else {
        (1, task.k)
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

fn instances() -> impl Iterator<Item = [u64; 4]> {
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
    nodes.flat_map(move |(K, k)| cut.map(|(n, m)| [K, n, k, m]))
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
        for (name, broadcast) in broadcasts() {
            for values in instances() {
                for machine in [words, bytes] {
                    let task = task(machine, values);
                    let Some(time) = check(name, broadcast, &task) else {
                        continue;
                    };
                    if let Some(clock) = by_the_clock(broadcast, &task) {
                        assert_eq!(clock, time, "{name} at {task:?}: by the clock");
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
            let task = task(machine, [K, c * s, 1, c]);
            let of = |tree: &dyn Duplex| tree.time(&task);
            assert_eq!(
                of(&Tree::CHAIN),
                Ok((K - 1) * hop + (c - 1) * port),
                "{task:?}"
            );
            assert_eq!(
                of(&Tree::FLAT),
                Ok(hop + (c * (K - 1) - 1) * port),
                "{task:?}"
            );
        }
    }
}

/// A message of one word in one segment on one port is a multicast.
#[test]
fn one_word_is_a_multicast() {
    for (L, o, g) in MACHINES {
        let model = LogP::new(L, o, g).unwrap();
        for (name, broadcast) in broadcasts() {
            let tree = name.strip_prefix("broadcast-");
            let Some(tree) = tree.and_then(|name| MULTICASTS.find(name)) else {
                continue;
            };
            for K in (1..300).chain([1 << 20, 999_999_999_999]) {
                let time = broadcast.time(&task(Machine::Words(model), [K, 1, 1, 1]));
                // A tree of a great many sizes is refused.
                if K < 300 || time.is_ok() {
                    assert_eq!(time, tree.time(model, K, 1), "{name} on {model:?}, K = {K}");
                }
            }
        }
    }
}

/// Three ranks stand together.
fn of_two_levels(inner: LogGops, placement: Placement) -> Machine {
    let inner = vec![Level {
        ranks: 3,
        machine: inner,
    }];
    let levels = Levels::new(inner, FAR, placement, None).unwrap();
    Machine::LogGops(Profile::Levels(levels))
}

const FAR: LogGops = LogGops {
    L: 2000,
    o: 400,
    g: 300,
    G: 80_000,
    O: 10_000,
    H: 0,
};

/// Ranks, words, one port and segments.
fn sizes() -> impl Iterator<Item = [u64; 4]> {
    (1..=11).flat_map(|K| [1, K, 5].map(|m| [K, 2 * K * 5 * 7, 1, m]))
}

#[test]
fn equal_levels_cost_what_the_formulas_say() {
    for (listed, values) in BROADCAST
        .entries
        .iter()
        .flat_map(|listed| sizes().map(move |values| (listed, values)))
    {
        let flat = task(Machine::LogGops(FAR.into()), values);
        let duplex = listed.algorithm.duplex();
        let Some(Ok(time)) = duplex.map(|algorithm| algorithm.time(&flat)) else {
            continue;
        };
        let point = task(of_two_levels(FAR, Placement::RoundRobin), values);
        let found = BROADCAST
            .at(listed.algorithm, point)
            .costs(&Limits::default())
            .unwrap();
        let expected = Simulated::Exact(time);
        assert_eq!(found.simulated, expected, "{} {values:?}", listed.name);
    }
}

/// When the last node holds the last segment of a tree: a node sends each as soon as it holds it, a gap after the one before.
fn followed(task: &Task, tree: &Schedule) -> u64 {
    let (cut, nodes) = (Cut::of(task), tree.nodes());
    let levels = task.machine.levels().unwrap();
    let mut held = vec![vec![0; usize::try_from(cut.segments).unwrap()]; nodes as usize + 1];
    let mut order = vec![tree.source()];
    while let Some(node) = order.pop() {
        let mut free = 0;
        for (index, segment) in (0..cut.segments).enumerate() {
            for &child in tree.targets(node) {
                let level = levels.between(nodes.into(), node - 1, child - 1);
                let model = levels.at(level).at(cut.size(segment)).unwrap();
                let start = held[node as usize][index].max(free);
                free = start + model.gap();
                held[child as usize][index] = start + model.D();
            }
        }
        order.extend(tree.targets(node));
    }
    held.into_iter().flatten().max().unwrap()
}

#[test]
fn trees_on_levels_by_following_every_send() {
    let near = LogGops {
        L: 300,
        o: 100,
        g: 50,
        G: 20_000,
        ..FAR
    };
    for placement in [Placement::Block, Placement::RoundRobin] {
        let machine = of_two_levels(near, placement);
        for listed in BROADCAST.entries {
            let Some(duplex) = listed.algorithm.duplex().filter(|duplex| !duplex.crosses()) else {
                continue;
            };
            for values in sizes() {
                let task = task(machine, values);
                let found = BROADCAST
                    .at(listed.algorithm, task)
                    .costs(&Limits::default())
                    .unwrap();
                let expected = Simulated::Exact(followed(&task, &tree(duplex, &task)));
                assert_eq!(found.simulated, expected, "{} {values:?}", listed.name);
            }
        }
    }
}

/// 300 children on as many ports: the engine has 256.
#[test]
fn ports_that_the_engine_cannot_number_are_refused() {
    let machine = Machine::LogP(LogP::new(6, 2, 4).unwrap());
    let error = Tree::FLAT.compiled(&task(machine, [400, 1, 300, 1])).err();
    let expected = engine::Fault::TooLarge {
        what: "ports of a node",
        most: MAX_PORTS,
    };
    assert_eq!(error, Some(expected.into()));
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
            Some(0),
            Some(10),
            Some(1),
            Some(1),
            Some(1),
        ];
        let instance = entry.at(&Setting::default(), &values).unwrap();
        (instance.steps(most), instance.admit().is_ok())
    };
    assert_eq!(
        of(
            "broadcast-optimal",
            1_000_000_000,
            1_000_000_000_000,
            1 << 20
        ),
        (1 << 20, false)
    );
    // One part per size and node if no node sends equal parts: K - 1 at the source alone.
    assert_eq!(
        of("broadcast-optimal", 1_000_000_000, 4000, 1 << 20),
        (3999, true)
    );
    assert_eq!(
        of("broadcast-optimal", 1_000_000_000, 4000, 3999),
        (3999, true)
    );
    assert_eq!(
        of("broadcast-optimal", 1_000_000_000, 4000, 3998),
        (3998, true)
    );
    assert_eq!(of("broadcast-optimal", 6, 2, 100), (1, true));
    // Closed forms take no steps.
    assert_eq!(
        of("broadcast-halving", 1_000_000_000, 1_000_000_000_000, 100),
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
            let task = task(machine, [K, n, k, 1 + at % n.min(40)]);
            for (name, broadcast) in broadcasts() {
                check(name, broadcast, &task);
            }
        }
    }
}

/// The engine distinguishes this many ports of a node.
#[test]
fn as_many_ports_as_the_engine_has_are_executed() {
    let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
    for entry in BROADCAST.entries.iter().filter(|entry| {
        let algorithm = entry.algorithm.duplex();
        algorithm.is_some_and(|algorithm| !algorithm.crosses())
    }) {
        for (k, is_simulated) in [
            (MAX_PORTS - 1, true),
            (MAX_PORTS, true),
            (MAX_PORTS + 1, false),
        ] {
            let point = task(machine, [150, 2, k, 2]);
            let skipped = BROADCAST
                .at(entry.algorithm, point)
                .too_large(&Limits::default());
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
    for entry in BROADCAST.entries {
        let Some(broadcast) = entry.algorithm.duplex() else {
            continue;
        };
        let alone = |m| task(machine, [1, m, 1, m]);
        let evaluate = |m| {
            BROADCAST
                .at(entry.algorithm, alone(m))
                .costs(&Limits::default())
        };
        assert_eq!(
            evaluate(1).unwrap().agreement(),
            Agreement::Agree,
            "{}",
            entry.name
        );
        let Ok(evaluation) = evaluate(u64::MAX) else {
            assert!(broadcast.time(&alone(u64::MAX)).is_err(), "{}", entry.name);
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
