//! A request to stop: results are kept, and emulated hosts are removed.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the run must stop. The caller sets it, for example on a signal.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// No request yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Requests a stop. Returns whether this is the first request.
    pub fn request(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether the run must stop.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
