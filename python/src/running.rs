//! Runs Rust without the lock of the interpreter, and turns failures into exceptions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use castbench::failure::{Code, Failure};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// How often Python is asked whether Ctrl-C was pressed.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The exception for a failure, with the message that the program prints.
pub fn raised(failure: &Failure) -> PyErr {
    let message = failure.explanation();
    match failure.code {
        Code::Usage | Code::Configuration | Code::Nothing => PyValueError::new_err(message),
        Code::Output => PyOSError::new_err(message),
        Code::Interrupted => PyKeyboardInterrupt::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}

/// An error that is a bug: what the library writes, the library reads.
pub fn internal(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("{error}; this is a bug in castbench"))
}

/// Computes on another thread while this one waits for Ctrl-C, which sets the flag that `work` gets.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let mut interrupted = Ok(());
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (sender, finished) = channel();
            let worker = scope.spawn(|| {
                let result = work(&stop);
                // Wakes the other thread, which waits until this one has ended.
                drop(sender);
                result
            });
            while finished.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                if interrupted.is_ok() {
                    interrupted = Python::attach(|py| py.check_signals());
                    stop.store(interrupted.is_err(), Ordering::Relaxed);
                }
            }
            let _: Result<(), _> = finished.recv();
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    interrupted?;
    result.map_err(|failure| raised(&failure))
}
