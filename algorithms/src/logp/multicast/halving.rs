//! Halving: the source gives half of the interval to a relay and continues with the rest.
//!
//! **Source.** Gu, Li, Liu, "Fibonacci series-based multicast algorithm", Chinese Journal of Computers
//! 25(4), 2002, section 3, after McKinley et al., "Unicast-based multicast communication in
//! wormhole-routed networks" (the U-mesh split), IEEE TPDS 5(12), 1994.
//!
//! **Symbols.** K nodes, the source included, at positions 1..K; D = L + 2o; g' = max(g, o).
//!
//! **Algorithm.** In `[left, right]` with the source at s, until `left = right`:
//! `2s < left+right`: send to `c = left + ceil((right-left)/2)`, which takes `[c, right]`;
//! `2s > left+right`: send to `c = left + floor((right-left)/2)`, which takes `[left, c]`;
//! equal: send to `c = s-1`, which takes `[left, s-1]`.
//!
//! **Cost.** From an edge, `T(1) = 0`, `T(K) = max(T(ceil(K/2)) + D, T(floor(K/2)) + g' [if K > 3])`: that
//! is `ceil(log2 K) * D` while `g' <= D`, and for `g' > D` with `e = floor(log2 K)` it is `(e-1)*g' + D` at `K = 2^e`, else
//! the larger of that and `(e-p)*g' + (p+1)*D`, p the fewest set bits of a number in `[2^(e+1) - K, 2^e)`.
//! For an inner source the splits are followed. K - 1 messages. O(log K) to evaluate.
//!
//! **When it wins.** Where a relay is as fast as a second send of the source, `g' ~ D`: there it is optimal at powers of two. Where
//! `D >= 2g'` the source is idle for long and uneven trees win.
//!
//! **Departures from the paper.**
//! 1. The paper's equation (2) is the cost from an edge for `g <= D`; here the source's own gaps count (K = 4, D = 1, g = 2), and
//!    the cost from an inner source is exact (it can be lower: K = 33).
//! 2. The ceiling and the floor of `c` are illegible in the scan; they follow from the paper's figure 4 and program.

use super::Multicast;
use super::schedule::{Schedule, Split, by_intervals};
use crate::cost::{Published, Relation};
use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::logp::LogP;

/// The even split. See the module.
pub struct Halving;

impl Multicast for Halving {
    /// ```
    /// use castbench_algorithms::logp::LogP;
    /// use castbench_algorithms::internals::logp::multicast::Multicast;
    /// use castbench_algorithms::internals::logp::multicast::halving::Halving;
    /// assert_eq!(Halving.time(LogP::new(6, 2, 4)?, 18, 1)?, 50);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn time(&self, model: LogP, K: u64, source: u64) -> Result<u64, Error> {
        // A path has at most 64 hops and gaps.
        fit(time_within(model.D().into(), model.gap().into(), K, source))
    }

    fn schedule(&self, _: LogP, K: u32, source: u32) -> Schedule {
        let sends = by_intervals(K, source, |size, at| halve(size, at, false));
        Schedule::from_sends(K, source, &sends)
    }

    fn published(&self, model: LogP, K: u64) -> Vec<Published> {
        let rounds = u128::from(ceil_log2(K));
        vec![Published {
            section: "(2)",
            formula: "ceil(log2 K)·(L+2o)",
            relation: Relation::Equal,
            value: rounds * u128::from(model.D()),
        }]
    }
}

/// The time from any source, in a type that holds it.
fn time_within(D: u128, gap: u128, K: u64, source: u64) -> u128 {
    // Follow the source: each split gives away an interval at an edge and delays the rest by a gap.
    let (mut size, mut at) = (K, source);
    let (mut start, mut finish) = (0, 0);
    while size > 1 {
        let given = given_away(size, at);
        finish = finish.max(start + D + edge_time(D, gap, given));
        start += gap;
        if at > size - at {
            at -= given;
        }
        size -= given;
    }
    finish
}

/// How many nodes the source at position `at` of `size` gives to its next receiver: the larger half, except from the exact middle.
fn given_away(size: u64, at: u64) -> u64 {
    if at - 1 == size - at {
        size / 2
    } else {
        size.div_ceil(2)
    }
}

/// How `size` nodes are split whose holder is at position `at`. A holder in the exact middle gives away the upper part, or the lower one.
pub(crate) fn halve(size: u32, at: u32, is_upper: bool) -> Split {
    // Fewer than `size`.
    let given = u32::try_from(given_away(size.into(), at.into())).unwrap_or(size);
    match at + u32::from(!is_upper) <= size - at + 1 {
        true => Split::last(given, size),
        false => Split::first(given, given),
    }
}

/// The time of `nodes` nodes with the source at an edge: the solution of the module's recurrence.
///
/// The recurrence takes the longest path of halvings from `nodes` to one: a hop D where the half is rounded up (given away), a gap
/// where it is rounded down (kept), and a hop at the end. With `2^e < nodes < 2^(e+1)` a path has e halvings, all but the last kept,
/// or e+1. Rounding up in the halvings that are the set bits of S leaves `floor((nodes + S) / 2^e)` after e of them. So a path of
/// e+1 needs `S >= 2^(e+1) - nodes`, and for long gaps one with the fewest set bits.
fn edge_time(D: u128, gap: u128, nodes: u64) -> u128 {
    if nodes == 1 {
        return 0;
    }
    let times = |count: u32, each: u128| u128::from(count) * each;
    let halvings = nodes.ilog2();
    let shortest = times(halvings - 1, gap.max(D)) + D;
    if nodes.is_power_of_two() {
        return shortest;
    }
    if gap <= D {
        return times(halvings + 1, D);
    }
    let least = (1 << halvings) - (nodes - (1 << halvings));
    let rounded_up = fewest_bits_from(least, halvings);
    let longest = times(halvings - rounded_up, gap) + times(rounded_up + 1, D);
    shortest.max(longest)
}

/// The fewest set bits of any number of `width` bits that is at least `least`: the leading ones, and one more for all bits after
/// the first zero.
fn fewest_bits_from(least: u64, width: u32) -> u32 {
    let aligned = least << (64 - width);
    let ones = aligned.leading_ones();
    let covered = ones == 64 || aligned << ones == 0;
    ones + u32::from(!covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_4_of_the_paper() {
        let schedule = Halving.schedule(LogP::new(6, 2, 4).unwrap(), 18, 1);
        let sends = |node| schedule.targets(node).to_vec();
        assert_eq!(sends(1), [10, 5, 3, 2]);
        assert_eq!(sends(10), [14, 12, 11]);
        assert_eq!(sends(5), [7, 6]);
        assert_eq!(sends(14), [16, 15]);
        assert_eq!((sends(3), sends(12)), (vec![4], vec![13]));
    }

    /// The recurrence as written in the module.
    fn by_recurrence(D: u128, gap: u128, K: u64) -> u128 {
        if K == 1 {
            return 0;
        }
        let handed = by_recurrence(D, gap, K.div_ceil(2)) + D;
        if K > 3 {
            handed.max(by_recurrence(D, gap, K / 2) + gap)
        } else {
            handed
        }
    }

    #[test]
    fn edge_time_solves_the_recurrence() {
        for (D, gap) in [
            (10u128, 4),
            (1, 1),
            (1, 2),
            (2, 3),
            (1, 9),
            (7, 8),
            (3, 1000),
            (5, 0),
        ] {
            for K in 1..2100 {
                assert_eq!(
                    edge_time(D, gap, K),
                    by_recurrence(D, gap, K),
                    "D={D} g'={gap} K={K}"
                );
            }
        }
    }

    #[test]
    fn the_largest_sizes_do_not_wrap() {
        let model = LogP::new(6, 2, 4).unwrap();
        assert_eq!(Halving.time(model, u64::MAX, 1).unwrap(), 640);
        assert!(Halving.time(model, u64::MAX, u64::MAX / 2).unwrap() <= 640);
        assert_eq!(
            Halving.time(LogP::new(u64::MAX, 0, 0).unwrap(), 5, 1),
            Err(Error::Overflow)
        );
    }
}
