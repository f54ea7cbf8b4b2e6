//! Watches over a blocking call of MPI: it cannot be asked whether it will ever end, nor be interrupted.
//!
//! The guard is a thread of its own. Where such a call takes longer than the limit it ends this rank, on rank 0 after
//! keeping what was measured; the launcher then ends the others. Rank 0 cannot ask them meanwhile, for only the thread that
//! waits may call MPI. So each rank says first whether it waits in vain, too, or has come through: the one that said
//! nothing is the one to look at.

use std::process;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::end::{End, KEEPING};
use crate::results::Status;
use crate::stop::Stop;
use crate::tell::tell;

/// Between two looks.
const GLANCE: Duration = Duration::from_millis(20);
/// How long rank 0 lets others speak first, on a busy machine, too: it cannot ask them.
const WORDS: Duration = Duration::from_secs(5);
/// A look that comes so late comes after a stop.
const AWAY: Duration = Duration::from_secs(1);

/// A call that is watched.
struct Call {
    until: Instant,
    /// Which rank waits for what, for messages.
    doing: String,
    then: Then,
}

/// What to do where a call takes too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Nothing but the guard can end it: end this rank.
    End,
    /// It will end without help: say it, for ranks that cannot ask.
    Say,
}

enum Duty {
    Idle,
    Watching(Call),
    Dismissed,
}

/// Watches over one call at a time.
pub struct Guard<'a> {
    rank: u32,
    stop: &'a Stop,
    duty: Mutex<Duty>,
}

impl<'a> Guard<'a> {
    pub fn new(rank: u32, stop: &'a Stop) -> Self {
        Self { rank, stop, duty: Mutex::new(Duty::Idle) }
    }

    fn set(&self, duty: Duty) {
        *self.duty.lock().unwrap_or_else(PoisonError::into_inner) = duty;
    }

    /// Makes a call that may take until then.
    pub fn over<T>(&self, until: Instant, doing: String, then: Then, call: impl FnOnce() -> T) -> T {
        self.set(Duty::Watching(Call { until, doing, then }));
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
        let mut looked = Instant::now();
        loop {
            let mut duty = self.duty.lock().unwrap_or_else(PoisonError::into_inner);
            // A rank that was stopped and goes on, as launchers have it before they kill, did not wait meanwhile.
            let away = looked.elapsed();
            if let Duty::Watching(call) = &mut *duty
                && away > AWAY
            {
                call.until += away;
            }
            looked = Instant::now();
            let late = match &*duty {
                Duty::Dismissed => return,
                Duty::Watching(_) if self.rank == 0 && self.stop.requested() => Some(Status::Interrupted),
                Duty::Watching(call) if Instant::now() <= call.until => None,
                Duty::Watching(Call { doing, then: Then::Say, .. }) => {
                    tell(doing);
                    *duty = Duty::Idle;
                    None
                }
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
                let reason = format!("{doing}; a rank of these that said nothing before is the one to look at");
                process::exit(end(Status::Failed(reason)))
            }
            status => process::exit(end(status)),
        }
    }
}
