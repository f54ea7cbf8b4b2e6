//! Executes a broadcast in segments, and checks what its messages carry.
//!
//! The [engine] does not know the content of messages. Here each rule is checked at the times at which the engine began the sends,
//! without knowledge of trees, lanes or blocks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::cut::Cut;
use super::narrow;
use crate::engine;
use crate::engine::program::{Operation, Program};
use crate::error::Error;
use crate::plan::Task;
use crate::violation::{Rule, Violation};

/// A message of whole segments, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// When its send began, in time units of the machine.
    pub start: u64,
    /// The sender, from 0; the source is 0.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The first of its segments, from 0.
    pub first: u32,
    /// Its words.
    pub words: u64,
}

/// Executes the program of a broadcast: when every node holds every segment, in time units of the machine.
///
/// # Errors
/// [`Error::Rejected`] with a [`Fault`](engine::Fault) of the engine, or with the [`Violation`] that [`audit`] found.
pub fn simulate(task: &Task, program: Program) -> Result<u64, Error> {
    let mut starts = vec![0; program.operations()];
    engine::observe(task.machine, &program, |operation, start| {
        starts[operation as usize] = start
    })?;
    let mut messages = Vec::with_capacity(program.messages() as usize);
    for from in 0..program.processors() {
        for operation in program.range(from) {
            if let Operation::Send { to, tag, bytes } = program.operation(operation) {
                messages.push(Message {
                    start: starts[operation as usize],
                    from,
                    to,
                    first: tag,
                    words: bytes,
                });
            }
        }
    }
    // The audit needs as much memory again.
    drop((starts, program));
    audit(task, &mut messages)
}

/// Checks the messages of a broadcast, and sorts them by sender and time. Returns when every node holds every segment, in time units
/// of the machine; redundant messages can end later.
/// Time O(M log M + K c) for M messages of a segment.
///
/// # Errors
/// [`Error::Rejected`] with the [`Violation`]; the error of the machine for a message that it cannot carry.
pub fn audit(task: &Task, messages: &mut [Message]) -> Result<u64, Error> {
    messages.sort_unstable_by_key(|message| (message.from, message.start));
    let cut = Cut::of(task);
    let mut sent = Vec::with_capacity(messages.len());
    for message in &*messages {
        sent.push(Sent::new(task, cut, message)?);
    }
    let segments = narrow("m", cut.segments)?;
    let index = |node: u32, segment: u32| node as usize * segments as usize + segment as usize;
    // When each node holds each segment, by node: the earliest arrival.
    let mut held = vec![NEVER; index(narrow("K", task.K)?, 0)];
    held[..index(1, 0)].fill(0);
    for (message, Sent { there, carried, .. }) in messages.iter().zip(&sent) {
        for since in &mut held[index(message.to, carried.start)..index(message.to, carried.end)] {
            *since = (*since).min(*there);
        }
    }
    for (&Message { start, from, .. }, Sent { carried, .. }) in messages.iter().zip(&sent) {
        let own = &held[index(from, carried.start)..index(from, carried.end)];
        let too_late = carried.clone().zip(own).find(|(_, since)| **since > start);
        if let Some((segment, _)) = too_late {
            let text = format_args!(
                "at {start}: node {from} sends segment {segment}, which it does not hold by then"
            );
            return Err(Rule::NotHeld.broken(text).into());
        }
    }
    check_ports(task.k, messages, &sent)?;
    if let Some(index) = held.iter().position(|since| *since == NEVER) {
        let (node, segment) = (index / segments as usize, index % segments as usize);
        return Err(Rule::Missing
            .broken(format_args!("node {node} never gets segment {segment}"))
            .into());
    }
    Ok(held.into_iter().max().unwrap_or(0))
}

/// No node begins a send while k of its sends occupy ports. Messages are sorted by sender and time.
fn check_ports(k: u64, messages: &[Message], mut sent: &[Sent]) -> Result<(), Violation> {
    for own in messages.chunk_by(|a, b| a.from == b.from) {
        // When each busy port is free again.
        let mut taken = BinaryHeap::new();
        let (of_own, others) = sent.split_at(own.len());
        for (&Message { start, from, .. }, &Sent { free, .. }) in own.iter().zip(of_own) {
            while taken.peek().is_some_and(|&Reverse(free)| free <= start) {
                taken.pop();
            }
            // A send without a gap occupies no port.
            taken.extend((free > start).then_some(Reverse(free)));
            if taken.len() as u64 > k {
                let text = format_args!(
                    "at {start}: node {from} begins a send while its k = {k} ports are taken"
                );
                return Err(Rule::TooManyPorts.broken(text));
            }
        }
        sent = others;
    }
    Ok(())
}

/// Instead of a time: not yet.
const NEVER: u64 = u64::MAX;

/// A sent message.
struct Sent {
    /// When it arrives.
    there: u64,
    /// When its sender's port is free again.
    free: u64,
    /// The segments that it carries.
    carried: Range<u32>,
}

impl Sent {
    fn new(task: &Task, cut: Cut, message: &Message) -> Result<Self, Error> {
        let &Message {
            start,
            from,
            to,
            first,
            words,
        } = message;
        let (machine, nodes) = (task.machine, task.K);
        Rule::NoSuchNode.unless(
            u64::from(from.max(to)) < nodes,
            || format!("at {start}: node {from} sends to {to}, which are not both among the {nodes} nodes from 0"),
        )?;
        // The index after its last word.
        let behind = u64::from(first)
            .checked_mul(cut.words)
            .and_then(|before| before.checked_add(words));
        let ends_whole = |behind: &u64| {
            *behind == task.n || *behind < task.n && behind.is_multiple_of(cut.words)
        };
        let behind = behind.filter(|behind| words > 0 && ends_whole(behind));
        let behind = behind.ok_or_else(|| {
            Rule::NotWhole.broken(format_args!(
                "at {start}: node {from} sends {words} words from segment {first} on, which are not whole segments"
            ))
        })?;
        let level = machine
            .levels()
            .map_or(0, |levels| levels.between(nodes, from, to));
        let model = machine.of_message(level, words, false)?;
        let there = start
            .checked_add(model.D())
            .filter(|there| *there < NEVER)
            .ok_or(Error::Overflow)?;
        let carried = first..narrow("m", behind.div_ceil(cut.words))?;
        // A port that is free after the largest time is not used again.
        Ok(Self {
            there,
            free: start.saturating_add(model.gap()),
            carried,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Machine;
    use crate::engine::builder::Builder;
    use crate::logp::LogP;

    /// A relay that forwards a word before it gets it: the engine executes that, because it does not know the content of messages.
    #[test]
    fn a_relay_must_hold_what_it_sends() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let task = Task {
            k: 1,
            m: 1,
            ..Task::new(machine, 3, 1, 0)
        };
        let (to_1, to_2) = (
            Operation::Send {
                to: 1,
                tag: 0,
                bytes: 1,
            },
            Operation::Send {
                to: 2,
                tag: 0,
                bytes: 1,
            },
        );
        let (from_0, from_1) = (
            Operation::Receive {
                from: 0,
                tag: 0,
                bytes: 1,
            },
            Operation::Receive {
                from: 1,
                tag: 0,
                bytes: 1,
            },
        );
        for (relay, verdict) in [([from_0, to_2], Ok(20)), ([to_2, from_0], Err(0))] {
            let mut builder = Builder::new(3).unwrap();
            for (processor, operations) in [(0, &[to_1][..]), (1, &relay), (2, &[from_1])] {
                builder.begin(processor).unwrap();
                for &operation in operations {
                    builder.push(operation).unwrap();
                }
            }
            let said = simulate(&task, builder.in_order().unwrap());
            let not_held = |start: u64| {
                let text = format_args!(
                    "at {start}: node 1 sends segment 0, which it does not hold by then"
                );
                Error::from(Rule::NotHeld.broken(text))
            };
            assert_eq!(said, verdict.map_err(not_held));
        }
    }

    /// A single byte has no gap where g is 0, and goes beside a longer message.
    #[test]
    fn a_send_without_a_gap_takes_no_port() {
        let machine = Machine::LogGops(
            crate::logp::loggops::LogGops {
                L: 10,
                o: 0,
                g: 0,
                G: 1_000_000,
                O: 0,
                H: 0,
            }
            .into(),
        );
        let task = Task {
            k: 1,
            m: 5,
            ..Task::new(machine, 2, 5, 0)
        };
        let send = |start, first, words| Message {
            start,
            from: 0,
            to: 1,
            first,
            words,
        };
        // Four bytes occupy their port for 3 ns and arrive after 13.
        assert_eq!(audit(&task, &mut [send(0, 0, 4), send(1, 4, 1)]), Ok(13));
        let busy =
            Rule::TooManyPorts.broken("at 1: node 0 begins a send while its k = 1 ports are taken");
        assert_eq!(
            audit(&task, &mut [send(0, 0, 3), send(1, 3, 2)]),
            Err(busy.into())
        );
    }

    /// A missing segment is named with its node.
    #[test]
    fn every_node_gets_every_segment() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let task = Task {
            k: 2,
            m: 5,
            ..Task::new(machine, 3, 5, 0)
        };
        let send = |to, first, words| Message {
            start: 0,
            from: 0,
            to,
            first,
            words,
        };
        let mut messages = [send(1, 0, 5), send(2, 0, 3)];
        let missing = Rule::Missing.broken("node 2 never gets segment 3");
        assert_eq!(audit(&task, &mut messages), Err(missing.into()));
    }
}
