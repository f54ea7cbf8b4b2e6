//! The median of measured times, and an interval for the true median. Nothing here assumes a distribution, and no mean
//! is used, because a single outlier would distort it.
//!
//! **Source.** Confidence intervals for the median from order statistics: Le Boudec, "Performance Evaluation of
//! Computer and Communication Systems", EPFL Press 2010, section 2.2.2; for benchmarks Hoefler and Belli, "Scientific
//! benchmarking of parallel computing systems", SC 2015, rule 6. Of n independent times, the number below the true
//! median is binomial (n, 1/2), so the l-th smallest and the l-th largest enclose it with probability `1 - 2 sum_{i<l}
//! C(n, i) / 2^n`.

/// The wanted probability that an interval contains the true median.
pub const CONFIDENCE: f64 = 0.95;

/// The fewest times whose interval has that probability.
pub const FEWEST: u32 = 6;

/// The statistics of the times of one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Median {
    /// The middle time; of an even number the mean of the two middle ones, rounded down.
    pub median: u64,
    /// Lower end of the interval.
    pub low: u64,
    /// Upper end of the interval.
    pub high: u64,
    /// The probability that the interval contains the true median: at least [`CONFIDENCE`]. For 5 or fewer times it is
    /// less, and the interval contains all of them.
    pub coverage: f64,
    /// The smallest time.
    pub least: u64,
    /// The largest time.
    pub greatest: u64,
}

impl Median {
    /// Whether the interval is long enough to decide anything: that of one time has no length.
    #[must_use]
    pub fn decides(&self) -> bool {
        self.coverage >= CONFIDENCE
    }

    /// The statistics of these times; none without times.
    ///
    /// Cost: sorting.
    #[must_use]
    pub fn from_times(mut times: Vec<u64>) -> Option<Self> {
        times.sort_unstable();
        let (&least, &greatest) = (times.first()?, times.last()?);
        let n = times.len();
        let (left, right) = (times[(n - 1) / 2], times[n / 2]);
        let (outside, coverage) = interval(n);
        Some(Self {
            median: left + (right - left) / 2,
            low: times[outside],
            high: times[n - 1 - outside],
            coverage,
            least,
            greatest,
        })
    }
}

/// How many of n sorted times are outside the interval at either end, and its coverage.
fn interval(n: usize) -> (usize, f64) {
    // 2^-n is too small for a float from n = 1075 on, and C(n, i) too large from 1030 on. So `term` is 2^-n C(n, i) over
    // 2^power, `below` their sum; up to n = 57 both are exact.
    const SCALE: f64 = (1_u128 << 100) as f64;
    let n_float = n as f64;
    let (mut term, mut below, mut power) = (1.0, 0.0, -n_float);
    let mut best = (0, 0.0);
    for i in 0..n.div_ceil(2) {
        below += term;
        let coverage = 1.0 - 2.0 * below * power.exp2();
        if i > 0 && coverage < CONFIDENCE {
            break;
        }
        best = (i, coverage);
        term = term * (n_float - i as f64) / (i as f64 + 1.0);
        if term > SCALE {
            (term, below, power) = (term / SCALE, below / SCALE, power + 100.0);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use num_rational::Ratio;
    use num_traits::ToPrimitive as _;

    use super::*;

    #[test]
    fn the_middle() {
        let median = |times: &[u64]| Median::from_times(times.to_vec()).unwrap().median;
        assert_eq!(median(&[5]), 5);
        assert_eq!(median(&[9, 1, 5]), 5);
        assert_eq!(median(&[1, 4]), 2);
        assert_eq!(median(&[u64::MAX, u64::MAX - 2]), u64::MAX - 1);
        assert!(Median::from_times(Vec::new()).is_none());
    }

    /// The ranks of the 95 % interval in Le Boudec's table: (n, l), the l-th smallest counted from 1.
    #[test]
    fn the_interval_is_that_of_the_table() {
        for (n, l) in [
            (6, 1),
            (7, 1),
            (8, 1),
            (9, 2),
            (10, 2),
            (11, 2),
            (12, 3),
            (20, 6),
            (30, 10),
            (70, 27),
        ] {
            let (outside, coverage) = interval(n);
            assert_eq!(outside + 1, l, "n = {n}");
            assert!((CONFIDENCE..1.0).contains(&coverage), "n = {n}: {coverage}");
        }
        assert!((interval(6).1 - 0.96875).abs() < 1e-12);
    }

    #[test]
    fn few_times_say_how_little_they_say() {
        assert_eq!(interval(1), (0, 0.0));
        assert_eq!(interval(5), (0, 0.9375));
        let five = Median::from_times(vec![3, 1, 2, 5, 4]).unwrap();
        assert_eq!((five.low, five.high), (1, 5));
        for (times, decides) in [(1, false), (FEWEST - 1, false), (FEWEST, true)] {
            let median = Median::from_times((0..times).map(u64::from).collect()).unwrap();
            assert_eq!(median.decides(), decides, "{times}");
        }
    }

    /// Against exact sums of binomials, from one n to the next.
    #[test]
    fn the_interval_is_exact_for_thousands_of_times() {
        // C(n, outside), the sum up to it, and 2^n.
        let (mut term, mut below, mut all) = (
            BigUint::from(1_u8),
            BigUint::from(1_u8),
            BigUint::from(2_u8),
        );
        let mut outside = 0_usize;
        for n in 1..=5000 {
            // One more time may be outside if 1 - 2 (below + C(n, outside + 1)) / 2^n is still 95 %.
            let next = &term * (n - outside) / (outside + 1);
            if 40_u8 * (&below + &next) <= all {
                (outside, below, term) = (outside + 1, below + &next, next);
            }
            let exact = Ratio::new_raw(&all - 2_u8 * &below, all.clone())
                .to_f64()
                .unwrap();
            let (found, coverage) = interval(n);
            assert_eq!(found, outside, "n = {n}");
            assert!(
                (coverage - exact).abs() < 1e-14,
                "n = {n}: {coverage}, exactly {exact}"
            );
            below = 2_u8 * &below - &term;
            term = term * (n + 1) / (n + 1 - outside);
            all *= 2_u8;
        }
    }

    /// Counted: the share of samples whose interval contains the median 1/2 of a uniform distribution.
    #[test]
    fn the_interval_covers_as_often_as_it_says() {
        use chacha20::ChaCha8Rng;
        use chacha20::rand_core::{Rng, SeedableRng};
        let mut random = ChaCha8Rng::from_seed([7; 32]);
        let draws = 20_000;
        let mut held = 0;
        for _ in 0..draws {
            let median = Median::from_times((0..9).map(|_| random.next_u64()).collect()).unwrap();
            held += u32::from(median.low <= u64::MAX / 2 && u64::MAX / 2 < median.high);
        }
        let share = f64::from(held) / f64::from(draws);
        // Four standard deviations of a share of 20,000.
        assert!((share - interval(9).1).abs() < 0.006, "{share}");
    }
}
