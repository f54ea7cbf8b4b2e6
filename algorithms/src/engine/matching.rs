//! Numbers the messages of a program: which send and which receive belong together.
//!
//! A channel is a receiver, a sender and a tag. In a channel, the message that was sent first goes to the receive that was ready
//! first. Every channel must have as many receives as sends.
//!
//! Where a processor has a receive of any sender or tag, only the execution matches messages (`inbox`). Here their numbers are
//! compared.
//!
//! The messages of a channel have consecutive numbers. Time: linear where processors receive few messages; many are sorted.

use super::classes::count;
use super::fault::Fault;
use super::program::{ANY, Program};
use super::step::Kind;

/// A send to a receiver: (tag, sender, operation), which is the sort key.
type Incoming = (u32, u32, u32);

/// Numbers the messages of a program.
pub(super) fn match_messages(program: &mut Program) -> Result<(), Fault> {
    let (first, mut incoming) = by_receiver(program);
    program.sent = count(incoming.len());
    let mut receives = Vec::new();
    for processor in 0..program.processors() {
        let range = first[processor as usize] as usize..first[processor as usize + 1] as usize;
        let base = first[processor as usize];
        let sends = &mut incoming[range];
        receives.clear();
        for operation in program.range(processor) {
            if program.code(operation).0 == Kind::Receive {
                receives.push((program.tag(operation), program.peer(operation), operation));
            }
        }
        // Both are already sorted by number, the sends also by sender.
        if receives.len() > 1 {
            receives.sort_unstable();
        }
        if sends.len() > 1 && !program.tags.is_empty() {
            sends.sort_unstable();
        }
        if program.wild.binary_search(&processor).is_ok() {
            check_wild(program.range(processor).start, processor, sends, &receives)?;
            for (message, send) in (base..).zip(&*sends) {
                program.steps[send.2 as usize].message = message;
            }
            continue;
        }
        if !sends.iter().map(channel).eq(receives.iter().map(channel)) {
            return Err(unmatched(processor, sends, &receives));
        }
        for ((message, send), receive) in (base..).zip(&*sends).zip(&receives) {
            program.steps[send.2 as usize].message = message;
            program.steps[receive.2 as usize].message = message;
        }
        note_channels(program, base, sends);
    }
    Ok(())
}

fn channel(&(tag, peer, _): &Incoming) -> (u32, u32) {
    (tag, peer)
}

/// Checks that a processor with receives of any sender or tag is sent as many messages as it receives, and enough for each receive
/// that names sender and tag. `operation` is its first one.
fn check_wild(
    operation: u32,
    to: u32,
    sends: &[Incoming],
    receives: &[Incoming],
) -> Result<(), Fault> {
    for named in receives.chunk_by(|one, other| channel(one) == channel(other)) {
        let (tag, from) = channel(&named[0]);
        if tag == ANY || from == ANY {
            continue;
        }
        let start = sends.partition_point(|send| channel(send) < (tag, from));
        let sent = sends[start..].partition_point(|send| channel(send) == (tag, from));
        if let Some(&(.., operation)) = named.get(sent) {
            let (sends, receives) = (count(sent), count(named.len()));
            return Err(Fault::Unmatched {
                operation,
                from,
                to,
                tag,
                sends,
                receives,
            });
        }
    }
    if sends.len() == receives.len() {
        return Ok(());
    }
    Err(Fault::Uneven {
        operation,
        to,
        sends: count(sends.len()),
        receives: count(receives.len()),
    })
}

/// The sends to each processor, by sender and number.
fn by_receiver(program: &Program) -> (Vec<u32>, Vec<Incoming>) {
    let sends = |processor| {
        program
            .range(processor)
            .filter(|&operation| program.code(operation).0 == Kind::Send)
    };
    let mut next = vec![0u32; program.processors() as usize + 1];
    let mut total = 0;
    for (step, operation) in program.steps.iter().zip(0u32..) {
        if program.code(operation).0 == Kind::Send {
            next[step.peer as usize] += 1;
            total += 1;
        }
    }
    let mut sum = 0;
    for count in &mut next {
        sum += std::mem::replace(count, sum);
    }
    let first = next.clone();
    let mut incoming = vec![(0, 0, 0); total];
    for processor in 0..program.processors() {
        for operation in sends(processor) {
            let slot = &mut next[program.peer(operation) as usize];
            incoming[*slot as usize] = (program.tag(operation), processor, operation);
            *slot += 1;
        }
    }
    (first, incoming)
}

/// Stores which messages share a channel, from the first such pair on.
fn note_channels(program: &mut Program, base: u32, sends: &[Incoming]) {
    let shared = sends
        .windows(2)
        .any(|pair| channel(&pair[0]) == channel(&pair[1]));
    if program.channels.is_empty() {
        if !shared {
            return;
        }
        program.channels = (0..program.sent).collect();
    }
    for (number, pair) in (base..).zip(sends.windows(2)) {
        if channel(&pair[0]) == channel(&pair[1]) {
            program.channels[number as usize + 1] = program.channels[number as usize];
        }
    }
}

/// The first channel of a receiver with different numbers of sends and receives.
fn unmatched(to: u32, sends: &[Incoming], receives: &[Incoming]) -> Fault {
    let pairs = sends.iter().map(channel).zip(receives.iter().map(channel));
    let same = pairs.take_while(|(send, receive)| send == receive).count();
    let least = [sends.get(same), receives.get(same)]
        .into_iter()
        .flatten()
        .min_by_key(|incoming| channel(incoming));
    let &(tag, from, operation) = least.unwrap_or(&(0, 0, 0));
    let in_channel = |all: &[Incoming]| {
        count(
            all.iter()
                .filter(|incoming| channel(incoming) == (tag, from))
                .count(),
        )
    };
    Fault::Unmatched {
        operation,
        from,
        to,
        tag,
        sends: in_channel(sends),
        receives: in_channel(receives),
    }
}
