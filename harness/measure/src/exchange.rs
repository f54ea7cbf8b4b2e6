//! A part of a rank: one thread, over any transport.
//!
//! Two ranks may send to each other at the same time, and a send ends with its acknowledgment. So a rank receives and
//! acknowledges messages during its own send, or both would wait forever. It also does so while it holds a message, but
//! not while it computes, because a computation occupies the processor.

use std::mem::take;
use std::time::Duration;

use super::act::Prepared;
use super::clock;
use super::fault::Fault;
use super::library::Library;
use super::link::{Awaited, Event, Link};
use super::wire::{Step, Times};

/// A part of a rank on its way.
struct Exchange<'a, L> {
    prepared: &'a mut Prepared,
    link: &'a mut L,
    /// When the last byte of each buffer arrived.
    arrived: Vec<Option<u64>>,
}

/// Prepares what must not be timed, waits for the others, and executes the steps.
///
/// # Errors
/// What happened to a message, and the rank at its other end; a rank that cannot be reached or does not connect.
pub fn run(prepared: &mut Prepared, link: &mut impl Link) -> Result<Times, Fault> {
    let (mut to, mut call, mut starts) = (Vec::new(), None, true);
    for (index, (step, _)) in prepared.acts.iter().enumerate() {
        match *step {
            Step::Send { to: receiver, .. } => to.push(receiver),
            Step::Call(own) => call = Some(own),
            Step::Receive { .. } => starts &= index > 0,
            Step::Compute { .. } => {}
        }
    }
    link.connect(&to, call)?;
    // Before the barrier, so that every message finds its receiver ready.
    for (&from, rooms) in &prepared.coming {
        for &room in rooms {
            link.receive(from, room, take(&mut prepared.messages[room]), true)?;
        }
    }
    link.barrier(&Vec::from_iter(0..prepared.ranks), starts)?;
    let arrived = vec![None; prepared.rooms];
    let exchange = Exchange {
        prepared,
        link,
        arrived,
    };
    exchange.run()
}

impl<L: Link> Exchange<'_, L> {
    fn run(mut self) -> Result<Times, Fault> {
        if self.prepared.acts.is_empty() {
            return Ok(Times::default());
        }
        let start = clock::now();
        let mut times = Times {
            began: start,
            received: start,
            held: start,
            sent: None,
        };
        let mut done = start;
        for index in 0..self.prepared.acts.len() {
            let (step, message) = self.prepared.acts[index];
            match step {
                Step::Send { to, .. } => {
                    self.send(to, message)?;
                    done = clock::now();
                    times.sent = Some(done);
                }
                Step::Receive { from, hold_ns, .. } => {
                    times.received = self.receive(from, message)?;
                    done = done.max(self.hold(times.received, hold_ns)?);
                    times.held = done;
                }
                Step::Compute { ns } => {
                    done = clock::spin(ns);
                    times.held = done;
                }
                Step::Call(call) => {
                    let (given, got) = self.prepared.operands(message);
                    // The root of a broadcast has its operand; a rank that gets nothing ends at its start.
                    let is_root = call.function.is_broadcast() && self.link.rank() == call.root;
                    let has_end = call.function == Library::Barrier || !got.is_empty() && !is_root;
                    let (began, ended) = self.link.call(call, given, got)?;
                    let received = if has_end { ended } else { began };
                    times = Times {
                        began,
                        received,
                        held: received,
                        sent: None,
                    };
                }
            }
        }
        Ok(times)
    }

    /// Sends a message; returns after its acknowledgment.
    fn send(&mut self, to: u32, message: usize) -> Result<(), Fault> {
        self.link
            .send(to, take(&mut self.prepared.messages[message]))?;
        let (mut is_sent, mut is_answered) = (false, false);
        while !(is_sent && is_answered) {
            let awaited = if is_sent {
                Awaited::Signal(to)
            } else {
                Awaited::Sent(to)
            };
            match self.link.next(awaited)? {
                Event::Sent(back) => {
                    self.prepared.messages[message] = back;
                    is_sent = true;
                }
                Event::Signalled => is_answered = true,
                received => self.keep(received),
            }
        }
        Ok(())
    }

    /// Waits for a message. Returns the arrival of its last byte.
    fn receive(&mut self, from: u32, room: usize) -> Result<u64, Fault> {
        loop {
            if let Some(arrived) = self.arrived[room] {
                return Ok(arrived);
            }
            let event = self.link.next(Awaited::Message(from))?;
            self.keep(event);
        }
    }

    /// Waits for the end of the relay delay and returns its time; without one, returns the arrival.
    fn hold(&mut self, arrived: u64, hold_ns: u64) -> Result<u64, Fault> {
        if hold_ns == 0 {
            return Ok(arrived);
        }
        loop {
            let now = clock::now();
            match arrived.saturating_add(hold_ns).checked_sub(now) {
                None | Some(0) => return Ok(now),
                Some(left) => {
                    let left = Some(Duration::from_nanos(left));
                    if let Some(event) = self.link.poll(Awaited::Nothing, left)? {
                        self.keep(event);
                    }
                }
            }
        }
    }

    /// Keeps a message that has arrived.
    fn keep(&mut self, event: Event) {
        if let Event::Received { room, message, at } = event {
            self.prepared.messages[room] = message;
            self.arrived[room] = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::message::{Message, digest};
    use crate::peers::Peers;
    use crate::secret::Secret;
    use crate::tcp::Tcp;
    use crate::wire::{Order, Part};

    /// For tests in which no rank reaches the limit.
    const LIMIT: Duration = Duration::from_secs(60);
    const BYTES: u64 = 1 << 20;

    /// Runs parts, each in a thread with its own connections; returns each rank's digest or fault.
    fn carried_out(
        limit: Duration,
        parts: Vec<Vec<Step>>,
        spoil: fn(u32, &mut Prepared),
    ) -> Vec<Result<String, Fault>> {
        let secret = Secret::generate().unwrap();
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let listen = |rank| Peers::listen(rank, secret.clone(), any, limit).unwrap();
        let (mut all, addresses): (Vec<Peers>, Vec<SocketAddr>) =
            (0..).take(parts.len()).map(listen).unzip();
        all.iter_mut()
            .for_each(|peers| peers.addresses.clone_from(&addresses));
        let start = |(rank, (steps, peers)): (u32, (Vec<Step>, Peers))| {
            thread::spawn(move || {
                let part = Part {
                    number: 7,
                    seed: 1,
                    ranks: 1,
                    steps,
                };
                let mut prepared = Prepared::new(&part, rank).unwrap();
                let (orders, given) = mpsc::channel();
                orders.send(Ok(Order::Go)).unwrap();
                let mut tcp = Tcp::new(peers, (given, |_| Ok(())));
                spoil(rank, &mut prepared);
                run(&mut prepared, &mut tcp)?;
                Ok(prepared.digest())
            })
        };
        let running: Vec<_> = (0..).zip(parts.into_iter().zip(all)).map(start).collect();
        running
            .into_iter()
            .map(|rank| rank.join().unwrap())
            .collect()
    }

    fn send(to: u32) -> Step {
        Step::Send {
            to,
            tag: 0,
            bytes: BYTES,
        }
    }

    fn receive(from: u32, bytes: u64) -> Step {
        Step::Receive {
            from,
            nth: 0,
            tag: 0,
            bytes,
            hold_ns: 1000,
        }
    }

    fn message() -> Message {
        Message::make(7, 0, 1 << 20, 1)
    }

    /// Neither buffer could hold all of the other's message.
    #[test]
    fn two_ranks_send_to_each_other_at_the_same_time() {
        let expected = digest([&message()]);
        let parts = vec![
            vec![send(1), receive(1, BYTES)],
            vec![send(0), receive(0, BYTES), Step::Compute { ns: 10 }],
        ];
        assert_eq!(
            carried_out(LIMIT, parts, |_, _| {}),
            [Ok(expected.clone()), Ok(expected)]
        );
    }

    #[test]
    fn a_ring_turns() {
        let parts = (0..5)
            .map(|rank| vec![send((rank + 1) % 5), receive((rank + 4) % 5, BYTES)])
            .collect();
        let expected = digest([&message()]);
        assert!(
            carried_out(LIMIT, parts, |_, _| {})
                .into_iter()
                .all(|digest| digest == Ok(expected.clone()))
        );
    }

    /// A relay with damaged memory passes on the damage.
    #[test]
    fn a_byte_that_a_relay_spoils_is_found_behind_it() {
        let parts = || {
            vec![
                vec![send(1)],
                vec![receive(0, BYTES), send(2)],
                vec![receive(1, BYTES)],
            ]
        };
        let good = carried_out(LIMIT, parts(), |_, _| {});
        let spoil: fn(u32, &mut Prepared) = |rank, prepared| {
            if rank == 1 {
                // The relay sends something else than it received.
                let mut other = message();
                other.content_mut()[500_000] ^= 1;
                prepared.messages.push(other);
                prepared.acts[1].1 = 1;
            }
        };
        let bad = carried_out(LIMIT, parts(), spoil);
        assert_eq!(good[0], bad[0]);
        assert_eq!(good[1], bad[1]);
        assert!(bad[2].is_ok() && good[2] != bad[2]);
    }

    #[test]
    fn a_message_of_another_length_is_refused() {
        // The rest of its message is not read, and the sender waits until its limit.
        let parts = vec![vec![send(1)], vec![receive(0, BYTES - 1)]];
        let found = carried_out(Duration::from_secs(3), parts, |_, _| {});
        let fault = found[1].as_ref().unwrap_err();
        assert_eq!(
            fault.explanation,
            "receiving from rank 0: an unexpected message arrived"
        );
    }
}
