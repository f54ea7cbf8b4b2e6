//! Messages between a send that has begun and a receive that is ready.

use super::program::Program;
use super::step::{NONE, Step};
use super::times::LATEST;

/// The numbers of sends and receives of a channel, stored at its first message.
#[derive(Clone, Copy)]
struct Channel {
    sent: u32,
    ready: u32,
}

/// A message on its way.
#[derive(Clone, Copy)]
pub(super) struct Letter {
    number: u32,
    pub to: u32,
    size: u32,
    /// The receive that waits for it.
    pub receive: u32,
    pub arrival: u64,
}

/// The messages of an execution.
pub(super) struct Mail {
    /// For each message: 0 at first, [`LATEST`] plus the receive if that is ready first, and the arrival once it is sent. None
    /// arrives at 0, because a message takes `o + L >= 1`.
    slots: Vec<u64>,
    /// The index of the size of each sent message; empty where all have the same size.
    sizes: Vec<u32>,
    /// Empty where every message has its own channel.
    channels: Vec<Channel>,
    /// The message of each ready receive. Empty where the program determines it.
    taken: Vec<u32>,
    /// Messages that are on their way.
    sent: Vec<Letter>,
    /// How many of them are in the slots.
    posted: usize,
}

impl Mail {
    /// No message has been sent; `sizes` is the number of sizes.
    pub fn new(program: &Program, sizes: usize) -> Self {
        let messages = program.messages() as usize;
        let shared = !program.channels.is_empty() || !program.wild.is_empty();
        Self {
            slots: vec![0; messages],
            sizes: vec![0; if sizes > 1 { messages } else { 0 }],
            channels: vec![Channel { sent: 0, ready: 0 }; program.channels.len()],
            taken: vec![NONE; if shared { program.operations() } else { 0 }],
            sent: Vec::new(),
            posted: 0,
        }
    }

    /// A receive is ready. Returns when its message arrives, if it has been sent.
    #[inline]
    pub fn ready(&mut self, program: &Program, receive: u32) -> Option<u64> {
        let mut number = program.steps[receive as usize].message;
        if let Some(taken) = self.taken.get_mut(receive as usize) {
            if let Some(&base) = program.channels.get(number as usize) {
                let count = &mut self.channels[base as usize].ready;
                number = base + *count;
                *count += 1;
            }
            *taken = number;
        }
        let slot = &mut self.slots[number as usize];
        if *slot == 0 {
            *slot = LATEST + u64::from(receive);
            return None;
        }
        Some(*slot)
    }

    /// A receive takes this message, which has been sent. Returns when it arrives.
    pub fn take(&mut self, receive: u32, message: u32) -> u64 {
        self.taken[receive as usize] = message;
        self.slots[message as usize]
    }

    /// The message of a ready receive.
    #[inline]
    pub fn taken(&self, program: &Program, receive: u32) -> u32 {
        *self
            .taken
            .get(receive as usize)
            .unwrap_or(&program.steps[receive as usize].message)
    }

    /// Records a send whose message arrives at `arrival`. It takes effect at [`Mail::post`]. Returns the message's number.
    #[inline]
    pub fn send(&mut self, program: &Program, send: u32, size: u32, arrival: u64) -> u32 {
        let Step {
            peer: to,
            message: mut number,
            ..
        } = program.steps[send as usize];
        if let Some(&base) = program.channels.get(number as usize) {
            let count = &mut self.channels[base as usize].sent;
            number = base + *count;
            *count += 1;
        }
        self.sent.push(Letter {
            number,
            to,
            size,
            receive: NONE,
            arrival,
        });
        number
    }

    /// How many messages are on their way.
    #[inline]
    pub fn under_way(&self) -> usize {
        self.sent.len()
    }

    /// Stores the arrivals of the sent messages; only those for which a receive waits stay on their way.
    #[inline]
    pub fn post(&mut self) {
        if self.sent.len() == self.posted {
            return;
        }
        let sent = &mut self.sent[self.posted..];
        if !self.sizes.is_empty() {
            for letter in &*sent {
                self.sizes[letter.number as usize] = letter.size;
            }
        }
        // No branch depends on the values, so the cpu reads all of them in parallel.
        for letter in sent {
            let slot = std::mem::replace(&mut self.slots[letter.number as usize], letter.arrival);
            letter.receive = waiting(slot);
        }
        let mut kept = self.posted;
        for index in self.posted..self.sent.len() {
            if self.sent[index].receive != NONE {
                self.sent[kept] = self.sent[index];
                kept += 1;
            }
        }
        self.sent.truncate(kept);
        self.posted = kept;
    }

    /// The messages on their way, all posted.
    pub fn letters(&mut self) -> &[Letter] {
        self.post();
        &self.sent
    }

    /// All receives have the messages on their way.
    pub fn clear(&mut self) {
        self.sent.clear();
        self.posted = 0;
    }

    /// The memory that [`Mail::ready`] reads for a receive of this message.
    #[inline]
    pub fn peek(&self, message: u32) -> u64 {
        self.slots.get(message as usize).copied().unwrap_or(0)
    }

    /// The index of the size of a sent message.
    #[inline]
    pub fn size(&self, message: u32) -> u32 {
        if self.sizes.is_empty() {
            0
        } else {
            self.sizes[message as usize]
        }
    }

    /// The receives of messages that are not sent.
    pub fn blocked(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots
            .iter()
            .copied()
            .map(waiting)
            .filter(|&receive| receive != NONE)
    }
}

/// The receive that waits for a message, or [`NONE`].
#[inline]
fn waiting(slot: u64) -> u32 {
    // Operations are fewer than 2^30.
    slot.checked_sub(LATEST)
        .map_or(NONE, |receive| u32::try_from(receive).unwrap_or(NONE))
}
