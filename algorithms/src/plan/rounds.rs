//! Rounds: every rank sends a message, then receives one.
//!
//! Only sends are stated: the receiver of a message, and the time, follow from all sends of its round.

use std::iter;
use std::ops::Range;
use std::rc::Rc;

use super::script::{Act, RESULT, Script};
use super::task::{Task, narrow};
use super::words::{Deal, Words};
use crate::engine::Fault;
use crate::engine::program::MAX_OPERATIONS;
use crate::error::Error;
use crate::wide::Wide;

/// The tags of the messages of a phase, which tell messages of one sender and receiver apart.
#[derive(Debug, Clone, Copy)]
enum Tag {
    /// This tag for the first message, and the following tags for the others.
    From(u32),
    /// This tag for all messages.
    Only(u32),
    /// The number of the first block that is sent.
    Block,
}

/// Rounds with messages of one kind. Every number from 0 to K-1 has `each` messages, or fewer: in a round it sends some of
/// them, then it receives the messages with the same numbers that others sent.
pub struct Phase<'a> {
    /// How many messages a number sends, those included that some numbers have not.
    each: u64,
    /// How many of them in a round.
    in_round: u64,
    /// How many messages there are.
    messages: Wide,
    tag: Tag,
    /// Which messages are combined with what their receiver holds.
    combines: Box<dyn Fn(u64) -> bool + 'a>,
    is_from_root: bool,
    to: Stated<'a, Option<u64>>,
    words: Stated<'a, Words>,
    /// How many words a message carries, where ranges would have to be listed to know it.
    counts: Option<Stated<'a, u64>>,
    /// Rounds with the messages of those `period` rounds before, but for their words: whole periods.
    repeats: Vec<Range<u64>>,
    period: u64,
    /// Whether number 0 receives nothing.
    is_begun_by_one: bool,
}

/// Rounds of a phase: one, or whole periods that repeat.
pub(super) struct Stretch {
    pub rounds: Range<u64>,
    pub period: u64,
}

/// What a phase states of a message: by the number of its sender, and which of the messages of this sender it is, from 0 on.
type Stated<'a, T> = Box<dyn Fn(u64, u64) -> T + 'a>;

impl<'a> Phase<'a> {
    /// Every number sends `each` messages, one in each round: to which number, and which words.
    pub fn new(
        task: &Task,
        each: u64,
        to: impl Fn(u64, u64) -> u64 + 'a,
        words: impl Fn(u64, u64) -> Words + 'a,
    ) -> Self {
        let messages = Wide::from(task.K) * Wide::from(each);
        Self::some(
            messages,
            each,
            move |rank, message| Some(to(rank, message)),
            words,
        )
    }

    /// In each of `each` rounds a number sends a message to a number, or none; `messages` counts those of all.
    pub fn some(
        messages: impl Into<Wide>,
        each: u64,
        to: impl Fn(u64, u64) -> Option<u64> + 'a,
        words: impl Fn(u64, u64) -> Words + 'a,
    ) -> Self {
        Self {
            each,
            in_round: 1,
            messages: messages.into(),
            tag: Tag::From(0),
            combines: Box::new(|_| false),
            is_from_root: false,
            to: Box::new(to),
            words: Box::new(words),
            counts: None,
            repeats: Vec::new(),
            period: 1,
            is_begun_by_one: false,
        }
    }

    /// Messages of one of m segments of the vector each: to which number, and which segment. The first segments are one word longer.
    pub fn segments(
        task: &Task,
        messages: impl Into<Wide>,
        each: u64,
        sent: impl Fn(u64, u64) -> Option<(u64, u64)> + 'a,
    ) -> Self {
        let (task, sent) = (*task, Rc::new(sent));
        let [to, counted] = [Rc::clone(&sent), Rc::clone(&sent)];
        let to = move |number, message| to(number, message).map(|(to, _)| to);
        let words = move |number, message| {
            let segment = sent(number, message).map_or(0, |(_, segment)| segment);
            Words::Range(task.block(segment, task.m))
        };
        // Without the division that a range takes.
        let (short, longer) = (task.n / task.m, task.n % task.m);
        Self::some(messages, each, to, words).counted(move |number, message| {
            let is_longer = counted(number, message).is_some_and(|(_, segment)| segment < longer);
            short + u64::from(is_longer)
        })
    }

    /// How many words the messages carry, stated beside several ranges.
    pub fn counted(self, counts: impl Fn(u64, u64) -> u64 + 'a) -> Self {
        Self {
            counts: Some(Box::new(counts)),
            ..self
        }
    }

    /// In these rounds, whole periods in their order, a message is as long as the one `period` rounds before of the same number, and goes to
    /// the same one. A clock need not follow all of them.
    pub fn repeating(self, period: u64, repeats: impl IntoIterator<Item = Range<u64>>) -> Self {
        Self {
            repeats: repeats
                .into_iter()
                .filter(|rounds| !rounds.is_empty())
                .collect(),
            period,
            ..self
        }
    }

    /// Number 0 receives nothing.
    pub fn begun_by_one(self) -> Self {
        Self {
            is_begun_by_one: true,
            ..self
        }
    }

    /// Each number sends `in_round` messages in a round.
    pub fn in_round(self, in_round: u64) -> Self {
        Self { in_round, ..self }
    }

    /// Tags begin with this one.
    pub fn tags(self, first: u32) -> Self {
        Self {
            tag: Tag::From(first),
            ..self
        }
    }

    /// All messages have this tag.
    pub fn tag(self, tag: u32) -> Self {
        Self {
            tag: Tag::Only(tag),
            ..self
        }
    }

    /// The tag of a message is the number of its first block.
    pub fn tags_of_blocks(self) -> Self {
        Self {
            tag: Tag::Block,
            ..self
        }
    }

    /// Receivers combine what they receive with what they hold, in the order of ranks.
    pub fn combined(self) -> Self {
        self.combined_where(|_| true)
    }

    /// They combine these messages.
    pub fn combined_where(self, combines: impl Fn(u64) -> bool + 'a) -> Self {
        Self {
            combines: Box::new(combines),
            ..self
        }
    }

    /// Numbers count from the root, modulo K.
    pub fn numbered_from_root(self) -> Self {
        Self {
            is_from_root: true,
            ..self
        }
    }

    pub(super) fn messages(&self) -> Wide {
        self.messages
    }

    pub(super) fn is_begun_by_one(&self) -> bool {
        self.is_begun_by_one
    }

    /// Whether the receivers of a message combine it.
    pub(super) fn combines(&self, message: u64) -> bool {
        (self.combines)(message)
    }

    /// The messages of each round, by their numbers.
    fn rounds(&self) -> impl DoubleEndedIterator<Item = Range<u64>> {
        (0..self.each.div_ceil(self.in_round.max(1))).map(|round| self.round(round))
    }

    /// The messages of a round, by their numbers.
    pub(super) fn round(&self, round: u64) -> Range<u64> {
        let in_round = self.in_round.max(1);
        round * in_round..((round + 1) * in_round).min(self.each)
    }

    /// All rounds.
    pub(super) fn stretches(&self) -> impl DoubleEndedIterator<Item = Stretch> {
        let last = self.each.div_ceil(self.in_round.max(1));
        let starts = self.repeats.iter().map(|repeat| repeat.end);
        let starts: Vec<u64> = iter::once(0).chain(starts).collect();
        let own = (0..starts.len()).map(move |index| (starts[index], self.repeats.get(index)));
        own.flat_map(move |(start, repeat)| {
            let end = repeat.map_or(last, |repeat| repeat.start);
            let alone = (start..end).map(|round| Stretch {
                rounds: round..round + 1,
                period: 1,
            });
            alone.chain(repeat.map(|rounds| Stretch {
                rounds: rounds.clone(),
                period: self.period,
            }))
        })
    }

    /// To which number a message goes, if there is one.
    pub(super) fn to(&self, number: u64, message: u64) -> Option<u64> {
        (self.to)(number, message)
    }

    /// How many words a message carries that there is.
    pub(super) fn count(&self, task: &Task, deal: Deal, number: u64, message: u64) -> u64 {
        match &self.counts {
            Some(counts) => counts(number, message),
            None => self.words(number, message).count(task, deal),
        }
    }

    /// What a message carries that there is.
    pub(super) fn words(&self, number: u64, message: u64) -> Words {
        (self.words)(number, message)
    }

    /// All tags are below this.
    pub(super) fn tags_end(&self, task: &Task) -> u32 {
        match self.tag {
            Tag::From(first) => first.saturating_add(narrow(self.each)),
            Tag::Only(tag) => tag.saturating_add(1),
            Tag::Block => narrow(task.K),
        }
    }

    fn tag_of(&self, task: &Task, message: u64, words: &Words) -> u32 {
        match self.tag {
            Tag::From(first) => first.saturating_add(narrow(message)),
            Tag::Only(tag) => tag,
            Tag::Block => narrow(words.first_block() % task.K),
        }
    }

    /// The rank with a number.
    pub(super) fn rank(&self, task: &Task, number: u64) -> u32 {
        if self.is_from_root {
            task.rank(number)
        } else {
            narrow(number)
        }
    }

    fn number(&self, task: &Task, rank: u32) -> u64 {
        if self.is_from_root {
            task.number(rank)
        } else {
            rank.into()
        }
    }

    fn write_round(
        &self,
        (task, deal): (&Task, Deal),
        number: u64,
        round: Range<u64>,
        script: &mut Script,
    ) {
        for message in round {
            if let Some(to) = self.to(number, message) {
                let to = self.rank(task, to);
                self.push((task, deal), (number, message), (Act::Send, to), script);
            }
        }
    }

    /// Adds what is done with a message of a number, by which rank its peer is.
    fn push(
        &self,
        (task, deal): (&Task, Deal),
        (sender, message): (u64, u64),
        (act, peer): (Act, u32),
        script: &mut Script,
    ) {
        let words = self.words(sender, message);
        let tag = self.tag_of(task, message, &words);
        match &self.counts {
            Some(counts) if script.has_only_sizes() => {
                let words = 0..counts(sender, message);
                script.push(act, RESULT, peer, tag, iter::once(words));
            }
            _ => script.push_words(act, peer, tag, words, task, deal),
        }
    }

    pub(super) fn write_sends(&self, task: &Task, rank: u32, script: &mut Script) {
        let (number, deal) = (self.number(task, rank), Deal::new(task));
        self.rounds()
            .for_each(|round| self.write_round((task, deal), number, round, script));
    }

    pub(super) fn write(&self, task: &Task, senders: &Inverse, rank: u32, script: &mut Script) {
        let (number, deal) = (self.number(task, rank), Deal::new(task));
        for round in self.rounds() {
            self.write_round((task, deal), number, round.clone(), script);
            for message in round {
                let Some(from) = senders.sender(number, message) else {
                    continue;
                };
                let peer = self.rank(task, from);
                let act = if self.combines(message) {
                    Act::combining(rank, peer)
                } else {
                    Act::Receive
                };
                self.push((task, deal), (from, message), (act, peer), script);
            }
        }
    }
}

/// From which number each message comes that a number receives.
pub struct Inverse {
    each: u64,
    /// For each number those of its messages.
    senders: Vec<u32>,
}

impl Inverse {
    const NONE: u32 = u32::MAX;

    /// The senders in a phase.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] for more messages than a program can have.
    pub(super) fn new(phase: &Phase, task: &Task) -> Result<Self, Error> {
        let all = phase
            .each
            .checked_mul(task.K)
            .and_then(|all| u32::try_from(all).ok());
        let most = MAX_OPERATIONS.into();
        let all = all
            .filter(|&all| all <= MAX_OPERATIONS)
            .ok_or(Fault::TooLarge {
                what: "operations",
                most,
            })?;
        let mut senders = vec![Self::NONE; all as usize];
        for number in 0..task.K {
            for message in 0..phase.each {
                if let Some(to) = phase.to(number, message) {
                    senders[narrow(to * phase.each + message) as usize] = narrow(number);
                }
            }
        }
        Ok(Self {
            each: phase.each,
            senders,
        })
    }

    fn sender(&self, number: u64, message: u64) -> Option<u64> {
        let sender = *self
            .senders
            .get(narrow(number * self.each + message) as usize)?;
        (sender != Self::NONE).then(|| sender.into())
    }
}
