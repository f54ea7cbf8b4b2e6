//! Ctrl-C, SIGTERM and SIGHUP: results are kept, and emulated hosts are removed.

use measure::stop::Stop;

use crate::base::failure::Result;
use crate::output::signals;

/// Whether one of these signals arrived.
pub static STOP: Stop = Stop::new();

/// Ctrl-C, SIGTERM and SIGHUP now only request a stop; a message says what becomes of the work.
///
/// # Errors
/// Exit code 1 if the handler cannot be set.
pub fn on_interrupt(kept: &'static str) -> Result {
    signals::on_request_to_stop(move || {
        if STOP.request() {
            tell!("stopping: {kept}");
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
