//! How far a sweep is: a bar on a terminal, or calls of a function.

use std::io::{IsTerminal as _, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use castbench::base::progress::{Progress, clock};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The argument `progress`.
pub enum Shown {
    Nothing,
    Bar,
    /// A function of the points done and of all points.
    Calls(Py<PyAny>),
}

/// Points done and all points; the threads of a sweep count.
#[derive(Clone, Default)]
pub struct Counted {
    done: Arc<AtomicU64>,
    total: Arc<AtomicU64>,
}

impl Shown {
    /// None is a bar where stderr is a terminal.
    pub fn of(progress: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match progress {
            None if stderr().is_terminal() => Ok(Self::Bar),
            None => Ok(Self::Nothing),
            Some(progress) if progress.is_callable() => Ok(Self::Calls(progress.clone().unbind())),
            Some(progress) if progress.extract().is_ok_and(|wanted: bool| !wanted) => {
                Ok(Self::Nothing)
            }
            Some(_) => Err(PyTypeError::new_err(
                "progress: expected a function of two numbers, None or False",
            )),
        }
    }

    /// The progress for a sweep of this many points and this much more work.
    pub fn begin(is_bar: bool, counted: &Counted, points: u64, work: u64) -> Progress {
        counted.total.store(points, Ordering::Relaxed);
        match is_bar {
            true => Progress::weighted(points, 0, "points", work, clock()),
            false => Progress::silent(points, Arc::clone(&counted.done)),
        }
    }

    /// Calls the function, if any point is done since its last call.
    pub fn look(&self, py: Python<'_>, counted: &Counted, last: &mut u64) -> PyResult<()> {
        let Self::Calls(function) = self else {
            return Ok(());
        };
        let [done, total] =
            [&counted.done, &counted.total].map(|number| number.load(Ordering::Relaxed));
        if done == *last {
            return Ok(());
        }
        *last = done;
        function.call1(py, (done, total)).map(drop)
    }
}
