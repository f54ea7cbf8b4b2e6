//! The signals that ask a program to stop: SIGINT (Ctrl-C), SIGTERM, SIGHUP.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::base::children;
use crate::base::failure::{Code, Result, tell};
use crate::base::threads;
use crate::output::interruption::{INTERRUPTED, REQUESTED};

/// What a signal calls.
type Called = Box<dyn FnMut() + Send>;
static CALLED: Mutex<Option<Called>> = Mutex::new(None);

/// Whether the process is the program castbench, which may watch for signals.
static IS_PROGRAM: AtomicBool = AtomicBool::new(false);

/// A second request within this time counts as the first one.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ctrl-C now stops a sweep and keeps its finished points; a second Ctrl-C, after a second, exits immediately.
///
/// # Errors
/// Exit code 1 if the handler cannot be set.
pub fn stop_on_interrupt() -> Result {
    let mut first: Option<Instant> = None;
    let stop = move || {
        INTERRUPTED.store(true, Ordering::Relaxed);
        match first {
            None => {
                first = Some(Instant::now());
                tell("stopping after the current points; press Ctrl-C again to stop immediately");
            }
            // A batch system may send one request twice: to all processes of a job, and through its script.
            Some(first) if first.elapsed() < PATIENCE => {}
            // As SIGKILL would: points after the last checkpoint are lost.
            Some(_) => end(),
        }
    };
    on_request_to_stop(stop)
}

/// Ends castbench without leaving a command behind.
fn end() {
    children::kill_all();
    std::process::exit(Code::Interrupted as i32)
}

/// The process is the program castbench, not one that uses the library and has handlers of its own.
pub fn set_program() {
    IS_PROGRAM.store(true, Ordering::Relaxed);
}

/// A signal now ends the program and all commands, unless it already calls something else.
///
/// # Errors
/// The handler cannot be set.
pub fn end_on_request() -> io::Result<()> {
    if !IS_PROGRAM.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut called = lock();
    match &*called {
        Some(_) => Ok(()),
        None => {
            *called = Some(Box::new(end));
            watch().map_err(|failure| io::Error::other(failure.explanation()))
        }
    }
}

fn lock() -> MutexGuard<'static, Option<Called>> {
    CALLED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// These signals now only call `called`, on its own thread. SIGHUP stays ignored if it was ignored at the start, as
/// `nohup` needs.
///
/// # Errors
/// Exit code 1 if the handler cannot be set.
pub fn on_request_to_stop(called: impl FnMut() + Send + 'static) -> Result {
    if lock().replace(Box::new(called)).is_none() {
        watch()
    } else {
        Ok(())
    }
}

fn watch() -> Result {
    let watched = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|&signal| signal != SIGHUP || !is_ignored(signal));
    let mut signals = Signals::new(watched)
        .map_err(|error| failure!(Internal, "cannot watch for Ctrl-C: {error}"))?;
    let watch = move || {
        for _ in signals.forever() {
            REQUESTED.store(true, Ordering::Relaxed);
            if let Some(called) = &mut *lock() {
                called();
            }
        }
    };
    thread::Builder::new()
        .stack_size(threads::STACK)
        .spawn(watch)
        .map(drop)
        .map_err(|error| threads::refused(1, &error))
}

/// Whether a signal is ignored; false if the system does not say.
fn is_ignored(signal: i32) -> bool {
    let status =
        crate::output::read_text(std::path::Path::new("/proc/self/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
