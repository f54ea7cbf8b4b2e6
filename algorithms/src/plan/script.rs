//! What each rank does, in order.

use std::ops::Range;

use super::task::Task;
use super::words::{Deal, Words};

/// The only buffer of most algorithms, in which the result must be.
pub const RESULT: u8 = 0;

/// What a rank does with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Sends the words as it holds them.
    Send,
    /// Receives the words instead of what it holds.
    Receive,
    /// Receives the words and combines them with what it holds: message, then own.
    CombineBefore,
    /// Receives the words and combines them with what it holds: own, then message.
    CombineAfter,
    /// Combines the words of two of its buffers.
    Local {
        /// The buffer whose contributions come first.
        left: u8,
        /// The other one.
        right: u8,
    },
}

impl Act {
    /// Combines words of another rank with the own ones, in the order of the two ranks.
    pub(crate) fn combining(me: u32, from: u32) -> Self {
        if from < me {
            Self::CombineBefore
        } else {
            Self::CombineAfter
        }
    }
}

/// One message at one of its ends, or words that a rank combines without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub act: Act,
    /// The buffer from which it sends, into which it receives, or which gets what it combines.
    pub buffer: u8,
    /// The other rank; without a message that of the step before.
    pub peer: u32,
    /// The round; it tells messages of one sender and receiver apart.
    pub round: u32,
    /// Its words, [`Script::pieces`].
    pub(crate) words: PieceRange,
}

/// The indices of the ranges of words of a step among those of its script: the first and the end.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceRange(pub u32, u32);

/// What ranks do, one rank after the other, each in order.
///
/// A rank has as many buffers as its steps name. Each holds the rank's own words at the start; [`RESULT`] holds the
/// result at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    pub(crate) steps: Vec<Step>,
    /// Ranges of words.
    pieces: Vec<(u64, u64)>,
    /// Whether a step has one range, of as many words as its own ones.
    has_only_sizes: bool,
}

impl Script {
    /// One that keeps how many words steps have, not which.
    pub(crate) fn of_sizes() -> Self {
        Self {
            has_only_sizes: true,
            ..Self::default()
        }
    }

    pub(super) fn has_only_sizes(&self) -> bool {
        self.has_only_sizes
    }

    /// Forgets all steps.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.pieces.clear();
    }

    /// Sends these ranges of words, in one message.
    pub fn send(&mut self, to: u32, round: u32, words: impl IntoIterator<Item = Range<u64>>) {
        self.push(Act::Send, RESULT, to, round, words);
    }

    /// Receives them.
    pub fn receive(&mut self, from: u32, round: u32, words: impl IntoIterator<Item = Range<u64>>) {
        self.push(Act::Receive, RESULT, from, round, words);
    }

    /// Receives them and combines them with its own in the order of the two ranks, `me` and `from`.
    pub fn combine(
        &mut self,
        me: u32,
        from: u32,
        round: u32,
        words: impl IntoIterator<Item = Range<u64>>,
    ) {
        self.push(Act::combining(me, from), RESULT, from, round, words);
    }

    /// Combines the words of two buffers, in this order, into a buffer.
    pub fn local(
        &mut self,
        buffer: u8,
        (left, right): (u8, u8),
        words: impl IntoIterator<Item = Range<u64>>,
    ) {
        let (peer, round) = self
            .steps
            .last()
            .map_or((0, 0), |step| (step.peer, step.round));
        self.push(Act::Local { left, right }, buffer, peer, round, words);
    }

    /// Adds a step.
    pub fn push(
        &mut self,
        act: Act,
        buffer: u8,
        peer: u32,
        round: u32,
        words: impl IntoIterator<Item = Range<u64>>,
    ) {
        // More pieces than 32 bits can number are more operations than a program can have.
        let length = |pieces: &[(u64, u64)]| u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        let (first, before) = (length(&self.pieces), self.pieces.len());
        self.pieces.extend(
            words
                .into_iter()
                .filter(|range| !range.is_empty())
                .map(|range| (range.start, range.end)),
        );
        if self.has_only_sizes {
            let words = self.pieces.drain(before..).map(|(start, end)| end - start);
            let words: u64 = words.sum();
            self.pieces.extend((words > 0).then_some((0, words)));
        }
        let mut words = PieceRange(first, length(&self.pieces));
        // Most steps have the words of the one before; millions of copies would be read one after the other.
        if let Some(last) = self.steps.last()
            && self.pieces[before..] == *self.ranges(last.words)
        {
            words = last.words;
            self.pieces.truncate(before);
        }
        self.steps.push(Step {
            act,
            buffer,
            peer,
            round,
            words,
        });
    }

    /// Adds a step with the words of a message.
    pub(super) fn push_words(
        &mut self,
        act: Act,
        peer: u32,
        tag: u32,
        words: Words,
        task: &Task,
        deal: Deal,
    ) {
        match words.ranges(task, deal) {
            Ok(two) => self.push(act, RESULT, peer, tag, two),
            Err(several) => self.push(act, RESULT, peer, tag, several),
        }
    }

    /// Adds the steps of a rank backwards.
    pub(super) fn push_reversed(&mut self, forth: &Self, rank: u32, is_combined: bool) {
        for step in forth.steps.iter().rev() {
            let words = forth.pieces(step).iter().map(|&(start, end)| start..end);
            match step.act {
                Act::Send if is_combined => self.combine(rank, step.peer, step.round, words),
                Act::Send => self.receive(step.peer, step.round, words),
                _ => self.send(step.peer, step.round, words),
            }
        }
    }

    /// Adds a number to the tags of the steps from one on, and one to the switches among K ranks.
    pub(super) fn later(&mut self, begun: usize, tag: u32, (K, switches): (u64, u32)) {
        for step in self.steps.iter_mut().skip(begun) {
            step.round = step.round.saturating_add(tag);
            if u64::from(step.peer) >= K {
                step.peer += switches;
            }
        }
    }

    /// All steps, rank by rank.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many buffers a rank has.
    pub fn buffers(&self) -> usize {
        let last = |step: &Step| match step.act {
            Act::Local { left, right } => step.buffer.max(left).max(right),
            _ => step.buffer,
        };
        usize::from(self.steps.iter().map(last).max().unwrap_or(RESULT)) + 1
    }

    /// The ranges of words of a step.
    pub fn pieces(&self, step: &Step) -> &[(u64, u64)] {
        self.ranges(step.words)
    }

    /// Whether two steps have the same ranges of words.
    pub(crate) fn are_same(&self, one: PieceRange, other: PieceRange) -> bool {
        one == other || self.ranges(one) == self.ranges(other)
    }

    fn ranges(&self, PieceRange(first, end): PieceRange) -> &[(u64, u64)] {
        &self.pieces[first as usize..end as usize]
    }

    /// All ranges of words.
    pub fn all_pieces(&self) -> &[(u64, u64)] {
        &self.pieces
    }

    /// The words of the shortest and of the longest message sent; empty ones do not count.
    pub(crate) fn sizes(&self) -> Option<[u64; 2]> {
        let sent = self
            .steps
            .iter()
            .filter(|step| step.act == Act::Send)
            .map(|step| self.words(step));
        let sent: Vec<u64> = sent.filter(|&words| words > 0).collect();
        Some([*sent.iter().min()?, *sent.iter().max()?])
    }

    /// How many words a step has.
    pub fn words(&self, step: &Step) -> u64 {
        self.pieces(step)
            .iter()
            .map(|(start, end)| end - start)
            .sum()
    }
}
