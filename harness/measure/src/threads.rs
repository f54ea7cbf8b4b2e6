//! Threads that wait.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Bytes of their stacks, regardless of `RUST_MIN_STACK`.
const STACK: usize = 1 << 20;

/// Starts a thread.
pub(crate) fn spawn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().stack_size(STACK).spawn(work)
}
