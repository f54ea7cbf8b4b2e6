//! The signals that ask a program to stop: SIGINT (Ctrl-C), SIGTERM, SIGHUP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::{Code, Failure, tell};
use crate::threads;

/// A test or a signal sets this to stop a sweep; see [`stop_on_interrupt`].
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A second request within this time counts as the first one.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ctrl-C now stops a sweep and keeps its finished points; a second Ctrl-C, after a second, exits immediately.
///
/// # Errors
/// Exit code 1 if the handler cannot be set.
pub fn stop_on_interrupt() -> Result<(), Failure> {
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
            Some(_) => std::process::exit(Code::Interrupted as i32),
        }
    };
    on_request_to_stop(stop)
}

/// Whether [`stop_on_interrupt`] saw Ctrl-C.
#[must_use]
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// These signals now only call `called`, on its own thread. SIGHUP stays ignored if it was ignored at the start, as
/// `nohup` needs.
///
/// # Errors
/// Exit code 1 if the handler cannot be set.
pub fn on_request_to_stop(mut called: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    let watched = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| signal != SIGHUP || !is_ignored(signal));
    let mut signals = Signals::new(watched)
        .map_err(|error| Failure::new(Code::Internal, format_args!("cannot watch for Ctrl-C: {error}")))?;
    let watch = move || signals.forever().for_each(|_| called());
    thread::Builder::new()
        .stack_size(threads::STACK)
        .spawn(watch)
        .map(drop)
        .map_err(|error| threads::refused(1, &error))
}

/// Whether a signal is ignored; false if the system does not say.
fn is_ignored(signal: i32) -> bool {
    let status = crate::output::read_text(std::path::Path::new("/proc/self/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
