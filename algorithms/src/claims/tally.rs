//! Checks the points of a claim, counts failures and keeps the smallest one.

use std::ops::Range;

use super::claim::Point;
use super::claim::{Claim, Objection};

/// The verdicts on a claim at some of its points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Points about which the claim says something.
    pub points: u64,
    /// Points at which it fails.
    pub failures: u64,
    /// The first failure in the order of the grid: its number and its text.
    first: Option<(u64, String)>,
}

impl Tally {
    /// Whether it held everywhere.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.failures == 0
    }

    /// The smallest counterexample: the point, what was found, and the command that shows it, if there is one.
    #[must_use]
    pub fn counterexample(&self) -> Option<&str> {
        self.first.as_ref().map(|(_, words)| words.as_str())
    }

    /// The tally of both parts, in any order.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            points: self.points + other.points,
            failures: self.failures + other.failures,
            first: self.first.into_iter().chain(other.first).min(),
        }
    }
}

/// A point that could not be judged: a bug in castbench.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the claim {claim} cannot be checked at {point}: {cause}")]
pub struct Unchecked {
    /// The id of the claim.
    pub claim: String,
    /// The point as text.
    pub point: String,
    /// Why.
    pub cause: Box<Objection>,
}

impl Claim {
    /// Checks the points with these numbers; `0..grid_points()` are all.
    ///
    /// # Errors
    /// The first point that cannot be judged.
    ///
    /// ```
    /// # use castbench_algorithms::internals::claims::all;
    /// let claim = all().into_iter().find(|claim| claim.id == "k-tree-properties").unwrap();
    /// let tally = claim.judge(0..claim.grid_points())?;
    /// assert!(!tally.holds() && tally.counterexample().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn judge(&self, numbers: Range<u64>) -> Result<Tally, Unchecked> {
        let mut tally = Tally::default();
        let mut point = Point::new(self, []);
        for number in numbers {
            point.go_to(number);
            let found = match (self.check)(&point) {
                Err(Objection::Outside) => continue,
                Ok(()) => None,
                Err(Objection::Fails(found)) => Some(found),
                Err(cause) => {
                    return Err(Unchecked {
                        claim: self.id.to_string(),
                        point: point.text(),
                        cause: cause.into(),
                    });
                }
            };
            tally.points += 1;
            let Some(found) = found else { continue };
            tally.failures += 1;
            tally.first.get_or_insert_with(|| {
                let shown = point
                    .command()
                    .map(|command| format!("; castbench {command}"));
                let words = format!("{}: {found}{}", point.text(), shown.unwrap_or_default());
                (number, words)
            });
        }
        Ok(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::claim::agreed;
    use crate::claims::claim::{Paper, hold, only};
    use crate::cost::{Exact, Limits, Simulated};
    use crate::error::Error;
    use crate::logp::LogP;
    use crate::logp::multicast::Multicast;
    use crate::logp::multicast::optimal::Optimal;
    use crate::logp::multicast::problem::LogpMulticastPoint;
    use crate::problem::{At, Case as _};

    /// "n + k is not 7", for even n.
    fn planted() -> Claim {
        Claim {
            id: "planted".into(),
            shown: "cost k-tree".into(),
            ..Claim::new(
                Paper::Castbench,
                "here",
                "n = 1..6; k = 1, 3, 5",
                |_, [n, k]| {
                    only(n % 2 == 0)?;
                    hold!(n + k != 7, "sum {}", n + k)
                },
            )
        }
    }

    #[test]
    fn a_planted_counterexample_is_found_and_the_smallest_is_told() {
        let claim = planted();
        let tally = claim.judge(0..claim.grid_points()).unwrap();
        // 2 + 5, 4 + 3 and 6 + 1.
        assert_eq!((tally.points, tally.failures, tally.holds()), (9, 3, false));
        assert_eq!(
            tally.counterexample(),
            Some("n = 2, k = 5: sum 7; castbench cost k-tree -n 2 -k 5")
        );
    }

    #[test]
    fn parts_in_any_order_make_the_whole() {
        let claim = planted();
        let whole = claim.judge(0..18).unwrap();
        for cut in 0..=18 {
            let parts = || (claim.judge(0..cut).unwrap(), claim.judge(cut..18).unwrap());
            let (low, high) = parts();
            assert_eq!(low.merge(high), whole);
            let (low, high) = parts();
            assert_eq!(high.merge(low), whole);
        }
    }

    #[test]
    fn the_first_axis_is_the_slowest() {
        let claim = planted();
        let mut point = Point::new(&claim, []);
        let points = [0, 1, 2, 3].map(|number| {
            point.go_to(number);
            point.values()
        });
        assert_eq!(points, [[1, 1], [1, 3], [1, 5], [2, 1]]);
    }

    #[test]
    fn what_holds_has_no_counterexample() {
        let claim = Claim {
            check: Box::new(|_| Ok(())),
            shown: "".into(),
            ..planted()
        };
        let tally = claim.judge(0..18).unwrap();
        assert_eq!(
            (tally.points, tally.holds(), tally.counterexample()),
            (18, true, None)
        );
    }

    #[test]
    fn formula_and_execution_that_differ_are_no_verdict() {
        let point = LogpMulticastPoint {
            model: LogP::new(6, 2, 4).unwrap(),
            K: 3,
            source: 1,
        };
        let optimal: At<dyn Multicast, _> = At {
            algorithm: &Optimal,
            point,
        };
        let mut evaluation = optimal.costs(&Limits::default()).unwrap();
        assert_eq!(
            agreed(evaluation.clone()).map(|agreed| agreed.0),
            Ok(Exact::Integer(14))
        );
        evaluation.simulated = Simulated::Exact(13);
        let differ = Objection::Disagree(Box::new(evaluation.clone()));
        assert_eq!(agreed(evaluation), Err(differ));
    }

    #[test]
    fn a_point_without_an_answer_is_an_error_and_no_verdict() {
        let claim = Claim {
            check: Box::new(|_| Err(Error::Overflow.into())),
            ..planted()
        };
        let error = claim.judge(3..5).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the claim planted cannot be checked at n = 2, k = 1: the cost"),
            "{error}"
        );
    }
}
