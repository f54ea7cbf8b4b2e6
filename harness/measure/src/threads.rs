//! Threads that wait for others.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Bytes of their stacks, whatever `RUST_MIN_STACK` says.
const STACK: usize = 1 << 20;

/// Starts one.
///
/// # Errors
/// Where the system allows no more.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    Builder::new().stack_size(STACK).spawn(work)
}
