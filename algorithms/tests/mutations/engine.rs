//! Programs for the engine, in order and by events.
//!
//! A program states the operations of each processor in order; the engine computes the times. The engine must refuse
//! illegal mutants, and give legal ones the times of a judge that relaxes them.

use std::collections::{BTreeMap, BTreeSet};

use castbench_algorithms::internals::engine::Builder;
use castbench_algorithms::internals::engine::schedules;
use castbench_algorithms::internals::engine::{self, Failure, Fault, Machine};
use castbench_algorithms::internals::engine::{Operation, Program};
use castbench_algorithms::internals::logp::multicast::problem::LogpMulticast;
use castbench_algorithms::internals::logp::summation::problem::LogpSummation;
use castbench_algorithms::internals::problem::Problem as _;
use castbench_algorithms::logp::LogP;

use super::{Judged, LEGAL, Mutants, Tally};

/// The operations of each processor.
type Written = Vec<Vec<Operation>>;

/// The ways to execute a program.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    InOrder,
    /// On a cpu and nic with other numbers, so that it uses the queue of events.
    ByEvents,
    /// With an idle second cpu on one processor, so that it has several ports.
    SeveralPorts,
}

fn build(written: &Written, way: Way) -> Result<Program, Fault> {
    let mut builder = Builder::new(u32::try_from(written.len()).unwrap() + u32::from(way == Way::SeveralPorts))?;
    for (processor, operations) in (0u32..).zip(written) {
        builder.begin(processor)?;
        for &operation in operations {
            builder.push_on(operation, if way == Way::ByEvents { (3, 7) } else { (0, 0) })?;
        }
    }
    if way == Way::SeveralPorts {
        builder.begin(u32::try_from(written.len()).unwrap())?;
        for cpu in 0..2 {
            builder.push_on(Operation::Compute { time: 0 }, (cpu, 0))?;
        }
    }
    builder.in_order()
}

/// When each operation begins, by the engine.
fn run(model: (u64, u64, u64), written: &Written, way: Way) -> Result<Vec<u64>, Fault> {
    let program = build(written, way)?;
    assert_eq!(program.is_in_order(), way == Way::InOrder || program.operations() == 0);
    let (L, o, g) = model;
    let mut starts = vec![u64::MAX; written.iter().map(Vec::len).sum()];
    let machine = Machine::LogP(LogP::new(L, o, g).unwrap());
    let observed = engine::observe(machine, &program, |operation, start| {
        if let Some(own) = starts.get_mut(operation as usize) {
            *own = start;
        }
    });
    match observed {
        Ok(_) => Ok(starts),
        Err(Failure::Program(fault)) => Err(fault),
        Err(Failure::Machine(error)) => panic!("{error}"),
    }
}

/// Sender, receiver and tag.
type Channel = (u32, u32, u32);

/// The channel of a message, and whether it is sent there.
fn channel(processor: u32, operation: Operation) -> Option<(Channel, bool)> {
    match operation {
        Operation::Send { to, tag, .. } => Some(((processor, to, tag), true)),
        Operation::Receive { from, tag, .. } => Some(((from, processor, tag), false)),
        Operation::Compute { .. } => None,
    }
}

/// All rules that a program breaks, or when each operation begins. Times are relaxed until nothing changes: each
/// operation begins as early as its requirements allow. Messages of a channel are received in the order of their sends.
fn judge((L, o, g): (u64, u64, u64), written: &Written) -> Judged<Vec<u64>> {
    let mut broken = BTreeSet::new();
    let processors = u32::try_from(written.len()).unwrap();
    let mut ends: BTreeMap<Channel, [Vec<(usize, usize)>; 2]> = BTreeMap::new();
    for (processor, operations) in written.iter().enumerate() {
        for (place, &operation) in operations.iter().enumerate() {
            let Some((channel, is_send)) = channel(u32::try_from(processor).unwrap(), operation) else { continue };
            if channel.0.max(channel.1) >= processors {
                broken.insert("NoSuchProcessor");
            }
            ends.entry(channel).or_default()[usize::from(is_send)].push((processor, place));
        }
    }
    let mut sender_of = BTreeMap::new();
    for [receives, sends] in ends.values() {
        if receives.len() != sends.len() {
            broken.insert("Unmatched");
        }
        for (receive, send) in receives.iter().zip(sends) {
            let bytes = |&(processor, place): &(usize, usize)| match written[processor][place] {
                Operation::Send { bytes, .. } | Operation::Receive { bytes, .. } => bytes,
                Operation::Compute { .. } => 0,
            };
            if bytes(send) > bytes(receive) {
                broken.insert("Truncated");
            }
            sender_of.insert(*receive, *send);
        }
    }
    let mut starts: Vec<Vec<Option<u64>>> = written.iter().map(|operations| vec![None; operations.len()]).collect();
    let mut is_going_on = broken.is_empty();
    while std::mem::take(&mut is_going_on) {
        for (processor, operations) in written.iter().enumerate() {
            let (mut free, mut next_send, mut next_receive) = (0, 0, 0);
            for (place, operation) in operations.iter().enumerate() {
                let start = match operation {
                    Operation::Compute { .. } => free,
                    Operation::Send { .. } => next_send.max(free),
                    Operation::Receive { .. } => {
                        let (from, sent) = sender_of[&(processor, place)];
                        let Some(sent) = starts[from][sent] else { break };
                        free.max(next_receive).max(sent + o + L)
                    }
                };
                match operation {
                    Operation::Compute { time } => free = start + time,
                    Operation::Send { .. } => (free, next_send) = (start + o, start + g),
                    Operation::Receive { .. } => (free, next_receive) = (start + o, start + g),
                }
                is_going_on |= starts[processor][place].replace(start) != Some(start);
            }
        }
    }
    if broken.is_empty() && starts.iter().flatten().any(Option::is_none) {
        broken.insert("Deadlock");
    }
    if broken.is_empty() { Ok(starts.into_iter().flatten().flatten().collect()) } else { Err(broken) }
}

fn mutants(original: &Written) -> Vec<(&'static str, Written)> {
    let mut mutants = Mutants::of(original);
    let mut with = |kind, change: &dyn Fn(&mut Written)| mutants.with(kind, change);
    let processors = u32::try_from(original.len()).unwrap();
    for processor in 0..original.len() {
        for place in 0..original[processor].len() {
            let operation = original[processor][place];
            let (dropped, twice) = match operation {
                Operation::Send { .. } => ("a message dropped", "a message sent twice"),
                Operation::Receive { .. } => ("a receive left out", "a message received twice"),
                Operation::Compute { .. } => ("a computation left out", "a computation twice"),
            };
            with(dropped, &|all| {
                all[processor].remove(place);
            });
            with(twice, &|all| all[processor].insert(place, operation));
            if place + 1 < original[processor].len() {
                with("two operations exchanged", &|all| all[processor].swap(place, place + 1));
            }
            for other in 0..=processors {
                let (kind, changed) = match operation {
                    Operation::Send { to, tag, bytes } if to != other => {
                        ("a wrong receiver", Operation::Send { to: other, tag, bytes })
                    }
                    Operation::Receive { from, tag, bytes } if from != other => {
                        ("a receive from another", Operation::Receive { from: other, tag, bytes })
                    }
                    _ => continue,
                };
                with(kind, &|all| all[processor][place] = changed);
            }
            if let Operation::Send { to, tag, bytes } = operation {
                with("another tag", &|all| all[processor][place] = Operation::Send { to, tag: tag + 1, bytes });
                with("no room for a message", &|all| {
                    all[processor][place] = Operation::Send { to, tag, bytes: bytes + 1 };
                });
                with("a ring of waits", &|all| {
                    let back = u32::try_from(processor).unwrap();
                    all[processor].insert(0, Operation::Receive { from: to, tag: 9, bytes });
                    all[to as usize].push(Operation::Send { to: back, tag: 9, bytes });
                });
            }
        }
    }
    mutants.made
}

/// Small programs of every tree and every summation of the catalogue.
fn originals(model: LogP) -> Vec<Written> {
    let written = |program: &Program| -> Written {
        let of = |processor| program.range(processor).map(|operation| program.operation(operation)).collect();
        (0..program.processors()).map(of).collect()
    };
    let mut found = Vec::new();
    for entry in LogpMulticast::ENTRIES {
        found.extend([(2, 1), (5, 3), (8, 1)].map(|(K, source)| {
            let schedule = entry.algorithm.schedule(model, K, source);
            written(&schedules::multicast(&schedule, 1).unwrap())
        }));
    }
    for entry in LogpSummation::ENTRIES {
        let schedules = [(3, 14), (6, 50)].map(|(P, operands)| entry.algorithm.schedule(model, P, operands));
        let programs = schedules.into_iter().flatten();
        found.extend(programs.map(|schedule| written(&schedules::summation(&schedule, 1).unwrap())));
    }
    found
}

const MACHINES: [(u64, u64, u64); 5] = [(6, 2, 4), (1, 0, 3), (3, 5, 2), (4, 0, 0), (0, 1, 0)];

#[test]
fn the_engine_catches_every_mutant() {
    for (name, way) in [
        ("engine, in order", Way::InOrder),
        ("engine, by events", Way::ByEvents),
        ("engine, several ports", Way::SeveralPorts),
    ] {
        let mut tally = Tally::new(name);
        for model in MACHINES {
            for original in originals(LogP::new(model.0, model.1, model.2).unwrap()) {
                assert_eq!(run(model, &original, way).ok(), judge(model, &original).ok());
                for (kind, mut mutant) in mutants(&original) {
                    let said = run(model, &mutant, way);
                    // The processor with a second cpu exists, without a program.
                    mutant.extend((way == Way::SeveralPorts).then(Vec::new));
                    tally.hold(kind, said, &judge(model, &mutant), &mutant);
                }
            }
        }
        let nobody: &[&str] = if way == Way::SeveralPorts { &["Unmatched"] } else { &["NoSuchProcessor", "Unmatched"] };
        tally.finish(&[
            ("a message dropped", &["Unmatched"]),
            ("a message sent twice", &["Unmatched"]),
            ("a receive left out", &["Unmatched"]),
            ("a message received twice", &["Unmatched"]),
            ("a wrong receiver", nobody),
            ("a receive from another", nobody),
            ("another tag", &["Unmatched"]),
            ("no room for a message", &["Truncated"]),
            ("a ring of waits", &["Deadlock"]),
            // Also a relay that sends before it receives: the engine does not know contents.
            ("two operations exchanged", &[LEGAL]),
            ("a computation left out", &[LEGAL]),
            ("a computation twice", &[LEGAL]),
        ]);
    }
}
