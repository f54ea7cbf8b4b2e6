//! The least time in which many nodes can hold the message, by a search, and how many nodes can hold it by a time. [`super`] has the recurrence.

use crate::log2::ceil_log2;
use crate::logp::LogP;
use crate::logp::lattice::{ROWS, reached, rows};

/// How many nodes can hold the message by time `t`, or `cap` if that is less.
///
/// Cost: O(m^2) for `m = t / max(D, g')`, independent of t otherwise.
#[must_use]
pub fn reached_by(model: LogP, t: u64, cap: u64) -> u64 {
    match model.gap() {
        0 if t < model.D() => cap.min(1),
        0 => cap,
        gap => reached(model.D(), gap, t, cap),
    }
}

/// The least t with `N(t) >= K >= 2`, none where t does not fit.
///
/// Doubling takes at least `min(D, g')` and, as halving shows, at most `max(D, g')`. Bisection narrows this to a window no longer than
/// the step of a [row](crate::logp::lattice::Row). There each row has one arrival at most, and these are counted.
pub(super) fn searched_time(D: u64, gap: u64, K: u64) -> Option<u64> {
    let doublings = u64::from(ceil_log2(K));
    let mut low = doublings.saturating_mul(D.min(gap)) - 1;
    let mut high = doublings.saturating_mul(D.max(gap));
    if high == u64::MAX && reached(D, gap, high, K) < K {
        return None;
    }
    while high - low > D.min(gap) {
        let middle = low + (high - low) / 2;
        if reached(D, gap, middle, K) >= K {
            high = middle;
        } else {
            low = middle;
        }
    }
    let mut arrivals = [(u64::MAX, 0); ROWS];
    let mut nodes = 1;
    let mut count = 0;
    for row in rows(D, gap, high) {
        nodes += row.held_by(low, u64::MAX);
        arrivals[count] = row.next_after(low);
        count += 1;
    }
    arrivals[..count].sort_unstable();
    for (time, new) in arrivals {
        nodes = new.saturating_add(nodes);
        if nodes >= K {
            return Some(time);
        }
    }
    None
}
