//! A part of a rank with all its memory: buffers for the messages that it receives, and the messages that it makes.

use std::collections::{BTreeMap, HashMap};

use super::link::{Message, digest};
use super::task::length;
use super::wire::{Part, Step};

/// A step with its messages.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Sends a message.
    Send {
        /// The receiver.
        to: u32,
        /// The content.
        content: Content,
    },
    /// Receives a message.
    Receive {
        /// The sender.
        from: u32,
        /// Index of its buffer.
        room: usize,
        /// Relay delay before it counts as received, ns.
        hold_ns: u64,
    },
    /// Computes.
    Compute {
        /// Duration.
        ns: u64,
    },
}

/// The source of the bytes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Received, in the buffer with this index.
    Received(usize),
    /// Made by this rank, with this index.
    Made(usize),
}

/// A part with all its memory.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The number of the execution in the run.
    pub number: u64,
    /// The steps.
    pub acts: Vec<Act>,
    /// Buffers for the received messages, in the order of the steps.
    pub rooms: Vec<Message>,
    /// Messages that the rank sends without receiving them first.
    pub made: Vec<Message>,
    /// The buffers of the messages from each rank, in the order of its sends.
    pub coming: BTreeMap<u32, Vec<usize>>,
}

impl Prepared {
    /// Allocates buffers for the messages of a part, and makes those that the rank sends without receiving them first.
    ///
    /// # Errors
    /// A message that does not fit in memory, in words.
    pub fn new(part: &Part) -> Result<Self, String> {
        let mut prepared = Self { number: part.number, ..Self::default() };
        let mut contents: HashMap<(u32, u64), Content> = HashMap::new();
        let mut coming: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
        for step in &part.steps {
            prepared.acts.push(match *step {
                Step::Compute { ns } => Act::Compute { ns },
                Step::Receive { from, nth, tag, bytes, hold_ns } => {
                    let room = prepared.rooms.len();
                    prepared.rooms.push(Message::blank(part.number, length(bytes)?));
                    contents.insert((tag, bytes), Content::Received(room));
                    coming.entry(from).or_default().insert(nth, room);
                    Act::Receive { from, room, hold_ns }
                }
                Step::Send { to, tag, bytes } => {
                    let content = match contents.get(&(tag, bytes)) {
                        Some(content) => *content,
                        None => {
                            prepared.made.push(Message::make(part.number, tag, length(bytes)?, part.seed));
                            Content::Made(prepared.made.len() - 1)
                        }
                    };
                    contents.insert((tag, bytes), content);
                    Act::Send { to, content }
                }
            });
        }
        prepared.coming = coming.into_iter().map(|(from, rooms)| (from, rooms.into_values().collect())).collect();
        Ok(prepared)
    }

    /// SHA-256 of the bytes of all received messages, in the order of the steps.
    #[must_use]
    pub fn digest(&self) -> String {
        digest(&self.rooms)
    }

    /// A message to send, with its header.
    #[must_use]
    pub fn whole(&self, content: Content) -> &[u8] {
        match content {
            Content::Received(room) => self.rooms[room].whole(),
            Content::Made(index) => self.made[index].whole(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive(from: u32, nth: u32, tag: u32) -> Step {
        Step::Receive { from, nth, tag, bytes: 8, hold_ns: 0 }
    }

    /// Received bytes are passed on; others are made, once.
    #[test]
    fn a_relay_passes_on_what_it_received() {
        let send = |tag, bytes| Step::Send { to: 2, tag, bytes };
        let steps = vec![send(1, 8), receive(0, 0, 1), send(1, 8), send(1, 4), send(2, 8), send(2, 8)];
        let prepared = Prepared::new(&Part { number: 1, seed: 1, steps }).unwrap();
        let contents: Vec<Content> = prepared
            .acts
            .iter()
            .filter_map(|act| match act {
                Act::Send { content, .. } => Some(*content),
                _ => None,
            })
            .collect();
        let made = [0, 1, 2].map(Content::Made);
        assert_eq!(contents, [made[0], Content::Received(0), made[1], made[2], made[2]]);
    }

    /// Buffers are filled in the order of the sender's sends, not of the receives.
    #[test]
    fn messages_come_in_the_order_of_their_sender() {
        let steps = vec![receive(3, 1, 0), receive(1, 0, 0), receive(3, 0, 1)];
        let prepared = Prepared::new(&Part { number: 1, seed: 1, steps }).unwrap();
        assert_eq!(prepared.coming, BTreeMap::from([(1, vec![1]), (3, vec![2, 0])]));
    }
}
