//! Checks that both files of this paper's claims use.

use super::super::claim::{Cause, LIMITS, Outcome, Paper, agreed};
use crate::logp::LogP;
use crate::logp::multicast::Multicast;
use crate::logp::multicast::problem::{LogpMulticast, LogpMulticastPoint};
use crate::problem::Problem as _;

pub(super) const PAPER: Paper = Paper::Fibonacci;

/// The machine of the first three values; `None` where the paper excludes it.
pub(super) fn machine(v: &[u64]) -> Result<Option<LogP>, Cause> {
    Ok(if v[2] < v[1] { None } else { Some(LogP::new(v[0], v[1], v[2])?) })
}

/// The time of a tree, also executed within the limits.
pub(super) fn time(tree: &'static dyn Multicast, model: LogP, K: u64, source: u64) -> Result<u64, Cause> {
    Ok(agreed(LogpMulticast::at(tree, LogpMulticastPoint { model, K, source }, &LIMITS)?)?.0)
}

/// A check of the Fibonacci tree, given the machine and K.
pub(super) fn of_tree(
    check: impl Fn(LogP, u64) -> Result<Outcome, Cause> + Send + Sync + 'static,
) -> impl Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync + 'static {
    move |v| machine(v)?.map_or(Ok(Outcome::Outside), |model| check(model, v[3]))
}
