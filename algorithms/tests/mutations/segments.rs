//! The audit of pipelined broadcasts on mutated executions.
//!
//! The engine does not know segments; the audit checks the contents of messages. The judge has the same rules in
//! separate code: a message carries whole segments, which its sender holds when it begins; a node has at most one send
//! in progress per port; at the end every node holds everything.

use std::collections::{BTreeMap, BTreeSet};

use castbench_algorithms::internals;
use castbench_algorithms::internals::collectives::Task;
use castbench_algorithms::internals::collectives::broadcast::BROADCAST;
use castbench_algorithms::internals::engine::{self, Machine};
use castbench_algorithms::internals::engine::{Operation, Program};
use castbench_algorithms::internals::logp::pipeline::Cut;
use castbench_algorithms::internals::logp::pipeline::simulator::{Message, audit, simulate};
use castbench_algorithms::internals::violation::Violation;
use castbench_algorithms::logp::LogP;

use super::{Judged, LEGAL, Mutants, Tally};

/// The messages of a program, as the engine executes it.
fn executed(machine: Machine, program: &Program) -> (u64, Vec<Message>) {
    let mut starts = BTreeMap::new();
    let outcome = engine::observe(machine, program, |operation, start| {
        starts.insert(operation, start);
    })
    .unwrap();
    let mut messages = Vec::new();
    for processor in 0..program.processors() {
        for operation in program.range(processor) {
            if let Operation::Send { to, tag, bytes } = program.operation(operation) {
                messages.push(Message {
                    start: starts[&operation],
                    from: processor,
                    to,
                    first: tag,
                    words: bytes,
                });
            }
        }
    }
    (outcome.finish, messages)
}

/// All rules that an execution breaks, or the time at which every node holds everything.
fn judge(task: &Task, messages: &[Message]) -> Judged<u64> {
    let (machine, cut) = (task.machine, Cut::of(task));
    let mut broken = BTreeSet::new();
    // When each node first holds each segment, after the messages so far.
    let mut held: BTreeMap<(u32, u64), u64> =
        (0..cut.segments).map(|segment| ((0, segment), 0)).collect();
    let mut carried: Vec<(Message, Vec<u64>)> = Vec::new();
    for &message in messages {
        let Message {
            start,
            to,
            first,
            words,
            ..
        } = message;
        let mut segments = Vec::new();
        let mut left = words;
        for segment in first.into()..cut.segments {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(cut.size(segment));
            segments.push(segment);
        }
        let sizes: u64 = segments.iter().map(|&segment| cut.size(segment)).sum();
        if segments.is_empty() || sizes != words {
            broken.insert("NotWhole");
        }
        if u64::from(to) >= task.K {
            broken.insert("NoSuchNode");
        }
        let there = start + machine.at(words).unwrap().D();
        for &segment in &segments {
            let since = held.entry((to, segment)).or_insert(there);
            *since = (*since).min(there);
        }
        carried.push((message, segments));
    }
    for (Message { start, from, .. }, segments) in &carried {
        if segments.iter().any(|&segment| {
            held.get(&(*from, segment))
                .is_none_or(|since| since > start)
        }) {
            broken.insert("NotHeld");
        }
        // The sender's messages whose gap is not over.
        let is_under_way = |other: &&Message| {
            let gap = machine.at(other.words).unwrap().gap();
            other.from == *from && other.start <= *start && *start < other.start + gap
        };
        if messages.iter().filter(is_under_way).count() as u64 > task.k {
            broken.insert("TooManyPorts");
        }
    }
    if (0..u32::try_from(task.K).unwrap())
        .any(|node| (0..cut.segments).any(|s| !held.contains_key(&(node, s))))
    {
        broken.insert("Missing");
    }
    if broken.is_empty() {
        Ok(held.into_values().max().unwrap_or(0))
    } else {
        Err(broken)
    }
}

fn mutants(task: &Task, messages: &[Message]) -> Vec<(&'static str, Vec<Message>)> {
    let original = messages.to_vec();
    let mut mutants = Mutants::new(&original);
    let mut with = |kind, change: &dyn Fn(&mut Vec<Message>)| mutants.with(kind, change);
    let nodes = u32::try_from(task.K).unwrap();
    for index in 0..messages.len() {
        let Message {
            start,
            from,
            to,
            first,
            ..
        } = messages[index];
        if start > 0 {
            with("a send one unit too early", &|all| all[index].start -= 1);
            with("a message not held yet", &|all| all[index].start = 0);
        }
        with("a message dropped", &|all| {
            all.remove(index);
        });
        for other in (0..nodes).filter(|&other| other != from && other != to) {
            with("a wrong sender", &|all| all[index].from = other);
            with("a wrong receiver", &|all| all[index].to = other);
        }
        for other in
            (0..u32::try_from(Cut::of(task).segments).unwrap()).filter(|&other| other != first)
        {
            with("another segment", &|all| all[index].first = other);
        }
        with("a port too many", &|all| {
            let more = vec![all[index]; usize::try_from(task.k).unwrap()];
            all.extend(more);
        });
        // One word more: a part of the next segment, or all of it if it has one word.
        with("a part of a segment", &|all| all[index].words += 1);
        with("a message of nothing", &|all| all[index].words = 0);
        with("a node that is not there", &|all| all[index].to = nodes);
    }
    for node in 1..nodes {
        with("a node left out", &|all| {
            all.retain(|message| message.from != node && message.to != node)
        });
    }
    mutants.made
}

/// The audit's answer: the time at which every node holds everything, or the broken rule that it found.
fn audited(task: &Task, messages: &[Message]) -> Result<u64, Violation> {
    audit(task, &mut messages.to_vec()).map_err(|error| match internals::violation(&error) {
        Some(violation) => Violation::clone(violation),
        None => panic!("{error}"),
    })
}

/// The executions of every broadcast are legal and end at their cost. For a mutant the audit gives the judge's time, or
/// one of the rules that the judge found broken.
#[test]
fn segments() {
    let mut tally = Tally::new("segments");
    for (L, o, g) in [(6, 2, 4), (1, 0, 3), (3, 5, 2), (0, 1, 1)] {
        let machine = Machine::Words(LogP::new(L, o, g).unwrap());
        for entry in BROADCAST.entries {
            let Some(broadcast) = entry.algorithm.duplex() else {
                continue;
            };
            for (K, n, k, m) in [
                (2, 5, 1, 3),
                (4, 8, 1, 4),
                (4, 8, 2, 4),
                (7, 7, 1, 7),
                (8, 16, 3, 8),
                (5, 9, 2, 4),
            ] {
                let task = Task {
                    k,
                    m,
                    ..Task::new(machine, K, n, 0)
                };
                // Halves need two segments.
                let Ok(time) = broadcast.time(&task) else {
                    continue;
                };
                let program = broadcast.program(&task).unwrap();
                let (finish, original) = executed(machine, &program);
                assert_eq!(
                    Ok(finish),
                    broadcast.time(&task),
                    "{} at {task:?}",
                    entry.name
                );
                assert_eq!(
                    simulate(&task, program),
                    Ok(time),
                    "{} at {task:?}",
                    entry.name
                );
                assert_eq!(
                    audited(&task, &original),
                    Ok(time),
                    "{} at {task:?}",
                    entry.name
                );
                for (kind, mutant) in mutants(&task, &original) {
                    let judged = judge(&task, &mutant);
                    tally.hold(kind, audited(&task, &mutant), &judged, &mutant);
                }
            }
        }
    }
    tally.finish(&[
        (
            "a send one unit too early",
            &["NotHeld", "TooManyPorts", LEGAL],
        ),
        (
            "a message not held yet",
            &["NotHeld", "TooManyPorts", LEGAL],
        ),
        ("a message dropped", &["Missing", "NotHeld"]),
        ("a wrong sender", &["NotHeld", "TooManyPorts", LEGAL]),
        ("a wrong receiver", &["Missing", "NotHeld"]),
        ("another segment", &["Missing", "NotHeld", "NotWhole"]),
        ("a port too many", &["TooManyPorts"]),
        (
            "a part of a segment",
            &["NotHeld", "NotWhole", "TooManyPorts"],
        ),
        ("a message of nothing", &["NotWhole"]),
        ("a node that is not there", &["NoSuchNode"]),
        ("a node left out", &["Missing", "NotHeld"]),
    ]);
}
