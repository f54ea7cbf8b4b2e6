//! Matches messages and receives on a processor that has receives from any sender or with any tag.
//!
//! The rules are MPI's. A message is matched when its first byte arrives: `o + L` of a message of one byte after its send began,
//! so no message overtakes an earlier one of its sender. It goes to the first posted receive that fits; otherwise it waits. A
//! posted receive takes the first waiting message that fits. At one time messages come by sender, then in the order in which their
//! sends began. The receive begins when the whole message has arrived.
//!
//! So every receive, in the order of posting, takes the earliest fitting message that no earlier receive takes, and the time of
//! posting does not matter. Messages up to the horizon are therefore matched at once: no earlier one can still be sent.
//!
//! A match takes constant time: there are four queues of posted receives, by sender and tag, by either and by none.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use super::program::{ANY, Program};
use super::step::{Kind, NONE};
use super::times::NEVER;

/// A message before its first byte arrives, in the order of matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Coming {
    first_byte: u64,
    sender: u32,
    /// How many were sent before it.
    sent: u64,
    tag: u32,
    message: u32,
}

/// The receives of one sender and tag, each of which may be [`ANY`].
#[derive(Default)]
struct Queue {
    /// Receives that wait, with their index among all receives of the processor.
    posted: VecDeque<(u32, u32)>,
    /// The messages that fit them, except those that another receive took.
    messages: VecDeque<u32>,
}

/// The messages and receives of a processor.
#[derive(Default)]
struct Inbox {
    coming: BinaryHeap<Reverse<Coming>>,
    queues: HashMap<(u32, u32), Queue>,
    /// How many receives have been posted.
    posted: u32,
}

/// All processors with receives from any sender or with any tag.
pub(super) struct Inboxes<'a> {
    inboxes: Vec<Inbox>,
    /// The inbox of each processor, or [`NONE`]. Empty where there is no inbox.
    indices: Vec<u32>,
    /// Whether a receive has taken each message.
    taken: Vec<bool>,
    /// The time from the start of a send to the arrival of the first byte, by the index of the message's size.
    first_bytes: &'a [u64],
    sent: u64,
}

impl<'a> Inboxes<'a> {
    pub fn new(program: &Program, first_bytes: &'a [u64]) -> Self {
        let mut indices = vec![
            NONE;
            if program.wild.is_empty() {
                0
            } else {
                program.ranges.len()
            }
        ];
        let mut inboxes = Vec::new();
        for (index, &processor) in (0..).zip(&program.wild) {
            indices[processor as usize] = index;
            let receives = program
                .range(processor)
                .filter(|&operation| program.code(operation).0 == Kind::Receive);
            let names = receives.map(|receive| (program.peer(receive), program.tag(receive)));
            let queues = names.map(|name| (name, Queue::default())).collect();
            inboxes.push(Inbox {
                queues,
                ..Inbox::default()
            });
        }
        let taken = vec![
            false;
            if inboxes.is_empty() {
                0
            } else {
                program.messages() as usize
            }
        ];
        Self {
            inboxes,
            indices,
            taken,
            first_bytes,
            sent: 0,
        }
    }

    /// Whether no processor has an inbox.
    #[inline]
    pub fn are_none(&self) -> bool {
        self.indices.is_empty()
    }

    /// Whether a processor has an inbox.
    #[inline]
    pub fn has(&self, processor: u32) -> bool {
        self.indices
            .get(processor as usize)
            .is_some_and(|&index| index != NONE)
    }

    fn inbox(&mut self, processor: u32) -> Option<&mut Inbox> {
        let index = *self.indices.get(processor as usize)?;
        self.inboxes.get_mut(index as usize)
    }

    /// A message is sent to a processor. Returns when its first byte arrives, if the processor has an inbox.
    pub fn send(
        &mut self,
        to: u32,
        (sender, tag): (u32, u32),
        (message, size): (u32, u32),
        now: u64,
    ) -> Option<u64> {
        let delay = self.first_bytes.get(size as usize).copied().unwrap_or(0);
        let (sent, first_byte) = (self.sent, now.saturating_add(delay));
        let inbox = self.inbox(to)?;
        inbox.coming.push(Reverse(Coming {
            first_byte,
            sender,
            sent,
            tag,
            message,
        }));
        self.sent += 1;
        Some(first_byte)
    }

    /// When the next first byte arrives that was not [admitted](Inboxes::admit).
    pub fn next(&self, processor: u32) -> u64 {
        let inbox = self
            .indices
            .get(processor as usize)
            .and_then(|&index| self.inboxes.get(index as usize));
        inbox
            .and_then(|inbox| inbox.coming.peek())
            .map_or(NEVER, |Reverse(coming)| coming.first_byte)
    }

    /// Matches the next message whose first byte arrives before the horizon. Returns the message, and its receive if one is posted.
    pub fn admit(&mut self, processor: u32, horizon: u64) -> Option<(Option<u32>, u32)> {
        let inbox = self.inbox(processor)?;
        let Reverse(coming) = inbox
            .coming
            .peek()
            .copied()
            .filter(|Reverse(coming)| coming.first_byte < horizon)?;
        inbox.coming.pop();
        let Coming {
            sender,
            tag,
            message,
            ..
        } = coming;
        let names = [(sender, tag), (sender, ANY), (ANY, tag), (ANY, ANY)];
        let first = |name: &(u32, u32)| Some((inbox.queues.get(name)?.posted.front()?.0, *name));
        let receive = match names.iter().filter_map(first).min() {
            Some((_, name)) => inbox
                .queues
                .get_mut(&name)
                .and_then(|queue| queue.posted.pop_front()),
            None => {
                for name in names {
                    if let Some(queue) = inbox.queues.get_mut(&name) {
                        queue.messages.push_back(message);
                    }
                }
                None
            }
        };
        self.taken[message as usize] = receive.is_some();
        Some((receive.map(|(_, receive)| receive), message))
    }

    /// Posts a receive. Returns its message, if one was admitted.
    pub fn post(&mut self, program: &Program, processor: u32, receive: u32) -> Option<u32> {
        let index = *self.indices.get(processor as usize)?;
        let inbox = self.inboxes.get_mut(index as usize)?;
        let queue = inbox
            .queues
            .entry((program.peer(receive), program.tag(receive)))
            .or_default();
        while let Some(message) = queue.messages.pop_front() {
            if !std::mem::replace(&mut self.taken[message as usize], true) {
                return Some(message);
            }
        }
        queue.posted.push_back((inbox.posted, receive));
        inbox.posted += 1;
        None
    }

    /// The receives that wait.
    pub fn blocked(&self) -> impl Iterator<Item = u32> + '_ {
        let queues = self.inboxes.iter().flat_map(|inbox| inbox.queues.values());
        queues.flat_map(|queue| queue.posted.iter().map(|&(_, receive)| receive))
    }
}
