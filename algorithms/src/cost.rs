//! What an evaluation returns: lower bound, published figure, analytic and simulated cost, each exact.

use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

/// An exact cost: an integer (time units, links), or a rational where it is an expectation or a mean.
///
/// A rational that happens to be an integer is kept as [`Exact::Integer`], so equal costs compare equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exact {
    /// A whole number.
    Integer(u64),
    /// A fraction in lowest terms.
    Rational(BigRational),
}

impl From<BigRational> for Exact {
    fn from(value: BigRational) -> Self {
        match value.to_integer().to_u64() {
            Some(whole) if value.is_integer() => Self::Integer(whole),
            _ => Self::Rational(value),
        }
    }
}

impl Exact {
    /// The same number as a fraction, for exact arithmetic.
    #[must_use]
    pub fn to_rational(&self) -> BigRational {
        match self {
            Self::Integer(whole) => BigRational::from_integer(BigInt::from(*whole)),
            Self::Rational(value) => value.clone(),
        }
    }
}

/// An integer as its digits, a fraction as `num/den`.
impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(whole) => whole.fmt(f),
            Self::Rational(value) => write!(f, "{}/{}", value.numer(), value.denom()),
        }
    }
}

/// How a paper's formula relates to the true cost, by the paper's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The cost equals the formula.
    Equal,
    /// The cost is at most the formula.
    AtMost,
    /// The cost is strictly below the formula.
    Below,
    /// The cost is at least the formula.
    AtLeast,
}

impl Relation {
    /// Whether `cost` stands in this relation to `claimed`.
    #[must_use]
    pub fn holds(self, cost: u64, claimed: u64) -> bool {
        match self {
            Self::Equal => cost == claimed,
            Self::AtMost => cost <= claimed,
            Self::Below => cost < claimed,
            Self::AtLeast => cost >= claimed,
        }
    }

    /// The sign, as it stands in a table or a CSV file.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::AtMost => "<=",
            Self::Below => "<",
            Self::AtLeast => ">=",
        }
    }
}

/// A figure that a paper states for an algorithm, errors included, evaluated at one point.
///
/// Where it does not hold, that is a finding about the paper, not a failure of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The equation or theorem, as its paper numbers it.
    pub place: &'static str,
    /// The formula, in the paper's symbols.
    pub formula: &'static str,
    /// How the paper relates the cost to the formula.
    pub relation: Relation,
    /// The formula's value here. An irrational bound is replaced by the integer next to it that
    /// says the same of an integer cost.
    pub value: u64,
}

/// What the simulator found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Simulated {
    /// One deterministic execution.
    Exact(u64),
    /// The mean over sampled instances.
    Mean(Sample),
    /// No simulation was run, for this reason.
    Skipped(String),
}

/// Totals of a Monte Carlo run over integer costs, from which mean and variance follow exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many instances were drawn; at least one.
    pub trials: u64,
    /// The sum of their costs.
    pub total: u128,
    /// The sum of the squares of their costs.
    pub total_of_squares: u128,
}

impl Sample {
    /// The sample mean.
    #[must_use]
    pub fn mean(&self) -> BigRational {
        BigRational::new(BigInt::from(self.total), BigInt::from(self.trials))
    }

    /// The squared standard error of the mean: the unbiased sample variance over the number of trials.
    /// `None` for a single trial, which says nothing of its own spread.
    #[must_use]
    pub fn squared_standard_error(&self) -> Option<BigRational> {
        if self.trials < 2 {
            return None;
        }
        let trials = BigInt::from(self.trials);
        let spread =
            &trials * BigInt::from(self.total_of_squares) - BigInt::from(self.total) * BigInt::from(self.total);
        Some(BigRational::new(spread, &trials * &trials * (&trials - 1u8)))
    }

    /// Whether `expectation` lies within `width` standard errors of the sample mean (a sample
    /// without spread must hit it exactly). `None` where a single trial leaves nothing to say.
    #[must_use]
    pub fn agrees_with(&self, expectation: &BigRational, width: u32) -> Option<bool> {
        let squared_error = self.squared_standard_error()?;
        let off = self.mean() - expectation;
        let width = BigRational::from_integer(BigInt::from(width));
        Some(&off * &off <= &width * &width * squared_error)
    }
}

/// How many standard errors a Monte Carlo mean may lie from the exact expectation. A correct program
/// passes this at all but about two in 10^9 points; a wrong one fails it as soon as the trials can tell.
pub const AGREEMENT_WIDTH: u32 = 6;

/// Everything known of one algorithm at one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// No algorithm for this problem can cost less.
    pub lower_bound: Exact,
    /// What the paper says; the first is its headline, empty where no paper gives a figure.
    pub published: Vec<Claim>,
    /// The exact cost from a closed form or recurrence.
    pub analytic: Exact,
    /// The cost of executing the algorithm's schedule.
    pub simulated: Simulated,
}

/// Whether the analytic and the simulated cost say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Equal, or the mean lies within its interval of the expectation.
    Agree,
    /// They differ: a bug in this program.
    Differ,
    /// There was nothing to compare.
    NotCompared,
}

impl Evaluation {
    /// Compares the analytic cost with the simulated one.
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        let equal = match &self.simulated {
            Simulated::Exact(cost) => Some(self.analytic == Exact::Integer(*cost)),
            Simulated::Mean(sample) => sample.agrees_with(&self.analytic.to_rational(), AGREEMENT_WIDTH),
            Simulated::Skipped(_) => None,
        };
        match equal {
            Some(true) => Agreement::Agree,
            Some(false) => Agreement::Differ,
            None => Agreement::NotCompared,
        }
    }
}

/// Up to which size a point is simulated; beyond it the analytic cost stands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most nodes of a tree that is executed message by message.
    pub nodes: u64,
    /// Most link traversals of a Monte Carlo run on a mesh, estimated as trials x mean cost.
    pub hops: u64,
}

/// 2^20 nodes (about a tenth of a second) and 10^9 hops (a few seconds).
impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 1 << 20, hops: 1_000_000_000 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_fraction_is_an_integer() {
        let whole = BigRational::new(BigInt::from(256), BigInt::from(4));
        assert_eq!(Exact::from(whole), Exact::Integer(64));
        let half = BigRational::new(BigInt::from(2), BigInt::from(4));
        assert_eq!(Exact::from(half).to_string(), "1/2");
    }

    #[test]
    fn sample_statistics_are_exact() {
        // 1, 2, 6: mean 3, unbiased variance 7, squared standard error 7/3.
        let sample = Sample { trials: 3, total: 9, total_of_squares: 41 };
        assert_eq!(sample.mean(), BigRational::from_integer(BigInt::from(3)));
        assert_eq!(sample.squared_standard_error(), Some(BigRational::new(BigInt::from(7), BigInt::from(3))));
        let far = BigRational::from_integer(BigInt::from(13));
        assert_eq!(sample.agrees_with(&far, 6), Some(false));
        assert_eq!(sample.agrees_with(&far, 7), Some(true));
    }

    #[test]
    fn a_single_trial_proves_nothing() {
        let sample = Sample { trials: 1, total: 5, total_of_squares: 25 };
        assert_eq!(sample.agrees_with(&BigRational::from_integer(BigInt::from(9)), 6), None);
    }
}
