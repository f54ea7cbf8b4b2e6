//! The signals that ask a program to stop: SIGINT (Ctrl-C), SIGTERM, SIGHUP.

use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::{Code, Failure};
use crate::threads;

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
    thread::Builder::new().spawn(watch).map(drop).map_err(|error| threads::refused(1, &error))
}

/// Whether a signal is ignored, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
