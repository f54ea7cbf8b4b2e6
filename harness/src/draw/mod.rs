//! What an algorithm does, drawn: trees over time, paths on a mesh, timelines, steps and rounds.
//!
//! A drawing reads the events of an execution and what its stage says of them, and knows no problem.

use algorithms::execution::{Event, Stage, View, What};
use algorithms::problem::Unit;

use crate::chart::ChartError;
use crate::units::plural;
use deliveries::Deliveries;
use forest::Forest;
use paths::Paths;
use segments::Segments;
use steps::Steps;
use timelines::Timelines;
use tree::TimedTree;

mod deliveries;
mod forest;
mod paths;
mod segments;
mod spanning;
mod steps;
mod time_axis;
mod timelines;
mod tree;
mod worms;

/// Something that can be shown: as text by [`std::fmt::Display`], and as SVG.
pub trait Drawing: std::fmt::Display {
    /// What keeps a picture of it from being legible, with what would be, if anything does.
    fn too_large(&self) -> Option<String>;

    /// The picture.
    ///
    /// # Errors
    /// None that the drawing library does not have.
    fn to_svg(&self) -> Result<String, ChartError>;
}

/// What an algorithm did.
#[derive(Debug)]
pub struct Execution {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The size of a message and the machine, where times are those of a machine.
    pub carrier: Option<String>,
    /// Where it happened.
    pub stage: Stage,
    /// What happened.
    pub events: Vec<Event>,
}

/// A message of an execution.
#[derive(Debug, Default, Clone, Copy)]
struct Message {
    from: u32,
    to: u32,
    item: u32,
    /// When the send begins, when it ends, and when its port is free again.
    start: u64,
    sent: u64,
    free: u64,
    /// When its last receiver begins to receive it, and when that holds it.
    received: u64,
    held: u64,
}

impl Execution {
    fn title(&self) -> String {
        format!("{}: {}", self.algorithm, self.stage.hints.title)
    }

    /// What a node is called.
    fn noun(&self) -> &'static str {
        match self.stage.hints.noun {
            "" => "node",
            noun => noun,
        }
    }

    /// The number that users know a node by.
    fn label(&self, node: u32) -> u32 {
        self.stage.hints.labels.get(node as usize).copied().unwrap_or(node + self.stage.first)
    }

    /// When the last node is done.
    fn finish(&self) -> u64 {
        self.events.iter().filter(|event| !event.what.is_gap()).map(|event| event.end).max().unwrap_or(0)
    }

    /// All messages, by their numbers.
    fn messages(&self) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::new();
        for &Event { start, end, node, what, peer, transfer, item, .. } in &self.events {
            let place = transfer as usize;
            match what {
                What::Send => {
                    messages.resize(messages.len().max(place + 1), Message::default());
                    messages[place] =
                        Message { from: node, to: peer, item, start, sent: end, free: end, ..messages[place] };
                }
                What::SendGap => messages[place].free = end,
                What::Receive => (messages[place].received, messages[place].held) = (start, end),
                What::Compute | What::ReceiveGap | What::Cross => {}
            }
        }
        messages
    }
}

/// The drawing that the problem asks for, or a plainer one where the events do not have that form.
///
/// `whole` is an execution that uses all of the trees that messages take in turn, where `execution` does not; `row` is the
/// row of a mesh whose timetable is shown.
#[must_use]
pub fn drawing(execution: Execution, whole: Option<&Execution>, row: u32) -> Box<dyn Drawing> {
    match execution.stage.hints.view {
        View::Tree => match TimedTree::tree(&execution) {
            Some(tree) => Box::new(TimedTree::new(execution, tree)),
            None => Box::new(Timelines::new(execution)),
        },
        View::Timelines => Box::new(Timelines::new(execution)),
        View::Segments => Box::new(Segments::new(execution)),
        View::Forest(trees) => match Forest::trees(whole.unwrap_or(&execution), trees) {
            Some(trees) => Box::new(Forest::new(execution, trees)),
            None => Box::new(Deliveries::new(&execution)),
        },
        View::Rounds => Box::new(Deliveries::new(&execution)),
        View::Steps => Box::new(Steps::new(execution, row)),
        View::Paths => Box::new(Paths::new(execution)),
    }
}

/// What to add to a subtitle with times.
fn in_unit(unit: Unit) -> &'static str {
    if unit == Unit::Nanoseconds { ", all in ns" } else { "" }
}

/// Says that so many nodes are too many for a picture, if they are.
fn too_many(noun: &str, nodes: u32, most: u32) -> Option<String> {
    (nodes > most)
        .then(|| format!("{} are too many to draw legibly; expected at most {most}", plural(nodes.into(), noun)))
}

/// Size of a picture in whole pixels.
fn pixels(width: f64, height: f64) -> (u32, u32) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in pixels")]
    let size = (width.ceil() as u32, height.ceil() as u32);
    size
}
