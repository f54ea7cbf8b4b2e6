//! A part of a rank over TCP: one thread with connections that never block.
//!
//! Two ranks may send to each other at the same time, and a send ends with its acknowledgment. So a rank reads and
//! acknowledges messages during its own send, or both would wait forever. It also does so while it holds a message, but
//! not while it computes, because a computation occupies the processor.

use std::collections::{BTreeMap, VecDeque};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};

use super::act::Prepared;
use super::clock;
use super::fault::Fault;
use super::link::{self, Lost};
use super::peers::Peers;
use super::wire::{Part, Step, Times};

struct Incoming {
    from: u32,
    stream: Arc<TcpStream>,
    /// Their buffers, in the order of the sends.
    rooms: VecDeque<usize>,
    /// Bytes received in the first of these buffers.
    filled: usize,
}

/// A part, its memory and its connections.
pub struct Exchange {
    prepared: Prepared,
    /// The connection to each receiver.
    outgoing: BTreeMap<u32, Arc<TcpStream>>,
    incoming: Vec<Incoming>,
    /// When the last byte of each buffer arrived.
    arrived: Vec<Option<u64>>,
    limit: Duration,
}

impl Exchange {
    /// Prepares everything that must not be timed: connections, memory, contents.
    ///
    /// # Errors
    /// A rank that cannot be reached or does not connect; messages that do not fit in memory.
    pub fn prepare(part: &Part, peers: &mut Peers) -> Result<Self, Fault> {
        let prepared = Prepared::new(part).map_err(Fault::own)?;
        let mut outgoing = BTreeMap::new();
        for step in &part.steps {
            if let Step::Send { to, .. } = *step {
                outgoing.insert(to, unblocked(peers.to(to)?)?);
            }
        }
        let mut incoming = Vec::new();
        // Only now, because the others connect to this rank while it connects to them.
        for (&from, rooms) in &prepared.coming {
            let stream = unblocked(peers.from(from)?)?;
            incoming.push(Incoming {
                from,
                stream,
                rooms: rooms.iter().copied().collect(),
                filled: 0,
            });
        }
        let arrived = vec![None; prepared.rooms];
        Ok(Self {
            prepared,
            outgoing,
            incoming,
            arrived,
            limit: peers.limit(),
        })
    }

    /// SHA-256 of all received bytes.
    #[must_use]
    pub fn digest(&self) -> String {
        self.prepared.digest()
    }

    /// Executes the steps.
    ///
    /// # Errors
    /// What happened to a message, and the rank at its other end.
    pub fn run(&mut self) -> Result<Times, Fault> {
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
            }
        }
        Ok(times)
    }

    /// Sends a message; returns after its acknowledgment.
    fn send(&mut self, to: u32, message: usize) -> Result<(), Fault> {
        let lost = |lost: Lost| Fault::between("sending to", to, &lost);
        let Some(stream) = self.outgoing.get(&to).cloned() else {
            return Ok(());
        };
        let (mut written, mut is_written) = (0, false);
        loop {
            let awaited = if is_written {
                if link::acknowledged(&stream).map_err(lost)? {
                    return Ok(());
                }
                PollFlags::IN
            } else {
                is_written = self.prepared.messages[message]
                    .pour(&stream, &mut written)
                    .map_err(lost)?;
                if is_written {
                    PollFlags::IN
                } else {
                    PollFlags::OUT
                }
            };
            if !self.react(Some((&stream, awaited)), self.limit)? {
                return Err(lost(Lost::Silent));
            }
        }
    }

    /// Waits for a message. Returns the arrival of its last byte.
    fn receive(&mut self, from: u32, room: usize) -> Result<u64, Fault> {
        loop {
            if let Some(arrived) = self.arrived[room] {
                return Ok(arrived);
            }
            if !self.react(None, self.limit)? {
                return Err(Fault::between("receiving from", from, &Lost::Silent));
            }
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
                Some(left) => self.react(None, Duration::from_nanos(left))?,
            };
        }
    }

    /// Waits until bytes arrive, or until an outgoing connection is ready as asked. Reads and acknowledges arrived
    /// messages. Returns whether anything happened in time.
    fn react(
        &mut self,
        outgoing: Option<(&TcpStream, PollFlags)>,
        within: Duration,
    ) -> Result<bool, Fault> {
        let coming: Vec<usize> = (0..self.incoming.len())
            .filter(|&index| !self.incoming[index].rooms.is_empty())
            .collect();
        let mut polled: Vec<PollFd<'_>> = coming
            .iter()
            .map(|&index| PollFd::new(&*self.incoming[index].stream, PollFlags::IN))
            .collect();
        polled.extend(outgoing.map(|(stream, flags)| {
            PollFd::from_borrowed_fd(std::os::fd::AsFd::as_fd(stream), flags)
        }));
        let ready = link::ready(&mut polled, within).map_err(Fault::waiting)?;
        let arriving: Vec<usize> = coming
            .into_iter()
            .zip(&polled)
            .filter(|(_, fd)| !fd.revents().is_empty())
            .map(|(index, _)| index)
            .collect();
        for index in arriving {
            self.take(index)?;
        }
        Ok(ready)
    }

    /// Reads from the next message of a rank, and acknowledges a complete one.
    fn take(&mut self, index: usize) -> Result<(), Fault> {
        let Incoming {
            from,
            stream,
            rooms,
            filled,
        } = &mut self.incoming[index];
        let lost = |lost: Lost| Fault::between("receiving from", *from, &lost);
        let Some(&room) = rooms.front() else {
            return Ok(());
        };
        match self.prepared.messages[room].fill(stream, filled) {
            Ok(false) | Err(Lost::Silent) => Ok(()),
            Err(error) => Err(lost(error)),
            Ok(true) => {
                self.arrived[room] = Some(clock::now());
                rooms.pop_front();
                *filled = 0;
                // Before the relay delay: the sender is free once the message is off the wire, as in LogP after its
                // gap.
                link::answer(stream).map_err(lost)
            }
        }
    }
}

/// Makes a connection non-blocking. It stays so, because a cluster that measures does not calibrate.
fn unblocked(stream: Arc<TcpStream>) -> Result<Arc<TcpStream>, Fault> {
    stream
        .set_nonblocking(true)
        .map_err(|error| Fault::own(format!("cannot set up a connection: {error}")))?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::thread;

    use super::*;
    use crate::secret::Secret;
    use crate::wire::Step;

    /// For tests in which no rank reaches the limit.
    const LIMIT: Duration = Duration::from_secs(60);
    const BYTES: u64 = 1 << 20;

    /// Runs parts, each in a thread with its own connections; returns each rank's digest or fault.
    fn carried_out(
        parts: Vec<Vec<Step>>,
        spoil: fn(u32, &mut Exchange),
    ) -> Vec<Result<String, Fault>> {
        let secret = Secret::generate().unwrap();
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let listen = |rank| Peers::listen(rank, secret.clone(), any, LIMIT).unwrap();
        let (mut all, addresses): (Vec<Peers>, Vec<SocketAddr>) =
            (0..).take(parts.len()).map(listen).unzip();
        all.iter_mut()
            .for_each(|peers| peers.addresses.clone_from(&addresses));
        let run = |(rank, (steps, mut peers)): (u32, (Vec<Step>, Peers))| {
            thread::spawn(move || {
                let mut exchange = Exchange::prepare(
                    &Part {
                        number: 7,
                        seed: 1,
                        steps,
                    },
                    &mut peers,
                )?;
                spoil(rank, &mut exchange);
                exchange.run()?;
                Ok(exchange.digest())
            })
        };
        let running: Vec<_> = (0..).zip(parts.into_iter().zip(all)).map(run).collect();
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

    fn message() -> link::Message {
        link::Message::make(7, 0, 1 << 20, 1)
    }

    /// Neither buffer could hold all of the other's message.
    #[test]
    fn two_ranks_send_to_each_other_at_the_same_time() {
        let expected = link::digest([&message()]);
        let parts = vec![
            vec![send(1), receive(1, BYTES)],
            vec![send(0), receive(0, BYTES), Step::Compute { ns: 10 }],
        ];
        assert_eq!(
            carried_out(parts, |_, _| {}),
            [Ok(expected.clone()), Ok(expected)]
        );
    }

    #[test]
    fn a_ring_turns() {
        let parts = (0..5)
            .map(|rank| vec![send((rank + 1) % 5), receive((rank + 4) % 5, BYTES)])
            .collect();
        let expected = link::digest([&message()]);
        assert!(
            carried_out(parts, |_, _| {})
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
        let good = carried_out(parts(), |_, _| {});
        let spoil: fn(u32, &mut Exchange) = |rank, exchange| {
            if rank == 1 {
                // The relay sends something else than it received.
                let mut other = message();
                other.room()[500_000] ^= 1;
                exchange.prepared.messages.push(other);
                exchange.prepared.acts[1].1 = 1;
            }
        };
        let bad = carried_out(parts(), spoil);
        assert_eq!(good[0], bad[0]);
        assert_eq!(good[1], bad[1]);
        assert!(bad[2].is_ok() && good[2] != bad[2]);
    }

    #[test]
    fn a_message_of_another_length_is_refused() {
        // The rest of its message is not read, and the sender does not wait for that.
        let spoil: fn(u32, &mut Exchange) = |rank, exchange| {
            if rank == 0 {
                exchange.limit = Duration::from_millis(1);
            }
        };
        let found = carried_out(vec![vec![send(1)], vec![receive(0, BYTES - 1)]], spoil);
        let fault = found[1].as_ref().unwrap_err();
        assert_eq!(
            fault.explanation,
            "receiving from rank 0: an unexpected message arrived"
        );
    }
}
