//! The engine against LogGOPSim's rules: where both agree, and the smallest schedule for each way in which they differ.
//!
//! The rules are those of its `LogGOPSim.cpp` (Hoefler, Schneider, Lumsdaine, HPDC 2010) for eager messages, one nic and no
//! noise. Each rank keeps when each cpu (`nexto`) and either direction of its nic (`nextgs`, `nextgr`) is free.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod random;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use castbench_algorithms::internals::engine::Builder;
use castbench_algorithms::internals::engine::schedules;
use castbench_algorithms::internals::engine::{Machine, run};
use castbench_algorithms::internals::engine::{Operation, Program, Until};
use castbench_algorithms::internals::logp::multicast::problem::MULTICASTS;
use castbench_algorithms::logp::LogGops;
use proptest::prelude::*;

/// An operation: its cpu, and the operations of its rank whose end it waits for.
#[derive(Debug, Clone)]
struct Step {
    operation: Operation,
    cpu: u32,
    after: Vec<usize>,
}

/// The operations of each rank.
type Ranks = Vec<Vec<Step>>;

/// An event of a step: its turn, or the arrival of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Turn,
    Message { from: u32, bytes: u64 },
}

/// Time, order of insertion, rank, step (of a message that of its sender) and what.
type Coming = (u64, u64, usize, usize, What);

/// LogGOPSim's state: for each rank when its two cpus and the directions of its nic are free, what is done and what waits.
struct Other<'a> {
    machine: LogGops,
    ranks: &'a Ranks,
    cpus: Vec<[u64; 2]>,
    sends: Vec<u64>,
    receives: Vec<u64>,
    issued: Vec<Vec<bool>>,
    done: Vec<Vec<bool>>,
    /// Messages without a receive, and receives without a message, by rank and sender.
    unexpected: Vec<Vec<u32>>,
    posted: Vec<Vec<(u32, usize)>>,
    queue: BinaryHeap<Reverse<Coming>>,
    inserted: u64,
}

impl Other<'_> {
    /// When the last cpu is free.
    fn finish(machine: LogGops, ranks: &Ranks) -> u64 {
        let flags = |()| ranks.iter().map(|steps| vec![false; steps.len()]).collect();
        let count = ranks.len();
        let mut other = Other {
            machine,
            ranks,
            cpus: vec![[0; 2]; count],
            sends: vec![0; count],
            receives: vec![0; count],
            issued: flags(()),
            done: flags(()),
            unexpected: vec![Vec::new(); count],
            posted: vec![Vec::new(); count],
            queue: BinaryHeap::new(),
            inserted: 0,
        };
        (0..count).for_each(|rank| other.issue(rank));
        while let Some(Reverse((time, order, rank, step, what))) = other.queue.pop() {
            let again = match what {
                What::Turn => other.turn(time, rank, step),
                What::Message { from, bytes } => other.arrive(time, rank, from, bytes),
            };
            match again {
                Some(later) => other.queue.push(Reverse((later, order, rank, step, what))),
                None => other.issue(rank),
            }
        }
        assert!(
            other.done.iter().flatten().all(|done| *done),
            "some step is never done"
        );
        other.cpus.into_iter().flatten().max().unwrap_or(0)
    }

    /// The time of all bytes but the first.
    fn further(bytes: u64, femtoseconds: u64) -> u64 {
        ((bytes - 1) * femtoseconds).div_ceil(1_000_000)
    }

    fn insert(&mut self, time: u64, rank: usize, step: usize, what: What) {
        self.queue
            .push(Reverse((time, self.inserted, rank, step, what)));
        self.inserted += 1;
    }

    /// Queues the steps that wait for nothing any more: sends first, then receives, then computations.
    fn issue(&mut self, rank: usize) {
        let steps = &self.ranks[rank];
        let is_free = |&step: &usize| {
            !self.issued[rank][step]
                && steps[step]
                    .after
                    .iter()
                    .all(|&earlier| self.done[rank][earlier])
        };
        let mut free: Vec<usize> = (0..steps.len()).filter(is_free).collect();
        free.sort_by_key(|&step| match steps[step].operation {
            Operation::Send { .. } => 0,
            Operation::Receive { .. } => 1,
            Operation::Compute { .. } => 2,
        });
        for step in free {
            self.issued[rank][step] = true;
            // At any time: a step of another cpu may get a turn in the past.
            let cpu = self.cpus[rank][steps[step].cpu as usize];
            self.insert(cpu, rank, step, What::Turn);
        }
    }

    /// Carries out a step, or says when to try again.
    fn turn(&mut self, time: u64, rank: usize, step: usize) -> Option<u64> {
        let LogGops { L, o, g, G, O, .. } = self.machine;
        let Step { operation, cpu, .. } = self.ranks[rank][step];
        let cpu = &mut self.cpus[rank][cpu as usize];
        match operation {
            Operation::Compute { .. } if *cpu > time => return Some(*cpu),
            Operation::Compute { time: takes } => *cpu = time + takes,
            Operation::Send { .. } if (*cpu).max(self.sends[rank]) > time => {
                return Some((*cpu).max(self.sends[rank]));
            }
            Operation::Send { to, bytes, .. } => {
                *cpu = time + o + Self::further(bytes, O);
                self.sends[rank] = time + g + Self::further(bytes, G);
                let from = u32::try_from(rank).unwrap();
                // Its first byte.
                self.insert(
                    time + o + L,
                    to as usize,
                    step,
                    What::Message { from, bytes },
                );
            }
            Operation::Receive { from, .. } => {
                match self.unexpected[rank]
                    .iter()
                    .position(|&sender| sender == from)
                {
                    Some(index) => self.unexpected[rank].remove(index),
                    None => return self.post(rank, from, step),
                };
            }
        }
        self.done[rank][step] = true;
        None
    }

    fn post(&mut self, rank: usize, from: u32, step: usize) -> Option<u64> {
        self.posted[rank].push((from, step));
        None
    }

    /// A message occupies a cpu of its receiver from its first byte on, also without a receive.
    fn arrive(&mut self, time: u64, rank: usize, from: u32, bytes: u64) -> Option<u64> {
        let LogGops { o, g, G, O, .. } = self.machine;
        let free = self.cpus[rank][0].max(self.receives[rank]);
        if free > time {
            return Some(free);
        }
        self.cpus[rank][0] = time + o + Self::further(bytes, G.max(O));
        self.receives[rank] = time + g + Self::further(bytes, G);
        match self.posted[rank]
            .iter()
            .position(|&(sender, _)| sender == from)
        {
            Some(index) => {
                let (_, step) = self.posted[rank].remove(index);
                self.done[rank][step] = true;
            }
            None => self.unexpected[rank].push(from),
        }
        None
    }
}

fn step(operation: Operation) -> Step {
    Step {
        operation,
        cpu: 0,
        after: Vec::new(),
    }
}

fn send(to: u32, bytes: u64) -> Step {
    step(Operation::Send { to, tag: 0, bytes })
}

fn receive(from: u32, bytes: u64) -> Step {
    step(Operation::Receive {
        from,
        tag: 0,
        bytes,
    })
}

fn compute(time: u64) -> Step {
    step(Operation::Compute { time })
}

/// Each step after the one before it.
fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    for (before, step) in steps.iter_mut().skip(1).enumerate() {
        step.after = vec![before];
    }
    steps
}

fn ours(machine: LogGops, ranks: &Ranks) -> u64 {
    let mut builder = Builder::new(u32::try_from(ranks.len()).unwrap()).unwrap();
    for (rank, steps) in (0..).zip(ranks) {
        builder.begin(rank).unwrap();
        let push = |step: &Step| builder.push_on(step.operation, (step.cpu, 0)).unwrap();
        let numbers: Vec<u32> = steps.iter().map(push).collect();
        for (index, step) in steps.iter().enumerate() {
            for &earlier in &step.after {
                builder
                    .depend(numbers[index], numbers[earlier], Until::Done)
                    .unwrap();
            }
        }
    }
    run(
        Machine::LogGops(machine.into()),
        &builder.by_dependencies().unwrap(),
    )
    .unwrap()
    .finish
}

/// A program whose operations follow each other, for LogGOPSim.
fn theirs(program: &Program) -> Ranks {
    let steps = |rank| {
        program
            .range(rank)
            .map(|operation| step(program.operation(operation)))
            .collect()
    };
    (0..program.processors())
        .map(|rank| in_order(steps(rank)))
        .collect()
}

/// On L = 10, o = 1, g = 2, G = 2 and this O, in ns.
fn machine(O: u64) -> LogGops {
    LogGops {
        L: 10,
        o: 1,
        g: 2,
        G: 2_000_000,
        O: O * 1_000_000,
        H: 0,
    }
}

/// The differences: the words of `docs/model.md`, O, and the schedule.
fn differences() -> Vec<(&'static str, u64, Ranks)> {
    let message = || vec![vec![send(1, 11)], vec![receive(0, 11)]];
    let early = vec![
        vec![send(2, 1)],
        in_order(vec![compute(20), send(2, 1)]),
        in_order(vec![receive(1, 1), receive(0, 1)]),
    ];
    let mut two_cpus = in_order(vec![compute(5), compute(1)]);
    two_cpus[1].cpu = 1;
    vec![
        ("rank 0 sends 11 bytes, O = 1", 1, message()),
        ("rank 0 sends 11 bytes, O = 5", 5, message()),
        (
            "rank 0 sends 11 bytes; rank 1 computes for 20 beside its receive",
            0,
            {
                let mut ranks = message();
                ranks[1].push(compute(20));
                ranks
            },
        ),
        (
            "ranks 0 and 1 send a byte, rank 1 after computing for 20; rank 2 receives that of rank 1 first",
            0,
            early,
        ),
        (
            "rank 0 has two operations that wait for nothing: compute for 5, send a byte",
            0,
            { vec![vec![compute(5), send(1, 1)], vec![receive(0, 1)]] },
        ),
        (
            "rank 0 computes for 5, then for 1 on its second cpu",
            0,
            vec![two_cpus],
        ),
    ]
}

#[test]
fn the_page_states_every_difference() {
    let page = include_str!("../../docs/model.md");
    for (what, O, ranks) in differences() {
        let (ours, theirs) = (ours(machine(O), &ranks), Other::finish(machine(O), &ranks));
        assert_ne!(ours, theirs, "{what}");
        let row = format!("| {what} | {ours} | {theirs} |");
        assert!(page.contains(&row), "docs/model.md lacks the row\n{row}");
    }
}

proptest! {
    #![proptest_config(random::cases(200, 19_951))]

    /// Where no host copies bytes: sends of one rank are `g + (s-1)G` apart in both, and a hop takes as long.
    #[test]
    fn trees_take_as_long_in_both(
        (L, o, g, G) in (0u64..60, 0u64..20, 0u64..80, 0u64..9),
        (bytes, K) in (1u64..100, 1u32..60),
        source in any::<prop::sample::Index>(),
    ) {
        prop_assume!(L + o > 0);
        let machine = LogGops { L, o, g, G: G * 1_000_000, O: 0, H: 0 };
        let source = u32::try_from(source.index(K as usize)).unwrap() + 1;
        for entry in MULTICASTS.entries {
            let schedule = entry.algorithm.schedule(machine.at(bytes).unwrap(), K, source);
            let program = schedules::multicast(&schedule, bytes).unwrap();
            let ours = run(Machine::LogGops(machine.into()), &program).unwrap().finish;
            prop_assert_eq!(ours, Other::finish(machine, &theirs(&program)), "{} on {:?}", entry.name, machine);
        }
    }
}
