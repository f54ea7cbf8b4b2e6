//! Ctrl-C, and the polite signals to end: what is measured is kept, and what was made is removed.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Failure, tell};
use crate::signals;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C, SIGTERM and SIGHUP only ask to stop.
///
/// # Errors
/// Exit code 1 where the handler cannot be set.
pub fn on_interrupt() -> Result<(), Failure> {
    watch(|| tell("stopping: the multicast under way is given up, what was measured is kept"))
}

/// The same for a process beside which another says so.
///
/// # Errors
/// Those of [`on_interrupt`].
pub fn on_interrupt_quietly() -> Result<(), Failure> {
    watch(|| {})
}

fn watch(say: impl Fn() + Send + 'static) -> Result<(), Failure> {
    let stop = move || {
        if !REQUESTED.swap(true, Ordering::Relaxed) {
            say();
        }
    };
    signals::on_request_to_stop(stop)
}

/// Whether somebody asked to stop.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
