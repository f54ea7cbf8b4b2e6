//! Compares two measured times by their intervals.

use std::cmp::Ordering;

use measure::statistics::CONFIDENCE;

use crate::measured::record::SummaryRow;

/// The range of a median, or of a difference of two, in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub low: i128,
    pub high: i128,
}

impl Interval {
    /// The interval of a point's median. None if its coverage is below [`CONFIDENCE`]: the interval of one repetition
    /// has no width and would decide everything.
    pub fn of(row: &SummaryRow) -> Option<Self> {
        (row.coverage_f64 >= CONFIDENCE).then(|| Self { low: row.low_ns.into(), high: row.high_ns.into() })
    }

    /// The interval of the difference of two medians, each anywhere in its own interval.
    pub fn less(self, other: Self) -> Self {
        Self { low: self.low - other.high, high: self.high - other.low }
    }

    /// Greater if all of it lies above all of the other, less if below; none if they share a value.
    pub fn order(self, other: Self) -> Option<Ordering> {
        if self.low > other.high {
            Some(Ordering::Greater)
        } else if self.high < other.low {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}

/// Which of two points took longer: none if their intervals overlap or have too few repetitions.
///
/// The answer is right if both intervals contain their medians, with a probability of at least 0.9.
#[must_use]
pub fn order(a: &SummaryRow, b: &SummaryRow) -> Option<Ordering> {
    Interval::of(a)?.order(Interval::of(b)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::record::made_up::row;

    #[test]
    fn overlapping_intervals_decide_nothing() {
        let interval = |low, high| Interval { low, high };
        for (a, b, expected) in [
            (interval(5, 9), interval(1, 4), Some(Ordering::Greater)),
            (interval(1, 4), interval(5, 9), Some(Ordering::Less)),
            (interval(4, 9), interval(1, 4), None),
            (interval(1, 9), interval(3, 4), None),
            (interval(3, 3), interval(3, 3), None),
        ] {
            assert_eq!(a.order(b), expected, "{a:?} {b:?}");
        }
        assert_eq!(interval(5, 9).less(interval(1, 4)), interval(1, 8));
        assert_eq!(interval(1, 4).less(interval(5, 9)), interval(-8, -1));
    }

    /// The interval of five repetitions contains the median with probability 0.9375.
    #[test]
    fn too_few_repetitions_decide_nothing() {
        let (slow, fast) = (row("halving", 8, 20), row("fibonacci", 8, 10));
        assert_eq!(order(&slow, &fast), Some(Ordering::Greater));
        for coverage_f64 in [0.0, 0.9375] {
            let unsure = SummaryRow { coverage_f64, ..fast.clone() };
            assert_eq!((order(&slow, &unsure), order(&unsure, &slow)), (None, None));
        }
    }
}
