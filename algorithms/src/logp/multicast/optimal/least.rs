//! The least time in which K nodes can hold the message, and how many nodes can hold it by a time. [`super`] has the recurrence.

use num_integer::Integer;

use crate::error::Error;
use crate::log2::ceil_log2;
use crate::logp::LogP;
use crate::logp::lattice::{ROWS, reached, rows};

/// The least time in which any multicast reaches K nodes: the lower bound of the problem.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits.
///
/// ```
/// use castbench_algorithms::internals::logp::multicast::optimal;
/// use castbench_algorithms::logp::LogP;
/// assert_eq!(optimal::time(LogP::new(6, 2, 4)?, 1_000_000_000_000_000_000)?, 396);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub fn time(model: LogP, K: u64) -> Result<u64, Error> {
    let gap = model.gap();
    if K == 1 {
        return Ok(0);
    }
    if gap == 0 {
        return Ok(model.D());
    }
    // Every node holds the message at some aD + bg', so the common divisor can be the unit of time.
    let unit = model.D().gcd(&gap);
    let (D, gap) = (model.D() / unit, gap / unit);
    let time = tabulated_time(D, gap, K).or_else(|| searched_time(D, gap, K));
    time.and_then(|time| time.checked_mul(unit)).ok_or(Error::Overflow)
}

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

/// The longest table of [`tabulated_time`]: 4 KiB, about 1 ns per entry.
const TABLE: usize = 512;

/// The least t with `N(t) >= K` by the recurrence, where it surely fits in the [`TABLE`].
fn tabulated_time(D: u64, gap: u64, K: u64) -> Option<u64> {
    let (D, gap) = tabulated(D, gap, K)?;
    // Most times are short, and clearing a long table takes longer than filling a short one.
    least_in::<64>(D, gap, K).or_else(|| least_in::<TABLE>(D, gap, K))
}

/// The least t with `N(t) >= K` below this number.
fn least_in<const MOST: usize>(D: usize, gap: usize, K: u64) -> Option<u64> {
    let mut reached = [0u64; MOST];
    for t in 0..MOST {
        reached[t] = next(&reached[..t], D, gap);
        if reached[t] >= K {
            return Some(t as u64);
        }
    }
    None
}

/// D and g' as indices into the [`TABLE`], if the time of K nodes surely fits.
pub(super) fn tabulated(D: u64, gap: u64, K: u64) -> Option<(usize, usize)> {
    let fits = u128::from(D.max(gap)) * u128::from(ceil_log2(K)) < TABLE as u128;
    #[expect(clippy::cast_possible_truncation, reason = "both are below TABLE")]
    fits.then_some((D as usize, gap as usize))
}

/// `N(t)` from all `N` before.
///
/// The root's first child leads a subtree with `t - D` left; the rest is the tree of a root that begins g' later.
pub(super) fn next(reached: &[u64], D: usize, gap: usize) -> u64 {
    let t = reached.len();
    let root_and_later = if t >= gap { reached[t - gap] } else { 1 };
    let first_child = if t >= D { reached[t - D] } else { 0 };
    root_and_later.saturating_add(first_child)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_search_agree() {
        for D in 1..=20 {
            for gap in 1..=20 {
                for K in (2..200).chain([1 << 20, (1 << 20) + 1, 999_999_999_999]) {
                    if let Some(time) = tabulated_time(D, gap, K) {
                        assert_eq!(searched_time(D, gap, K), Some(time), "D={D} g'={gap} K={K}");
                    }
                }
            }
        }
    }
}
