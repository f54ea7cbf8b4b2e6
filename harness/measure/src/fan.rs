//! The side of rank 0 in a fan-out or an incast over TCP: messages to or from several ranks at once, by one thread, as a
//! library sends to the children of a tree.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};

use super::clock;
use super::fault::Fault;
use super::link::{self, Lost, Message};
use super::peers::Peers;
use super::task::length;
use super::wire::{Kind, Probe, Probed};

/// Connections and messages of an experiment, made before it is timed.
pub struct Fan {
    sends: bool,
    streams: Vec<Arc<TcpStream>>,
    /// One for each connection: sent, or received into.
    messages: Vec<Message>,
    limit: Duration,
}

/// Connects to the ranks beside rank 0, or waits for their connections.
///
/// # Errors
/// A rank that cannot be reached or does not connect.
pub fn prepare(probe: &Probe, peers: &mut Peers) -> Result<Fan, Fault> {
    let bytes = length(probe.bytes).map_err(Fault::own)?;
    let sends = probe.kind == Kind::Row;
    let connect = |rank| {
        if sends {
            peers.to(rank)
        } else {
            peers.from(rank)
        }
    };
    let streams = (1..=probe.others)
        .map(connect)
        .collect::<Result<Vec<_>, _>>()?;
    let message = match sends {
        true => Message::make(probe.number, 0, bytes, 0),
        false => Message::blank(probe.number, bytes),
    };
    Ok(Fan {
        sends,
        messages: vec![message; streams.len()],
        streams,
        limit: peers.limit(),
    })
}

impl Fan {
    /// Sends all messages and waits for their acknowledgments, or asks for all of them with a byte each and receives them.
    ///
    /// # Errors
    /// What happened to a message, and the rank at its other end.
    pub fn run(mut self) -> Result<Probed, Fault> {
        let begin = clock::now();
        if !self.sends {
            self.each("incast from", link::answer)?;
        }
        self.together()?;
        if self.sends {
            self.each("fan-out to", link::await_answer)?;
        }
        Ok(Probed {
            whole_ns: clock::now() - begin,
            calls_ns: 0,
        })
    }

    fn each(&self, doing: &str, act: impl Fn(&TcpStream) -> Result<(), Lost>) -> Result<(), Fault> {
        let mut each = (1..).zip(&self.streams);
        each.try_for_each(|(rank, stream)| {
            act(stream).map_err(|lost| Fault::between(doing, rank, &lost))
        })
    }

    /// Moves bytes on whichever connections are ready, until all messages have moved.
    fn together(&mut self) -> Result<(), Fault> {
        let (doing, flag) = if self.sends {
            ("fan-out to", PollFlags::OUT)
        } else {
            ("incast from", PollFlags::IN)
        };
        self.block(false)?;
        let mut moved = vec![0; self.streams.len()];
        let mut open: Vec<usize> = (0..self.streams.len()).collect();
        while let Some(&first) = open.first() {
            let mut polled: Vec<PollFd<'_>> = open
                .iter()
                .map(|&index| PollFd::new(&*self.streams[index], flag))
                .collect();
            let lost = |index: usize, lost: &Lost| {
                Fault::between(doing, u32::try_from(index + 1).unwrap_or(0), lost)
            };
            if !link::ready(&mut polled, self.limit).map_err(Fault::waiting)? {
                return Err(lost(first, &Lost::Silent));
            }
            let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
            let mut left = Vec::new();
            for (&index, is_ready) in open.iter().zip(ready) {
                if !is_ready
                    || !self
                        .step(index, &mut moved[index])
                        .map_err(|error| lost(index, &error))?
                {
                    left.push(index);
                }
            }
            open = left;
        }
        self.block(true)
    }

    /// Writes or reads once; whether the message is complete.
    fn step(&mut self, index: usize, moved: &mut usize) -> Result<bool, Lost> {
        let (stream, message) = (&*self.streams[index], &mut self.messages[index]);
        if self.sends {
            return message.pour(stream, moved);
        }
        match message.fill(stream, moved) {
            Err(Lost::Silent) => Ok(false),
            other => other,
        }
    }

    fn block(&self, blocks: bool) -> Result<(), Fault> {
        let set = |stream: &Arc<TcpStream>| stream.set_nonblocking(!blocks);
        let done = self.streams.iter().try_for_each(set);
        done.map_err(|error| Fault::own(format!("cannot set up a connection: {error}")))
    }
}
