//! A schedule as a program of the engine, for its cost on a machine.
//!
//! A rank is one processor with one port, whatever the number of its blocks: its steps share it. A local copy takes no time.

use algorithms::internals::engine::{Builder, Fault, Operation, Program, Until};
use algorithms::logp::Levels;

use super::memory::{NONE, number};
use super::schedule::Schedule;

/// The program; messages have this number of bytes for each chunk, or without it those that the file says, or one for each chunk.
/// To add two messages of some bytes takes the time `combining`.
///
/// # Errors
/// Too many operations.
pub fn program(
    schedule: &Schedule,
    chunk: Option<u64>,
    combining: &dyn Fn(u64) -> u64,
    levels: Option<&'static Levels>,
) -> Result<Program, Fault> {
    let mut builder = Builder::new(schedule.ranks)?.on(levels);
    // The last operation of each step.
    let mut last = vec![NONE; schedule.steps.len()];
    let mut blocks = schedule.blocks.iter().peekable();
    while let Some(&rank) = blocks.peek().map(|block| &block.rank) {
        builder.begin(rank)?;
        let mut waits = Vec::new();
        while let Some(block) = blocks.next_if(|block| block.rank == rank) {
            let mut before = NONE;
            for at in block.steps.0..block.steps.1 {
                let step = &schedule.steps[at as usize];
                let bytes = match chunk {
                    Some(chunk) => u64::from(step.count).saturating_mul(chunk),
                    None => step.bytes.max(step.count.into()),
                };
                let channel = |channel: u32| schedule.channels[channel as usize];
                let receive = step.receive.map(|tag| Operation::Receive {
                    from: channel(tag).from,
                    tag,
                    bytes,
                });
                let send = step.send.map(|tag| Operation::Send {
                    to: channel(tag).to,
                    tag,
                    bytes,
                });
                let time = step
                    .time
                    .saturating_add(combining(bytes).saturating_mul(schedule.additions(step)));
                let compute =
                    (time > 0 || receive.or(send).is_none()).then_some(Operation::Compute { time });
                let mut is_first = true;
                for operation in [receive, compute, send].into_iter().flatten() {
                    let made = builder.push(operation)?;
                    if before != NONE {
                        builder.depend(made, before, Until::Done)?;
                    }
                    if std::mem::take(&mut is_first) {
                        waits.extend(schedule.waits(step).iter().map(|&other| (made, other)));
                    }
                    before = made;
                }
                last[at as usize] = before;
            }
        }
        for (later, other) in waits {
            builder.depend(later, last[other as usize], Until::Done)?;
        }
    }
    builder.by_dependencies()
}

/// The bytes of a chunk, rounded up, if the larger of input and output has this number of bytes.
pub fn chunk_bytes(schedule: &Schedule, bytes: u64) -> u64 {
    let chunks = schedule
        .task
        .as_ref()
        .map_or(1, |task| task.chunks[0].max(task.chunks[1]));
    bytes.div_ceil(chunks.max(1).into()).max(1)
}

/// How many bytes the collective has, where the file says it for its messages.
pub fn all_bytes(schedule: &Schedule) -> u64 {
    let chunks = schedule
        .task
        .as_ref()
        .map_or(1, |task| task.chunks[0].max(task.chunks[1]));
    schedule
        .steps
        .iter()
        .find(|step| step.bytes > 0 && step.count > 0)
        .map_or(1, |step| step.bytes / u64::from(step.count))
        .saturating_mul(chunks.max(1).into())
}

/// How many operations the program has, at most.
pub fn operations(schedule: &Schedule) -> u32 {
    number(schedule.steps.len()).saturating_mul(3)
}
