//! Watches a blocking call of MPI, which cannot be polled or interrupted.
//!
//! The guard is a thread. If a call exceeds the limit, the guard ends this rank, on rank 0 after saving the results;
//! the launcher then ends the others. Rank 0 cannot ask them meanwhile, because only the waiting thread may call MPI.
//! So each rank first prints whether it waits in vain or has finished. The rank that printed nothing is the one to look
//! at.

use std::process;
use std::sync::{Mutex, PoisonError};
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

enum Duty {
    Idle,
    Watching(Call),
    Dismissed,
}

/// Watches one call at a time.
pub struct Guard<'a> {
    rank: u32,
    stop: &'a Stop,
    duty: Mutex<Duty>,
}

impl<'a> Guard<'a> {
    pub fn new(rank: u32, stop: &'a Stop) -> Self {
        Self {
            rank,
            stop,
            duty: Mutex::new(Duty::Idle),
        }
    }

    fn set(&self, duty: Duty) {
        *self.duty.lock().unwrap_or_else(PoisonError::into_inner) = duty;
    }

    /// Makes a call that may last until then.
    pub fn over(&self, until: Instant, doing: String, call: impl FnOnce()) {
        self.set(Duty::Watching(Call { until, doing }));
        call();
        self.set(Duty::Idle);
    }

    pub fn dismiss(&self) {
        self.set(Duty::Dismissed);
    }

    pub fn watch(&self, end: End<'_>) {
        let mut looked = Instant::now();
        loop {
            let mut duty = self.duty.lock().unwrap_or_else(PoisonError::into_inner);
            // A process that was stopped and continued did not wait meanwhile; launchers stop processes before they
            // kill them.
            let away = looked.elapsed();
            if let Duty::Watching(call) = &mut *duty
                && away > AWAY
            {
                call.until += away;
            }
            looked = Instant::now();
            let late = match &*duty {
                Duty::Dismissed => return,
                Duty::Watching(_) if self.rank == 0 && self.stop.requested() => {
                    Some(Status::Interrupted)
                }
                Duty::Watching(call) if Instant::now() <= call.until => None,
                Duty::Watching(call) => Some(Status::Failed(call.doing.clone())),
                Duty::Idle => None,
            };
            drop(duty);
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
