//! Evaluates batch after batch on all threads while another thread writes the batch before.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::INTERRUPTED;
use super::block::{self, Block};
use super::effort::Efforts;
use super::parts::{Part, Place, take_run};
use super::unfinished::Unfinished;
use crate::config::Config;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::threads;

/// What is evaluated and by whom.
pub(super) struct Source<'a> {
    pub config: &'a Config,
    pub parts: &'a [Part<'a>],
    /// Their work.
    pub efforts: &'a Efforts,
    /// Where the sweep ends.
    pub end: Place,
    pub pool: &'a ThreadPool,
    pub progress: &'a Progress,
}

/// How long a batch should take: short beside what anyone waits for, long beside what handing it over takes.
const BATCH: Duration = Duration::from_millis(250);

/// The estimated work of the first batch, in nanoseconds; how good the estimate is shows then.
const FIRST: u128 = 10_000_000;

/// Most cells of a batch: what a few of them hold is all the memory that rows take.
const MAX_CELLS: u64 = 1 << 17;

/// Most cells of a block.
const MAX_BLOCK: u64 = 1 << 11;

/// Blocks of a batch for each thread, so that none waits long for the last.
const BLOCKS: u64 = 16;

/// Appends to `unfinished` from its next place on, up to the end or until it is stopped.
///
/// # Errors
/// Exit code 74 where the rows cannot be written.
pub(super) fn run(source: &Source<'_>, unfinished: Unfinished) -> Result<Unfinished, Failure> {
    let start = unfinished.next;
    thread::scope(|scope| {
        // One batch waits while another is written and a third is evaluated.
        let (sender, receiver) = sync_channel(1);
        let writer = thread::Builder::new().spawn_scoped(scope, move || write(unfinished, &receiver));
        let writer = writer.map_err(|error| threads::refused(1, &error))?;
        let evaluated = evaluate(source, start, |blocks| sender.send(blocks).is_ok());
        drop(sender);
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        evaluated.map(|()| written)
    })
}

/// Hands on every batch until the end, until it is stopped, or until nobody takes them any more.
fn evaluate(source: &Source<'_>, start: Place, hand_on: impl Fn(Vec<Block>) -> bool) -> Result<(), Failure> {
    let (mut next, mut work) = (start, FIRST);
    while next < source.end && !INTERRUPTED.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let runs = batch(source, &mut next, work);
        let evaluate = |run: (usize, Range<u64>)| {
            let taken = run.1.end - run.1.start;
            let block = block::evaluate(source.config, source.parts, run, &INTERRUPTED)?;
            if let Some(block) = &block {
                source.progress.advance(block.rows, taken - block.rows);
            }
            Ok(block)
        };
        let blocks: Result<Vec<Option<Block>>, Failure> =
            source.pool.install(|| runs.into_par_iter().map(evaluate).collect());
        // Of a batch that was stopped only the blocks before the first gap can be kept.
        if !hand_on(blocks?.into_iter().map_while(|block| block).collect()) {
            break;
        }
        work = next_work(work, begun.elapsed());
    }
    Ok(())
}

/// The next cells of about this much work, in runs of about the same: of cells that are dear, one for each thread.
fn batch(source: &Source<'_>, next: &mut Place, work: u128) -> Vec<(usize, Range<u64>)> {
    let Source { parts, efforts, end, .. } = *source;
    let threads = source.pool.current_num_threads() as u64;
    let begun = efforts.before(*next);
    let (mut runs, mut cells) = (Vec::new(), 0);
    while cells < MAX_CELLS && (cells < threads || efforts.before(*next) < begun + work) {
        let share = efforts.place(efforts.before(*next) + work / u128::from(threads * BLOCKS));
        let most = if share.part == next.part { share.cell.saturating_sub(next.cell) } else { MAX_BLOCK };
        let Some(run) = take_run(parts, next, end, most.clamp(1, MAX_BLOCK)) else { break };
        cells += run.1.end - run.1.start;
        runs.push(run);
    }
    runs
}

/// How much work takes about as long as a batch should, if so much took that long; no sudden change.
fn next_work(work: u128, took: Duration) -> u128 {
    (work * BATCH.as_micros() / took.as_micros().max(1)).clamp(work / 4, work * 4).clamp(FIRST, 1 << 60)
}

/// Appends every batch, and ends with a checkpoint: whether all is evaluated or the rest is for another time, nothing of
/// it is lost from here on.
fn write(mut unfinished: Unfinished, batches: &Receiver<Vec<Block>>) -> Result<Unfinished, Failure> {
    batches.iter().try_for_each(|blocks| {
        blocks.into_iter().try_for_each(|block| unfinished.append(block))?;
        unfinished.checkpoint_when_due()
    })?;
    unfinished.checkpoint()?;
    Ok(unfinished)
}
