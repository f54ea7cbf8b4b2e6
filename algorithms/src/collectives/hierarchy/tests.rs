//! Composed algorithms against followers of their own, on all placements.

use std::collections::HashMap;
use std::sync::Mutex;

use super::*;
use crate::collectives::judge::judge;
use crate::collectives::tests::for_each_case;
use crate::collectives::{Collective, allreduce, broadcast, narrow};
use crate::engine;
use crate::logp::{Level, LogGops, LogP, Placement, Profile, SizeRange};
use crate::plan::Counts;
use crate::plan::script::Act;
use crate::plan::task::PortRule;
use crate::wide::Wide;

const FAR: LogGops = LogGops {
    L: 2000,
    o: 400,
    g: 300,
    G: 80_000,
    O: 10_000,
    H: 0,
};
const NEAR: LogGops = LogGops {
    L: 300,
    o: 100,
    g: 50,
    G: 20_000,
    O: 10_000,
    H: 0,
};
const INNERMOST: LogGops = LogGops {
    L: 50,
    o: 20,
    g: 30,
    G: 5_000,
    O: 5_000,
    H: 1_000,
};

fn machine(inner: &[(u64, LogGops)], placement: Placement, nics: Option<u64>) -> Machine {
    let inner = inner
        .iter()
        .map(|&(ranks, machine)| Level { ranks, machine })
        .collect();
    Machine::LogGops(Profile::Levels(
        Levels::new(inner, FAR, placement, nics).unwrap(),
    ))
}

fn made(collective: &'static str, name: &str) -> &'static dyn Algorithm {
    known::listed(collective, composed(collective, name).unwrap())
        .unwrap()
        .algorithm
}

/// Names of each collective; one for each way and for algorithms of several kinds.
const NAMES: [(&str, &[&str]); 7] = [
    (
        "allreduce",
        &[
            "leaders:binomial+rabenseifner",
            "leaders:flat+ring",
            "leaders:chain+recursive-doubling",
            "leaders:binomial+ring+flat",
            "lanes:ring+ring",
            "lanes:circulant+rabenseifner",
            "lanes:pairwise+swing+bruck",
            "leaders:chain+recursive-doubling:pipelined",
            "lanes:ring+rabenseifner:pipelined",
        ],
    ),
    (
        "reduce",
        &[
            "leaders:binomial+chain",
            "leaders:in-order-binary+rabenseifner",
            "lanes:linear+binomial",
            "lanes:ring+flat+binomial",
            "leaders:k-nomial-3+chain:pipelined",
        ],
    ),
    (
        "broadcast",
        &[
            "leaders:binomial+chain",
            "leaders:optimal+double-tree",
            "lanes:linear+bmtree",
            "lanes:binomial+chain+ring",
            "leaders:flat+k-ary-2:pipelined",
        ],
    ),
    (
        "allgather",
        &[
            "leaders:linear+ring+binomial",
            "leaders:binomial+bruck+chain",
            "lanes:ring+bruck",
            "lanes:linear+circulant",
        ],
    ),
    (
        "reduce-scatter",
        &[
            "leaders:binomial+ring+linear",
            "lanes:linear+ring",
            "lanes:pairwise+recursive-halving",
        ],
    ),
    ("alltoall", &["lanes:linear+pairwise", "lanes:bruck+bruck"]),
    (
        "barrier",
        &[
            "leaders:linear+dissemination",
            "lanes:dissemination+tree",
            "lanes:linear+recursive-doubling",
        ],
    ),
];

/// When the last rank is done: every operation begins when its message is there, its gaps are over and the operations before it have
/// ended, all of them with strict ports; each found by looking back along the script of its rank. A duplex send waits for the receives
/// and for its port, a duplex receive for the receives, and combining for all.
fn followed(task: &Task, algorithm: &dyn Algorithm) -> u64 {
    let (script, ends) = algorithm.plan(task).unwrap().scripts(task).unwrap();
    let levels = task.machine.levels().unwrap();
    let mut starts: HashMap<usize, u64> = HashMap::new();
    let begin = |rank: usize| rank.checked_sub(1).map_or(0, |before| ends[before]);
    let is_send = |step: usize| script.steps[step].act == Act::Send;
    // The turn of a step: the sends up to it that follow a receive.
    let turn = |rank: usize, step: usize| {
        (begin(rank) + 1..=step)
            .filter(|&step| is_send(step) && !is_send(step - 1))
            .count()
    };
    let counterpart = |rank: usize, step: usize| {
        let (own, peer) = (&script.steps[step], script.steps[step].peer as usize);
        let is_it = |&other: &usize| {
            let found = &script.steps[other];
            found.peer as usize == rank
                && found.round == own.round
                && is_send(other) != is_send(step)
        };
        (peer, (begin(peer)..ends[peer]).find(is_it).unwrap())
    };
    let is_exchanged = |rank: usize, step: usize| {
        let (peer, there) = counterpart(rank, step);
        (begin(rank)..ends[rank])
            .filter(|&other| script.steps[other].peer as usize == peer)
            .any(|other| {
                is_send(other) != is_send(step)
                    && turn(rank, other) == turn(rank, step)
                    && turn(peer, counterpart(rank, other).1) == turn(peer, there)
            })
    };
    // A switch is as far from each rank as the farthest two ranks are from each other.
    let far = || {
        (1..narrow(task.K))
            .map(|rank| levels.between(task.K, 0, rank))
            .max()
    };
    let model = |rank: usize, step: usize| {
        let peer = script.steps[step].peer;
        if rank as u64 >= task.K {
            return LogP::FREE;
        }
        let level = match u64::from(peer) >= task.K {
            true => far().unwrap(),
            false => levels.between(task.K, narrow(rank as u64), peer),
        };
        let is_exchanged = levels.has_exchange() && is_exchanged(rank, step);
        let bytes = script.words(&script.steps[step]).max(1);
        levels.of_message(level, bytes, is_exchanged).unwrap()
    };
    let combines = |step: usize| {
        matches!(
            script.steps[step].act,
            Act::CombineBefore | Act::CombineAfter
        )
    };
    let combining = |step: usize| {
        if combines(step) {
            task.combining(script.words(&script.steps[step])).unwrap()
        } else {
            0
        }
    };
    let is_strict = task.rule == PortRule::Strict;
    let mut done: HashMap<usize, u64> = HashMap::new();
    let mut left: Vec<(usize, usize)> = Vec::new();
    for (rank, &end) in ends.iter().enumerate() {
        left.extend((begin(rank)..end).map(|step| (rank, step)));
    }
    while !left.is_empty() {
        let before = left.len();
        left.retain(|&(rank, step)| {
            let of_rank = begin(rank)..step;
            let mut start = 0;
            let mut all = 0;
            for earlier in of_rank.clone() {
                let Some(&end) = done.get(&earlier) else {
                    return true;
                };
                all = all.max(end);
                // The last send occupies its port for its overhead, too.
                if is_strict || !is_send(earlier) || is_send(step) {
                    start = start.max(end);
                }
            }
            if let Some(last) = of_rank.rev().find(|&other| is_send(other) == is_send(step)) {
                // Of two sends the gap is that of the first, of two receives that of the second.
                start = start
                    .max(starts[&last] + model(rank, if is_send(step) { last } else { step }).g());
            }
            if !is_send(step) {
                let (peer, send) = counterpart(rank, step);
                let Some(sent) = starts.get(&send) else {
                    return true;
                };
                let model = model(peer, send);
                start = start.max(sent + model.o() + model.L());
            }
            starts.insert(step, start);
            let end = start + model(rank, step).o();
            let end = if combines(step) { end.max(all) } else { end };
            let is_rank = (rank as u64) < task.K;
            done.insert(step, end + if is_rank { combining(step) } else { 0 });
            false
        });
        assert!(left.len() < before, "ranks wait for each other");
    }
    done.into_values().max().unwrap_or(0)
}

/// When the last rank is done where ranks share nics: of all operations that could be next, the one of the earliest request begins; among
/// equals that of the lowest rank.
fn followed_by_events(task: &Task, algorithm: &dyn Algorithm, nics: u64) -> u64 {
    let (script, ends) = algorithm.plan(task).unwrap().scripts(task).unwrap();
    let levels = task.machine.levels().unwrap();
    let mut next: Vec<usize> = [0]
        .into_iter()
        .chain(ends.iter().copied())
        .take(ends.len())
        .collect();
    let mut ready = vec![0; ends.len()];
    let mut arrivals: HashMap<(u32, u32, u32), u64> = HashMap::new();
    let mut sends: HashMap<(bool, u64, u64), u64> = HashMap::new();
    let mut receives = sends.clone();
    loop {
        let asks = |rank: usize| {
            let step = script.steps[..ends[rank]].get(next[rank])?;
            let arrival = match step.act {
                Act::Send => 0,
                _ => *arrivals.get(&(step.peer, narrow(rank as u64), step.round))?,
            };
            Some((arrival.max(ready[rank]), rank, *step))
        };
        let Some((asked, rank, step)) = (0..ends.len())
            .filter_map(asks)
            .min_by_key(|&(asked, rank, _)| (asked, rank))
        else {
            break;
        };
        let own = narrow(rank as u64);
        let level = levels.between(task.K, own, step.peer);
        let words = script.words(&step);
        let model = levels.at(level).at(words.max(1)).unwrap();
        let (node, index) = levels.node(task.K, own);
        let is_outside = level == levels.inner().len();
        let port = if is_outside {
            (true, node, index % nics)
        } else {
            (false, 0, rank as u64)
        };
        let start = if step.act == Act::Send {
            let start = asked.max(sends.get(&port).copied().unwrap_or(0));
            sends.insert(port, start + model.g());
            arrivals.insert((own, step.peer, step.round), start + model.o() + model.L());
            start
        } else {
            let start = asked.max(receives.get(&port).map_or(0, |last| last + model.g()));
            receives.insert(port, start);
            start
        };
        let combines = matches!(step.act, Act::CombineBefore | Act::CombineAfter);
        ready[rank] = start
            + model.o()
            + if combines {
                task.combining(words).unwrap()
            } else {
                0
            };
        next[rank] += 1;
    }
    assert_eq!(next, ends, "ranks wait for each other");
    ready.into_iter().max().unwrap_or(0)
}

/// Between nodes of two ranks with blocks of 3 words, pieces have 2 words and 1; those of an empty block are empty.
#[test]
fn algorithms_cut_blocks() {
    let algorithm = made("allgather", "allgather-lanes:ring+n-block-circulant:2");
    let machine = machine(&[(2, NEAR)], Placement::Block, None);
    let uneven = Counts::new("uneven".to_owned(), vec![3, 3, 0, 3], false).unwrap();
    let uneven = Blocks::Counted(Box::leak(Box::new(uneven)));
    for (n, blocks, expected) in [
        (3, Blocks::Equal, [1, 1, 1, 1, 2, 2, 2, 2]),
        (1, uneven, [0, 0, 1, 1, 1, 2, 2, 2]),
    ] {
        let task = Task {
            blocks,
            ..Task::new(machine, 4, n, 0)
        };
        let (script, ends) = algorithm.plan(&task).unwrap().scripts(&task).unwrap();
        let starts = [0].into_iter().chain(ends.iter().copied());
        let mut sent = Vec::new();
        for (rank, (start, &end)) in (0..).zip(starts.zip(&ends)) {
            let steps = script.steps[start..end].iter();
            let far = steps.filter(|step| step.act == Act::Send && step.peer / 2 != rank / 2);
            sent.extend(far.map(|step| script.words(step)));
        }
        sent.sort_unstable();
        assert_eq!(sent, expected);
    }
}

/// Everything ends where it must, at the time that the rules say, on all placements.
#[test]
fn composed_algorithms_do_what_they_must() {
    let mut points = 0;
    for (collective, names) in NAMES {
        let goal = Collective::named(collective).unwrap().goal;
        for name in names {
            let algorithm = made(collective, &format!("{collective}-{name}"));
            for (nodes, ranks) in [
                (1, 1),
                (1, 4),
                (2, 1),
                (2, 2),
                (3, 2),
                (4, 4),
                (2, 3),
                (5, 2),
                (2, 8),
            ] {
                let list = (0..nodes * ranks)
                    .map(|rank: u64| u32::try_from(rank * 7 / 3 % nodes).unwrap())
                    .collect::<Vec<_>>();
                let counts = |node| list.iter().filter(|&&other| other == node).count() as u64;
                let fits = (0..u32::try_from(nodes).unwrap()).all(|node| counts(node) == ranks);
                let placements = [
                    Placement::Block,
                    Placement::RoundRobin,
                    Placement::List(list.clone()),
                ];
                for placement in placements.into_iter().take(if fits { 3 } else { 2 }) {
                    let inner = if ranks % 2 == 0 {
                        vec![(2, INNERMOST), (ranks, NEAR)]
                    } else {
                        vec![(ranks, NEAR)]
                    };
                    let K = nodes * ranks;
                    for (n, root) in [(1, 0), (64, K - 1), (37, K / 2)] {
                        let (n, root) = (
                            if collective == "barrier" { 1 } else { n },
                            if matches!(collective, "reduce" | "broadcast") {
                                root
                            } else {
                                0
                            },
                        );
                        let nics = [None, Some(1), Some(2)][points % 3];
                        let on = machine(&inner, placement.clone(), nics);
                        let m = [1, 3, 64][points % 5 % 3].min(n);
                        let rule = if nics.is_none() && points % 2 == 0 {
                            PortRule::Duplex
                        } else {
                            PortRule::Strict
                        };
                        let task = Task {
                            root,
                            rule,
                            m: if algorithm.properties().is_segmented {
                                m
                            } else {
                                1
                            },
                            ..Task::new(on, K, n, 30)
                        };
                        if algorithm.time(&task).is_err() {
                            continue;
                        }
                        let plan = algorithm.compiled(&task).unwrap();
                        let what = format!(
                            "{collective}-{name} on {nodes} x {ranks}, {placement:?}, n = {n}, root {root}, m = {}, {rule:?}",
                            task.m
                        );
                        let time = judge(goal, &task, false, &plan)
                            .unwrap_or_else(|error| panic!("{what}: {error}"));
                        let rules = match nics {
                            None => followed(&task, algorithm),
                            Some(nics) => followed_by_events(&task, algorithm, nics),
                        };
                        assert_eq!(time, rules, "{what}, {nics:?} nics");
                        assert_eq!(
                            Wide::from(u64::from(plan.program.messages())),
                            algorithm.messages(&task),
                            "{what}"
                        );
                        points += 1;
                    }
                }
            }
        }
    }
    assert!(points > 1000, "{points}");
}

/// Every algorithm takes what the rules say where messages differ by their sizes and exchanges take longer. Without levels and
/// exchanges the clock says the same.
#[test]
fn sizes_and_exchanges_count() {
    let ranges = |exchange| {
        let range = |from, machine| SizeRange {
            from,
            machine,
            exchange,
        };
        vec![
            range(1, FAR),
            range(9, NEAR),
            range(
                40,
                LogGops {
                    L: 9_000,
                    G: 90_000,
                    ..FAR
                },
            ),
        ]
    };
    let known = Mutex::new(0);
    let flat = Levels::new(Vec::new(), FAR, Placement::Block, None).unwrap();
    let near = Levels::new(
        vec![Level {
            ranks: 2,
            machine: NEAR,
        }],
        FAR,
        Placement::RoundRobin,
        None,
    )
    .unwrap();
    let on = |levels: &Levels, exchange| {
        let near = vec![Vec::new(); levels.inner().len()];
        let levels = levels
            .with_ranges([near, vec![ranges(exchange)]].concat())
            .unwrap();
        Machine::LogGops(Profile::Levels(levels))
    };
    let machines = [on(flat, 0), on(flat, 70_000_000), on(near, 70_000_000)];
    for_each_case(|case| {
        for (machine, K) in machines
            .into_iter()
            .flat_map(|machine| [2, 6].map(|K| (machine, K)))
        {
            let c = *case.combining.last().unwrap();
            for task in [9, 60]
                .into_iter()
                .flat_map(|n| case.tasks(machine, K, n, c))
                .step_by(3)
                .flat_map(|task| {
                    [PortRule::Strict, PortRule::Duplex].map(|rule| Task { rule, ..task })
                })
            {
                let levels = machine.levels().unwrap();
                let algorithm = case.listed.algorithm;
                // Broadcasts that state their lanes are not executed by their plans.
                let is_stated = task.rule == PortRule::Duplex && algorithm.duplex().is_some();
                let Ok(time) = algorithm.time(&task) else {
                    continue;
                };
                // At a switch nothing crosses, and ports are strict.
                let is_left_out =
                    task.has_switch && (levels.has_exchange() || task.rule == PortRule::Duplex);
                if is_stated || is_left_out {
                    continue;
                }
                let plan = algorithm.compiled(&task).unwrap();
                // The follower knows neither several ports nor words that a rank combines without a message.
                if task.k > 1
                    || plan
                        .script
                        .steps()
                        .iter()
                        .any(|step| matches!(step.act, Act::Local { .. }))
                {
                    continue;
                }
                let executed = engine::run(machine, &plan.program).unwrap().finish;
                assert_eq!(
                    executed,
                    followed(&task, algorithm),
                    "{}: {task:?}",
                    case.listed.name
                );
                let is_known = levels.is_by_size_only() && !levels.has_exchange();
                assert_eq!(
                    time,
                    is_known.then_some(executed),
                    "{}: {task:?}",
                    case.listed.name
                );
                *known.lock().unwrap() += usize::from(is_known);
            }
        }
    });
    let ring = |K| {
        let task = Task::new(machines[1], K, 96, 0);
        let program = (&super::super::ring::ALLREDUCE as &dyn Algorithm)
            .compiled(&task)
            .unwrap()
            .program;
        (0..2).filter(|&send| program.is_exchanged(send)).count()
    };
    assert_eq!(
        (ring(2), ring(3)),
        (1, 0),
        "two ranks exchange, three pass on"
    );
    assert!(known.into_inner().unwrap() > 200);
}

/// A chain has nothing to post together; the root of a flat tree posts everything, and of a binomial tree its rank does.
#[test]
fn sends_that_are_posted_together_arrive_together() {
    let (words, K, n) = (Machine::LogGops(FAR.into()), 16, 100_000);
    let task = Task::new(words, K, n, 0);
    let model = FAR.at(n).unwrap();
    let (wire, gap) = (model.L() + 2 * model.o(), model.gap());
    let time = |name: &str| {
        let algorithm = made("broadcast", &format!("broadcast-{name}:posted"));
        assert_eq!(algorithm.time(&task), Ok(None));
        judge(
            &broadcast::Broadcast,
            &task,
            true,
            &algorithm.compiled(&task).unwrap(),
        )
        .unwrap()
    };
    let chain: &dyn Algorithm = &broadcast::Tree::CHAIN;
    assert_eq!(Ok(Some(time("chain"))), chain.time(&task));
    // All children of a rank hold the message after the gaps of all of them.
    assert_eq!(time("flat"), 14 * gap + wire);
    // Children on the longest path: 4, 3, 2, 1 of the bmtree; gaps between them and a hop for each.
    assert_eq!(time("bmtree"), (3 + 2 + 1) * gap + 4 * wire);
    assert_eq!(time("binary"), 3 * gap + 4 * wire);
}

/// With shared nics, too, no message is there before the last of its group would be.
#[test]
fn posting_never_helps() {
    for nics in [None, Some(1)] {
        for (listed, K) in broadcast::BROADCAST
            .entries
            .iter()
            .flat_map(|listed| [5, 8, 12].map(|K| (listed, K)))
        {
            let task = Task::new(machine(&[(4, NEAR)], Placement::Block, nics), K, 120, 0);
            if listed.algorithm.time(&task).is_err() {
                continue;
            }
            let run = |algorithm: &dyn Algorithm| {
                judge(
                    &broadcast::Broadcast,
                    &task,
                    false,
                    &algorithm.compiled(&task).unwrap(),
                )
                .unwrap()
            };
            let [posted, plain] = [run(&Posted(listed.algorithm)), run(listed.algorithm)];
            assert!(
                nics.is_some() || posted >= plain,
                "{} on {K}: {posted} < {plain}",
                listed.about.name
            );
        }
    }
}

/// Where all levels are alike, the machine is that of the network.
#[test]
fn equal_levels_are_no_levels() {
    for (listed, K) in allreduce::ALLREDUCE
        .entries
        .iter()
        .flat_map(|listed| [5, 8, 13].map(|K| (listed, K)))
    {
        let levels = Task::new(
            machine(&[(2, FAR), (4, FAR)], Placement::RoundRobin, None),
            K,
            40,
            30,
        );
        let flat = Task {
            machine: Machine::LogGops(FAR.into()),
            ..levels
        };
        let Ok(time) = listed.algorithm.time(&flat) else {
            continue;
        };
        // It asks which ranks are on one node, whatever its level costs.
        if listed.algorithm.properties().is_placed {
            continue;
        }
        let run = |task: &Task| {
            engine::run(
                task.machine,
                &listed.algorithm.compiled(task).unwrap().program,
            )
            .unwrap()
            .finish
        };
        assert_eq!(
            (run(&levels), time),
            (run(&flat), Some(run(&flat))),
            "{} K = {K}",
            listed.about.name
        );
    }
}

#[test]
fn names_that_compose_nothing() {
    for name in [
        "allreduce-leaders:binomial",
        "allreduce-leaders:binomial+no",
        "allreduce-rings:ring+ring",
        "allreduce-lanes:ring+ring+ring+ring",
    ] {
        assert_eq!(composed("allreduce", name), None, "{name}");
    }
    assert!(composed("alltoall", "alltoall-leaders:linear+linear").is_none());
    assert_eq!(
        composed("allreduce", "allreduce-lanes:ring+ring"),
        composed("allreduce", "allreduce-lanes:ring+ring")
    );
}
