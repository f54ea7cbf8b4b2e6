//! Ctrl-C, and the polite signals to end: what is measured is kept, and what was made is removed.

use measure::stop::Stop;

use crate::failure::{Failure, tell};
use crate::signals;

/// Whether one of these signals came.
pub static STOP: Stop = Stop::new();

/// From now on Ctrl-C, SIGTERM and SIGHUP only ask to stop.
///
/// # Errors
/// Exit code 1 where the handler cannot be set.
pub fn on_interrupt() -> Result<(), Failure> {
    signals::on_request_to_stop(|| {
        if STOP.request() {
            tell("stopping: the multicast under way is given up, what was measured is kept");
        }
    })
}

/// The same for a process beside which another one reports it.
///
/// # Errors
/// Those of [`on_interrupt`].
pub fn on_interrupt_quietly() -> Result<(), Failure> {
    signals::on_request_to_stop(|| {
        STOP.request();
    })
}
