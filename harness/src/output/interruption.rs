//! Whether a signal asked castbench to stop. [`crate::output::signals`] watches for them.

use std::sync::atomic::{AtomicBool, Ordering};

/// A test or a signal sets this to stop a sweep; see [`crate::output::signals::stop_on_interrupt`].
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether a signal asked to stop, whatever the verb does then.
pub static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Whether a signal that [`crate::output::signals::on_request_to_stop`] watches arrived.
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Whether [`crate::output::signals::stop_on_interrupt`] saw Ctrl-C.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
