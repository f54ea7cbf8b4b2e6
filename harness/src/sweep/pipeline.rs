//! Evaluates batch after batch on all threads while another thread writes the batch before.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::INTERRUPTED;
use super::block::{self, Block};
use super::parts::{Part, Place, take_runs};
use super::unfinished::Unfinished;
use crate::config::Config;
use crate::failure::{Code, Failure};
use crate::progress::Progress;

/// What is evaluated and by whom.
pub(super) struct Source<'a> {
    pub config: &'a Config,
    pub parts: &'a [Part<'a>],
    /// Where the sweep ends.
    pub end: Place,
    pub pool: &'a ThreadPool,
    pub progress: &'a Progress,
}

/// How long a batch should take: short beside what anyone waits for, long beside what handing it over takes.
const BATCH: Duration = Duration::from_millis(250);

/// Most cells of a batch: what a few of them hold is all the memory that rows take.
const MOST_CELLS: u64 = 1 << 17;

/// Most cells of a block.
const MOST_BLOCK: u64 = 1 << 11;

/// Blocks of a batch for each thread, so that none waits long for the last.
const BLOCKS: u64 = 16;

/// Appends to `unfinished` from its next place on, up to the end or until it is stopped.
///
/// # Errors
/// Exit code 74 where the rows cannot be written.
pub(super) fn run(source: &Source<'_>, unfinished: Unfinished) -> Result<Unfinished, Failure> {
    let start = unfinished.next;
    std::thread::scope(|scope| {
        // One batch waits while another is written and a third is evaluated.
        let (sender, receiver) = sync_channel(1);
        let writer = scope.spawn(move || write(unfinished, &receiver));
        let evaluated = evaluate(source, start, |blocks| sender.send(blocks).is_ok());
        drop(sender);
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        evaluated.map(|()| written)
    })
}

/// Hands on every batch until the end, until it is stopped, or until nobody takes them any more.
fn evaluate(source: &Source<'_>, start: Place, hand_on: impl Fn(Vec<Block>) -> bool) -> Result<(), Failure> {
    let threads = source.pool.current_num_threads() as u64;
    let least = threads * BLOCKS;
    let (mut next, mut cells) = (start, least);
    while next < source.end && !INTERRUPTED.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let run = (cells / least).clamp(1, MOST_BLOCK);
        let runs = take_runs(source.parts, &mut next, source.end, cells, run);
        let evaluate = |run: (usize, std::ops::Range<u64>)| {
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
        cells = next_size(cells, begun.elapsed()).clamp(least, MOST_CELLS.max(least));
    }
    Ok(())
}

/// How many cells take about as long as a batch should, if so many took that long; no sudden change.
fn next_size(cells: u64, took: Duration) -> u64 {
    let (took, wanted) = (took.as_micros().max(1), BATCH.as_micros());
    let scaled = u128::from(cells) * wanted / took;
    u64::try_from(scaled).unwrap_or(u64::MAX).clamp(cells / 4, cells.saturating_mul(4))
}

fn write(mut unfinished: Unfinished, batches: &Receiver<Vec<Block>>) -> Result<Unfinished, Failure> {
    let written = batches.iter().try_for_each(|blocks| {
        blocks.into_iter().try_for_each(|block| unfinished.append(block))?;
        unfinished.checkpoint_when_due()
    });
    match written {
        Err(Failure { code: Code::Output, message }) if unfinished.kept => {
            let message =
                format!("{message}; what was finished is kept, the same command with --resume goes on from there");
            Err(Failure { code: Code::Output, message })
        }
        Err(failure) => Err(failure),
        // A sweep that was never so long that it made one can be repeated.
        Ok(()) if INTERRUPTED.load(Ordering::Relaxed) || unfinished.kept => {
            unfinished.checkpoint().map(|()| unfinished)
        }
        Ok(()) => Ok(unfinished),
    }
}
