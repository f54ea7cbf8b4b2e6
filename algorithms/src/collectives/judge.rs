//! The judge: executes a plan and follows which contributions each rank holds.
//!
//! The [engine] knows what is sent when, and nothing of what a message carries. The judge knows what a
//! message carries and nothing of the algorithm. It rejects a plan in which
//!
//! - a rank sends or combines words that it does not hold yet;
//! - a message carries other words than its receiver expects;
//! - a contribution is combined twice, unless the operator is [idempotent](Goal::is_idempotent);
//! - a rank does not hold at the end what its [`Goal`] says, no more and no less;
//! - contributions are combined out of order, where the algorithm [keeps it](super::Properties::keeps_order).
//!
//! What a rank sends it takes when the send begins, and what it receives stands in its place when the receive begins, or when
//! combining it does, where that is an operation of its own.
//!
//! A switch holds nothing at the start of a round, and may hold anything at the end.
//!
//! Words that no message separates are followed together. Time and memory: K times the ranges of words that messages
//! distinguish; where these are too many, the ranges that each rank starts or ends with, sends or receives.

use std::collections::HashMap;
use std::ops::Range;

use smallvec::SmallVec;

use super::contributions::{Clash, ContributionSets, Contributions};
use super::{Goal, Task, narrow};
use crate::engine::{self, Begun};
use crate::error::Error;
use crate::plan::compiled::Compiled;
use crate::plan::script::{Act, PieceRange, Script, Step};
use crate::violation::{Rule, Violation};

/// Most ranges of words over all ranks: 16 bytes each, and 24 where each rank has its own.
pub(super) const MAX_PARTS: u64 = 1 << 24;

/// Executes a plan: when its last operation ends, in time units of the machine.
///
/// # Errors
/// [`Error::Rejected`] with a [`Violation`] or a [`Fault`](engine::Fault) of the engine.
pub fn judge(
    goal: &dyn Goal,
    task: &Task,
    keeps_order: bool,
    plan: &Compiled,
) -> Result<u64, Error> {
    let mut court = Court::new(goal, task, plan)?;
    let mut verdict = Ok(());
    let completion = engine::observe_messages(task.machine, &plan.program, |begun| {
        if verdict.is_ok()
            && let Err(violation) = court.operation(&begun)
        {
            verdict = Err(violation);
        }
    })?;
    verdict?;
    court.end(goal, task, keeps_order)?;
    Ok(completion.finish)
}

/// The words that are followed together, and where it is written what a rank holds of them.
struct Ranges<'a> {
    script: &'a Script,
    /// Where each begins; the last is the end of all.
    borders: Vec<u64>,
    /// The borders at which each range of the script begins and ends; empty where each rank has its own ranges.
    places: Vec<Range<usize>>,
    /// How many buffers each rank has.
    buffers: usize,
    /// The beginnings of the ranges of each rank, and how many those before it have; none where every rank has all.
    own: Option<Vec<(usize, Vec<u64>)>>,
}

impl Ranges<'_> {
    /// Where in `held` the words of each piece of a step in a buffer stand.
    fn spans(&self, rank: u32, buffer: u8, step: &Step) -> impl Iterator<Item = Range<usize>> {
        let (first, starts) = self.buffer(rank, buffer.into());
        (step.words.0 as usize..)
            .zip(self.script.pieces(step))
            .map(move |(piece, pieces)| match self.places.get(piece) {
                Some(place) => first + place.start..first + place.end,
                None => {
                    let Range { start, end } = between(starts, *pieces);
                    first + start..first + end
                }
            })
    }

    /// Where a buffer of a rank begins in `held`, and where the ranges of the rank begin.
    fn buffer(&self, rank: u32, buffer: usize) -> (usize, &[u64]) {
        let (before, starts) = self.starts(rank);
        let first = before * self.buffers + buffer * starts.len();
        (first, starts)
    }

    /// Why a rank cannot combine what stands at an index of `held` in a step.
    fn violation(&self, clash: Clash, rank: u32, step: &Step, index: usize) -> Violation {
        let (first, starts) = self.buffer(rank, 0);
        violation(clash, rank, step, starts[(index - first) % starts.len()])
    }

    /// How many ranges the ranks before one have, and where its own begin.
    fn starts(&self, rank: u32) -> (usize, &[u64]) {
        match &self.own {
            Some(own) => (own[rank as usize].0, &own[rank as usize].1),
            None => {
                let starts = &self.borders[..self.borders.len() - 1];
                (rank as usize * starts.len(), starts)
            }
        }
    }

    /// Gives each rank only the ranges that it starts or ends with, sends or receives.
    fn separate(&mut self, goal: &dyn Goal, task: &Task, plan: &Compiled) -> Result<(), Error> {
        let (mut all, mut own) = (0, Vec::new());
        for rank in 0..plan.program.processors() {
            let blocks = if u64::from(rank) < task.K {
                [goal.starts(task, rank.into()), goal.ends(task, rank.into())].concat()
            } else {
                Vec::new()
            };
            let blocks = blocks
                .into_iter()
                .map(|block| (task.start(block), task.start(block + 1)));
            let operations = plan.program.range(rank);
            let pieces = operations
                .flat_map(|operation| plan.words(operation))
                .copied();
            let mut starts = Vec::new();
            for (start, end) in blocks.chain(pieces) {
                let from = self.borders.partition_point(|&border| border < start);
                let words = self.borders[from..].iter();
                starts.extend(words.take_while(|&&border| border < end));
                // Most pieces come twice.
                if starts.len() > 1 << 20 {
                    starts.sort_unstable();
                    starts.dedup();
                }
            }
            starts.sort_unstable();
            starts.dedup();
            starts.shrink_to_fit();
            own.push((all, starts));
            all += own[rank as usize].1.len();
            if all as u64 > MAX_PARTS {
                return Err(too_large().into());
            }
        }
        self.own = Some(own);
        Ok(())
    }
}

/// What a message carries. Most carry one range of words.
type Contents = SmallVec<[Contributions; 1]>;

/// What every rank holds while a plan is executed.
struct Court<'a> {
    plan: &'a Compiled,
    ranges: Ranges<'a>,
    K: u64,
    parts: ContributionSets,
    /// What each buffer of each rank holds of each range, rank by rank.
    held: Vec<Contributions>,
    /// For each message that was sent and not received, the index of its contents in `under_way`.
    sent: Vec<u32>,
    /// The words and the contents of messages. Few of millions are under way at a time.
    under_way: Vec<(PieceRange, Contents)>,
    /// The indices in `under_way` of received messages, which new ones take.
    received: Vec<u32>,
    /// The round of each switch, which keeps nothing of another.
    rounds: HashMap<u32, u32>,
    /// The contents of received messages that an operation combines when it begins.
    to_combine: HashMap<u32, Contents>,
}

impl<'a> Court<'a> {
    fn new(goal: &dyn Goal, task: &Task, plan: &'a Compiled) -> Result<Self, Error> {
        let ranks = plan.program.processors();
        let blocks = u64::try_from(goal.blocks(task)).map_err(|_| Error::Overflow)?;
        if !task.is_counted() {
            blocks.checked_mul(task.n).ok_or(Error::Overflow)?;
        }
        let words = task.start(blocks);
        let mut borders: Vec<u64> = (0..=blocks).map(|block| task.start(block)).collect();
        borders.extend(
            plan.script
                .all_pieces()
                .iter()
                .flat_map(|&(start, end)| [start, end]),
        );
        borders.sort_unstable();
        borders.dedup();
        if borders.last().is_some_and(|&last| last > words) {
            return Err(beyond(plan, words).into());
        }
        let mut ranges = Ranges {
            script: &plan.script,
            borders,
            places: Vec::new(),
            buffers: plan.script.buffers(),
            own: None,
        };
        if (ranges.borders.len() as u64).saturating_mul(ranks.into()) > MAX_PARTS {
            ranges.separate(goal, task, plan)?;
        } else {
            let pieces = plan.script.all_pieces().iter();
            ranges.places = pieces
                .map(|&piece| between(&ranges.borders, piece))
                .collect();
        }
        let (before, starts) = ranges.starts(ranks - 1);
        let mut held = vec![Contributions::Absent; (before + starts.len()) * ranges.buffers];
        for rank in 0..narrow(task.K) {
            for block in goal.starts(task, rank.into()) {
                let block = (task.start(block), task.start(block + 1));
                for buffer in 0..ranges.buffers {
                    let (first, starts) = ranges.buffer(rank, buffer);
                    let Range { start, end } = between(starts, block);
                    held[first + start..first + end].fill(ContributionSets::one(rank));
                }
            }
        }
        let sent = vec![0; plan.program.messages() as usize];
        let parts = ContributionSets::new(narrow(task.K), goal.is_idempotent());
        Ok(Self {
            plan,
            ranges,
            K: task.K,
            parts,
            held,
            sent,
            under_way: vec![],
            received: vec![],
            rounds: HashMap::new(),
            to_combine: HashMap::new(),
        })
    }

    /// An operation begins.
    fn operation(
        &mut self,
        &Begun {
            processor: rank,
            operation,
            message,
            ..
        }: &Begun,
    ) -> Result<(), Violation> {
        let plan = self.plan;
        let step = plan.step(operation);
        if u64::from(rank) >= self.K && self.rounds.insert(rank, step.round) != Some(step.round) {
            let (before, starts) = self.ranges.starts(rank);
            let own = before * self.ranges.buffers;
            self.held[own..own + starts.len() * self.ranges.buffers].fill(Contributions::Absent);
        }
        if plan.is_second(operation) {
            // The operation before received the message.
            return match self.to_combine.remove(&operation) {
                Some(contents) => self.receive(rank, step, &contents),
                None => Ok(()),
            };
        }
        match step.act {
            Act::Send => {
                let slot = self.received.pop().unwrap_or_else(|| {
                    self.under_way.push(<(PieceRange, Contents)>::default());
                    // There are fewer than messages.
                    u32::try_from(self.under_way.len() - 1).unwrap_or(u32::MAX)
                });
                let (words, contents) = &mut self.under_way[slot as usize];
                *words = step.words;
                contents.clear();
                for span in self.ranges.spans(rank, step.buffer, step) {
                    let held = &self.held[span.clone()];
                    if let Some(at) = held.iter().position(|part| *part == Contributions::Absent) {
                        let index = span.start + at;
                        return Err(self.ranges.violation(Clash::Absent, rank, step, index));
                    }
                    contents.extend_from_slice(held);
                }
                self.sent[message as usize] = slot;
                Ok(())
            }
            Act::Receive | Act::CombineBefore | Act::CombineAfter => {
                let slot = self.sent[message as usize];
                let (sent, contents) = std::mem::take(&mut self.under_way[slot as usize]);
                self.received.push(slot);
                if !plan.script.are_same(sent, step.words) {
                    let (round, from) = (step.round, step.peer);
                    let text = format_args!(
                        "round {round}: rank {rank} expects other words than rank {from} sends"
                    );
                    return Err(Rule::NotAddressed.broken(text));
                }
                if !plan.program.is_in_order() && plan.is_second(operation + 1) {
                    self.to_combine.insert(operation + 1, contents);
                    return Ok(());
                }
                self.receive(rank, step, &contents)?;
                // The next message there takes its memory.
                self.under_way[slot as usize].1 = contents;
                Ok(())
            }
            Act::Local { left, right } => self.local(rank, step, (left, right)),
        }
    }

    /// A rank receives these contents.
    fn receive(
        &mut self,
        rank: u32,
        step: &Step,
        contents: &[Contributions],
    ) -> Result<(), Violation> {
        let mut contents = contents;
        for span in self.ranges.spans(rank, step.buffer, step) {
            let (these, others) = contents.split_at(span.len());
            contents = others;
            if !matches!(step.act, Act::CombineBefore | Act::CombineAfter) {
                self.held[span].copy_from_slice(these);
                continue;
            }
            for (index, &part) in span.zip(these) {
                let own = self.held[index];
                let combined = match step.act {
                    Act::CombineBefore => self.parts.combine(part, own),
                    _ => self.parts.combine(own, part),
                };
                self.held[index] =
                    combined.map_err(|clash| self.ranges.violation(clash, rank, step, index))?;
            }
        }
        Ok(())
    }

    /// A rank combines words of two buffers.
    fn local(&mut self, rank: u32, step: &Step, (left, right): (u8, u8)) -> Result<(), Violation> {
        let [own, left, right] = [step.buffer, left, right]
            .map(|buffer| self.ranges.spans(rank, buffer, step).flatten());
        for ((index, left), right) in own.zip(left).zip(right) {
            let combined = self.parts.combine(self.held[left], self.held[right]);
            self.held[index] =
                combined.map_err(|clash| self.ranges.violation(clash, rank, step, index))?;
        }
        Ok(())
    }

    /// All operations have ended.
    fn end(&self, goal: &dyn Goal, task: &Task, keeps_order: bool) -> Result<(), Violation> {
        for rank in 0..narrow(task.K) {
            let (before, starts) = self.ranges.starts(rank);
            // The first buffer has the result.
            let held = &self.held[before * self.ranges.buffers..][..starts.len()];
            for (&word, &part) in starts.iter().zip(held) {
                let Some((first, count)) = goal.ends_with(task, rank.into(), task.block_of(word))
                else {
                    continue;
                };
                if let Some(contributor) =
                    self.parts.difference(part, (narrow(first), narrow(count)))
                {
                    let verb = if self.parts.has(part, contributor) {
                        "must not hold"
                    } else {
                        "misses"
                    };
                    let text = format_args!(
                        "at the end rank {rank} {verb} the contribution of rank {contributor} to word {word}"
                    );
                    return Err(Rule::Missing.broken(text));
                }
                if keeps_order && !ContributionSets::is_in_order(part) {
                    let text = format_args!(
                        "at the end rank {rank} holds word {word} combined in another order than that of the ranks"
                    );
                    return Err(Rule::OutOfOrder.broken(text));
                }
            }
        }
        Ok(())
    }
}

/// The indices of the borders at which the words of a piece begin and end.
fn between(borders: &[u64], (start, end): (u64, u64)) -> Range<usize> {
    let index = |word| borders.partition_point(|&border| border < word);
    index(start)..index(end)
}

/// The first step that names a word beyond the last.
fn beyond(plan: &Compiled, words: u64) -> Violation {
    let steps = (0..plan.program.processors()).flat_map(|rank| {
        plan.program
            .range(rank)
            .map(move |operation| (rank, plan.step(operation)))
    });
    let named = steps.flat_map(|(rank, step)| {
        plan.script
            .pieces(step)
            .iter()
            .map(move |&(_, end)| (rank, step, end))
    });
    let mut beyond = named.filter(|&(.., end)| end > words);
    beyond
        .next()
        .map_or_else(too_large, |(rank, Step { round, .. }, word)| {
            let text = format_args!(
                "round {round}: rank {rank} names word {word}, but there are only {words}"
            );
            Rule::NoSuchMessage.broken(text)
        })
}

/// Why a rank cannot combine a word in a step.
fn violation(clash: Clash, rank: u32, step: &Step, word: u64) -> Violation {
    let round = step.round;
    match clash {
        Clash::TooLarge => too_large(),
        Clash::Absent => {
            let text = format_args!("round {round}: rank {rank} uses word {word}, which it does not hold");
            Rule::NotHeld.broken(text)
        }
        Clash::Twice(contributor) => Rule::Twice.broken(format_args!(
            "round {round}: rank {rank} combines the contribution of rank {contributor} to word {word} twice"
        )),
    }
}

/// No rule is broken, but what ranks hold does not fit in the memory of the judge.
fn too_large() -> Violation {
    Rule::TooLarge.broken("the contributions that the ranks hold take too much memory")
}
