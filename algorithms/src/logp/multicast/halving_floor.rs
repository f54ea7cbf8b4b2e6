//! Halving, floor: as halving, but the relay gets the smaller half, because it begins a hop later.
//!
//! **Source.** Folklore; a note of this project on Gu, Li, Liu 2002, whose relay takes the larger half.
//!
//! **Symbols.** K nodes, the source included, at positions 1..K; D = L + 2o; g' = max(g, o).
//!
//! **Algorithm.** In `[left, right]` with the source at s, until `left = right`: `floor(K/2)` of the K nodes there go
//! to a relay, the last ones if they lie to the right of s, led by their first, else the first ones, led by their last.
//! One side of s is always that long.
//!
//! **Cost.** `T(1) = 0`, `T(K) = max(T(floor(K/2)) + D, T(ceil(K/2)) + g' [if K > 2])`, for every source. K - 1
//! messages. O(log K) to evaluate: at each depth there are two sizes at most.
//!
//! **When it wins.** Where halving wins and sizes are odd: with `g' <= D` it is never slower. At powers of two both are equal from
//! an edge.

use super::Multicast;
use super::schedule::{Schedule, Split, by_intervals};
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::wide::Wide;

/// The even split with the smaller half given away. See the module.
pub struct HalvingFloor;

impl Multicast for HalvingFloor {
    /// ```
    /// use castbench_algorithms::logp::LogP;
    /// use castbench_algorithms::internals::logp::multicast::Multicast;
    /// use castbench_algorithms::internals::logp::multicast::halving_floor::HalvingFloor;
    /// assert_eq!(HalvingFloor.time(LogP::new(6, 2, 4)?, 3, 1)?, 14);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn time(&self, model: LogP, K: u64, _source: u64) -> Result<u64, Error> {
        let (D, gap) = model.wide();
        // The times of x and x + 1 nodes, where x is K without its last bits.
        let (mut x, mut times) = (0u64, (Wide::ZERO, Wide::ZERO));
        for bit in (0..u64::BITS - K.leading_zeros()).rev() {
            let (of_x, of_next) = times;
            let even = |of_half: Wide, half: u64| {
                if half == 0 {
                    Wide::ZERO
                } else {
                    of_half + kept_or_given(D, gap, half)
                }
            };
            let odd = if x == 0 {
                Wide::ZERO
            } else {
                (of_x + D).max(of_next + gap)
            };
            times = if K >> bit & 1 == 0 {
                (even(of_x, x), odd)
            } else {
                (odd, even(of_next, x + 1))
            };
            x = K >> bit;
        }
        fit(times.0)
    }

    fn schedule(&self, _: LogP, K: u32, source: u32) -> Schedule {
        let sends = by_intervals(K, source, |size, at| {
            let given = size / 2;
            match size - at >= given {
                true => Split::last(given, size),
                false => Split::first(given, given),
            }
        });
        Schedule::from_sends(K, source, &sends)
    }
}

/// The time that a split adds to a half of this size: a hop for the half given away, a gap for the one kept if its node sends again.
fn kept_or_given(D: Wide, gap: Wide, half: u64) -> Wide {
    if half > 1 { D.max(gap) } else { D }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::multicast::halving::Halving;

    /// The recurrence as written in the module.
    fn by_recurrence(D: u64, gap: u64, K: u64) -> u64 {
        if K == 1 {
            return 0;
        }
        let given = by_recurrence(D, gap, K / 2) + D;
        if K > 2 {
            given.max(by_recurrence(D, gap, K.div_ceil(2)) + gap)
        } else {
            given
        }
    }

    #[test]
    fn two_sizes_a_depth_are_enough() {
        for (D, gap) in [
            (10, 4),
            (1, 1),
            (1, 2),
            (2, 3),
            (1, 9),
            (7, 8),
            (3, 1000),
            (5, 0),
        ] {
            let model = LogP::new(D, 0, gap).unwrap();
            for K in 1..700 {
                assert_eq!(
                    HalvingFloor.time(model, K, 1),
                    Ok(by_recurrence(D, gap, K)),
                    "D={D} g'={gap} K={K}"
                );
            }
        }
        assert!(
            HalvingFloor
                .time(LogP::new(6, 2, 4).unwrap(), u64::MAX, 1)
                .unwrap()
                <= 640
        );
    }

    /// Never worse than the paper's halving while a gap is at most a hop.
    #[test]
    fn never_slower_than_halving_from_an_edge() {
        for D in 1..=30 {
            for gap in 0..=D {
                let model = LogP::new(D, 0, gap).unwrap();
                for K in 1..400 {
                    assert!(
                        HalvingFloor.time(model, K, 1).unwrap()
                            <= Halving.time(model, K, 1).unwrap(),
                        "D={D} g'={gap} K={K}"
                    );
                }
            }
        }
    }
}
