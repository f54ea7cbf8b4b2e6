//! Evaluates blocks of cells on all threads while the calling one writes them, in order.
//!
//! How long a point takes is not known before: a thread takes some cells, and gives back those that it does not get to in
//! good time. The blocks get smaller then, and grow again where cells are fast.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;
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
use crate::signals::INTERRUPTED;

/// What is evaluated, and where.
pub(super) struct Source<'a> {
    pub config: &'a Config,
    pub cells: &'a Cells<'a>,
    pub pool: &'a ThreadPool,
    pub progress: &'a Progress,
}

/// Most cells of a block, and those of the first: how long they take shows then.
const MAX_BLOCK: u64 = 1 << 11;
const FIRST_BLOCK: u64 = 16;

/// How long a block may take, but for its last points: long beside what handing it over takes.
const MAX_TIME: Duration = Duration::from_millis(10);

/// Most blocks that wait to be written behind one that is not evaluated yet, beside two for each thread. They are all the
/// memory that rows take, and what a sweep that is killed evaluates again.
const MAX_AHEAD: usize = 64;

/// How often the writer looks whether a checkpoint is due while no block comes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The cells that no thread has taken.
struct Queue {
    /// From the first position of a range to its end.
    left: BTreeMap<u64, u64>,
    /// Cells of the next block.
    size: u64,
    /// Held by every thread that may give cells back, also where it panics.
    busy: Arc<()>,
}

/// Cells for a thread.
enum Take {
    Some(Range<u64>, Arc<()>),
    /// Others may give some back.
    Later,
    Never,
}

impl Queue {
    /// The first cells that are left, all of one part.
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

    /// So many cells took so long.
    fn adapt(&mut self, cells: u64, took: Duration) {
        if took >= MAX_TIME {
            self.size = (cells / 2).max(1);
        } else if took < MAX_TIME / 4 {
            self.size = (self.size * 2).min(MAX_BLOCK);
        }
    }
}

/// What takes the rows, in their order.
pub(super) trait Sink {
    /// The position that comes next.
    fn next(&self) -> u64;

    /// Adds the rows of a block that begins there.
    fn append(&mut self, block: Block) -> Result<(), Failure>;

    /// Makes a checkpoint if the last one is some time ago; whether nothing is without one now.
    fn checkpoint_when_due(&mut self) -> Result<bool, Failure>;

    /// Makes a checkpoint.
    fn checkpoint(&mut self) -> Result<(), Failure>;
}

/// Appends to `sink` from its next position on, up to the end or until it is stopped.
///
/// # Errors
/// Exit code 74 where the rows cannot be written.
pub(super) fn run<S: Sink + Send>(source: &Source<'_>, sink: S) -> Result<S, Failure> {
    let mut queue = Queue { left: BTreeMap::new(), size: FIRST_BLOCK, busy: Arc::new(()) };
    queue.give_back(sink.next()..source.cells.len());
    let queue = &Mutex::new(queue);
    let threads = source.pool.current_num_threads();
    // Holds an element for each block on its way, so a thread waits where there are too many.
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

/// Evaluates block after block until none is left, it is stopped, or the writer has failed.
fn evaluate(
    source: &Source<'_>,
    queue: &Mutex<Queue>,
    begin: &SyncSender<()>,
    sender: &Sender<Result<Block, Failure>>,
) {
    let is_stopped = || INTERRUPTED.load(Ordering::Relaxed);
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
        let block = block::evaluate(source.config, source.cells, positions.clone(), MAX_TIME, &INTERRUPTED);
        if let Ok(block) = &block {
            let done = block.positions.end - positions.start;
            // Before the block is written, so that what comes next is in the queue by then.
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

/// Appends the blocks in their order, and ends with a checkpoint: nothing of what was appended is lost from here on. Of a
/// sweep that was stopped the blocks behind the first gap are dropped.
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
            // Its thread has sent one before it began.
            let _ = begun.recv();
        }
        if !is_kept {
            is_kept = sink.checkpoint_when_due()?;
        }
    }
    sink.checkpoint()?;
    Ok(sink)
}
