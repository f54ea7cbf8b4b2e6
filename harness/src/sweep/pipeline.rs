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

use super::block::{self, Block, Keep};
use super::estimate;
use super::parts::Cells;
use crate::base::failure::Result;
use crate::base::progress::Progress;
use crate::config::Config;

pub(super) struct Source<'a, T> {
    pub config: &'a Config,
    pub cells: &'a Cells<'a>,
    pub pool: &'a ThreadPool,
    pub progress: &'a Progress,
    /// Set from outside to end it early.
    pub stop: &'a AtomicBool,
    /// What becomes of the rows of a block.
    pub keep: &'a Keep<'a, T>,
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
            return if Arc::strong_count(&self.busy) > 1 {
                Take::Later
            } else {
                Take::Never
            };
        };
        let upto = start
            .saturating_add(self.size)
            .min(cells.end(start))
            .min(end);
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

/// Gives the blocks from a position on to `take`, in order, to the end or until stopped. Between them `take` gets none
/// now and then, to check whether anything is due.
pub(super) fn run<T: Send>(
    source: &Source<'_, T>,
    from: u64,
    take: impl FnMut(Option<Block<T>>) -> Result,
) -> Result {
    let mut queue = Queue {
        left: BTreeMap::new(),
        size: FIRST_BLOCK,
        busy: Arc::new(()),
    };
    queue.give_back(from..source.cells.len());
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
        write(from, take, blocks, begun)
    })
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Evaluates blocks until none is left, the sweep stops, or the writer fails.
fn evaluate<T>(
    source: &Source<'_, T>,
    queue: &Mutex<Queue>,
    begin: &SyncSender<()>,
    sender: &Sender<Result<Block<T>>>,
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
        let block = block::evaluate(
            (source.config, source.cells),
            positions.clone(),
            MAX_TIME,
            source.stop,
            source.keep,
        );
        if let Ok(block) = &block {
            let done = block.positions.end - positions.start;
            // Returned before the block is written, so that the next thread finds the cells in the queue.
            let mut queue = lock(queue);
            queue.give_back(block.positions.end..positions.end);
            queue.adapt(done, started.elapsed());
            drop(queue);
            source
                .progress
                .advance(done, estimate::in_units(block.work));
        }
        drop(busy);
        if sender.send(block).is_err() {
            return;
        }
    }
}

/// Hands the blocks over in order. After a stop, blocks behind the first gap are dropped.
fn write<T>(
    mut next: u64,
    mut take: impl FnMut(Option<Block<T>>) -> Result,
    blocks: Receiver<Result<Block<T>>>,
    begun: Receiver<()>,
) -> Result {
    let mut waiting = BTreeMap::new();
    loop {
        match blocks.recv_timeout(LOOK_EVERY) {
            Ok(block) => {
                for block in std::iter::once(block).chain(blocks.try_iter()) {
                    let block = block?;
                    waiting.insert(block.positions.start, block);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        while let Some(block) = waiting.remove(&next) {
            next = block.positions.end;
            take(Some(block))?;
            // A thread sends an element before it begins a block.
            let _ = begun.recv();
        }
        take(None)?;
    }
}
