//! An execution as data: a stream of events that is the same for all problems.
//!
//! A simulator emits it after it has checked the execution. Callers that draw or export executions read it.

use crate::cost::Unit;
use crate::engine::program::{Operation, Program};
use crate::engine::{self, Begun, Machine};
use crate::error::Error;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum What {
    /// A node computes.
    #[default]
    Compute,
    /// A node sends a message.
    Send,
    /// A node receives a message.
    Receive,
    /// A port sends no other message: from the start of a send to the end of the gap after it. Only where that is later
    /// than the end of the send.
    SendGap,
    /// A port receives no other message: for the gap before the start of a receive.
    ReceiveGap,
    /// A message crosses a link of a mesh, or holds it.
    Cross,
}

impl What {
    /// Whether it is a gap, in which a port is blocked.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Event {
    /// When it begins, in the unit of the [`Stage`].
    pub start: u64,
    /// When it ends.
    pub end: u64,
    /// The node, or the node where a link begins. Nodes count from 0, on a mesh row by row.
    pub node: u32,
    /// What happens.
    pub what: What,
    /// The port of the node, or its cpu for a computation, from 0; 0 for a link.
    pub port: u32,
    /// The other node of the message, or where the link ends. For a computation: the node whose message it processes, else
    /// the node itself.
    pub peer: u32,
    /// The number of the message, from 0, or of the computation on its node. Messages of one sender count in sending order.
    pub transfer: u32,
    /// The number of what the message carries: see [`Stage::item`].
    pub item: u32,
    /// Its kind, an index into [`Stage::classes`]; 0 without classes.
    pub class: u8,
    /// The size of the message, in the unit of the machine: bytes or words; 0 where all messages have one size.
    pub size: u64,
}

/// A kind of events: see [`Event::class`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// A shorter name; `{time}` and `{peer}` in it stand for the duration and the other node of an event.
    pub brief: &'static str,
    /// Its letter.
    pub mark: char,
}

/// Where events happen, and what their numbers mean.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stage {
    /// How many nodes there are.
    pub nodes: u32,
    /// The number that users give node 0.
    pub first: u32,
    /// The node that has the message at the start, where there is one.
    pub source: Option<u32>,
    /// The destinations of a multicast.
    pub destinations: Vec<u32>,
    /// Columns and rows, if the nodes form a mesh.
    pub mesh: Option<(u32, u32)>,
    /// The unit of times.
    pub unit: Unit,
    /// What [`Event::item`] numbers: segments, messages, rounds. Empty where all messages carry the same.
    pub item: &'static str,
    /// How many items there are, where known before the execution.
    pub items: u32,
    /// The kinds of events; empty where there is one kind.
    pub classes: &'static [Class],
    /// How to draw it.
    pub hints: Hints,
}

impl Stage {
    /// Nodes without a mesh whose messages all carry the same, numbered from 0.
    #[must_use]
    pub fn new(nodes: u32) -> Self {
        let hints = Hints::new(View::Timelines, "", "");
        Self {
            nodes,
            hints,
            ..Self::default()
        }
    }

    /// The stage drawn with these hints.
    #[must_use]
    pub fn drawn(self, hints: Hints) -> Self {
        Self { hints, ..self }
    }
}

/// A kind of drawing. Every execution can be drawn in several; its problem chooses a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// A tree over time: every node receives one message.
    Tree,
    /// What each node does, over time.
    #[default]
    Timelines,
    /// Which node sends how much to which node, over time; as a picture [`Timelines`](Self::Timelines).
    Messages,
    /// This number F of trees: item i follows tree i mod F.
    Forest(u32),
    /// What crosses the links of a mesh in each step.
    Steps,
    /// The paths of messages over a mesh, with their times where there are any.
    Paths,
    /// How many messages cross each link of a mesh.
    Links,
    /// How many messages each node sends to each other node.
    Matrix,
}

/// How a problem's executions are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hints {
    /// The kind of drawing.
    pub view: View,
    /// What is executed, without the name of the algorithm.
    pub title: String,
    /// The machine and the result.
    pub subtitle: String,
    /// A line below the drawing.
    pub note: String,
    /// The word for a node.
    pub noun: &'static str,
    /// What is counted beside each node, and the counts; empty for none.
    pub beside: (&'static str, Vec<u64>),
    /// The number that users give each node, where nodes do not count from [`Stage::first`].
    pub labels: Vec<u32>,
    /// The group of each node, such as the host of a rank; empty for none. Drawings put the nodes of a group together.
    pub groups: Vec<u64>,
    /// The word for a group.
    pub group: &'static str,
    /// Of each message, by its number, the ranges of words that it carries: first word and end; empty where that is not known.
    pub carried: Vec<Vec<(u64, u64)>>,
}

impl Hints {
    /// A drawing with a title and a subtitle.
    #[must_use]
    pub fn new(view: View, title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Self {
            view,
            title: title.into(),
            subtitle: subtitle.into(),
            noun: "node",
            ..Self::default()
        }
    }
}

/// The instance to execute where a point stands for many: source and destinations of a multicast on a mesh.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Which {
    /// The source; random where it is missing.
    pub source: Option<u32>,
    /// The destinations; random where there are none.
    pub destinations: Vec<u32>,
}

/// Receives the events of an execution, in order.
pub type Emit<'a> = &'a mut dyn FnMut(Event);

/// Executes a program with the engine, emits its events in the engine's order, and returns when it ends. `complete` adds to the
/// event of an operation what the program does not know.
///
/// # Errors
/// Errors of the engine.
pub fn of_program(
    machine: Machine,
    program: &Program,
    complete: &dyn Fn(u32, Event) -> Event,
    emit: Emit<'_>,
) -> Result<u64, Error> {
    // For each sent message: its number in sending order, its bytes, its sender, its tag and its operation.
    let mut sent = vec![(0, 0, 0, 0, 0); program.messages() as usize];
    let mut sends = 0;
    let mut computed = vec![0; program.processors() as usize];
    let mut broken = None;
    let completion = engine::observe_messages(
        machine,
        program,
        |Begun {
             processor: node,
             operation,
             start,
             message,
         }| {
            let (cpu, nic) = program.resources(operation);
            let event = Event {
                start,
                end: start,
                node,
                port: nic,
                peer: node,
                ..Event::default()
            };
            let (event, bytes) = match program.operation(operation) {
                Operation::Compute { time } => {
                    let number = &mut computed[node as usize];
                    *number += 1;
                    let (end, transfer) = (start.saturating_add(time), *number - 1);
                    return emit(complete(
                        operation,
                        Event {
                            end,
                            port: cpu,
                            transfer,
                            ..event
                        },
                    ));
                }
                Operation::Send { to, tag, bytes } => {
                    let transfer = sends;
                    sends += 1;
                    sent[message as usize] = (transfer, bytes, node, tag, operation);
                    (
                        Event {
                            what: What::Send,
                            peer: to,
                            item: tag,
                            transfer,
                            ..event
                        },
                        bytes,
                    )
                }
                Operation::Receive { .. } => {
                    let (transfer, bytes, from, tag, _) = sent[message as usize];
                    (
                        Event {
                            what: What::Receive,
                            peer: from,
                            item: tag,
                            transfer,
                            ..event
                        },
                        bytes,
                    )
                }
            };
            let event = complete(
                operation,
                Event {
                    size: bytes,
                    ..event
                },
            );
            match program.seen_by(operation, sent[message as usize].4, machine) {
                Ok(model) => {
                    emit(Event {
                        end: start.saturating_add(model.o()),
                        ..event
                    });
                    let gap = model.gap();
                    match event.what {
                        What::Send if gap > model.o() => {
                            emit(Event {
                                end: start.saturating_add(gap),
                                what: What::SendGap,
                                ..event
                            });
                        }
                        What::Receive if gap > model.o() => {
                            emit(Event {
                                start: start.saturating_sub(gap),
                                end: start,
                                what: What::ReceiveGap,
                                ..event
                            });
                        }
                        _ => {}
                    }
                }
                Err(error) => broken = Some(error),
            }
        },
    )?;
    broken.map_or(Ok(completion.finish), Err)
}
