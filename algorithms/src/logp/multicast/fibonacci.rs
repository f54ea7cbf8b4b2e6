//! Fibonacci: an uneven split by Fibonacci numbers. The source keeps the larger part, because it needs no hop to begin.
//!
//! **Source.** Gu, Li, Liu, "Fibonacci series-based multicast algorithm", Chinese Journal of Computers
//! 25(4), 2002, section 4, algorithm 1.
//!
//! **Symbols.** K nodes, the source included, at positions 1..K; D = L + 2o; g' = max(g, o);
//! `f_1 = f_2 = 1`, `f_n = f_{n-1} + f_{n-2}`; n is the largest with `f_n <= K`.
//!
//! **Algorithm.** Among K nodes the smaller part has `small = f_{n-2}` of them. A source at `s > small`
//! sends to the first node, which takes the first `small`; otherwise it sends to position `K-small+1`,
//! which takes the last `small`.
//!
//! **Cost.** `T(1) = 0`, `T(K) = max(T(f_{n-2}) + D, T(K - f_{n-2}) + g' [if K - f_{n-2} > 1])`, for every source.
//! At `f_n` (n >= 3) that is `((n-1)/2)*D` for odd n and `((n-2)/2)*D + g'` for even n where `D >= 2g'`, and
//! `D + (n-3)*g'` where `D < 2g'`. K - 1 messages. O(log K) to evaluate.
//!
//! **When it wins.** Against halving where `g'` is below about `D/2`; it is optimal at Fibonacci sizes where `g' = D/2`. For
//! `D >> g'` the optimal tree is faster (three times at `g'/D = 0.01`).
//!
//! **Departures from the paper.**
//! 1. The recurrence counts the gap only where another send follows (K = 2 with g' > D).
//! 2. Bound (11) is evaluated as printed and is no upper bound: in (10) the sign of 1.16096 is wrong.
//!    The smallest counterexample at L=6 o=2 g=4 is K = 2 (10 > 0).
//! 3. "T(K) is obviously increasing" is false: D = g = 1 gives T(12) = 6 and T(13) = 5. It is not used here.
//! 4. The bounds are evaluated with g' for g; the paper assumes g >= o.

use super::Multicast;
use super::schedule::{Schedule, Split, by_intervals};
use crate::cost::{Published, Relation};
use crate::error::{Error, fit};
use crate::log2;
use crate::logp::LogP;

/// The split by Fibonacci numbers. See the module.
pub struct Fibonacci;

/// `FIBONACCI[n] = f_n`: all Fibonacci numbers of 64 bits.
pub(crate) const FIBONACCI: [u64; 94] = {
    let mut f = [0; 94];
    f[1] = 1;
    let mut n = 2;
    while n < f.len() {
        f[n] = f[n - 1] + f[n - 2];
        n += 1;
    }
    f
};

/// The largest n with `f_n <= K`, for K >= 1.
///
/// `f_n` is about `phi^n / sqrt 5` and `log2 phi < 25/36`, so `n = 36/25 * floor(log2 K) + 1` is not too large; a few steps up are
/// enough.
pub(crate) fn index(K: u64) -> usize {
    let mut n = (K.ilog2() as usize * 36) / 25 + 1;
    while n + 1 < FIBONACCI.len() && FIBONACCI[n + 1] <= K {
        n += 1;
    }
    n
}

/// How many nodes the source gives away of K >= 2.
pub(crate) fn small_part(K: u64) -> u64 {
    FIBONACCI[index(K) - 2]
}

impl Multicast for Fibonacci {
    /// ```
    /// use castbench_algorithms::logp::LogP;
    /// use castbench_algorithms::internals::logp::multicast::Multicast;
    /// use castbench_algorithms::internals::logp::multicast::fibonacci::Fibonacci;
    /// assert_eq!(Fibonacci.time(LogP::new(6, 2, 4)?, 18, 1)?, 34);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn time(&self, model: LogP, K: u64, _source: u64) -> Result<u64, Error> {
        fit(time_within(model.D().into(), model.gap().into(), K))
    }

    fn schedule(&self, _: LogP, K: u32, source: u32) -> Schedule {
        let sends = by_intervals(K, source, |size, at| {
            // A part of fewer than 2^32 nodes.
            let small = u32::try_from(small_part(u64::from(size))).unwrap_or(size);
            match at > small {
                true => Split::first(small, 1),
                false => Split::last(small, size),
            }
        });
        Schedule::from_sends(K, source, &sends)
    }

    fn published(&self, model: LogP, K: u64) -> Vec<Published> {
        let (D, gap) = (u128::from(model.D()), u128::from(model.gap()));
        let factor = gap + D.max(2 * gap);
        let half_index = u128::from(index(K) as u64 / 2);
        // n/2 with n by equation (10): 0.72022 is half of 1.44043.
        let (rounds, _) = log2::floor_scaled(72_022, 100_000, K);
        // The paper assumes o below g; sends of one node are g' = max(g, o) apart.
        let [by_logarithm, by_index] = if model.o() > model.g() {
            [
                "floor(0.72022·log2 K)·(g' + max(2g', L+2o))",
                "floor(n/2)·(g' + max(2g', L+2o)), f_n <= K < f_(n+1)",
            ]
        } else {
            [
                "floor(0.72022·log2 K)·(g + max(2g, L+2o))",
                "floor(n/2)·(g + max(2g, L+2o)), f_n <= K < f_(n+1)",
            ]
        };
        vec![
            Published {
                section: "(11)",
                formula: by_logarithm,
                relation: Relation::AtMost,
                value: rounds * factor,
            },
            Published {
                section: "(9)",
                formula: by_index,
                relation: Relation::AtMost,
                value: half_index * factor,
            },
        ]
    }
}

/// The time of K nodes, in a type that holds it.
fn time_within(D: u128, gap: u128, K: u64) -> u128 {
    if K == 1 {
        return 0;
    }
    // Give parts away until two nodes are left; each part has a Fibonacci size.
    let (mut rest, mut n) = (K, index(K));
    let (mut start, mut finish) = (0, 0);
    while rest > 1 {
        while FIBONACCI[n] > rest {
            n -= 1;
        }
        finish = finish.max(start + D + at_fibonacci_size(D, gap, n - 2));
        start += gap;
        rest -= FIBONACCI[n - 2];
    }
    finish
}

/// The time of `f_n` nodes: the recurrence solved (see the module). `f_1 = f_2 = 1` node takes no time.
fn at_fibonacci_size(D: u128, gap: u128, n: usize) -> u128 {
    let times = |count: usize, each: u128| count as u128 * each;
    match n {
        0..=2 => 0,
        _ if D < gap + gap => D + times(n - 3, gap),
        _ if n % 2 == 1 => times((n - 1) / 2, D),
        _ => times((n - 2) / 2, D) + gap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_brackets_every_size() {
        for K in (1..5000)
            .chain((3..93).flat_map(|n| [FIBONACCI[n] - 1, FIBONACCI[n], FIBONACCI[n] + 1]))
        {
            let n = index(K);
            assert!(
                FIBONACCI[n] <= K && (n == 93 || FIBONACCI[n + 1] > K),
                "K={K} n={n}"
            );
        }
        assert_eq!(index(u64::MAX), 93);
    }

    #[test]
    fn figure_5_of_the_paper() {
        let schedule = Fibonacci.schedule(LogP::new(6, 2, 4).unwrap(), 18, 1);
        assert_eq!(schedule.targets(1), [14, 9, 6, 4, 3, 2]);
    }

    /// The paper's recurrence (3), with the gap only before another send.
    fn by_recurrence(D: u128, gap: u128, K: u64) -> u128 {
        if K == 1 {
            return 0;
        }
        let small = small_part(K);
        let given = by_recurrence(D, gap, small) + D;
        if K - small > 1 {
            given.max(by_recurrence(D, gap, K - small) + gap)
        } else {
            given
        }
    }

    #[test]
    fn time_solves_the_recurrence_for_every_source() {
        for (L, o, g) in [
            (6, 2, 4),
            (1, 0, 1),
            (1, 0, 5),
            (0, 1, 0),
            (97, 1, 3),
            (3, 1, 3),
            (2, 1, 2),
            (5, 0, 0),
        ] {
            let model = LogP::new(L, o, g).unwrap();
            let (D, gap) = (u128::from(model.D()), u128::from(model.gap()));
            for K in 1..400 {
                assert_eq!(
                    u128::from(Fibonacci.time(model, K, 1).unwrap()),
                    by_recurrence(D, gap, K),
                    "{model:?} K={K}"
                );
            }
        }
    }
}
