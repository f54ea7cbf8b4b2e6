//! Checks of trees in LogP that the claims of several papers use.

use super::claim::{Cause, LIMITS, Outcome, agreed};
use crate::cost::Evaluation;
use crate::error::Error;
use crate::logp::LogP;
use crate::logp::multicast::Multicast;
use crate::logp::multicast::problem::{LogpMulticast, LogpMulticastPoint};
use crate::problem::Problem as _;

/// The machine of the first three values; `None` where the paper excludes it.
pub(super) fn machine(v: &[u64]) -> Result<Option<LogP>, Cause> {
    Ok(if v[2] < v[1] {
        None
    } else {
        Some(LogP::new(v[0], v[1], v[2])?)
    })
}

/// A tree, also executed within the limits.
pub(super) fn evaluation(
    tree: &'static dyn Multicast,
    model: LogP,
    K: u64,
    source: u64,
) -> Result<Evaluation, Error> {
    LogpMulticast::at(tree, LogpMulticastPoint { model, K, source }, &LIMITS)
}

/// The time of a tree, also executed within the limits.
pub(super) fn time(
    tree: &'static dyn Multicast,
    model: LogP,
    K: u64,
    source: u64,
) -> Result<u64, Cause> {
    Ok(agreed(evaluation(tree, model, K, source)?)?.0)
}

/// A check of a tree, given the machine and the last value.
pub(super) fn of_tree(
    check: impl Fn(LogP, u64) -> Result<Outcome, Cause> + Send + Sync + 'static,
) -> impl Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync + 'static {
    move |v| machine(v)?.map_or(Ok(Outcome::Outside), |model| check(model, v[3]))
}
