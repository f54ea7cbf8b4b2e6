//! Words that pass a switch, which combines what it receives and copies what it sends.
//!
//! A switch is a participant without words of its own, numbered behind the ranks. Nothing that it does takes time, and a message to it
//! takes as long as one to a rank: so words that a rank sends to all others take `o + L + o` with one send, and words of all ranks
//! that one of them gets combined take as much with one receive.

use std::ops::Range;

use super::RankWriter;
use super::script::{Act, RESULT, Script};
use super::task::{Task, narrow};
use crate::wide::Wide;

/// Who sends to the switch, or receives from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Every rank.
    All,
    /// One rank.
    Only(u64),
    /// Every rank but one.
    AllBut(u64),
}

impl Ends {
    fn count(self, task: &Task) -> u64 {
        match self {
            Self::All => task.K,
            Self::Only(_) => 1,
            Self::AllBut(_) => task.K - 1,
        }
    }

    fn has(self, rank: u64) -> bool {
        match self {
            Self::All => true,
            Self::Only(one) => rank == one,
            Self::AllBut(one) => rank != one,
        }
    }

    fn ranks(self, task: &Task) -> impl Iterator<Item = u32> {
        (0..task.K).filter(move |&rank| self.has(rank)).map(narrow)
    }
}

/// The switch combines these words of its senders and sends them to its receivers.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Whose words.
    pub from: Ends,
    /// Who gets them.
    pub to: Ends,
    /// Which words.
    pub words: Range<u64>,
}

/// Passages side by side: a rank sends for all of them in their order, then it receives.
pub struct Stage<'a> {
    /// How many passages; each has as many ends as the first.
    pub passages: u64,
    /// What each one is, by its number.
    pub passage: Box<dyn Fn(u64) -> Passage + 'a>,
}

impl<'a> Stage<'a> {
    /// So many passages.
    pub fn new(passages: u64, passage: impl Fn(u64) -> Passage + 'a) -> Self {
        Self {
            passages,
            passage: Box::new(passage),
        }
    }

    /// How many messages go to the switch, and from it.
    pub(super) fn messages(&self, task: &Task) -> Wide {
        if task.K == 1 {
            return Wide::ZERO;
        }
        let Passage { from, to, .. } = (self.passage)(0);
        Wide::from(self.passages) * (Wide::from(from.count(task)) + Wide::from(to.count(task)))
    }

    fn all(&self) -> impl Iterator<Item = (u32, Passage)> {
        (0..self.passages).map(|number| (narrow(number), (self.passage)(number)))
    }

    /// What a rank does, or the switch, which has the number K.
    fn write(&self, task: &Task, rank: u64, tag: u32, script: &mut Script) {
        let switch = narrow(task.K);
        let tagged = || {
            self.all()
                .map(move |(number, passage)| (tag + number, passage))
        };
        if rank == task.K {
            for (tag, Passage { from, to, words }) in tagged() {
                for (index, sender) in from.ranks(task).enumerate() {
                    let act = if index == 0 {
                        Act::Receive
                    } else {
                        Act::CombineAfter
                    };
                    script.push(act, RESULT, sender, tag, [words.clone()]);
                }
                to.ranks(task)
                    .for_each(|receiver| script.send(receiver, tag, [words.clone()]));
            }
            return;
        }
        for (tag, passage) in tagged().filter(|(_, passage)| passage.from.has(rank)) {
            script.send(switch, tag, [passage.words]);
        }
        for (tag, passage) in tagged().filter(|(_, passage)| passage.to.has(rank)) {
            script.receive(switch, tag, [passage.words]);
        }
    }
}

/// All tags of the messages of stages are below this.
pub(super) fn tags(stages: &[Stage]) -> u32 {
    let passages = stages.iter().map(|stage| narrow(stage.passages));
    passages.fold(0, u32::saturating_add)
}

/// Writes what a rank does in stages, or the switch.
pub(super) fn writer<'w>(stages: &'w [Stage], task: &Task) -> RankWriter<'w> {
    let task = *task;
    Box::new(move |rank, script| {
        let mut tag = 0;
        for stage in stages {
            stage.write(&task, rank.into(), tag, script);
            tag += narrow(stage.passages);
        }
    })
}
