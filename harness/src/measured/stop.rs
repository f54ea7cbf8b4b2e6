//! Ctrl-C, SIGTERM and SIGHUP: results are kept, and emulated hosts are removed.

use measure::stop::Stop;

use crate::base::failure::{Result, tell};
use crate::output::signals;

/// Whether one of these signals arrived.
pub static STOP: Stop = Stop::new();

/// Ctrl-C, SIGTERM and SIGHUP now only request a stop.
///
/// # Errors
/// Exit code 1 if the handler cannot be set.
pub fn on_interrupt() -> Result {
    signals::on_request_to_stop(|| {
        if STOP.request() {
            tell("stopping: finished executions are kept, the current one is not");
        }
    })
}

/// Handles the signals without a message, if another process prints it.
///
/// # Errors
/// The signals cannot be handled.
pub fn on_interrupt_quietly() -> Result {
    signals::on_request_to_stop(|| _ = STOP.request())
}
