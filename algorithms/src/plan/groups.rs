//! Plans side by side, each among some of the ranks and on some of the words.

use std::ops::Range;

use super::script::Script;
use super::task::{Task, narrow};
use super::{Plan, RankWriter};
use crate::error::Error;
use crate::wide::Wide;

/// Some ranks with a plan of their own.
pub struct Group<'a> {
    /// Its ranks: the member with number i is rank i of the plan.
    pub members: Vec<u32>,
    /// The task of the members.
    pub task: Task,
    /// What they do.
    pub plan: Plan<'a>,
    /// Where the words of its task are among those of all.
    pub map: Map,
}

/// Where the words of a group's task are in the whole one.
pub enum Map {
    /// This far behind the words of the group.
    Offset(u64),
    /// Blocks of equally many words stand for ranges each. Those with fewer words end before their block does.
    Blocks {
        /// How many words a block has.
        words: u64,
        /// The ranges of each block.
        ranges: Vec<Vec<Range<u64>>>,
    },
}

impl Map {
    /// Blocks as long as the longest of these, so that algorithms know their size and can cut them: how many words that is, and where they
    /// stand.
    pub fn of_blocks(ranges: Vec<Vec<Range<u64>>>) -> (u64, Self) {
        let length = |block: &Vec<Range<u64>>| -> u64 {
            block.iter().map(|range| range.end - range.start).sum()
        };
        let longest = ranges.iter().map(length).max();
        let words = longest.unwrap_or(0).max(1);
        (words, Self::Blocks { words, ranges })
    }

    fn ranges(&self, words: &[(u64, u64)]) -> Vec<Range<u64>> {
        match self {
            Self::Offset(offset) => words
                .iter()
                .map(|&(start, end)| start + offset..end + offset)
                .collect(),
            Self::Blocks {
                words: each,
                ranges,
            } => {
                let mut all: Vec<Range<u64>> = Vec::new();
                for &(start, end) in words {
                    for block in start / each..end.div_ceil(*each) {
                        let begin = block * each;
                        let own = start.max(begin) - begin..end.min(begin + each) - begin;
                        cut(&ranges[narrow(block) as usize], own, &mut all);
                    }
                }
                all
            }
        }
    }
}

/// Adds these words of a block, by their places in it.
fn cut(block: &[Range<u64>], own: Range<u64>, all: &mut Vec<Range<u64>>) {
    let mut before = 0;
    for range in block {
        let end = before + range.end - range.start;
        let [first, last] =
            [own.start, own.end].map(|at| range.start + at.clamp(before, end) - before);
        before = end;
        match all.last_mut() {
            _ if first == last => {}
            Some(latest) if latest.end == first => latest.end = last,
            _ => all.push(first..last),
        }
    }
}

/// Groups that have no rank in common.
pub struct Groups<'a>(pub Vec<Group<'a>>);

impl Groups<'_> {
    pub(super) fn messages(&self) -> Wide {
        self.0
            .iter()
            .map(|group| group.plan.messages(&group.task))
            .sum()
    }

    pub(super) fn switches(&self) -> u32 {
        self.0.iter().map(|group| group.plan.switches()).sum()
    }

    pub(super) fn tags(&self) -> u32 {
        self.0
            .iter()
            .map(|group| group.plan.tags(&group.task))
            .max()
            .unwrap_or(0)
    }

    pub(super) fn writer(&self, task: &Task) -> Result<RankWriter<'_>, Error> {
        // Of each rank its group, and its number there; then of each switch.
        let mut numbers = vec![None; narrow(task.K) as usize];
        let mut written = Vec::new();
        for (index, group) in self.0.iter().enumerate() {
            let switches = narrow(numbers.len() as u64)..;
            let switches = switches.take(group.plan.switches() as usize);
            let members: Vec<u32> = group.members.iter().copied().chain(switches).collect();
            for (number, &rank) in members.iter().enumerate() {
                if rank as usize == numbers.len() {
                    numbers.push(None);
                }
                numbers[rank as usize] = Some((index, number));
            }
            written.push((members, &group.map, group.plan.scripts(&group.task)?));
        }
        Ok(Box::new(move |rank: u32, into: &mut Script| {
            let Some((index, number)) = numbers[rank as usize] else {
                return;
            };
            let (members, map, (script, ends)) = &written[index];
            let begin = number.checked_sub(1).map_or(0, |before| ends[before]);
            for step in &script.steps[begin..ends[number]] {
                let peer = members[step.peer as usize];
                into.push(
                    step.act,
                    step.buffer,
                    peer,
                    step.round,
                    map.ranges(script.pieces(step)),
                );
            }
        }))
    }
}
