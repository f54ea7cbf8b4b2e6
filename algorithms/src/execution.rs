//! An execution as data: a stream of the same few events, whatever was executed.
//!
//! Callers that show, export or explain an execution read this stream and know no problem. A simulator emits it after it
//! has judged what it executed.

use crate::cost::Unit;
use crate::engine::program::{Operation, Program};
use crate::engine::{self, Machine};
use crate::error::Error;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// A node computes.
    Compute,
    /// A node sends a message.
    Send,
    /// A node receives a message.
    Receive,
    /// A port sends no other message: from the start of a send to the end of the gap after it. Only where that is later
    /// than the end of the send.
    SendGap,
    /// A port receives no other message, likewise.
    ReceiveGap,
    /// A message crosses a link of a mesh, or holds it.
    Cross,
}

impl What {
    /// Whether it only keeps a port from what would come next.
    #[must_use]
    pub fn is_gap(self) -> bool {
        matches!(self, Self::SendGap | Self::ReceiveGap)
    }

    /// The word in CSV.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::SendGap => "send-gap",
            Self::ReceiveGap => "receive-gap",
            Self::Cross => "cross",
        }
    }
}

/// One event. Events of one [`transfer`](Event::transfer) belong to one message.
///
/// The order of the fields is the order in which events are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    /// When it begins, in the unit of the [`Stage`].
    pub start: u64,
    /// When it ends.
    pub end: u64,
    /// The node; of a link the node where it begins. Nodes count from 0, on a mesh row by row.
    pub node: u32,
    /// What happens.
    pub what: What,
    /// The port of the node, or its cpu for a computation, from 0; 0 for a link.
    pub port: u32,
    /// The other node of the message, or where the link ends; of a computation the node whose message it works on, else
    /// the node itself.
    pub peer: u32,
    /// The number of the message, from 0, those of one sender in the order in which it sends them; of a computation that
    /// of the event among its node's computations.
    pub transfer: u32,
    /// What the message carries, by its number: see [`Stage::item`].
    pub item: u32,
    /// What kind it is, as a place in [`Stage::classes`]; 0 where there are none.
    pub class: u8,
}

/// What [`Event::class`] tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// A shorter name; `{time}` and `{peer}` in it stand for the duration and the other node of an event.
    pub brief: &'static str,
    /// A letter for it.
    pub mark: char,
}

/// Where events happen, and what their numbers mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// How many nodes there are.
    pub nodes: u32,
    /// The number that users know node 0 by.
    pub first: u32,
    /// The node that has the message in the beginning, where there is one.
    pub source: Option<u32>,
    /// The nodes that the message is for, where it is for some only.
    pub destinations: Vec<u32>,
    /// Columns and rows, if the nodes form a mesh.
    pub mesh: Option<(u32, u32)>,
    /// What times are counted in.
    pub unit: Unit,
    /// What [`Event::item`] numbers: segments, messages, rounds. Empty where all messages carry the same.
    pub item: &'static str,
    /// How many items there are, where that is known beforehand.
    pub items: u32,
    /// What [`Event::class`] tells apart; empty where nothing is.
    pub classes: &'static [Class],
    /// How the problem wants to be drawn.
    pub hints: Hints,
}

impl Stage {
    /// Nodes without a mesh whose messages all carry the same, numbered from 0.
    #[must_use]
    pub fn of(nodes: u32, unit: Unit) -> Self {
        Self {
            nodes,
            first: 0,
            source: None,
            destinations: Vec::new(),
            mesh: None,
            unit,
            item: "",
            items: 0,
            classes: &[],
            hints: Hints::new(View::Timelines, "", ""),
        }
    }

    /// The same with these hints.
    #[must_use]
    pub fn drawn(self, hints: Hints) -> Self {
        Self { hints, ..self }
    }
}

/// A kind of drawing. Any execution can be drawn in several; its problem knows which one says most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// A tree over time: every node receives one message.
    Tree,
    /// For each node what it does when.
    Timelines,
    /// For each node which item it sends when, on any number of ports.
    Segments,
    /// For each round which node receives which item from which node.
    Rounds,
    /// The trees that items take in turn, so many: item i goes the way of item i mod so many.
    Forest(u32),
    /// For each step what crosses the links of a mesh.
    Steps,
    /// The paths of messages over a mesh, and their times if they have some.
    Paths,
    /// How many messages cross each link of a mesh.
    Links,
    /// How many messages each node sends to each other.
    Matrix,
}

/// What a problem says of the drawing of its executions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hints {
    /// The kind of drawing.
    pub view: View,
    /// What is executed, without the name of the algorithm.
    pub title: String,
    /// On what, and what comes of it.
    pub subtitle: String,
    /// A line below the drawing.
    pub note: String,
    /// What a node is called.
    pub noun: &'static str,
    /// A number beside each node, and what it counts; none where it is empty.
    pub beside: (&'static str, Vec<u64>),
    /// The number that users know each node by, where it is not that of [`Stage::first`].
    pub labels: Vec<u32>,
}

impl Hints {
    /// A drawing with a title and a subtitle, of what are called nodes.
    #[must_use]
    pub fn new(view: View, title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        let (title, subtitle, note) = (title.into(), subtitle.into(), String::new());
        Self { view, title, subtitle, note, noun: "node", beside: ("", Vec::new()), labels: Vec::new() }
    }
}

/// Which instance is executed where a point stands for many: a multicast on a mesh with its source and destinations.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Which {
    /// The source; drawn where it is missing.
    pub source: Option<u32>,
    /// The destinations; drawn where there are none.
    pub destinations: Vec<u32>,
}

/// Executes a program by the engine, emits its events, and returns when it ends; `told` adds to the event of an operation
/// what the program does not know.
///
/// Events come in the order in which the engine decides them.
///
/// # Errors
/// Those of the engine.
pub fn of_program(
    machine: Machine,
    program: &Program,
    told: impl Fn(u32, Event) -> Event,
    emit: &mut dyn FnMut(Event),
) -> Result<u64, Error> {
    let mut owners = vec![0; program.operations()];
    for processor in 0..program.processors() {
        program.range(processor).for_each(|operation| owners[operation as usize] = processor);
    }
    // Of each message that was sent: its number in the order of sending, its bytes, its sender and its tag.
    let mut sent = vec![(0, 0, 0, 0); program.messages() as usize];
    let mut sends = 0;
    let mut computed = vec![0; program.processors() as usize];
    let mut broken = None;
    let completion = engine::observe_messages(machine, program, |operation, start, message| {
        let (node, (cpu, nic)) = (owners[operation as usize], program.place(operation));
        let event = Event {
            start,
            end: start,
            node,
            what: What::Compute,
            port: u32::from(nic),
            peer: node,
            transfer: 0,
            item: 0,
            class: 0,
        };
        let (event, bytes) = match program.operation(operation) {
            Operation::Compute { time } => {
                let number = &mut computed[node as usize];
                *number += 1;
                let (end, transfer) = (start.saturating_add(time), *number - 1);
                return emit(told(operation, Event { end, port: u32::from(cpu), transfer, ..event }));
            }
            Operation::Send { to, tag, bytes } => {
                let transfer = sends;
                sends += 1;
                sent[message as usize] = (transfer, bytes, node, tag);
                (Event { what: What::Send, peer: to, item: tag, transfer, ..event }, bytes)
            }
            Operation::Receive { .. } => {
                let (transfer, bytes, from, tag) = sent[message as usize];
                (Event { what: What::Receive, peer: from, item: tag, transfer, ..event }, bytes)
            }
        };
        let event = told(operation, event);
        match machine.at(bytes) {
            Ok(model) => {
                emit(Event { end: start.saturating_add(model.o()), ..event });
                if model.gap() > model.o() {
                    let what = if event.what == What::Send { What::SendGap } else { What::ReceiveGap };
                    emit(Event { end: start.saturating_add(model.gap()), what, ..event });
                }
            }
            Err(error) => broken = Some(error),
        }
    })?;
    broken.map_or(Ok(completion.finish), Err)
}
