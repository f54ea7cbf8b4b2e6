//! Executes a schedule on symbols: what each chunk holds is a chunk of an input or a sum, and a sum is two values.
//!
//! A sum of the right contributions has at most as many parts as there are ranks, so the check of a result stops soon, whatever the
//! sums are. The same sweep finds the pairs of accesses that need an order: `races` checks them.

use std::collections::VecDeque;

use super::Finding;
use super::finding::FindingKind;
use super::memory::{NONE, number};
use super::order::Order;
use super::schedule::Schedule;
use super::task::{Expected, Task};
use crate::base::units::plural;

/// The most accesses to chunks beside 16 for each step.
const MAX_ACCESSES: u64 = 1 << 19;

/// What chunks hold at the end, and which steps need an order.
#[derive(Debug, Clone)]
pub struct Contents {
    /// Pairs of steps of two blocks, the first of which ran first; both use a chunk and one of them writes it.
    pub pairs: Vec<[u32; 2]>,
    /// The first step that read a chunk that holds nothing; where a step of another block writes it later, their race is worse.
    pub empty: Option<Finding>,
    /// The value of each chunk, or [`NONE`].
    values: Vec<u32>,
    /// The last step that wrote each chunk, or [`NONE`].
    writers: Vec<u32>,
    /// The two parts of each sum; the numbers of sums follow those of the chunks of inputs.
    sums: Vec<[u32; 2]>,
    inputs: u32,
}

/// The accesses to a chunk since it was written.
#[derive(Clone)]
struct Accesses {
    writer: u32,
    /// The steps that read it since, of a block in a row only the last.
    readers: Vec<u32>,
}

/// Whether a schedule is too large to execute on symbols.
#[must_use]
pub fn is_too_large(schedule: &Schedule) -> bool {
    let spans = |step| schedule.reads(step).iter().chain(schedule.writes(step));
    let accesses: u64 = schedule
        .steps
        .iter()
        .flat_map(spans)
        .map(|span| u64::from(span.count))
        .sum();
    accesses > MAX_ACCESSES + 16 * schedule.steps.len() as u64
}

/// Executes the steps in this order.
///
/// # Errors
/// A step that takes a message of another size than its own.
pub fn execute(schedule: &Schedule, order: &Order) -> Result<Contents, Finding> {
    let cells = schedule.memory.cells() as usize;
    let mut found = Contents {
        pairs: Vec::new(),
        empty: None,
        values: vec![NONE; cells],
        writers: Vec::new(),
        sums: Vec::new(),
        inputs: 0,
    };
    if let Some(task) = &schedule.task {
        found.fill(task);
    }
    // Values and bytes.
    let mut messages: Vec<VecDeque<(Vec<u32>, u64)>> =
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
                let size = |count: u32, bytes: u64| match bytes {
                    0 => plural(count.into(), "chunk"),
                    bytes => plural(bytes, "byte"),
                };
                let (got, takes) = (size(count, bytes), size(step.count, step.bytes));
                let message = format!("takes {takes}, but the message from rank {from} has {got}");
                return Err(Finding::at(
                    FindingKind::Unmatched,
                    schedule.location(at),
                    message,
                ));
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
                let held = found.values[cell];
                if held == NONE && schedule.task.is_some() && found.empty.is_none() {
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
                match is_first {
                    true => value.push(held),
                    false if step.is_last => value[index] = found.sum([held, value[index]]),
                    false => value[index] = found.sum([value[index], held]),
                }
                index += 1;
            }
        }
        // Several targets of its size are copies.
        let written = schedule.writes(step).iter().flat_map(|span| span.cells());
        for (cell, &value) in written.zip(value.iter().cycle()) {
            found.writes(schedule, &mut state[cell], at);
            found.values[cell] = value;
        }
        if let Some(channel) = step.send {
            value.resize(step.count as usize, NONE);
            messages[channel as usize].push_back((value, step.bytes));
        }
    }
    found.writers = state.iter().map(|cell| cell.writer).collect();
    Ok(found)
}

impl Contents {
    fn fill(&mut self, task: &Task) {
        self.inputs = task.ranks() * task.words;
        for (cell, rank, word) in task.inputs() {
            self.values[cell as usize] = rank * task.words + word;
        }
    }

    fn sum(&mut self, parts: [u32; 2]) -> u32 {
        self.sums.push(parts);
        self.inputs + number(self.sums.len()) - 1
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

    /// A chunk of the output that holds something else, at the step that wrote it last.
    fn wrong(&self, schedule: &Schedule, rank: u32, cell: u32, what: &str) -> Finding {
        let name = schedule.memory.name(cell);
        let message = format!(
            "rank {rank}, {}: {what}",
            name.strip_suffix(&format!(" of rank {rank}"))
                .unwrap_or(&name)
        );
        match self.writers[cell as usize] {
            NONE => Finding::result(message),
            writer => Finding::at(
                FindingKind::Result,
                schedule.location(writer),
                format!("the last to write {message}"),
            ),
        }
    }

    /// Compares the outputs with what the collective requires.
    ///
    /// # Errors
    /// The first chunk that holds something else.
    ///
    /// Cost: linear in the outputs and in the ranks of each sum.
    pub fn check(&self, schedule: &Schedule, task: &Task) -> Result<Sums, Finding> {
        let is_idempotent = task.goal().is_idempotent();
        let mut check = Check {
            contents: self,
            task,
            seen: vec![NONE; task.ranks() as usize],
            known: vec![NONE; if is_idempotent { self.sums.len() } else { 0 }],
            stamp: 0,
            parts: Vec::new(),
            last: Vec::new(),
        };
        let mut order = Sums::None;
        for (cell, rank, expected) in task.outputs() {
            let value = self.values[cell as usize];
            let sums = check
                .one(value, expected)
                .map_err(|what| self.wrong(schedule, rank, cell, &what))?;
            order = order.max(sums);
        }
        // Where contributions may come twice, no order is better than another.
        Ok(if is_idempotent { Sums::None } else { order })
    }
}

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

struct Check<'a> {
    contents: &'a Contents,
    task: &'a Task,
    /// For each rank the last sum that had it.
    seen: Vec<u32>,
    /// For each sum the last one that had it, where contributions may be added twice.
    known: Vec<u32>,
    stamp: u32,
    parts: Vec<u32>,
    /// For each word the last sum that was right, which copies share: its value, its ranks and their order.
    last: Vec<(u32, u32, Sums)>,
}

impl Check<'_> {
    fn one(&mut self, value: u32, expected: Expected) -> Result<Sums, String> {
        let Expected { first, count, word } = expected;
        match count {
            _ if value == NONE => Err("holds nothing".to_owned()),
            1 if value == first * self.task.words + word => Ok(Sums::None),
            1 => Err(format!(
                "holds {}, not chunk {} of rank {first}",
                self.describe(value),
                self.task.chunk(first, word)
            )),
            _ => self.sum(value, expected),
        }
    }

    fn sum(&mut self, value: u32, expected: Expected) -> Result<Sums, String> {
        let Expected { first, count, word } = expected;
        self.last
            .resize(self.task.words as usize, (NONE, 0, Sums::None));
        // Ranks of a sum begin at one of a collective.
        let (known, ranks, sums) = self.last[word as usize];
        if known == value && ranks == count {
            return Ok(sums);
        }
        self.stamp += 1;
        let (mut met, mut by_rank) = (0, true);
        self.parts.clear();
        self.parts.push(value);
        while let Some(part) = self.parts.pop() {
            if part == NONE {
                return Err("has a part of which the file does not say what it is".to_owned());
            }
            if let Some(sum) = part.checked_sub(self.contents.inputs) {
                let known = self
                    .known
                    .get_mut(sum as usize)
                    .map(|known| std::mem::replace(known, self.stamp));
                if known != Some(self.stamp) {
                    let [earlier, later] = self.contents.sums[sum as usize];
                    self.parts.extend([later, earlier]);
                }
                continue;
            }
            let (rank, found) = (part / self.task.words, part % self.task.words);
            if found != word {
                let [found, chunk] = [found, word].map(|word| self.task.chunk(rank, word));
                return Err(format!(
                    "has chunk {found} of rank {rank}, and should have only chunk {chunk} of each"
                ));
            }
            if !(first..first + count).contains(&rank) {
                return Err(format!(
                    "has the contribution of rank {rank}, which it should not have"
                ));
            }
            if std::mem::replace(&mut self.seen[rank as usize], self.stamp) == self.stamp {
                if self.known.is_empty() {
                    return Err(format!("has the contribution of rank {rank} twice"));
                }
                continue;
            }
            by_rank &= rank == first + met;
            met += 1;
        }
        let all = &self.seen[first as usize..(first + count) as usize];
        if let Some(missing) = all.iter().position(|&stamp| stamp != self.stamp) {
            let missing = first as usize + missing;
            let more = (count - met) as usize - 1;
            let more = if more == 0 {
                String::new()
            } else {
                format!(" and of {}", plural(more as u64, "more rank"))
            };
            return Err(format!("lacks the contribution of rank {missing}{more}"));
        }
        let sums = if by_rank {
            Sums::ByRank
        } else {
            Sums::AnyOrder
        };
        self.last[word as usize] = (value, count, sums);
        Ok(sums)
    }

    fn describe(&self, value: u32) -> String {
        match value.checked_sub(self.contents.inputs) {
            None => {
                let (rank, word) = (value / self.task.words, value % self.task.words);
                format!("chunk {} of rank {rank}", self.task.chunk(rank, word))
            }
            Some(_) => "a sum".to_owned(),
        }
    }
}
