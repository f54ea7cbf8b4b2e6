//! Why an algorithm has no cost at a point.

use std::sync::Arc;

use crate::cost::LARGEST;
use crate::wide::Wide;

/// Why an algorithm has no answer at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A parameter lies outside what the model or the algorithm accepts.
    #[error("{symbol} = {value}: {expected}")]
    Parameter {
        /// The symbol of the parameter in the message, or a formula of several: `K`, `L + 2o`.
        symbol: &'static str,
        /// The key of the axis with the wrong value.
        axis: &'static str,
        /// The value that was given.
        value: String,
        /// What is accepted, and what to write instead.
        expected: String,
    },
    /// The cost is above [`LARGEST`].
    #[error(
        "the cost does not fit in 64 bits (it is above {LARGEST}); use smaller values or a coarser unit of time"
    )]
    Overflow,
    /// A simulator rejected what it executed: the algorithm broke a rule of its model.
    #[error(transparent)]
    Rejected(Rejected),
    /// What a user gave as an algorithm cannot be read, or the command that should answer failed.
    #[error("{0}")]
    Given(String),
    /// The evaluation panicked: a bug.
    #[error("the evaluation panicked: {0}; this is a bug in castbench")]
    Panicked(String),
}

/// What a simulator rejected, and the rule that was broken.
///
/// The violation is a trait object because every simulator has its own type.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the simulator rejected the {what}: {violation}")]
pub struct Rejected {
    what: &'static str,
    is_given: bool,
    violation: Arc<dyn std::error::Error + Send + Sync>,
}

/// Compared by their texts: violations of different simulators have different types.
impl PartialEq for Rejected {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Rejected {}

/// Returns the error of a value that is not accepted where a condition holds: `refuse_if!(K == 0, "K" = K => "expected {least}")`.
macro_rules! refuse_if {
    ($condition:expr, $symbol:tt = $value:expr => $($expected:tt)+) => {
        if $condition {
            return Err($crate::error::Error::parameter($symbol, $value, format!($($expected)+)));
        }
    };
}
pub(crate) use refuse_if;

mod broken {
    /// A rule of a model that a simulator found broken. The private module keeps it out of the public API.
    pub trait Broken: std::error::Error + Send + Sync + 'static {
        /// What the simulator rejects: the schedule, the routes, the worms.
        const WHAT: &'static str;

        /// Whether a time did not fit in 64 bits.
        fn is_overflow(&self) -> bool {
            false
        }
    }
}
pub(crate) use broken::Broken;

impl<V: Broken> From<V> for Error {
    fn from(violation: V) -> Self {
        if violation.is_overflow() {
            return Self::Overflow;
        }
        Self::Rejected(Rejected {
            what: V::WHAT,
            is_given: false,
            violation: Arc::new(violation),
        })
    }
}

impl Error {
    /// A value of the axis `symbol` that is not accepted.
    pub(crate) fn parameter(
        symbol: &'static str,
        value: impl ToString,
        expected: impl Into<String>,
    ) -> Self {
        Self::formula(symbol, symbol, value, expected)
    }

    /// A value of a formula that is not accepted; `axis` is the key of the wrong value.
    pub(crate) fn formula(
        symbol: &'static str,
        axis: &'static str,
        value: impl ToString,
        expected: impl Into<String>,
    ) -> Self {
        Self::Parameter {
            symbol,
            axis,
            value: value.to_string(),
            expected: expected.into(),
        }
    }

    /// The error, if a user gave the algorithm: then it is no bug of castbench.
    pub(crate) fn of_given(self) -> Self {
        match self {
            Self::Rejected(rejected) => Self::Rejected(Rejected {
                what: "plan",
                is_given: true,
                ..rejected
            }),
            other => other,
        }
    }

    /// Whether a simulator rejected what a user gave, which is no bug of castbench.
    #[must_use]
    pub fn is_of_given(&self) -> bool {
        matches!(
            self,
            Self::Given(_) | Self::Rejected(Rejected { is_given: true, .. })
        )
    }

    /// The violation behind [`Error::Rejected`], if it is of type `V`.
    pub(crate) fn violation<V: std::error::Error + 'static>(&self) -> Option<&V> {
        match self {
            Self::Rejected(rejected) => rejected.violation.downcast_ref(),
            _ => None,
        }
    }
}

impl TryFrom<Wide> for u64 {
    type Error = Error;

    fn try_from(wide: Wide) -> Result<Self, Error> {
        Self::try_from(u128::from(wide)).map_err(|_| Error::Overflow)
    }
}

/// Narrows an exact cost to the 64 bits in which costs are reported.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit; a cost never wraps.
pub(crate) fn fit(cost: impl Into<Wide>) -> Result<u64, Error> {
    cost.into().try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("rule {0} is broken")]
    struct Odd(u32);

    impl Broken for Odd {
        const WHAT: &'static str = "routes";
    }

    #[derive(Debug, thiserror::Error)]
    #[error("rule {0} is broken")]
    struct Other(u32);

    impl Broken for Other {
        const WHAT: &'static str = "worms";
    }

    #[test]
    fn a_number_above_64_bits_is_an_overflow() {
        assert_eq!(
            (fit(u128::from(u64::MAX)), fit(1u128 << 64)),
            (Ok(u64::MAX), Err(Error::Overflow))
        );
    }

    #[test]
    fn rejections_are_compared_by_text() {
        let rejected = |rule| Error::from(Odd(rule));
        assert_eq!(
            rejected(1).to_string(),
            "the simulator rejected the routes: rule 1 is broken"
        );
        assert_eq!(rejected(1), rejected(1));
        assert_ne!(rejected(1), rejected(2));
        assert_ne!(rejected(1), Error::from(Other(1)));
        assert!(rejected(1).violation::<Odd>().is_some());
        assert!(rejected(1).violation::<Other>().is_none());
    }

    /// The message shows the formula; the axis is for the caller.
    #[test]
    fn a_formula_blames_an_axis() {
        let error = Error::formula("L + 2o", "L", 0, "expected at least 1");
        assert_eq!(error.to_string(), "L + 2o = 0: expected at least 1");
        assert!(matches!(error, Error::Parameter { axis: "L", .. }));
        assert!(matches!(
            Error::parameter("K", 0, ""),
            Error::Parameter {
                symbol: "K",
                axis: "K",
                ..
            }
        ));
    }
}
