//! A request to stop: what is measured is kept, and what was made is removed.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the run must stop. The caller decides why: on a signal, for instance.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// No request yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Asks to stop. Returns whether this is the first request.
    pub fn request(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether the run must stop.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
