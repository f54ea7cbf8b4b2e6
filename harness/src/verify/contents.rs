//! Executes a schedule on symbols: each chunk holds contributions to a word, as the judge of our own collectives follows them.
//!
//! A sum that no result may have is kept with its step, and is an error only where a result has it. The same sweep finds the pairs
//! of accesses that need an order: `races` checks them.

use std::collections::{HashSet, VecDeque};

use algorithms::internals::collectives::contributions::{Clash, ContributionSets, Contributions};

use super::finding::{Finding, FindingKind, Trouble};
use super::memory::{Memory, NONE, number};
use super::order::Order;
use super::schedule::Schedule;
use super::task::{Expected, Task};
use crate::base::units::{grouped, plural};

/// The most accesses to chunks beside 16 for each step, and those of a long file.
const MAX_ACCESSES: u64 = 1 << 19;

/// What a chunk of memory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Nothing, or what the file does not say.
    Nothing,
    /// Contributions to a word.
    Word(u32, Contributions),
    /// A sum that is none: its index in [`Contents::mistakes`].
    Mistake(u32),
}

/// What chunks hold at the end, and which steps need an order.
#[derive(Debug)]
pub struct Contents {
    /// Pairs of steps of two blocks, the first of which ran first; both use a chunk and one of them writes it.
    pub pairs: Vec<[u32; 2]>,
    /// The first step that read a chunk that holds nothing; where a step of another block writes it later, their race is worse.
    pub empty: Option<Finding>,
    /// What each chunk holds.
    held: Vec<Held>,
    /// The last step that wrote each chunk, or [`NONE`].
    writers: Vec<u32>,
    sets: ContributionSets,
    /// Steps that add what cannot be added, and what that is.
    mistakes: Vec<(u32, String)>,
}

/// The accesses to a chunk since it was written.
#[derive(Clone)]
struct Accesses {
    writer: u32,
    /// The steps that read it since, of a block in a row only the last.
    readers: Vec<u32>,
}

/// Checks that a schedule is small enough to execute on symbols.
///
/// # Errors
/// One that is not.
pub fn check_size(schedule: &Schedule) -> Result<(), Trouble> {
    let accesses: u64 = schedule
        .steps
        .iter()
        .flat_map(|step| schedule.reads(step).iter().chain(schedule.writes(step)))
        .map(|span| u64::from(span.count))
        .sum();
    check_accesses(accesses, schedule.steps.len(), &schedule.memory)
}

/// Checks that steps read and write few enough chunks, or ranges of chunks.
///
/// # Errors
/// Too many of them.
pub fn check_accesses(accesses: u64, steps: usize, memory: &Memory) -> Result<(), Trouble> {
    let most = MAX_ACCESSES + 16 * steps as u64 + 2 * memory.more();
    if accesses <= most {
        return Ok(());
    }
    let [accesses, steps, most] = [accesses, steps as u64, most].map(grouped);
    Err(Trouble::not_judged(format!(
        "its {steps} steps read and write at least {accesses} chunks; castbench judges at most {most}. Write a schedule \
         with fewer chunks of a larger size, or for fewer ranks"
    )))
}

/// Executes the steps in this order.
///
/// # Errors
/// A step that takes a message of another size than its own; sums that take too much memory.
pub fn execute(schedule: &Schedule, order: &Order) -> Result<Contents, Trouble> {
    let cells = schedule.memory.cells() as usize;
    let task = schedule.task.as_ref();
    let mut found = Contents {
        pairs: Vec::new(),
        empty: None,
        held: vec![Held::Nothing; cells],
        writers: Vec::new(),
        sets: ContributionSets::new(
            task.map_or(0, Task::ranks),
            task.is_some_and(|task| task.goal().is_idempotent()),
        ),
        mistakes: Vec::new(),
    };
    for (cell, rank, word) in task.into_iter().flat_map(Task::inputs) {
        found.held[cell as usize] = Held::Word(word, ContributionSets::one(rank));
    }
    // Contents and bytes.
    let mut messages: Vec<VecDeque<(Vec<Held>, u64)>> =
        vec![VecDeque::new(); schedule.channels.len()];
    let mut last = vec![[None; 2]; schedule.channels.len()];
    let mut state = vec![
        Accesses {
            writer: NONE,
            readers: Vec::new()
        };
        cells
    ];
    for &at in &order.steps {
        let step = &schedule.steps[at as usize];
        let mut value = Vec::new();
        for (side, channel) in step.channels() {
            // Messages of several blocks need an order, too.
            let before: Option<u32> = last[channel as usize][side].replace(at);
            if let Some(before) =
                before.filter(|&before| schedule.steps[before as usize].block != step.block)
            {
                found.pair(before, at);
            }
        }
        if let Some(channel) = step.receive {
            let (message, bytes) = messages[channel as usize].pop_front().unwrap_or_default();
            let count = number(message.len());
            // GOAL lets a receive make room for more than comes.
            if count != step.count
                || bytes > step.bytes
                || schedule.program.is_none() && bytes != step.bytes
            {
                let from = schedule.channels[channel as usize].from;
                let size = |own: u32, bytes: u64| match bytes {
                    _ if count != step.count => plural(own.into(), "chunk"),
                    0 => plural(own.into(), "chunk"),
                    bytes => plural(bytes, "byte"),
                };
                let (got, takes) = (size(count, bytes), size(step.count, step.bytes));
                let message = format!("takes {takes}, but the message from rank {from} has {got}");
                let location = schedule.location(at);
                return Err(Finding::at(FindingKind::Unmatched, location, message).into());
            }
            value = message;
        }
        // Each operand of a sum can be several spans.
        let (mut index, mut is_first) = (0, value.is_empty());
        for span in schedule.reads(step) {
            for cell in span.cells() {
                if index == step.count as usize {
                    (index, is_first) = (0, false);
                }
                let held = found.held[cell];
                if held == Held::Nothing && schedule.task.is_some() && found.empty.is_none() {
                    let what = format!(
                        "reads {}, which holds nothing yet",
                        schedule.memory.name(number(cell))
                    );
                    found.empty = Some(Finding::at(
                        FindingKind::Result,
                        schedule.location(at),
                        what,
                    ));
                }
                found.reads(schedule, &mut state[cell], at);
                match (is_first, task) {
                    (true, _) => value.push(held),
                    (false, None) => {}
                    (false, Some(task)) => {
                        let (left, right) = if step.is_last {
                            (held, value[index])
                        } else {
                            (value[index], held)
                        };
                        value[index] = found.sum(task, at, left, right)?;
                    }
                }
                index += 1;
            }
        }
        // Several targets of its size are copies.
        let written = schedule.writes(step).iter().flat_map(|span| span.cells());
        for (cell, &value) in written.zip(value.iter().cycle()) {
            found.writes(schedule, &mut state[cell], at);
            found.held[cell] = value;
        }
        if let Some(channel) = step.send {
            value.resize(step.count as usize, Held::Nothing);
            messages[channel as usize].push_back((value, step.bytes));
        }
    }
    found.writers = state.iter().map(|cell| cell.writer).collect();
    Ok(found)
}

impl Contents {
    /// What a step makes of two operands in this order.
    fn sum(&mut self, task: &Task, step: u32, left: Held, right: Held) -> Result<Held, Trouble> {
        let what = match (left, right) {
            (Held::Mistake(_), _) => return Ok(left),
            (_, Held::Mistake(_)) => return Ok(right),
            (Held::Word(word, own), Held::Word(other, more)) if word == other => {
                match self.sets.combine(own, more) {
                    Ok(sum) => return Ok(Held::Word(word, sum)),
                    Err(Clash::TooLarge) => {
                        return Err(Trouble::not_judged(
                            "its sums of many different sets of ranks take too much memory; write a schedule for fewer ranks",
                        ));
                    }
                    Err(Clash::Twice(rank)) => {
                        format!("adds the contribution of rank {rank} a second time")
                    }
                    Err(Clash::Absent) => UNKNOWN.to_owned(),
                }
            }
            (Held::Word(word, own), Held::Word(other, more)) => {
                let [own, more] = [(word, own), (other, more)].map(|(word, ranks)| {
                    let rank = self.sets.first(ranks).unwrap_or(0);
                    format!("chunk {} of rank {rank}", task.chunk(rank, word))
                });
                format!("adds {own} and {more}")
            }
            (Held::Nothing, _) | (_, Held::Nothing) => UNKNOWN.to_owned(),
        };
        self.mistakes.push((step, what));
        Ok(Held::Mistake(number(self.mistakes.len()) - 1))
    }

    fn pair(&mut self, earlier: u32, later: u32) {
        if self.pairs.last() != Some(&[earlier, later]) {
            self.pairs.push([earlier, later]);
        }
    }

    fn reads(&mut self, schedule: &Schedule, cell: &mut Accesses, at: u32) {
        let block = |step: u32| schedule.steps[step as usize].block;
        if cell.writer != NONE && block(cell.writer) != block(at) {
            self.pair(cell.writer, at);
        }
        match cell.readers.last_mut() {
            // A later read of the same block ends later.
            Some(last) if block(*last) == block(at) => *last = at,
            _ => cell.readers.push(at),
        }
    }

    fn writes(&mut self, schedule: &Schedule, cell: &mut Accesses, at: u32) {
        let block = |step: u32| schedule.steps[step as usize].block;
        let readers = cell.readers.drain(..).rev();
        for step in Some(cell.writer)
            .filter(|writer| *writer != NONE)
            .into_iter()
            .chain(readers)
        {
            if block(step) != block(at) {
                self.pair(step, at);
            }
        }
        cell.writer = at;
    }

    /// Compares the outputs with what the collective requires.
    ///
    /// # Errors
    /// The first chunk that holds something else, at the step that made the mistake or that wrote the chunk last.
    ///
    /// Cost: linear in the outputs, and in ranks times the different sums that results have.
    pub fn check(&self, schedule: &Schedule, task: &Task) -> Result<Sums, Finding> {
        let (mut order, mut right) = (Sums::None, HashSet::new());
        for (cell, rank, expected) in task.outputs() {
            let name = schedule.memory.name(cell);
            let name = name
                .strip_suffix(&format!(" of rank {rank}"))
                .unwrap_or(&name);
            let at = |step, what| Finding::at(FindingKind::Result, schedule.location(step), what);
            let part = match self.held[cell as usize] {
                Held::Word(word, part) if word == expected.word => part,
                Held::Mistake(index) => {
                    let (step, what) = &self.mistakes[index as usize];
                    return Err(at(*step, format!("{what}; it ends in rank {rank}, {name}")));
                }
                held => {
                    return Err(self.wrong(
                        at,
                        cell,
                        &format!("rank {rank}, {name}: {}", self.other(task, held, expected)),
                    ));
                }
            };
            let ranks = (expected.first, expected.count);
            if right.contains(&(part, ranks)) {
                continue;
            }
            if let Some(other) = self.sets.difference(part, ranks) {
                let what = self.differs(task, part, other, expected);
                return Err(self.wrong(at, cell, &format!("rank {rank}, {name}: {what}")));
            }
            right.insert((part, ranks));
            order = order.max(match expected.count {
                1 => Sums::None,
                _ if ContributionSets::is_in_order(part) => Sums::ByRank,
                _ => Sums::AnyOrder,
            });
        }
        // Where contributions may come twice, no order is better than another.
        Ok(if task.goal().is_idempotent() {
            Sums::None
        } else {
            order
        })
    }

    /// A chunk of the output that holds something else, at the step that wrote it last.
    fn wrong(&self, at: impl Fn(u32, String) -> Finding, cell: u32, message: &str) -> Finding {
        match self.writers[cell as usize] {
            NONE => Finding::result(message),
            writer => at(writer, format!("the last to write {message}")),
        }
    }

    /// A result that is no sum of the expected word.
    fn other(&self, task: &Task, held: Held, expected: Expected) -> String {
        let Held::Word(word, part) = held else {
            return "holds nothing".to_owned();
        };
        if expected.count == 1 {
            return self.no_chunk(task, (word, part), expected);
        }
        let rank = self.sets.first(part).unwrap_or(0);
        let [found, chunk] = [word, expected.word].map(|word| task.chunk(rank, word));
        format!("has chunk {found} of rank {rank}, and should have only chunk {chunk} of each")
    }

    fn no_chunk(
        &self,
        task: &Task,
        (word, part): (u32, Contributions),
        expected: Expected,
    ) -> String {
        let held = match part {
            Contributions::Arc { first, len: 1, .. } => {
                format!("chunk {} of rank {first}", task.chunk(first, word))
            }
            _ => "a sum".to_owned(),
        };
        let (rank, word) = (expected.first, expected.word);
        format!(
            "holds {held}, not chunk {} of rank {rank}",
            task.chunk(rank, word)
        )
    }

    /// A sum of the expected word that has other ranks, `other` first.
    fn differs(&self, task: &Task, part: Contributions, other: u32, expected: Expected) -> String {
        let Expected { first, count, word } = expected;
        if count == 1 {
            return self.no_chunk(task, (word, part), expected);
        }
        if self.sets.has(part, other) {
            return format!("has the contribution of rank {other}, which it should not have");
        }
        let missing = (first..first + count).filter(|&rank| !self.sets.has(part, rank));
        match missing.count() as u64 - 1 {
            0 => format!("lacks the contribution of rank {other}"),
            more => format!(
                "lacks the contribution of rank {other} and of {}",
                plural(more, "more rank")
            ),
        }
    }
}

/// A sum with a part that holds nothing.
const UNKNOWN: &str = "adds a part of which the file does not say what it is";

/// In which order the sums of a result add the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sums {
    /// There are none.
    None,
    /// By rank, so operations that do not commute give the right result.
    ByRank,
    /// In another order.
    AnyOrder,
}
