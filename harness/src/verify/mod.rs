//! A verdict on the schedule of a collective, from a file of any format.
//!
//! A reader, one file for each format, makes a [`Schedule`]. The rest does not know the format: [`order`] finds
//! deadlocks and messages without a receive, [`contents`] the result, [`races`] accesses without an order.

pub mod chakra;
pub mod contents;
pub mod entry;
pub mod finding;
pub mod goal;
mod graph;
pub mod json;
pub mod keys;
mod lines;
pub mod memory;
pub mod msccl;
pub mod mscclpp;
pub mod order;
pub mod payloads;
pub mod plan;
pub mod program;
pub mod races;
pub mod read;
pub mod schedule;
pub mod shape;
pub mod task;
#[cfg(test)]
pub(crate) mod tests;

use contents::Sums;
pub use finding::{Finding, FindingKind, Trouble};
use schedule::Schedule;

/// What holds of a schedule that is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Right {
    /// How many messages have chunks.
    pub messages: u64,
    /// The order of sums.
    pub sums: Sums,
    /// How many messages every channel must have room for; none where it is more than [`MAX_ROOM`].
    pub room: Option<u32>,
}

/// The most messages that a channel of NCCL has room for, under its protocols LL and LL128.
pub const MAX_ROOM: u32 = 8;

/// Executes a schedule and checks its result and its races.
///
/// # Errors
/// The first thing wrong; a schedule that is too large.
///
/// Cost: linear in steps and chunks, and in steps x blocks where blocks of a rank share chunks.
pub fn check(schedule: &Schedule) -> Result<Right, Trouble> {
    contents::check_size(schedule)?;
    let order = order::order(schedule)?;
    let mut contents = contents::execute(schedule, &order)?;
    if let Some([earlier, later]) = races::first(schedule, &order, &contents.pairs) {
        return Err(race(schedule, earlier, later).into());
    }
    if let Some(empty) = contents.empty.take() {
        return Err(empty.into());
    }
    if let Some([start, end]) = unordered(schedule, &order) {
        let [begun, done] = [start, end].map(|step| schedule.location(step).rank);
        let what = match schedule.judged {
            Some(judged) if judged.goal.is_idempotent() => {
                format!("rank {done} can be done before rank {begun} has begun")
            }
            _ => format!("rank {done} gets nothing that comes from rank {begun}, the root"),
        };
        return Err(Finding::result(what).into());
    }
    let sums = schedule
        .task
        .as_ref()
        .map_or(Ok(Sums::None), |task| contents.check(schedule, task))?;
    let messages = schedule
        .steps
        .iter()
        .filter(|step| step.send.is_some() && step.count > 0)
        .count() as u64;
    Ok(Right {
        messages,
        sums,
        room: order::least_room(schedule, MAX_ROOM),
    })
}

/// The first of the pairs whose order the collective needs that is not certain.
fn unordered(schedule: &Schedule, order: &order::Order) -> Option<[u32; 2]> {
    let mut at = vec![
        0;
        if schedule.needed.is_empty() {
            0
        } else {
            schedule.steps.len()
        }
    ];
    order.steps.iter().zip(0u32..).for_each(|(&step, index)| {
        at.get_mut(step as usize)
            .into_iter()
            .for_each(|at| *at = index)
    });
    let mut pairs = schedule.needed.clone();
    pairs.sort_unstable_by_key(|pair| at[pair[1] as usize]);
    races::first(schedule, order, &pairs)
}

/// Two steps whose order is not certain.
fn race(schedule: &Schedule, earlier: u32, later: u32) -> Finding {
    let [first, second] = [earlier, later].map(|step| &schedule.steps[step as usize]);
    let spans = |step| [schedule.reads(step), schedule.writes(step)];
    let cells = |spans: &[memory::Span]| {
        spans
            .iter()
            .flat_map(|span| span.cells())
            .collect::<Vec<_>>()
    };
    let (before, after) = (spans(first).map(cells), spans(second).map(cells));
    let shared = [(1, 1), (1, 0), (0, 1)].into_iter().find_map(|(a, b)| {
        before[a]
            .iter()
            .find(|cell| after[b].contains(cell))
            .map(|&cell| (cell, ["reads", "writes"][a], ["reads", "writes"][b]))
    });
    let Some((cell, did, does)) = shared else {
        return order::swapped(
            schedule,
            earlier,
            later,
            second.send.is_some() && second.send == first.send,
        );
    };
    let [other, own] = [earlier, later].map(|step| schedule.location(step));
    // A one-sided access can be one of another rank.
    let rank = if other.rank == own.rank {
        String::new()
    } else {
        format!("rank {}, ", other.rank)
    };
    let message = format!(
        "{does} {}, which {rank}block {}, step {} {did}; neither waits for the other",
        schedule.memory.name(memory::number(cell)),
        other.block,
        other.step
    );
    Finding::at(FindingKind::Race, own, message)
}
