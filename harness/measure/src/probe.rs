//! The experiments of `castbench calibrate`: rank 0 with another rank, or with several ranks at once, as a library sends to the
//! children of a tree, or several pairs at once. Each rank executes its side.

use super::calibrate::AHEAD;
use super::clock;
use super::fault::Fault;
use super::link::{Awaited, Event, Link};
use super::message::Message;
use super::task::length;
use super::wire::{Kind, Probe, Probed};

/// This rank's side of an experiment.
///
/// # Errors
/// What happened to a message, and the rank at its other end.
pub fn run(probe: &Probe, link: &mut impl Link) -> Result<Probed, Fault> {
    let ranks = &probe.ranks;
    let own = ranks.iter().position(|&rank| rank == link.rank());
    let own = own.ok_or_else(unexpected)?;
    let (leads, others) = match (probe.kind, own) {
        (Kind::Pairs, _) => {
            let half = ranks.len() / 2;
            (own < half, vec![ranks[(own + half) % ranks.len()]])
        }
        (_, 0) => (true, ranks[1..].to_vec()),
        _ => (false, vec![ranks[0]]),
    };
    let is_row = matches!(probe.kind, Kind::Row | Kind::Pairs);
    let sends = probe.kind == Kind::Cross || leads == is_row;
    let bytes = length(probe.bytes).map_err(Fault::own)?;
    let made = match sends {
        true => Message::make(probe.number, 0, bytes, 0),
        false => Message::blank(probe.number, bytes),
    };
    link.connect(if sends { &others } else { &[] }, None)?;
    let mut messages = vec![made; others.len()];
    if probe.kind == Kind::Incast && leads {
        for (&rank, room) in others.iter().zip(messages.drain(..)) {
            link.receive(rank, 0, room, false)?;
        }
    }
    let together = link.barrier(ranks, leads)?;
    let mut begin = clock::now();
    let mut calls_ns = 0;
    match (probe.kind, leads) {
        (Kind::Row | Kind::Pairs, true) => calls_ns = send(probe, link, &others, messages, begin)?,
        (Kind::Row | Kind::Pairs, false) => {
            let whole_ns = receive(probe, link, others[0], messages)?;
            return Ok(Probed { whole_ns, calls_ns });
        }
        (Kind::Cross, _) => {
            // Where only rank 0 begins now, a signal starts the other one.
            if !together && leads {
                link.signal(others[0])?;
            } else if !together {
                signalled(link, others[0])?;
                begin = clock::now();
            }
            cross(probe, link, others[0], messages)?;
        }
        (Kind::Incast, true) => {
            others.iter().try_for_each(|&rank| link.signal(rank))?;
            for &rank in &others {
                link.next(Awaited::Message(rank))?;
            }
        }
        (Kind::Incast, false) => {
            signalled(link, others[0])?;
            for message in messages {
                sent(link, others[0], message)?;
            }
        }
    }
    Ok(Probed {
        whole_ns: clock::now() - begin,
        calls_ns,
    })
}

/// Sends `count` messages in a row to each, with one answer at the end. Returns the time in the calls that send.
fn send(
    probe: &Probe,
    link: &mut impl Link,
    others: &[u32],
    mut messages: Vec<Message>,
    begin: u64,
) -> Result<u64, Fault> {
    let mut calls_ns = 0;
    for nth in 0..probe.count {
        let before = match nth {
            0 => begin,
            _ => clock::pause_until(clock::now(), probe.pause_ns),
        };
        for (&rank, message) in others.iter().zip(messages.drain(..)) {
            link.send(rank, message)?;
        }
        for &rank in others {
            if let Event::Sent(back) = link.next(Awaited::Sent(rank))? {
                messages.push(back);
            }
        }
        calls_ns += clock::now() - before;
    }
    others
        .iter()
        .try_for_each(|&rank| signalled(link, rank))
        .map(|()| calls_ns)
}

/// Receives `count` messages. Returns the time in the calls that receive.
fn receive(
    probe: &Probe,
    link: &mut impl Link,
    from: u32,
    rooms: Vec<Message>,
) -> Result<u64, Fault> {
    let mut reading = 0;
    for mut room in rooms {
        for _ in 0..probe.count {
            let begin = clock::pause_until(clock::now(), probe.pause_ns);
            let end;
            (room, end) = received(link, from, room)?;
            reading += end - begin;
        }
    }
    link.signal(from).map(|()| reading)
}

/// Sends a message and receives one at the same time, as a library does in a round, or rows of them; then both ranks
/// acknowledge.
fn cross(
    probe: &Probe,
    link: &mut impl Link,
    peer: u32,
    messages: Vec<Message>,
) -> Result<(), Fault> {
    for mut message in messages {
        let mut room = Message::blank(message.number(), message.content().len());
        if probe.count == 1 {
            link.receive(peer, 0, room, false)?;
            link.send(peer, message)?;
            link.next(Awaited::Message(peer))?;
            link.next(Awaited::Message(peer))?;
            continue;
        }
        for turn in 0..probe.count.saturating_add(AHEAD) {
            if turn < probe.count {
                message = sent(link, peer, message)?;
            }
            // The messages before the first receive, and none after the last one.
            if turn >= AHEAD {
                room = received(link, peer, room)?.0;
            }
        }
    }
    link.signal(peer)?;
    signalled(link, peer)
}

/// Sends a message, and returns its buffer.
fn sent(link: &mut impl Link, to: u32, message: Message) -> Result<Message, Fault> {
    link.send(to, message)?;
    match link.next(Awaited::Sent(to))? {
        Event::Sent(message) => Ok(message),
        _ => Err(unexpected()),
    }
}

/// Receives a message; returns it with the time of its last byte.
fn received(link: &mut impl Link, from: u32, room: Message) -> Result<(Message, u64), Fault> {
    link.receive(from, 0, room, false)?;
    match link.next(Awaited::Message(from))? {
        Event::Received { message, at, .. } => Ok((message, at)),
        _ => Err(unexpected()),
    }
}

fn signalled(link: &mut impl Link, from: u32) -> Result<(), Fault> {
    link.next(Awaited::Signal(from)).map(drop)
}

fn unexpected() -> Fault {
    Fault::own("something else happened than the experiment expects".to_owned())
}
