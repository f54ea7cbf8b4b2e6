//! The time that ranks report: the monotonic clock of a host, which all its processes share.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The monotonic clock of this host in nanoseconds, with one origin for all its processes.
#[must_use]
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

/// Waits until `pause` ns after `since` and returns the time then; without a pause, returns `since`.
#[must_use]
pub fn pause_until(since: u64, pause: u64) -> u64 {
    if pause == 0 {
        return since;
    }
    let left = pause.saturating_sub(now().saturating_sub(since));
    thread::sleep(Duration::from_nanos(left));
    now()
}

/// Occupies the processor for this long and returns the time then.
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

/// A name of the clock that [`now`] reads. Processes with equal names need no comparison of their clocks.
///
/// It consists of the kernel's boot id and the time namespace. If both are unknown it is empty, and clocks are
/// compared.
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
