//! A part of a rank with all its memory: buffers for the messages that it receives, and the messages that it makes.

use std::collections::{BTreeMap, HashMap};

use super::message::{Message, digest};
use super::task::length;
use super::wire::{Call, Part, Step};

/// A part with all its memory.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The number of ranks with a part.
    pub ranks: u32,
    /// The steps, with the index of the message that each moves.
    pub acts: Vec<(Step, usize)>,
    /// Buffers for the received messages, in the order of the steps; then the messages that the rank sends without
    /// receiving them first.
    pub messages: Vec<Message>,
    /// The number of these buffers.
    pub rooms: usize,
    /// The buffers of the messages from each rank, in the order of its sends.
    pub coming: BTreeMap<u32, Vec<usize>>,
}

impl Prepared {
    /// Allocates buffers for the messages of a part, and makes those that the rank sends without receiving them first. A
    /// function of the library has a message that this rank gives, and one that it gets.
    ///
    /// # Errors
    /// A message that does not fit in memory, in words.
    pub fn new(part: &Part, rank: u32) -> Result<Self, String> {
        let is_room = |step: &&Step| matches!(step, Step::Receive { .. } | Step::Call(_));
        let rooms = part.steps.iter().filter(is_room).count();
        let mut prepared = Self {
            ranks: part.ranks,
            rooms,
            ..Self::default()
        };
        let mut made = Vec::new();
        let mut known: HashMap<(u32, u64), usize> = HashMap::new();
        let mut coming: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
        for step in &part.steps {
            let index = match *step {
                Step::Compute { .. } => 0,
                Step::Call(Call {
                    function,
                    ranks: K,
                    root,
                    bytes,
                }) => {
                    let length = length(bytes)?;
                    let mut given = Message::blank(part.number, 0);
                    for block in function.gives(K, root, rank) {
                        given.append(&Message::make(part.number, block, length, part.seed));
                    }
                    let gets = function.gets(K, root, rank).len();
                    let mut got = Message::blank(part.number, gets * length);
                    // A broadcast is in place.
                    if function.is_broadcast() && rank == root {
                        got.clone_from(&given);
                    }
                    prepared.messages.push(got);
                    made.push(given);
                    prepared.messages.len() - 1
                }
                Step::Receive {
                    from,
                    nth,
                    tag,
                    bytes,
                    ..
                } => {
                    let room = prepared.messages.len();
                    prepared
                        .messages
                        .push(Message::blank(part.number, length(bytes)?));
                    known.insert((tag, bytes), room);
                    coming.entry(from).or_default().insert(nth, room);
                    room
                }
                Step::Send { tag, bytes, .. } => {
                    let next = rooms + made.len();
                    let index = *known.entry((tag, bytes)).or_insert(next);
                    if index == next {
                        made.push(Message::make(part.number, tag, length(bytes)?, part.seed));
                    }
                    index
                }
            };
            prepared.acts.push((*step, index));
        }
        prepared.messages.extend(made);
        prepared.coming = coming
            .into_iter()
            .map(|(from, rooms)| (from, rooms.into_values().collect()))
            .collect();
        Ok(prepared)
    }

    /// The operands of a function of the library, whose result is in this buffer.
    pub fn operands(&mut self, room: usize) -> (&[u8], &mut [u8]) {
        let (rooms, made) = self.messages.split_at_mut(self.rooms);
        let given = made.first().map_or(&[][..], Message::content);
        (given, rooms[room].content_mut())
    }

    /// SHA-256 of the bytes of all received messages, in the order of the steps.
    #[must_use]
    pub fn digest(&self) -> String {
        digest(&self.messages[..self.rooms])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(steps: Vec<Step>) -> Prepared {
        let part = Part {
            number: 1,
            seed: 1,
            ranks: 4,
            steps,
        };
        Prepared::new(&part, 0).unwrap()
    }

    fn receive(from: u32, nth: u32, tag: u32) -> Step {
        Step::Receive {
            from,
            nth,
            tag,
            bytes: 8,
            hold_ns: 0,
        }
    }

    /// Received bytes are passed on; others are made, once.
    #[test]
    fn a_relay_passes_on_what_it_received() {
        let send = |tag, bytes| Step::Send { to: 2, tag, bytes };
        let steps = vec![
            send(1, 8),
            receive(0, 0, 1),
            send(1, 8),
            send(1, 4),
            send(2, 8),
            send(2, 8),
        ];
        let prepared = prepared(steps);
        let is_send =
            |(step, index): &(Step, usize)| matches!(step, Step::Send { .. }).then_some(*index);
        let sent: Vec<usize> = prepared.acts.iter().filter_map(is_send).collect();
        assert_eq!((prepared.rooms, sent), (1, vec![1, 0, 2, 3, 3]));
    }

    /// Buffers are filled in the order of the sender's sends, not of the receives.
    #[test]
    fn messages_come_in_the_order_of_their_sender() {
        let steps = vec![receive(3, 1, 0), receive(1, 0, 0), receive(3, 0, 1)];
        let prepared = prepared(steps);
        assert_eq!(
            prepared.coming,
            BTreeMap::from([(1, vec![1]), (3, vec![2, 0])])
        );
    }
}
