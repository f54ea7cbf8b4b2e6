//! Pipelined broadcasts, by what their messages carry.
//!
//! The engine executes programs and knows nothing of segments, so that a node sends what it does not hold yet is nothing it
//! could see. That is judged here, on its executions: a message carries whole segments, which its sender holds when it
//! begins; no more of a node's sends than it has ports are under way at once; in the end everyone holds everything, at
//! the time that is stated. Executions of the catalogue pass; mutated ones are refused.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue::{ALGORITHMS, Algorithm};
use algorithms::logp::LogP;
use algorithms::logp::engine::program::{Operation, Program};
use algorithms::logp::engine::{self, Machine};
use algorithms::logp::pipeline::Instance;

use super::{Judged, LEGAL};

/// A message: when its send began, from whom to whom, the first of its segments, its words.
type Message = (u64, u32, u32, u64, u64);

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
                messages.push((starts[&operation], processor, to, u64::from(tag), bytes));
            }
        }
    }
    (outcome.finish, messages)
}

/// All rules that an execution breaks; else when everyone holds everything.
fn judge(machine: Machine, instance: Instance, messages: &[Message]) -> Judged<u64> {
    let cut = instance.cut();
    let mut broken = BTreeSet::new();
    // When each segment is first held where, once each message has been carried to its end.
    let mut held: BTreeMap<(u32, u64), u64> = (0..cut.segments).map(|segment| ((0, segment), 0)).collect();
    let mut carried: Vec<(Message, Vec<u64>)> = Vec::new();
    for &message in messages {
        let (start, _, to, first, words) = message;
        let mut segments = Vec::new();
        let mut left = words;
        for segment in first..cut.segments {
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
        if u64::from(to) >= instance.K {
            broken.insert("NoSuchNode");
        }
        let there = start + machine.at(words).unwrap().D();
        for &segment in &segments {
            let since = held.entry((to, segment)).or_insert(there);
            *since = (*since).min(there);
        }
        carried.push((message, segments));
    }
    for ((start, from, ..), segments) in &carried {
        if segments.iter().any(|&segment| held.get(&(*from, segment)).is_none_or(|since| since > start)) {
            broken.insert("NotHeld");
        }
        // Of its sender's, those whose gap is not over.
        let is_under_way = |other: &&Message| {
            let gap = machine.at(other.4).unwrap().gap();
            other.1 == *from && other.0 <= *start && *start < other.0 + gap
        };
        if messages.iter().filter(is_under_way).count() as u64 > instance.k {
            broken.insert("TooManyPorts");
        }
    }
    if (0..u32::try_from(instance.K).unwrap()).any(|node| (0..cut.segments).any(|s| !held.contains_key(&(node, s)))) {
        broken.insert("Missing");
    }
    if broken.is_empty() { Ok(held.into_values().max().unwrap_or(0)) } else { Err(broken) }
}

fn mutants(instance: Instance, messages: &[Message]) -> Vec<(&'static str, Vec<Message>)> {
    let mut mutants = Vec::new();
    let mut with = |kind, change: &dyn Fn(&mut Vec<Message>)| {
        let mut mutant = messages.to_vec();
        change(&mut mutant);
        mutants.push((kind, mutant));
    };
    let nodes = u32::try_from(instance.K).unwrap();
    for place in 0..messages.len() {
        let (start, from, to, first, _) = messages[place];
        if start > 0 {
            with("a send one unit too early", &|all| all[place].0 -= 1);
            with("a message not held yet", &|all| all[place].0 = 0);
        }
        with("a message dropped", &|all| {
            all.remove(place);
        });
        for other in (0..nodes).filter(|&other| other != from && other != to) {
            with("a wrong sender", &|all| all[place].1 = other);
            with("a wrong receiver", &|all| all[place].2 = other);
        }
        for other in (0..instance.cut().segments).filter(|&other| other != first) {
            with("another segment", &|all| all[place].3 = other);
        }
        with("a port too many", &|all| {
            let more = vec![all[place]; usize::try_from(instance.k).unwrap()];
            all.extend(more);
        });
        // Of a word more: a part of the next segment, or where that has one word all of it.
        with("a part of a segment", &|all| all[place].4 += 1);
        with("a message of nothing", &|all| all[place].4 = 0);
        with("a node that is not there", &|all| all[place].2 = nodes);
    }
    for node in 1..nodes {
        with("a node left out", &|all| all.retain(|message| message.1 != node && message.2 != node));
    }
    mutants
}

/// The executions of every broadcast are legal and end when they say, but for rings and doublings, whose source gets
/// again what it has; and of their mutants the judge says so of every kind that is none.
#[test]
fn executions_of_segments_hold_before_the_judge_and_mutants_do_not() {
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (L, o, g) in [(6, 2, 4), (1, 0, 3), (3, 5, 2), (0, 1, 1)] {
        let machine = Machine::Words(LogP::new(L, o, g).unwrap());
        for entry in ALGORITHMS {
            let Algorithm::PipelinedBroadcast(broadcast) = entry.algorithm else { continue };
            for (K, n, k, m) in [(2, 5, 1, 3), (4, 8, 1, 4), (4, 8, 2, 4), (7, 7, 1, 7), (8, 16, 3, 8), (5, 9, 2, 4)] {
                let instance = Instance { K, n, k, m };
                // Blocks need segments that K divides.
                let Ok(time) = broadcast.time(machine, instance) else { continue };
                let (finish, original) = executed(machine, &broadcast.program(machine, instance).unwrap());
                assert_eq!(finish, time, "{} at {instance:?}", entry.name);
                let all_there = judge(machine, instance, &original);
                let in_vain = entry.name.starts_with("scatter") && all_there.as_ref().is_ok_and(|&there| there < time);
                assert!(in_vain || all_there == Ok(time), "{} at {instance:?}: {all_there:?}", entry.name);
                for (kind, mutant) in mutants(instance, &original) {
                    match judge(machine, instance, &mutant) {
                        Ok(_) => *counts.entry((kind, LEGAL)).or_default() += 1,
                        Err(broken) => {
                            for rule in broken {
                                *counts.entry((kind, rule)).or_default() += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    for ((kind, rule), count) in &counts {
        println!("segments | {kind} | {rule} {count}");
    }
    let of = |kind, rule| counts.get(&(kind, rule)).copied().unwrap_or(0);
    for (kind, rule) in [
        ("a send one unit too early", "NotHeld"),
        ("a send one unit too early", "TooManyPorts"),
        ("a message not held yet", "NotHeld"),
        ("a message dropped", "Missing"),
        ("a wrong sender", "NotHeld"),
        ("a wrong receiver", "Missing"),
        ("another segment", "NotHeld"),
        ("a port too many", "TooManyPorts"),
        ("a part of a segment", "NotWhole"),
        ("a message of nothing", "NotWhole"),
        ("a node that is not there", "NoSuchNode"),
        ("a node left out", "Missing"),
    ] {
        assert!(of(kind, rule) > 0, "no mutant with {kind} was told: {rule}");
    }
    for kind in ["a port too many", "a message of nothing", "a node that is not there", "a node left out"] {
        assert_eq!(of(kind, LEGAL), 0, "{kind} passed");
    }
}
