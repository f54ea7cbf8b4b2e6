//! Evaluates blocks of cells on all threads, while the calling thread writes them in order.
//!
//! The time of a point is not known in advance. A thread takes some cells, and returns those that it does not reach in
//! time. Then blocks get smaller, and grow again where cells are fast.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::block::{self, Block};
use super::estimate;
use super::parts::Cells;
use crate::config::Config;
use crate::failure::Failure;
use crate::progress::Progress;

pub(super) struct Source<'a> {
    pub config: &'a Config,
    pub cells: &'a Cells<'a>,
    pub pool: &'a ThreadPool,
    pub progress: &'a Progress,
    /// Set from outside to end it early.
    pub stop: &'a AtomicBool,
}

/// Most cells of a block, and cells of the first block, which gives the first timing.
const MAX_BLOCK: u64 = 1 << 11;
const FIRST_BLOCK: u64 = 16;

/// Most time of a block, except its last points: long compared with handing it over.
const MAX_TIME: Duration = Duration::from_millis(10);

/// Most blocks that wait for an earlier one, in addition to two per thread. This bounds the memory of rows, and the
/// work lost when a sweep is killed.
const MAX_AHEAD: usize = 64;

/// How often the writer checks for a due checkpoint while it waits for a block.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The cells that no thread has taken.
struct Queue {
    /// First position of each range to its end.
    left: BTreeMap<u64, u64>,
    size: u64,
    /// Held by every thread that may return cells, even if it panics.
    busy: Arc<()>,
}

enum Take {
    Some(Range<u64>, Arc<()>),
    /// Wait: others may return some.
    Later,
    Never,
}

impl Queue {
    fn take(&mut self, cells: &Cells<'_>) -> Take {
        let Some((start, end)) = self.left.pop_first() else {
            return if Arc::strong_count(&self.busy) > 1 { Take::Later } else { Take::Never };
        };
        let upto = start.saturating_add(self.size).min(cells.end(start)).min(end);
        self.give_back(upto..end);
        Take::Some(start..upto, Arc::clone(&self.busy))
    }

    fn give_back(&mut self, positions: Range<u64>) {
        if !positions.is_empty() {
            self.left.insert(positions.start, positions.end);
        }
    }

    /// Adapts the size of blocks to the time of the last one.
    fn adapt(&mut self, cells: u64, took: Duration) {
        if took >= MAX_TIME {
            self.size = (cells / 2).max(1);
        } else if took < MAX_TIME / 4 {
            self.size = (self.size * 2).min(MAX_BLOCK);
        }
    }
}

/// The receiver of the rows, in order.
pub(super) trait Sink {
    fn next(&self) -> u64;

    fn append(&mut self, block: Block) -> Result<(), Failure>;

    /// Makes a checkpoint if one is due; returns whether all rows are covered by one. Rows in memory need none.
    fn checkpoint_when_due(&mut self) -> Result<bool, Failure> {
        Ok(true)
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

/// Appends to `sink` from its next position, to the end or until stopped.
pub(super) fn run<S: Sink + Send>(source: &Source<'_>, sink: S) -> Result<S, Failure> {
    let mut queue = Queue { left: BTreeMap::new(), size: FIRST_BLOCK, busy: Arc::new(()) };
    queue.give_back(sink.next()..source.cells.len());
    let queue = &Mutex::new(queue);
    let threads = source.pool.current_num_threads();
    // Holds an element for each block in progress, so a thread waits if there are too many.
    let (begin, begun) = sync_channel(MAX_AHEAD + 2 * threads);
    let (sender, blocks) = channel();
    source.pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (begin, sender) = (begin.clone(), sender.clone());
            scope.spawn(move |_| evaluate(source, queue, &begin, &sender));
        }
        drop((begin, sender));
        write(sink, blocks, begun)
    })
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Evaluates blocks until none is left, the sweep stops, or the writer fails.
fn evaluate(
    source: &Source<'_>,
    queue: &Mutex<Queue>,
    begin: &SyncSender<()>,
    sender: &Sender<Result<Block, Failure>>,
) {
    let is_stopped = || source.stop.load(Ordering::Relaxed);
    while !is_stopped() && begin.send(()).is_ok() {
        let (positions, busy) = loop {
            let taken = lock(queue).take(source.cells);
            match taken {
                Take::Some(positions, busy) => break (positions, busy),
                Take::Later if !is_stopped() => thread::sleep(MAX_TIME),
                Take::Later | Take::Never => return,
            }
        };
        let started = Instant::now();
        let block = block::evaluate(source.config, source.cells, positions.clone(), MAX_TIME, source.stop);
        if let Ok(block) = &block {
            let done = block.positions.end - positions.start;
            // Returned before the block is written, so that the next thread finds the cells in the queue.
            let mut queue = lock(queue);
            queue.give_back(block.positions.end..positions.end);
            queue.adapt(done, started.elapsed());
            drop(queue);
            source.progress.advance(done, estimate::in_units(block.work));
        }
        drop(busy);
        if sender.send(block).is_err() {
            return;
        }
    }
}

/// Appends the blocks in order, and ends with a checkpoint, so that no appended row is lost. After a stop, blocks
/// behind the first gap are dropped.
fn write<S: Sink>(mut sink: S, blocks: Receiver<Result<Block, Failure>>, begun: Receiver<()>) -> Result<S, Failure> {
    let mut waiting = BTreeMap::new();
    let mut is_kept = true;
    loop {
        match blocks.recv_timeout(LOOK_EVERY) {
            Ok(block) => {
                for block in std::iter::once(block).chain(blocks.try_iter()) {
                    let block = block?;
                    waiting.insert(block.positions.start, block);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        while let Some(block) = waiting.remove(&sink.next()) {
            sink.append(block)?;
            is_kept = false;
            // A thread sends an element before it begins a block.
            let _ = begun.recv();
        }
        if !is_kept {
            is_kept = sink.checkpoint_when_due()?;
        }
    }
    sink.checkpoint()?;
    Ok(sink)
}
