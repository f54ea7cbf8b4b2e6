//! Watches a blocking call of MPI, which cannot be polled or interrupted.
//!
//! The guard is a thread. If a call exceeds the limit, the guard ends this rank, on rank 0 after saving the results;
//! the launcher then ends the others. Rank 0 cannot ask them meanwhile, because only the waiting thread may call MPI.
//! So each rank first prints whether it waits in vain or has finished. The rank that printed nothing is the one to look
//! at.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::results::Status;
use crate::stop::Stop;
use crate::tell::tell;

const GLANCE: Duration = Duration::from_millis(20);
/// How long rank 0 lets the others print first, even on a busy machine.
const WORDS: Duration = Duration::from_secs(5);
/// A check that is this late follows a stop of the process.
const AWAY: Duration = Duration::from_secs(1);

/// How long other ranks wait for rank 0 to save the results, which may itself wait for a limit. The launcher ends them
/// when rank 0 exits.
pub const KEEPING: Duration = Duration::from_secs(20);

/// Ends a measurement from any thread: rank 0 saves the results and prints how it ended. Returns the exit code. A
/// second call saves nothing.
pub type End<'a> = &'a (dyn Fn(Status) -> i32 + Sync);

struct Call {
    until: Instant,
    /// The rank and what it waits for, for messages.
    doing: String,
}

/// Watches one call at a time.
pub struct Guard<'a> {
    rank: u32,
    stop: &'a Stop,
    call: Mutex<Option<Call>>,
    is_dismissed: AtomicBool,
}

impl<'a> Guard<'a> {
    pub fn new(rank: u32, stop: &'a Stop) -> Self {
        Self {
            rank,
            stop,
            call: Mutex::new(None),
            is_dismissed: AtomicBool::new(false),
        }
    }

    fn watched(&self) -> MutexGuard<'_, Option<Call>> {
        self.call.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call that may last until then.
    pub fn over(&self, until: Instant, doing: String, call: impl FnOnce()) {
        *self.watched() = Some(Call { until, doing });
        call();
        *self.watched() = None;
    }

    pub fn dismiss(&self) {
        self.is_dismissed.store(true, Ordering::Relaxed);
    }

    pub fn watch(&self, end: End<'_>) {
        let mut looked = Instant::now();
        while !self.is_dismissed.load(Ordering::Relaxed) {
            let away = looked.elapsed();
            looked = Instant::now();
            let late = self.watched().as_mut().and_then(|call| {
                // A process that was stopped and continued did not wait meanwhile; launchers stop processes before they
                // kill them.
                if away > AWAY {
                    call.until += away;
                }
                if self.rank == 0 && self.stop.requested() {
                    return Some(Status::Interrupted);
                }
                (looked > call.until).then(|| Status::Failed(call.doing.clone()))
            });
            if let Some(status) = late {
                self.give_up(status, end);
            }
            thread::sleep(GLANCE);
        }
    }

    fn give_up(&self, status: Status, end: End<'_>) -> ! {
        match status {
            Status::Failed(doing) if self.rank > 0 => {
                tell(&doing);
                thread::sleep(KEEPING);
                process::exit(end(Status::Failed(doing)))
            }
            Status::Failed(doing) => {
                thread::sleep(WORDS);
                let reason =
                    format!("{doing}; look at the rank of these that printed nothing before");
                process::exit(end(Status::Failed(reason)))
            }
            status => process::exit(end(status)),
        }
    }
}
