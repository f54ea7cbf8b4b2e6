//! Time as ranks tell it to each other: the monotonic clock of a host, which all processes on it share.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The monotonic clock of this host, in nanoseconds since a moment that is the same for all its processes.
#[must_use]
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

/// Waits until `pause` ns after `since` and returns what the clock says then; without a pause, `since` itself.
#[must_use]
pub fn pause_until(since: u64, pause: u64) -> u64 {
    if pause == 0 {
        return since;
    }
    let left = pause.saturating_sub(now().saturating_sub(since));
    thread::sleep(Duration::from_nanos(left));
    now()
}

/// Occupies the processor for this long and returns what the clock says then.
#[must_use]
pub fn spin(ns: u64) -> u64 {
    let end = now().saturating_add(ns);
    loop {
        let now = now();
        if now >= end {
            return now;
        }
        std::hint::spin_loop();
    }
}

/// Names the clock that [`now`] reads. Two processes that name the same one need no comparison of their clocks.
///
/// It is the boot of the kernel and the time namespace in it; empty where the system tells neither, and then
/// clocks are compared.
#[must_use]
pub fn domain() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let boot = boot.trim();
    if boot.is_empty() {
        return String::new();
    }
    let namespace = fs::read_link("/proc/self/ns/time").unwrap_or_default();
    format!("{boot} {}", namespace.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_does_not_go_back() {
        let first = now();
        assert!(first > 0 && now() >= first);
    }
}
