//! A rank over TCP: a process with its connections, and its coordinator at standard input and output.
//!
//! It ends with its standard input, whatever it does at that time. So no rank outlives its coordinator, on this host or
//! through `ssh`.

use std::collections::VecDeque;
use std::io::{self, BufRead as _};
use std::net::TcpStream;
use std::process;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};

use super::fault::Fault;
use super::link::{Awaited, Event, Link};
use super::message::{self, Lost, Message};
use super::peers::Peers;
use super::rank::{Rank, unexpected};
use super::wire::{Answer, Call, Joined, Order, say};
use super::{clock, facts, threads};

/// Obeys the coordinator on standard input and output until they close; `build` is sent for comparison.
///
/// # Errors
/// A fault that it has reported to the coordinator.
pub fn run(build: &str) -> Result<(), Fault> {
    let worked = work(build);
    if let Err(fault) = &worked {
        // Lost if the coordinator is gone.
        let _ = answer(&Answer::Failed(fault.clone()));
    }
    worked
}

fn work(build: &str) -> Result<(), Fault> {
    let mut rank = Rank::new(Tcp::join(build, orders()?)?);
    loop {
        let last = match rank.link.order()? {
            Order::Peers { addresses } => {
                rank.link.peers.addresses = addresses;
                Answer::Ready
            }
            order => rank.obey(order)?,
        };
        answer(&last)?;
    }
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

fn answer(answer: &Answer) -> Result<(), Fault> {
    say(io::stdout().lock(), answer)
        .map_err(|error| Fault::own(format!("cannot answer the coordinator: {error}")))
}

/// The messages that a rank receives from another one.
struct Incoming {
    from: u32,
    stream: Arc<TcpStream>,
    rooms: VecDeque<Room>,
    /// Bytes received in the first of them.
    filled: usize,
}

struct Room {
    number: usize,
    buffer: Message,
    answers: bool,
}

/// A message that a rank sends.
struct Outgoing {
    to: u32,
    stream: Arc<TcpStream>,
    message: Message,
    written: usize,
}

/// Orders of the coordinator, and what gives it an answer.
type Coordinator = (
    Receiver<Result<Order, Fault>>,
    fn(&Answer) -> Result<(), Fault>,
);

/// The connections of a rank, and its coordinator.
pub struct Tcp {
    pub(crate) peers: Peers,
    coordinator: Coordinator,
    incoming: Vec<Incoming>,
    outgoing: Vec<Outgoing>,
    /// Events that nothing has waited for yet.
    events: VecDeque<Event>,
}

impl Tcp {
    /// A rank with these connections and this coordinator.
    pub(crate) fn new(peers: Peers, coordinator: Coordinator) -> Self {
        Self {
            peers,
            coordinator,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            events: VecDeque::new(),
        }
    }

    /// Obeys the first order: listens for the others.
    fn join(build: &str, orders: Receiver<Result<Order, Fault>>) -> Result<Self, Fault> {
        let Order::Join {
            rank,
            secret,
            listen,
            limit_ms,
        } = next(&orders)?
        else {
            return Err(Fault::own(
                "expected an order with the number of the rank first".to_owned(),
            ));
        };
        let limit = Duration::from_millis(limit_ms);
        let (peers, address) = Peers::listen(rank, secret, listen, limit)?;
        answer(&Answer::Joined(Box::new(Joined {
            build: build.to_owned(),
            process: process::id(),
            address,
            clock: clock::domain(),
            facts: facts::here(),
        })))?;
        Ok(Self::new(peers, (orders, answer)))
    }

    fn order(&self) -> Result<Order, Fault> {
        next(&self.coordinator.0)
    }

    /// Reads from the next message of a rank; waits for it if it `blocks`.
    fn read(&mut self, index: usize, blocks: bool) -> Result<(), Fault> {
        let Incoming {
            from,
            stream,
            rooms,
            filled,
        } = &mut self.incoming[index];
        let lost = |lost: Lost| Awaited::Message(*from).lost(&lost);
        let Some(room) = rooms.front_mut() else {
            return Ok(());
        };
        if !moved(room.buffer.fill(stream, filled, blocks), blocks).map_err(lost)? {
            return Ok(());
        }
        *filled = 0;
        let at = clock::now();
        if let Some(room) = rooms.pop_front() {
            if room.answers {
                // Before the relay delay: the sender is free once the message is off the wire, as in LogP after its
                // gap.
                message::answer(stream).map_err(lost)?;
            }
            self.events.push_back(Event::Received {
                room: room.number,
                message: room.buffer,
                at,
            });
        }
        Ok(())
    }

    /// Writes once from a message; waits for room if it `blocks`. Returns the message if the rest has to wait.
    fn write(&mut self, mut outgoing: Outgoing, blocks: bool) -> Result<Option<Outgoing>, Fault> {
        let Outgoing {
            to,
            stream,
            message,
            written,
        } = &mut outgoing;
        let is_written = moved(message.pour(stream, written, blocks), blocks)
            .map_err(|lost| Awaited::Sent(*to).lost(&lost))?;
        if !is_written {
            return Ok(Some(outgoing));
        }
        self.events.push_back(Event::Sent(outgoing.message));
        Ok(None)
    }

    /// Waits until a connection is ready, and moves bytes on all that are. Returns whether any is in time. A single
    /// connection is not polled, because a call that waits is shorter than two.
    fn react(&mut self, awaited: Awaited, within: Option<Duration>) -> Result<bool, Fault> {
        let signals = match awaited {
            Awaited::Signal(peer) => Some((peer, self.peers.to(peer)?)),
            _ => None,
        };
        let coming: Vec<usize> = (0..self.incoming.len())
            .filter(|&index| !self.incoming[index].rooms.is_empty())
            .collect();
        let arriving = coming
            .iter()
            .map(|&index| PollFd::new(&*self.incoming[index].stream, PollFlags::IN));
        let leaving = self
            .outgoing
            .iter()
            .map(|outgoing| PollFd::new(&*outgoing.stream, PollFlags::OUT));
        let signal = signals
            .iter()
            .map(|(_, stream)| PollFd::new(&**stream, PollFlags::IN));
        let mut polled: Vec<PollFd<'_>> = arriving.chain(leaving).chain(signal).collect();
        let blocks = within.is_none() && polled.len() == 1;
        let within = within.unwrap_or(self.peers.limit);
        let any = blocks || message::ready(&mut polled, within).map_err(Fault::waiting)?;
        let mut ready = polled.iter().map(|fd| blocks || !fd.revents().is_empty());
        let arriving: Vec<usize> = coming
            .into_iter()
            .filter(|_| ready.next() == Some(true))
            .collect();
        let leaving: Vec<bool> = ready.by_ref().take(self.outgoing.len()).collect();
        let is_signalled = ready.next() == Some(true);
        for index in arriving {
            self.read(index, blocks)?;
        }
        for (outgoing, is_ready) in std::mem::take(&mut self.outgoing).into_iter().zip(leaving) {
            let left = match is_ready {
                true => self.write(outgoing, blocks)?,
                false => Some(outgoing),
            };
            self.outgoing.extend(left);
        }
        if let Some((_, stream)) = signals.filter(|_| is_signalled)
            && moved(message::acknowledged(&stream, blocks), blocks)
                .map_err(|lost| awaited.lost(&lost))?
        {
            self.events.push_back(Event::Signalled);
        }
        Ok(any)
    }
}

/// Whether a message or an acknowledgment has moved. Without a wait it need not be there.
fn moved(moved: Result<bool, Lost>, blocks: bool) -> Result<bool, Lost> {
    match moved {
        Err(Lost::Silent) if !blocks => Ok(false),
        moved => moved,
    }
}

fn next(orders: &Receiver<Result<Order, Fault>>) -> Result<Order, Fault> {
    orders
        .recv()
        .unwrap_or_else(|_| Err(Fault::own("the coordinator is gone".to_owned())))
}

impl Link for Tcp {
    fn rank(&self) -> u32 {
        self.peers.rank
    }

    fn connect(&mut self, to: &[u32], _call: Option<Call>) -> Result<(), Fault> {
        to.iter()
            .try_for_each(|&peer| self.peers.to(peer).map(drop))
    }

    fn barrier(&mut self, _ranks: &[u32], starts: bool) -> Result<bool, Fault> {
        self.coordinator.1(&Answer::Ready)?;
        match starts.then(|| self.order()).transpose()? {
            None | Some(Order::Go) => Ok(false),
            Some(order) => Err(unexpected(&order)),
        }
    }

    fn send(&mut self, to: u32, message: Message) -> Result<(), Fault> {
        let outgoing = Outgoing {
            to,
            stream: self.peers.to(to)?,
            message,
            written: 0,
        };
        let left = self.write(outgoing, false)?;
        self.outgoing.extend(left);
        Ok(())
    }

    fn receive(
        &mut self,
        from: u32,
        number: usize,
        buffer: Message,
        answers: bool,
    ) -> Result<(), Fault> {
        let known = self.incoming.iter().position(|known| known.from == from);
        let index = known.unwrap_or(self.incoming.len());
        if known.is_none() {
            self.incoming.push(Incoming {
                from,
                stream: self.peers.from(from)?,
                rooms: VecDeque::new(),
                filled: 0,
            });
        }
        self.incoming[index].rooms.push_back(Room {
            number,
            buffer,
            answers,
        });
        Ok(())
    }

    fn signal(&mut self, to: u32) -> Result<(), Fault> {
        message::answer(&*self.peers.from(to)?).map_err(|lost| Awaited::Signal(to).lost(&lost))
    }

    fn poll(&mut self, awaited: Awaited, within: Option<Duration>) -> Result<Option<Event>, Fault> {
        loop {
            let event = self.events.pop_front();
            if event.is_some() {
                return Ok(event);
            }
            let any = self.react(awaited, within)?;
            // Where there is a time, it may be over.
            if !any || within.is_some() {
                return Ok(self.events.pop_front());
            }
        }
    }

    fn call(&mut self, call: Call, _given: &[u8], _got: &mut [u8]) -> Result<(u64, u64), Fault> {
        let name = call.function.name();
        Err(Fault::own(format!(
            "{name} can be called over the transport `mpi` only"
        )))
    }
}
