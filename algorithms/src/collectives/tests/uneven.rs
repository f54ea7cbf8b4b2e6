//! Blocks of several sizes: every algorithm that takes them, and independent statements of what some cost.

use super::super::judge::judge;
use super::super::{Blocks, Closed, Collective, Counts, Task, bounds, list};
use super::{for_each_case, machines};
use crate::engine::Machine;
use crate::logp::{Level, Levels, LogGops, LogP, Placement, Profile};
use crate::plan::task::PortRule;

/// Sizes of K blocks, some of them empty.
fn sizes(K: u64) -> Vec<Vec<u64>> {
    let of = |size: &dyn Fn(u64) -> u64| (0..K).map(size).collect();
    vec![
        of(&|_| 3),
        of(&|rank| u64::from(rank == K / 2) * 7),
        of(&|rank| rank),
        of(&|rank| rank * rank * 5 % 7),
        of(&|rank| (K - rank) % 3),
    ]
}

fn counted(counts: &[u64], are_shares: bool) -> Option<Blocks> {
    let counts = Counts::new(String::new(), counts.to_vec(), are_shares).unwrap();
    (!counts.is_empty()).then(|| Blocks::Counted(Box::leak(Box::new(counts))))
}

/// The time of the clock is that of the execution, whose messages carry what the goal needs, and no bound is above it.
#[test]
fn every_algorithm_takes_blocks_of_several_sizes() {
    for_each_case(|case| {
        let algorithm = case.listed.algorithm;
        if !case.has_counts {
            return;
        }
        let mut known = 0;
        for (machine, K) in machines()
            .into_iter()
            .flat_map(|machine| (1..=13).map(move |K| (machine, K)))
        {
            for (counts, are_shares) in sizes(K)
                .into_iter()
                .flat_map(|counts| [(counts.clone(), false), (counts, true)])
            {
                let Some(blocks) = counted(&counts, are_shares) else {
                    continue;
                };
                for task in case.tasks(machine, K, 2, 3) {
                    let rule = match known % 3 {
                        0 if !task.has_switch => PortRule::Duplex,
                        _ => PortRule::Strict,
                    };
                    let task = Task {
                        blocks,
                        rule,
                        c: if case.combining.len() > 1 { task.c } else { 0 },
                        ..task
                    };
                    let Ok(time) = algorithm.time(&task) else {
                        continue;
                    };
                    if algorithm.properties().has_equal_blocks {
                        continue;
                    }
                    let what = format!("{}: {task:?}", case.listed.name);
                    let plan = algorithm.compiled(&task).unwrap();
                    let keeps_order = algorithm.properties().keeps_order;
                    let executed = judge(case.goal, &task, keeps_order, &plan);
                    let executed = executed.unwrap_or_else(|error| panic!("{what}: {error}"));
                    assert_eq!(time, Some(executed), "{what}");
                    let messages = plan.program.messages();
                    assert_eq!(algorithm.messages(&task), messages.into(), "{what}");
                    for piece in [1, bounds::piece(&task, task.K)] {
                        let bound = bounds::of_collective(case.goal, &task, piece).unwrap();
                        assert!(bound.time <= executed, "{what}: {bound:?} > {executed}");
                    }
                    known += 1;
                }
            }
        }
        let takes = !algorithm.properties().has_equal_blocks;
        assert_eq!(known > 200, takes, "{}: {known} points", case.listed.name);
    });
}

/// On machines with levels, where ranks stand in turn, no bound is above an execution.
#[test]
fn no_bound_is_above_a_cost_on_levels() {
    let level = |L, G| LogGops {
        L,
        o: 2,
        g: 3,
        G,
        O: 100_000,
        H: 0,
    };
    let mut known = 0;
    for (nics, is_block) in [None, Some(1)]
        .into_iter()
        .flat_map(|nics| [(nics, true), (nics, false)])
    {
        let placement = match is_block {
            true => Placement::Block,
            false => Placement::RoundRobin,
        };
        let inner = vec![Level {
            ranks: 3,
            machine: level(5, 200_000),
        }];
        let levels = Levels::new(inner, level(90, 2_000_000), placement, nics).unwrap();
        let machine = Machine::LogGops(Profile::Levels(levels));
        for known_collective in list::ALL {
            let Collective {
                name,
                goal,
                parameters,
                entries,
                ..
            } = known_collective;
            if !parameters.0.iter().any(|axis| axis.key == "counts") {
                continue;
            }
            for (K, counts) in [6, 9, 12]
                .into_iter()
                .flat_map(|K| sizes(K).into_iter().map(move |counts| (K, counts)))
            {
                let Some(blocks) = counted(&counts, false) else {
                    continue;
                };
                let task = Task {
                    blocks,
                    ..Task::new(machine, K, 50, 100)
                };
                let task = Task {
                    c: if *name == "reduce-scatter" { 100 } else { 0 },
                    ..task
                };
                for listed in *entries {
                    let algorithm = listed.algorithm;
                    if algorithm.properties().has_equal_blocks || algorithm.closed(&task).is_err() {
                        continue;
                    }
                    let plan = algorithm.compiled(&task).unwrap();
                    let keeps_order = algorithm.properties().keeps_order;
                    let executed = judge(*goal, &task, keeps_order, &plan).unwrap();
                    let bound =
                        bounds::of_collective(*goal, &task, bounds::piece(&task, task.K)).unwrap();
                    let what = format!("{}: {counts:?}", listed.name);
                    assert!(bound.time <= executed, "{what}: {bound:?} > {executed}");
                    known += 1;
                }
            }
        }
    }
    assert!(known > 500, "{known} points");
}

/// One processor and one port of a rank, stated without the library: when it is ready, and when its port sends and receives again.
#[derive(Clone, Copy, Default)]
struct Rank {
    ready: u64,
    sends: u64,
    received: Option<u64>,
}

impl Rank {
    /// When the message arrives.
    fn send(&mut self, [o, L, g]: [u64; 3]) -> u64 {
        let start = self.ready.max(self.sends);
        self.ready = start + o;
        self.sends = start + g.max(o);
        start + o + L
    }

    fn receive(&mut self, [o, _, g]: [u64; 3], arrival: u64) {
        let port = self.received.map_or(0, |start| start + g);
        let start = arrival.max(self.ready).max(port);
        self.ready = start + o;
        self.received = Some(start);
    }
}

/// Ring and linear allgather, linear gather and scatter of given sizes, as loops over ranks and rounds.
fn simulated(machine: Machine, sizes: &[u64], root: usize) -> [(&'static str, u64); 4] {
    let K = sizes.len();
    let hop = |words: u64| {
        let model = machine.at(words).unwrap();
        [model.o(), model.L(), model.g()]
    };
    let end = |ranks: &[Rank]| ranks.iter().map(|rank| rank.ready).max().unwrap();
    let idle = || vec![Rank::default(); K];
    let (mut ring, mut linear, mut gather, mut scatter) = (idle(), idle(), idle(), idle());
    for round in 0..K - 1 {
        let block = |rank: usize| sizes[(rank + K - round) % K];
        let sent: Vec<u64> = (0..K)
            .map(|rank| ring[rank].send(hop(block(rank))))
            .collect();
        for (rank, state) in ring.iter_mut().enumerate() {
            let from = (rank + K - 1) % K;
            state.receive(hop(block(from)), sent[from]);
        }
    }
    let sent: Vec<Vec<u64>> = (0..K)
        .map(|rank| {
            (1..K)
                .map(|_| linear[rank].send(hop(sizes[rank])))
                .collect()
        })
        .collect();
    for (rank, far) in (0..K).flat_map(|rank| (1..K).map(move |far| (rank, far))) {
        let from = (rank + K - far) % K;
        linear[rank].receive(hop(sizes[from]), sent[from][far - 1]);
    }
    for rank in (0..K).filter(|&rank| rank != root) {
        let hop = hop(sizes[rank]);
        let sent = gather[rank].send(hop);
        gather[root].receive(hop, sent);
        let sent = scatter[root].send(hop);
        scatter[rank].receive(hop, sent);
    }
    [
        ("allgather-ring", end(&ring)),
        ("allgather-linear", end(&linear)),
        ("gather-linear", end(&gather)),
        ("scatter-linear", end(&scatter)),
    ]
}

#[test]
fn costs_are_those_of_an_independent_simulation() {
    let mut known = 0;
    for (machine, K) in machines()
        .into_iter()
        .flat_map(|machine| (2..9).map(move |K| (machine, K)))
    {
        for (counts, root) in sizes(K)
            .into_iter()
            .flat_map(|counts| [0, K / 2, K - 1].map(|root| (counts.clone(), root)))
        {
            let Some(blocks) = counted(&counts, false) else {
                continue;
            };
            let index = usize::try_from(root).unwrap();
            for (name, expected) in simulated(machine, &counts, index) {
                let of = |known: &&Collective| name.starts_with(known.name);
                let collective = list::ALL.into_iter().find(of).unwrap();
                let is_it = |listed: &&crate::problem::Listed<_>| listed.name == name;
                let listed = collective.entries.iter().find(is_it).unwrap();
                let root = if name.starts_with("allgather") {
                    0
                } else {
                    root
                };
                let task = Task {
                    root,
                    blocks,
                    ..Task::new(machine, K, 1, 0)
                };
                let time = listed.algorithm.time(&task).unwrap();
                assert_eq!(
                    time,
                    Some(expected),
                    "{name}: {counts:?}, root {root}, {machine:?}"
                );
                known += 1;
            }
        }
    }
    assert!(known > 3000, "{known} points");
}

/// Three ranks with 2, 0 and 5 words, L = 6, o = 2, g = 4. The messages to rank 0 arrive after 8; it receives one as long as a message of
/// one word from 8 to 10, and begins the other one `g(5) = 5 * 4` later: at 28, and ends at 30.
#[test]
fn a_gather_by_hand() {
    let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
    let blocks = counted(&[2, 0, 5], false).unwrap();
    let task = Task {
        blocks,
        ..Task::new(machine, 3, 1, 0)
    };
    let linear = super::super::gather::GATHER.find("linear").unwrap();
    assert_eq!(linear.time(&task), Ok(Some(30)));
    assert!(matches!(linear.closed(&task), Ok(Closed::Between(_))));
    let of_words = (0..7).map(|word| task.block_of(word));
    assert!(of_words.eq([0, 0, 2, 2, 2, 2, 2]));
    assert!(super::super::counts::blocks(1, 3, 3).is_err());
}
