//! A schedule of messages between ranks, whatever format it came from.
//!
//! A rank has *blocks*, which run at once; the steps of a block run one after another. A *step* takes a message from a channel, reads
//! chunks, adds them up, writes the sum and sends it; every operation of every format is some of these. A *channel* is a FIFO: its
//! k-th send meets its k-th receive.

use std::collections::HashMap;

use algorithms::internals::engine::Program;

use super::memory::{Memory, Span, number};
use super::task::{Collective, Task};

/// Where a step is in its file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The rank.
    pub rank: u32,
    /// The block of the rank.
    pub block: u32,
    /// The step of the block.
    pub step: u32,
    /// The line of the file; 0 where it has none.
    pub line: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "rank {}, block {}, step {}",
            self.rank, self.block, self.step
        )
    }
}

/// Steps that run one after another.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    /// Its rank.
    pub rank: u32,
    /// Its number in the file.
    pub id: u32,
    /// Its first step and the one after its last.
    pub steps: (u32, u32),
}

/// What a block does at once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Step {
    /// Its block, known when it is added.
    pub block: u32,
    /// Its number in the file.
    pub number: u32,
    /// Its line in the file; 0 where it has none.
    pub line: u32,
    /// The channel that it takes a message from.
    pub receive: Option<u32>,
    /// The channel that it sends its value on.
    pub send: Option<u32>,
    /// How many chunks it sends, receives and writes; a message of 0 is a signal.
    pub count: u32,
    /// Whether its message is the last part of a sum.
    pub is_last: bool,
    /// How many bytes its message has, where the file says it.
    pub bytes: u64,
    /// How long it computes, in nanoseconds.
    pub time: u64,
    /// Its first span; the spans it reads come before those it writes.
    pub(super) spans: (u32, u32, u32),
    /// The steps that end before it begins.
    pub(super) waits: (u32, u32),
}

impl Step {
    /// The step, which sends on a channel or takes a message from it.
    pub fn on(self, channel: u32, sends: bool) -> Self {
        if sends {
            Self {
                send: Some(channel),
                ..self
            }
        } else {
            Self {
                receive: Some(channel),
                ..self
            }
        }
    }

    /// The channels that it uses, with 0 where it sends and 1 where it receives.
    pub fn channels(&self) -> impl Iterator<Item = (usize, u32)> {
        [self.send, self.receive]
            .into_iter()
            .enumerate()
            .filter_map(|(side, channel)| Some((side, channel?)))
    }
}

/// A FIFO from one rank to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// Its number between these two.
    pub number: u32,
}

impl Channel {
    /// The channel on which a rank sends to another one, or receives from it.
    pub fn new(rank: u32, peer: u32, sends: bool, number: u32) -> Self {
        let [from, to] = if sends { [rank, peer] } else { [peer, rank] };
        Self { from, to, number }
    }
}

/// A schedule.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// How many ranks there are.
    pub ranks: u32,
    /// Blocks, by rank.
    pub blocks: Vec<Block>,
    /// The steps of all blocks.
    pub steps: Vec<Step>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Its buffers.
    pub memory: Memory,
    /// What must come out; none where the file does not say which chunks its messages carry.
    pub task: Option<Task>,
    /// The collective that is judged without chunks, and the pairs of steps whose order it needs: no last step of a rank is before the
    /// first one of another.
    pub judged: Option<&'static Collective>,
    /// See [`judged`](Self::judged).
    pub needed: Vec<[u32; 2]>,
    /// The program, where the file has one; otherwise it is made of the steps.
    pub program: Option<Program>,
    /// Whether its messages do not tell the cost: those of one-sided accesses, and of a call of a library.
    pub has_no_cost: bool,
    /// Why the result is not judged, where it is not.
    pub not_judged: Option<String>,
    /// What is not judged beside the result, and what limits of runtimes the schedule breaks.
    pub notes: Vec<String>,
    spans: Vec<Span>,
    waits: Vec<u32>,
    numbers: HashMap<Channel, u32>,
}

impl Schedule {
    /// The collective whose result is judged.
    pub fn collective(&self) -> Option<&'static Collective> {
        self.task
            .as_ref()
            .map(|task| task.collective)
            .or(self.judged)
    }

    /// Whether it says which chunks its steps use, which can race.
    pub fn has_accesses(&self) -> bool {
        !self.spans.is_empty()
    }

    /// A schedule of this many ranks, without steps, from a file of this length.
    pub fn new(ranks: u32, bytes: usize) -> Self {
        Self {
            ranks,
            memory: Memory::of_file(bytes),
            ..Self::default()
        }
    }

    /// The number of the channel on which a rank sends to another one, or receives from it; given when it is first named.
    pub fn channel(&mut self, rank: u32, peer: u32, sends: bool, number_of_pair: u32) -> u32 {
        let channel = Channel::new(rank, peer, sends, number_of_pair);
        let channels = &mut self.channels;
        *self.numbers.entry(channel).or_insert_with(|| {
            channels.push(channel);
            number(channels.len() - 1)
        })
    }

    /// Begins a block.
    pub fn block(&mut self, rank: u32, id: u32) {
        let next = number(self.steps.len());
        self.blocks.push(Block {
            rank,
            id,
            steps: (next, next),
        });
    }

    /// Adds a step to the block that was begun last: what it reads, `count` chunks for each part of a sum, of which the first is added
    /// first, after the message; what it writes; the steps that end before it begins. Returns its number in the schedule.
    pub fn push(&mut self, step: Step, [reads, writes]: [&[Span]; 2], waits: &[u32]) -> u32 {
        let at = number(self.steps.len());
        let spans = (
            number(self.spans.len()),
            number(reads.len()),
            number(writes.len()),
        );
        self.spans.extend(reads.iter().chain(writes));
        let block = number(self.blocks.len()).saturating_sub(1);
        let first = number(self.waits.len());
        self.waits.extend(waits);
        self.steps.push(Step {
            block,
            spans,
            waits: (first, number(self.waits.len())),
            ..step
        });
        if let Some(block) = self.blocks.last_mut() {
            block.steps.1 = at + 1;
        }
        at
    }

    /// What a step reads.
    pub fn reads(&self, step: &Step) -> &[Span] {
        let (first, reads, _) = step.spans;
        &self.spans[first as usize..][..reads as usize]
    }

    /// How many times a step adds chunks to others.
    pub fn additions(&self, step: &Step) -> u64 {
        let read: u64 = self
            .reads(step)
            .iter()
            .map(|span| u64::from(span.count))
            .sum();
        let parts = read / u64::from(step.count.max(1)) + u64::from(step.receive.is_some());
        parts.saturating_sub(1)
    }

    /// What a step writes.
    pub fn writes(&self, step: &Step) -> &[Span] {
        let (first, reads, writes) = step.spans;
        &self.spans[first as usize + reads as usize..][..writes as usize]
    }

    /// The steps that end before it begins.
    pub fn waits(&self, step: &Step) -> &[u32] {
        &self.waits[step.waits.0 as usize..step.waits.1 as usize]
    }

    /// Where a step is in its file.
    pub fn location(&self, step: u32) -> Location {
        let step = &self.steps[step as usize];
        let block = &self.blocks[step.block as usize];
        Location {
            rank: block.rank,
            block: block.id,
            step: step.number,
            line: step.line,
        }
    }
}
