//! A pipelined tree as a program of the engine.

use super::cut::{Cut, Lanes};
use crate::engine::Fault;
use crate::engine::builder::Builder;
use crate::engine::program::{MAX_OPERATIONS, Operation, Program, Until};
use crate::error::Error;
use crate::plan::{Family, Task, narrow};

/// The most ports of a node in a program: the engine has 256 cpus, and a node needs one per port and one per incoming lane.
pub const MAX_PORTS: u64 = 120;

/// What every node does: it receives each segment and sends it to its children in order, segment by segment, each lane on its own
/// ports. The number of a segment is its tag.
///
/// A port is a cpu and a nic of the engine, and so is the receiver of a lane. After a receive the engine keeps a nic busy for the
/// message's gap. A shorter last segment arrives earlier than that after the one before it, so it has its own receiver.
///
/// # Errors
/// [`Error::Parameter`] for more nodes than a program has, and a [`Fault`] where it is too large.
pub(crate) fn from_tree(task: &Task, family: impl Fn(u64) -> Family) -> Result<Program, Error> {
    let cut = Cut::of(task);
    let degree = (0..task.K)
        .map(|node| family(node).children.len() as u64)
        .max()
        .unwrap_or(0);
    let Lanes { lanes, ports } = Lanes::new(task.k, degree);
    let lanes = lanes.min(cut.segments);
    let mut writer = Writer::new(task)?;
    for node in 0..task.K {
        writer.begin(node)?;
        let Family {
            parent, children, ..
        } = family(node);
        let mut held = Vec::new();
        if let Some(parent) = parent {
            for segment in 0..cut.segments {
                let bytes = cut.size(segment);
                let lane = if bytes < cut.words {
                    lanes
                } else {
                    segment % lanes
                };
                held.push(writer.receive(parent, (segment, bytes), lanes * ports + lane)?);
            }
        }
        for segment in 0..cut.segments {
            let receive = usize::try_from(segment)
                .ok()
                .and_then(|segment| held.get(segment).copied());
            for (child, &(to, _)) in (0..).zip(&children) {
                let port = segment % lanes * ports + child % ports;
                writer.send(to, (segment, cut.size(segment)), port, receive)?;
            }
        }
    }
    Ok(writer.finish()?)
}

/// Writes what the nodes do, one after the other.
pub(super) struct Writer {
    builder: Builder,
    /// The last send over each port of the current node.
    last: [Option<u32>; 256],
}

impl Writer {
    pub fn new(task: &Task) -> Result<Self, Error> {
        let nodes = super::narrow("K", task.K)?;
        Ok(Self {
            builder: Builder::new(nodes)?.on(task.machine.levels()),
            last: [None; 256],
        })
    }

    pub fn begin(&mut self, node: u64) -> Result<(), Fault> {
        self.last = [None; 256];
        self.builder.begin(narrow(node))
    }

    /// Receives a message, which begins with this segment, on a unit. Returns the operation.
    pub fn receive(
        &mut self,
        from: u64,
        (segment, bytes): (u64, u64),
        on: u64,
    ) -> Result<u32, Fault> {
        self.builder.push_on(
            Operation::Receive {
                from: narrow(from),
                tag: tag(segment)?,
                bytes,
            },
            unit(on)?,
        )
    }

    /// Sends a message, which begins with this segment, over a port, after these receives and after what the port sent before.
    pub fn send(
        &mut self,
        to: u64,
        (segment, bytes): (u64, u64),
        port: u64,
        held: impl IntoIterator<Item = u32>,
    ) -> Result<(), Fault> {
        let port = unit(port)?;
        let send = self.builder.push_on(
            Operation::Send {
                to: narrow(to),
                tag: tag(segment)?,
                bytes,
            },
            port,
        )?;
        for earlier in held
            .into_iter()
            .chain(self.last[port.0 as usize].replace(send))
        {
            self.builder.depend(send, earlier, Until::Done)?;
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Program, Fault> {
        self.builder.by_dependencies()
    }
}

/// A cpu and its nic.
fn unit(number: u64) -> Result<(u32, u32), Fault> {
    let number = u8::try_from(number).map_err(|_| Fault::TooLarge {
        what: "ports of a node",
        most: MAX_PORTS,
    })?;
    Ok((number.into(), number.into()))
}

/// The tag of a segment.
fn tag(segment: u64) -> Result<u32, Fault> {
    u32::try_from(segment).map_err(|_| Fault::TooLarge {
        what: "operations",
        most: MAX_OPERATIONS.into(),
    })
}
