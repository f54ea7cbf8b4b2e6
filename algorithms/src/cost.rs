//! What an evaluation returns: lower bound, published figure, analytic and simulated cost, each exact.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

/// An exact cost: an integer (time units, links, steps, rounds), or a rational where it is an expectation or a mean.
///
/// An integer is always [`Exact::Integer`], so equal costs compare equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exact {
    /// A whole number.
    Integer(u64),
    /// A fraction in lowest terms.
    Rational(BigRational),
}

impl From<BigRational> for Exact {
    fn from(value: BigRational) -> Self {
        match value.numer().to_u64() {
            Some(whole) if value.is_integer() => Self::Integer(whole),
            _ => Self::Rational(value),
        }
    }
}

impl Exact {
    /// The number as a fraction, for exact arithmetic.
    #[must_use]
    pub fn to_rational(&self) -> BigRational {
        match self {
            Self::Integer(whole) => BigRational::from_integer(BigInt::from(*whole)),
            Self::Rational(value) => value.clone(),
        }
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one.cmp(other),
            _ => self.to_rational().cmp(&other.to_rational()),
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

/// The unit of a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// The model's own unit of time.
    #[default]
    Time,
    /// Nanoseconds, on a machine profile.
    Nanoseconds,
    /// Links crossed.
    Links,
    /// Steps.
    Steps,
    /// Rounds.
    Rounds,
}

impl Unit {
    /// The word in the column `unit`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Nanoseconds => "ns",
            Self::Links => "links",
            Self::Steps => "steps",
            Self::Rounds => "rounds",
        }
    }

    /// The word in a text: `28 time units`.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Time => "time units",
            other => other.word(),
        }
    }
}

/// How a cost relates to a paper's formula, according to the paper.
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
    ///
    /// ```
    /// # use castbench_algorithms::cost::Relation;
    /// assert!(Relation::AtMost.holds(28, 28) && !Relation::Below.holds(28, 28));
    /// ```
    #[must_use]
    pub fn holds(self, cost: u64, claimed: u128) -> bool {
        let cost = u128::from(cost);
        match self {
            Self::Equal => cost == claimed,
            Self::AtMost => cost <= claimed,
            Self::Below => cost < claimed,
            Self::AtLeast => cost >= claimed,
        }
    }

    /// The sign in tables and CSV: `<=`.
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
/// A figure that does not hold is a finding about the paper, not an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The equation or theorem, as its paper numbers it.
    pub section: &'static str,
    /// The formula, in the paper's symbols.
    pub formula: &'static str,
    /// How the paper relates the cost to the formula.
    pub relation: Relation,
    /// The formula's value here. An irrational bound is rounded to the integer that is equivalent for integer costs. It
    /// has 128 bits because a bound can exceed the largest cost.
    pub value: u128,
}

/// The section of what a user states of the cost of an own algorithm. A cost above it is an error.
const CLAIMED: &str = "the user's formula";

impl Published {
    /// The upper bound that a user states.
    pub(crate) fn claimed(value: u64) -> Self {
        Self {
            section: CLAIMED,
            formula: "formula",
            relation: Relation::AtMost,
            value: value.into(),
        }
    }
}

/// What the simulator found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Simulated {
    /// One deterministic execution.
    Exact(u64),
    /// One deterministic execution; what its messages carry was not followed, for this reason.
    Unjudged(u64, String),
    /// The mean over sampled instances.
    Mean(Sample),
    /// The mean over the same instances as the analytic cost: it must be equal.
    ExactMean(Exact),
    /// No simulation was run, for this reason.
    Skipped(String),
}

impl Simulated {
    /// The cost as one number; `None` where nothing was executed.
    #[must_use]
    pub fn cost(&self) -> Option<Exact> {
        match self {
            Self::Exact(cost) | Self::Unjudged(cost, _) => Some(Exact::Integer(*cost)),
            Self::Mean(sample) => Some(Exact::from(sample.mean())),
            Self::ExactMean(mean) => Some(mean.clone()),
            Self::Skipped(_) => None,
        }
    }
}

/// Totals of a Monte Carlo run over integer costs; mean and variance follow exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many instances were drawn.
    pub trials: u64,
    /// The sum of their costs.
    pub total: u128,
    /// The sum of the squares of their costs.
    pub total_of_squares: u128,
    /// The largest possible difference between two costs.
    pub range: u64,
}

impl Sample {
    /// The sample mean, in the unit of the costs; 0 without a trial.
    #[must_use]
    pub fn mean(&self) -> BigRational {
        BigRational::new(BigInt::from(self.total), BigInt::from(self.trials.max(1)))
    }

    /// The squared standard error of the mean: the unbiased sample variance over the number of trials, in
    /// the unit of the costs squared.
    /// `None` for a single trial.
    #[must_use]
    pub fn squared_standard_error(&self) -> Option<BigRational> {
        if self.trials < 2 {
            return None;
        }
        let trials = BigInt::from(self.trials);
        let spread = &trials * BigInt::from(self.total_of_squares)
            - BigInt::from(self.total) * BigInt::from(self.total);
        Some(BigRational::new(
            spread,
            &trials * &trials * (&trials - 1u8),
        ))
    }

    /// Whether the sample mean lies within its interval around `expectation`. `None` for a single trial.
    ///
    /// The interval is that of Maurer and Pontil ("Empirical Bernstein bounds and sample variance
    /// penalization", COLT 2009, theorem 4), which holds for any distribution of bounded range R and any
    /// number n of trials: with x = ln(2/delta), the mean differs by more than `sqrt(2x) * standard error + 7xR / (3(n-1))` with
    /// probability delta at most. Here x = 22, so a correct program fails at fewer than two in 10^9 points.
    #[must_use]
    pub fn agrees_with(&self, expectation: &BigRational) -> Option<bool> {
        const X: u64 = 22;
        let squared_error = self.squared_standard_error()?;
        let integer = |value: u64| BigRational::from_integer(BigInt::from(value));
        let slack = integer(7 * X) * integer(self.range) / (integer(3) * integer(self.trials - 1));
        let beyond = (self.mean() - expectation).abs() - slack;
        Some(!beyond.is_positive() || &beyond * &beyond <= integer(2 * X) * squared_error)
    }
}

/// What states an exact cost without an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A formula or a recurrence that is proven.
    Formula,
    /// The clock, which follows every rank of a plan: no formula is proven there.
    Clock,
    /// The formula that a user gives with an algorithm of their own; nothing proves it.
    Claim,
}

impl By {
    /// Its word in lists and results.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Formula => "formula",
            Self::Clock => "clock",
            Self::Claim => "claim",
        }
    }
}

/// All costs of one algorithm at one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// No algorithm for this problem can cost less.
    pub lower_bound: Exact,
    /// The figures of papers, the most important first.
    pub published: Vec<Published>,
    /// The exact cost without an execution: from a formula, recurrence or enumeration, or from a clock; `None` for an expectation without a known formula.
    pub analytic: Option<Exact>,
    /// What states it; `None` where it is `None`.
    pub by: Option<By>,
    /// Where there is no analytic cost: what no execution takes longer than, if that is known.
    pub most: Option<u64>,
    /// The cost of executing the algorithm's schedule.
    pub simulated: Simulated,
}

/// Whether the analytic and the simulated cost agree, and are not below the lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Equal, or the mean lies within its interval of the expectation.
    Agree,
    /// The costs differ: a bug in this crate.
    Differ,
    /// A cost is below the lower bound: a bug in this crate.
    BelowBound,
    /// There was nothing to compare.
    NotCompared,
}

impl Evaluation {
    /// The paper's figure for the algorithm: the first one that is not a lower bound.
    #[must_use]
    pub fn headline(&self) -> Option<&Published> {
        self.published
            .iter()
            .find(|figure| figure.relation != Relation::AtLeast)
    }

    /// Compares the analytic cost with the simulated one, and both with the lower bound. The mean of a sample may be below a bound of the
    /// expectation.
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        let is_below = |cost: &Exact| *cost < self.lower_bound;
        let is_exact_below = matches!(self.simulated, Simulated::Exact(cost) | Simulated::Unjudged(cost, _) if is_below(&Exact::Integer(cost)));
        if is_exact_below || self.analytic.as_ref().is_some_and(is_below) {
            return Agreement::BelowBound;
        }
        let is_above = |cost: u64| {
            let is_broken = |figure: &Published| {
                figure.section == CLAIMED && !figure.relation.holds(cost, figure.value)
            };
            self.published.iter().any(is_broken) || self.most.is_some_and(|most| cost > most)
        };
        if matches!(self.simulated, Simulated::Exact(cost) | Simulated::Unjudged(cost, _) if is_above(cost))
        {
            return Agreement::Differ;
        }
        let equal = match &self.simulated {
            Simulated::Exact(cost) | Simulated::Unjudged(cost, _) => self
                .analytic
                .as_ref()
                .map(|analytic| *analytic == Exact::Integer(*cost)),
            Simulated::ExactMean(mean) => self.analytic.as_ref().map(|analytic| analytic == mean),
            Simulated::Mean(sample) => self
                .analytic
                .as_ref()
                .and_then(|analytic| sample.agrees_with(&analytic.to_rational())),
            Simulated::Skipped(_) => None,
        };
        match equal {
            Some(true) => Agreement::Agree,
            Some(false) => Agreement::Differ,
            None => Agreement::NotCompared,
        }
    }
}

/// The largest cost that is reported. The simulators use the few larger 64-bit numbers for events that have not happened.
pub const LARGEST: u64 = u64::MAX - (1 << 30) - 1;

/// The largest points that are simulated; larger ones have an analytic cost only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most nodes of a tree or a k-port network, and most processors of a summation.
    pub nodes: u64,
    /// Most links that a Monte Carlo run on a mesh can cross, most operands of a summation, and most deliveries of gossip or
    /// of a broadcast on k ports.
    pub hops: u64,
}

impl Limits {
    /// The upper limit of [`nodes`](Limits::nodes): an execution takes about 100 bytes per node.
    pub const MAX_NODES: u64 = 1 << 26;
}

/// 2^20 nodes (about 0.1 s) and 10^8 hops (1 s; 20 s for gossip-optimal, the slowest schedule).
impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 1 << 20,
            hops: 100_000_000,
        }
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
    fn relations_are_what_their_signs_say() {
        let holds = |sign| {
            [4u64, 5, 6].map(|cost| match sign {
                "=" => cost == 5,
                "<=" => cost <= 5,
                "<" => cost < 5,
                ">=" => cost >= 5,
                _ => panic!("{sign} is no sign"),
            })
        };
        for relation in [
            Relation::Equal,
            Relation::AtMost,
            Relation::Below,
            Relation::AtLeast,
        ] {
            assert_eq!(
                [4u64, 5, 6].map(|cost| relation.holds(cost, 5)),
                holds(relation.symbol()),
                "{relation:?}"
            );
        }
    }

    #[test]
    fn sample_statistics_are_exact() {
        // 1, 2, 6: mean 3, unbiased variance 7, squared standard error 7/3.
        let sample = Sample {
            trials: 3,
            total: 9,
            total_of_squares: 41,
            range: 0,
        };
        assert_eq!(sample.mean(), BigRational::from_integer(BigInt::from(3)));
        assert_eq!(
            sample.squared_standard_error(),
            Some(BigRational::new(BigInt::from(7), BigInt::from(3)))
        );
        let two = Sample {
            trials: 2,
            total: 4,
            total_of_squares: 10,
            range: 0,
        };
        assert_eq!(
            two.squared_standard_error(),
            Some(BigRational::from_integer(BigInt::from(1)))
        );
        // sqrt(44 * 7/3) = 10.1: 13 lies 10 off, 14 lies 11 off; a range of 1 adds 154/6 = 25.7.
        let at = |value: u64| BigRational::from_integer(BigInt::from(value));
        assert_eq!(sample.agrees_with(&at(13)), Some(true));
        assert_eq!(sample.agrees_with(&at(14)), Some(false));
        assert_eq!(
            Sample { range: 1, ..sample }.agrees_with(&at(38)),
            Some(true)
        );
        assert_eq!(
            Sample { range: 1, ..sample }.agrees_with(&at(39)),
            Some(false)
        );
    }

    #[test]
    fn a_single_trial_proves_nothing() {
        let sample = Sample {
            trials: 1,
            total: 5,
            total_of_squares: 25,
            range: 10,
        };
        assert_eq!(
            sample.agrees_with(&BigRational::from_integer(BigInt::from(9))),
            None
        );
    }
}
