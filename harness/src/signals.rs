//! The signals that ask a program to stop: SIGINT (Ctrl-C), SIGTERM, SIGHUP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::{Code, Failure, tell};
use crate::threads;

/// Set from outside to stop a sweep; see [`stop_on_interrupt`].
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How soon a second request to stop is taken for the first one.
const PATIENCE: Duration = Duration::from_secs(1);

/// From now on Ctrl-C stops a sweep and keeps what is finished; once more, after a second, it stops at once.
///
/// # Errors
/// Exit code 1 where the handler cannot be set.
pub fn stop_on_interrupt() -> Result<(), Failure> {
    let mut first: Option<Instant> = None;
    let stop = move || {
        INTERRUPTED.store(true, Ordering::Relaxed);
        match first {
            None => {
                first = Some(Instant::now());
                tell("stopping: the points under way are finished first; once more stops at once");
            }
            // One request may come twice, from a batch system to all processes of a job and again from its script.
            Some(first) if first.elapsed() < PATIENCE => {}
            // As SIGKILL would, which loses what came after the last checkpoint.
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

/// From now on these signals only lead to a call, on a thread of its own. SIGHUP stays ignored where it was when the
/// program began: that is what `nohup` is for.
///
/// # Errors
/// Exit code 1 where that cannot be arranged.
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

/// Whether a signal is ignored, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
