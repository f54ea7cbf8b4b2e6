//! Watches over a call of MPI that waits by itself: it cannot be asked whether it will ever end, nor be interrupted.
//!
//! The guard is a thread of its own. Where such a call takes longer than the limit it ends this rank, on rank 0 after
//! keeping what was measured; the launcher then ends the others. Each rank that waits in vain says so first: the one that
//! does not is the one to look at.

use std::process;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::End;
use super::trouble::KEEPING;
use crate::failure::{Code, tell};
use crate::measure::record::Status;
use crate::measure::stop;

/// Between two looks.
const GLANCE: Duration = Duration::from_millis(20);
/// How long rank 0 lets others speak first.
const WORDS: Duration = Duration::from_millis(500);

/// A call that is watched.
struct Call {
    until: Instant,
    /// Who waits for what, for messages.
    doing: String,
}

enum Duty {
    Idle,
    Watching(Call),
    Dismissed,
}

/// Watches over one call at a time.
pub struct Guard {
    rank: u32,
    duty: Mutex<Duty>,
}

impl Guard {
    pub fn new(rank: u32) -> Self {
        Self { rank, duty: Mutex::new(Duty::Idle) }
    }

    fn set(&self, duty: Duty) {
        *self.duty.lock().unwrap_or_else(PoisonError::into_inner) = duty;
    }

    /// Makes a call that may take so long.
    pub fn over<T>(&self, limit: Duration, doing: String, call: impl FnOnce() -> T) -> T {
        self.set(Duty::Watching(Call { until: Instant::now() + limit, doing }));
        let result = call();
        self.set(Duty::Idle);
        result
    }

    /// Nothing is to be watched any more.
    pub fn dismiss(&self) {
        self.set(Duty::Dismissed);
    }

    /// Watches until dismissed.
    pub fn watch(&self, end: End<'_>) {
        loop {
            let late = match &*self.duty.lock().unwrap_or_else(PoisonError::into_inner) {
                Duty::Dismissed => return,
                Duty::Idle => None,
                Duty::Watching(_) if self.rank == 0 && stop::requested() => Some(Status::Interrupted),
                Duty::Watching(call) if Instant::now() > call.until => Some(Status::Failed(call.doing.clone())),
                Duty::Watching(_) => None,
            };
            if let Some(status) = late {
                self.give_up(status, end);
            }
            thread::sleep(GLANCE);
        }
    }

    fn give_up(&self, status: Status, end: End<'_>) -> ! {
        match status {
            Status::Failed(doing) if self.rank > 0 => {
                tell(format_args!("{doing}"));
                thread::sleep(KEEPING);
                process::exit(Code::Measurement as i32)
            }
            Status::Failed(doing) => {
                thread::sleep(WORDS);
                let reason = format!("{doing}; a rank that does not say the same is the one to look at");
                process::exit(end(Status::Failed(reason)) as i32)
            }
            status => process::exit(end(status) as i32),
        }
    }
}
