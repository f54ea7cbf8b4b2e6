//! One rank: a process that does its part of the tasks of the coordinator.
//!
//! It ends with its standard input, whatever it does at that time. So no rank outlives its coordinator, on this host or
//! through `ssh`.

use std::io::{self, BufRead as _};
use std::net::SocketAddr;
use std::process;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use super::calibrate::AHEAD;
use super::exchange::Exchange;
use super::fan;
use super::fault::Fault;
use super::link::{self, Lost, Message};
use super::peers::Peers;
use super::task::length;
use super::wire::{Answer, Joined, Kind, Order, Probe, Probed, say};
use super::{clock, facts, threads};

/// Obeys the coordinator on standard input and output until they close; `build` is sent for comparison.
///
/// # Errors
/// A fault that it has reported to the coordinator.
pub fn run(build: &str) -> Result<(), Fault> {
    let worked = orders()
        .and_then(|orders| Rank::join(build, &orders).and_then(|mut rank| rank.work(&orders)));
    if let Err(fault) = &worked {
        // Lost if the coordinator is gone.
        let _ = answer(&Answer::Failed(fault.clone()));
    }
    worked
}

/// Reads the orders on a separate thread, to notice the end of the input and give a sign of life while the rank waits
/// for a message.
fn orders() -> Result<Receiver<Result<Order, Fault>>, Fault> {
    // Without a limit, because a full channel would delay a sign of life; the coordinator gives one order at a time.
    let (sender, orders) = mpsc::channel();
    let read = move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            let order = serde_json::from_str(&line);
            if matches!(order, Ok(Order::RollCall)) {
                // Lost if the coordinator is gone.
                let _ = answer(&Answer::Here);
                continue;
            }
            let order = order.map_err(|error| {
                Fault::own(format!("does not understand the coordinator: {error}"))
            });
            if sender.send(order).is_err() {
                return;
            }
        }
        process::exit(0)
    };
    threads::spawn(read).map_err(|error| Fault::own(format!("cannot start a thread: {error}")))?;
    Ok(orders)
}

fn next(orders: &Receiver<Result<Order, Fault>>) -> Result<Order, Fault> {
    orders
        .recv()
        .unwrap_or_else(|_| Err(Fault::own("the coordinator is gone".to_owned())))
}

fn answer(answer: &Answer) -> Result<(), Fault> {
    say(io::stdout().lock(), answer)
        .map_err(|error| Fault::own(format!("cannot answer the coordinator: {error}")))
}

struct Rank {
    peers: Peers,
    exchange: Option<Exchange>,
}

impl Rank {
    fn join(build: &str, orders: &Receiver<Result<Order, Fault>>) -> Result<Self, Fault> {
        let Order::Join {
            rank,
            secret,
            listen,
            limit_ms,
        } = next(orders)?
        else {
            return Err(Fault::own(
                "expected an order with the number of the rank first".to_owned(),
            ));
        };
        let (peers, address): (_, SocketAddr) =
            Peers::listen(rank, secret, listen, Duration::from_millis(limit_ms))?;
        answer(&Answer::Joined(Box::new(Joined {
            build: build.to_owned(),
            process: process::id(),
            address,
            clock: clock::domain(),
            facts: facts::here(),
        })))?;
        Ok(Self {
            peers,
            exchange: None,
        })
    }

    fn work(&mut self, orders: &Receiver<Result<Order, Fault>>) -> Result<(), Fault> {
        loop {
            match next(orders)? {
                Order::Peers { addresses } => {
                    self.peers.addresses = addresses;
                    answer(&Answer::Ready)?;
                }
                Order::Clock => answer(&Answer::Now { ns: clock::now() })?,
                Order::Prepare(part) => {
                    // Released first: the messages of two tasks may not fit in memory together.
                    self.exchange = None;
                    let exchange = self
                        .exchange
                        .insert(Exchange::prepare(&part, &mut self.peers)?);
                    answer(&Answer::Ready)?;
                    if part.starts() {
                        await_go(orders)?;
                    }
                    answer(&Answer::Done(exchange.run()?))?;
                }
                Order::Verify => {
                    let sha256 = self
                        .exchange
                        .as_ref()
                        .map(Exchange::digest)
                        .unwrap_or_default();
                    answer(&Answer::Digest { sha256 })?;
                }
                Order::Probe(probe) => {
                    let probed = self.probe(&probe, orders)?;
                    answer(&Answer::Probed(probed))?;
                }
                order @ (Order::Join { .. } | Order::Go | Order::RollCall) => {
                    return Err(unexpected(&order));
                }
            }
        }
    }

    /// This rank's side of an experiment.
    fn probe(
        &mut self,
        probe: &Probe,
        orders: &Receiver<Result<Order, Fault>>,
    ) -> Result<Probed, Fault> {
        let leads = self.peers.rank == 0;
        match probe.kind {
            Kind::Cross => self.cross(probe, leads, orders),
            Kind::Row if leads && probe.others == 1 => self.send(probe, orders),
            Kind::Row if !leads => self.receive(probe),
            Kind::Incast if !leads => self.feed(probe),
            Kind::Row | Kind::Incast => {
                let fan = fan::prepare(probe, &mut self.peers)?;
                answer(&Answer::Ready)?;
                await_go(orders)?;
                fan.run()
            }
        }
    }

    /// Sends `count` messages in a row, with one answer.
    fn send(
        &mut self,
        probe: &Probe,
        orders: &Receiver<Result<Order, Fault>>,
    ) -> Result<Probed, Fault> {
        let lost = |lost: Lost| Fault::between("experiment with", 1, &lost);
        let message = made(probe)?;
        let stream = self.peers.to(1)?;
        answer(&Answer::Ready)?;
        await_go(orders)?;
        let begin = clock::now();
        let mut calls_ns = 0;
        for sent in 0..probe.count {
            let before = if sent == 0 {
                begin
            } else {
                clock::pause_until(clock::now(), probe.pause_ns)
            };
            message.post(&stream).map_err(lost)?;
            calls_ns += clock::now() - before;
        }
        link::await_answer(&stream).map_err(lost)?;
        Ok(Probed {
            whole_ns: clock::now() - begin,
            calls_ns,
        })
    }

    fn receive(&self, probe: &Probe) -> Result<Probed, Fault> {
        let lost = |lost: Lost| Fault::between("experiment with", 0, &lost);
        let mut room = Message::blank(probe.number, length(probe.bytes).map_err(Fault::own)?);
        answer(&Answer::Ready)?;
        let stream = self.peers.from(0)?;
        let mut reading = 0;
        for _ in 0..probe.count {
            let begin = clock::pause_until(clock::now(), probe.pause_ns);
            reading += room.take(&stream).map_err(lost)? - begin;
        }
        link::answer(&stream).map_err(lost)?;
        Ok(Probed {
            whole_ns: reading,
            calls_ns: 0,
        })
    }

    /// Waits for a byte of rank 0, then sends it a message.
    fn feed(&mut self, probe: &Probe) -> Result<Probed, Fault> {
        let message = made(probe)?;
        let to = self.peers.to(0)?;
        answer(&Answer::Ready)?;
        let lost = |lost: Lost| Fault::between("incast to", 0, &lost);
        link::await_answer(&to)
            .and_then(|()| message.post(&to))
            .map_err(lost)?;
        Ok(Probed {
            whole_ns: 0,
            calls_ns: 0,
        })
    }

    /// One side of an exchange: a byte from the first rank starts the other one, and both messages are acknowledged.
    fn cross(
        &mut self,
        probe: &Probe,
        leads: bool,
        orders: &Receiver<Result<Order, Fault>>,
    ) -> Result<Probed, Fault> {
        let peer = u32::from(leads);
        let lost = |lost: Lost| Fault::between("exchange with", peer, &lost);
        let message = made(probe)?;
        let mut room = Message::blank(probe.number, message.content().len());
        let to = self.peers.to(peer)?;
        answer(&Answer::Ready)?;
        let from = self.peers.from(peer)?;
        if leads {
            await_go(orders)?;
        } else {
            link::await_answer(&to).map_err(lost)?;
        }
        let begin = clock::now();
        if leads {
            link::answer(&from).map_err(lost)?;
        }
        let moved = if probe.count == 1 {
            // Neither buffer can hold a long message, so one thread would wait forever.
            let posted = thread::scope(|threads| {
                let posting = threads.spawn(|| message.post(&to));
                room.take(&from).map(|_| posting.join())
            });
            posted.map_err(lost)?.unwrap_or(Err(Lost::Other))
        } else {
            both_ways(
                probe.count,
                || message.post(&to),
                || room.take(&from).map(drop),
            )
        };
        moved
            .and_then(|()| link::answer(&from))
            .and_then(|()| link::await_answer(&to))
            .map_err(lost)?;
        Ok(Probed {
            whole_ns: clock::now() - begin,
            calls_ns: 0,
        })
    }
}

/// Sends messages in a row while as many arrive, by one thread.
///
/// # Errors
/// Those of the calls.
pub fn both_ways<E>(
    count: u32,
    mut send: impl FnMut() -> Result<(), E>,
    mut receive: impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    for turn in 0..count.saturating_add(AHEAD) {
        if turn < count {
            send()?;
        }
        // The messages before the first receive, and none after the last one.
        if turn >= AHEAD {
            receive()?;
        }
    }
    Ok(())
}

/// The message of an experiment.
fn made(probe: &Probe) -> Result<Message, Fault> {
    Ok(Message::make(
        probe.number,
        0,
        length(probe.bytes).map_err(Fault::own)?,
        0,
    ))
}

fn await_go(orders: &Receiver<Result<Order, Fault>>) -> Result<(), Fault> {
    match next(orders)? {
        Order::Go => Ok(()),
        order => Err(unexpected(&order)),
    }
}

fn unexpected(order: &Order) -> Fault {
    Fault::own(format!("received the unexpected order {order:?}"))
}
