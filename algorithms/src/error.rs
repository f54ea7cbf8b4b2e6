//! What can go wrong when an algorithm is asked for its cost.

use std::sync::Arc;

use crate::cost::LARGEST;

/// Why an algorithm has no answer at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A parameter lies outside what the model or the algorithm accepts.
    #[error("{symbol} = {value}: {expected}")]
    Parameter {
        /// The symbol of the parameter, or a formula of several, as the message shows it.
        symbol: &'static str,
        /// The key of the axis to blame; the symbol itself where that is a key.
        axis: &'static str,
        /// The value that was given.
        value: String,
        /// What would have been accepted, and what to write instead.
        expected: String,
    },
    /// The cost is above [`LARGEST`].
    #[error("the cost does not fit in 64 bits (it is above {LARGEST}); use smaller values or a coarser unit of time")]
    Overflow,
    /// A simulator rejected what it executed: the algorithm broke a rule of its model.
    #[error(transparent)]
    Rejected(#[from] Rejected),
}

/// What a simulator rejected, and the rule that was broken.
///
/// The violation is behind a trait object: every simulator has a type of its own, and this file imports none of them.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the simulator rejected the {what}: {violation}")]
pub struct Rejected {
    what: &'static str,
    violation: Arc<dyn std::error::Error + Send + Sync>,
}

impl Rejected {
    /// The simulator rejects `what` (the schedule, the routes, the worms) because of `violation`.
    pub(crate) fn new(what: &'static str, violation: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { what, violation: Arc::new(violation) }
    }
}

/// By their texts, because violations of different simulators have no other comparison.
impl PartialEq for Rejected {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Rejected {}

impl Error {
    /// A value of the axis `symbol` that is not accepted.
    pub(crate) fn parameter(symbol: &'static str, value: impl ToString, expected: impl Into<String>) -> Self {
        Self::formula(symbol, symbol, value, expected)
    }

    /// A value of a formula that is not accepted; `axis` is the key to blame.
    pub(crate) fn formula(
        symbol: &'static str,
        axis: &'static str,
        value: impl ToString,
        expected: impl Into<String>,
    ) -> Self {
        Self::Parameter { symbol, axis, value: value.to_string(), expected: expected.into() }
    }

    /// The violation behind [`Error::Rejected`], if it is of type `V`.
    ///
    /// ```
    /// use castbench_algorithms::error::Error;
    /// use castbench_algorithms::mesh::multicast::walk::Violation;
    /// let error = Error::from(Violation::Unvisited(3));
    /// assert_eq!(error.violation(), Some(&Violation::Unvisited(3)));
    /// assert!(Error::Overflow.violation::<Violation>().is_none());
    /// ```
    #[must_use]
    pub fn violation<V: std::error::Error + 'static>(&self) -> Option<&V> {
        match self {
            Self::Rejected(rejected) => rejected.violation.downcast_ref(),
            _ => None,
        }
    }
}

/// Narrows an exact cost to the 64 bits in which costs are reported.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit; a cost never wraps.
pub(crate) fn fit(cost: u128) -> Result<u64, Error> {
    u64::try_from(cost).map_err(|_| Error::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("rule {0} is broken")]
    struct Broken(u32);

    #[test]
    fn a_number_above_64_bits_is_an_overflow() {
        assert_eq!((fit(u128::from(u64::MAX)), fit(1 << 64)), (Ok(u64::MAX), Err(Error::Overflow)));
    }

    #[test]
    fn rejections_are_compared_by_text() {
        let rejected = |what, rule| Error::from(Rejected::new(what, Broken(rule)));
        assert_eq!(rejected("routes", 1).to_string(), "the simulator rejected the routes: rule 1 is broken");
        assert_eq!(rejected("routes", 1), rejected("routes", 1));
        assert_ne!(rejected("routes", 1), rejected("routes", 2));
        assert_ne!(rejected("routes", 1), rejected("worms", 1));
        assert!(rejected("routes", 1).violation::<Broken>().is_some());
    }

    /// The message shows the formula; the axis is for the caller.
    #[test]
    fn a_formula_blames_an_axis() {
        let error = Error::formula("L + 2o", "L", 0, "expected at least 1");
        assert_eq!(error.to_string(), "L + 2o = 0: expected at least 1");
        assert!(matches!(error, Error::Parameter { axis: "L", .. }));
        assert!(matches!(Error::parameter("K", 0, ""), Error::Parameter { symbol: "K", axis: "K", .. }));
    }
}
