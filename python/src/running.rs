//! Runs Rust without the lock of the interpreter, and turns failures into exceptions.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use castbench::base::failure::{Code, Failure};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// How often Python is asked whether Ctrl-C was pressed, and sees the progress.
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

/// Makes a `UserWarning` of each warning and note. Returns what else is said.
pub fn warned(py: Python<'_>, said: Vec<String>) -> PyResult<Vec<String>> {
    let mut others = Vec::new();
    for line in said {
        let warning = line
            .strip_prefix("warning: ")
            .or_else(|| line.strip_prefix("note: "));
        match warning {
            Some(warning) => {
                py.import("warnings")?.call_method1("warn", (warning,))?;
            }
            None => others.push(line),
        }
    }
    Ok(others)
}

/// The first exception that a function of the user raised since it was last taken.
static RAISED: Mutex<Option<PyErr>> = Mutex::new(None);

/// Keeps an exception, so that the call that caused it raises it; returns its text.
pub fn keep(py: Python<'_>, error: PyErr) -> String {
    let explanation = error.value(py).to_string();
    RAISED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(error);
    explanation
}

fn taken() -> Option<PyErr> {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// An error that is a bug: what the library writes, the library reads.
pub fn internal(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("{error}; this is a bug in castbench"))
}

/// A panic as an exception that `except Exception` catches; the panic of pyo3 is none.
fn panicked() -> PyErr {
    internal("the computation panicked, as standard error says")
}

/// Computes while other threads of Python run.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    taken();
    let worked = py.detach(|| {
        let worked = panic::catch_unwind(AssertUnwindSafe(work));
        // Commands of users' algorithms start again when they are asked.
        (worked, castbench::plans::end_all())
    });
    taken().map_or(Ok(()), Err)?;
    let (worked, commands) = worked;
    let worked = worked.map_err(|_| panicked())?;
    commands.map_err(|failure| raised(&failure))?;
    Ok(worked)
}

/// Computes on another thread while this one calls `look` and waits for Ctrl-C. An exception of either sets the flag that
/// `work` gets. It is raised at once: the point that `work` evaluates can take minutes.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    mut look: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    work: impl FnOnce(&AtomicBool) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    taken();
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, finished) = channel();
    let worker = thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            let result = work(&stop);
            let commands = castbench::plans::end_all();
            let result = result.and_then(|value| commands.map(|()| value));
            // Without a receiver the result is of no use.
            let _ = sender.send(result);
        }
    });
    py.detach(move || {
        loop {
            match finished.recv_timeout(LOOK_EVERY) {
                Ok(result) => {
                    Python::attach(&mut look)?;
                    taken().map_or(Ok(()), Err)?;
                    return result.map_err(|failure| raised(&failure));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let seen = Python::attach(|py| py.check_signals().and_then(|()| look(py)));
                    seen.inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        match worker.join() {
            Ok(()) => Err(internal("a thread ended without a result")),
            Err(_) => Err(panicked()),
        }
    })
}
