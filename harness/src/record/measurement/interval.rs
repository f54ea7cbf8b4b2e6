//! Compares two measured times by their intervals.

use std::cmp::Ordering;

use measure::statistics::CONFIDENCE;

use super::SummaryRow;

/// Which of two points took longer: none if their intervals overlap or have too few repetitions.
///
/// The answer is right if both intervals contain their medians, with a probability of at least 0.9.
pub fn order(a: &SummaryRow, b: &SummaryRow) -> Option<Ordering> {
    // The interval of one repetition has no width and would decide everything.
    let decides = |row: &SummaryRow| row.coverage_f64 >= CONFIDENCE;
    match (
        decides(a) && decides(b),
        a.low_ns > b.high_ns,
        a.high_ns < b.low_ns,
    ) {
        (true, true, _) => Some(Ordering::Greater),
        (true, _, true) => Some(Ordering::Less),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measurement::made_up::row;

    #[test]
    fn overlapping_intervals_decide_nothing() {
        let of = |low_ns, high_ns| SummaryRow {
            low_ns,
            high_ns,
            ..row("halving", 8, low_ns)
        };
        for (a, b, expected) in [
            (of(5, 9), of(1, 4), Some(Ordering::Greater)),
            (of(1, 4), of(5, 9), Some(Ordering::Less)),
            (of(4, 9), of(1, 4), None),
            (of(1, 9), of(3, 4), None),
            (of(3, 3), of(3, 3), None),
        ] {
            assert_eq!(order(&a, &b), expected, "{a:?} {b:?}");
        }
    }

    /// The interval of five repetitions contains the median with probability 0.9375.
    #[test]
    fn too_few_repetitions_decide_nothing() {
        let (slow, fast) = (row("halving", 8, 20), row("fibonacci", 8, 10));
        assert_eq!(order(&slow, &fast), Some(Ordering::Greater));
        for coverage_f64 in [0.0, 0.9375] {
            let unsure = SummaryRow {
                coverage_f64,
                ..fast.clone()
            };
            assert_eq!((order(&slow, &unsure), order(&unsure, &slow)), (None, None));
        }
    }
}
