//! Which of two measured times is greater, where their intervals decide that.

use std::cmp::Ordering;

use measure::statistics::CONFIDENCE;

use crate::measured::record::SummaryRow;

/// Where a median lies, or the difference of two, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub low: i128,
    pub high: i128,
}

impl Interval {
    /// Of the median of a point. None where the interval holds it with less than [`CONFIDENCE`]: of one repetition it has
    /// no width and would decide everything.
    pub fn of(row: &SummaryRow) -> Option<Self> {
        (row.coverage_f64 >= CONFIDENCE).then(|| Self { low: row.low_ns.into(), high: row.high_ns.into() })
    }

    /// Of the difference of two medians: wherever in its interval each may be.
    pub fn less(self, other: Self) -> Self {
        Self { low: self.low - other.high, high: self.high - other.low }
    }

    /// Greater where all of it lies above all of the other, less where below; none where they share a value.
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

/// Which of two points took longer: none where their intervals overlap, or were made of too few repetitions.
///
/// It is right wherever both intervals hold their medians, which is so with a probability of 0.9 at least.
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

    /// The interval of five repetitions holds the median with 0.9375.
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
