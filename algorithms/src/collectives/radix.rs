//! Rounds of algorithms that write the distances between ranks in base r.
//!
//! In round x = 0, 1, ... messages go d r^x ranks further (modulo K), for the digits d = 1, 2, ..., r-1 with
//! `d r^x < K`: `ceil(log_r K)` rounds.

use crate::plan::Task;

/// A round.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    /// r^x.
    pub unit: u64,
    /// The largest digit; also how many messages a rank sends.
    pub digits: u64,
}

/// The rounds of a task, in order.
pub(super) fn rounds(task: &Task) -> impl Iterator<Item = Round> + use<> {
    let Task { K, r, .. } = *task;
    let units = std::iter::successors(Some(1u64), move |unit| unit.checked_mul(r));
    let units = units.take_while(move |unit| *unit < K);
    units.map(move |unit| Round {
        unit,
        digits: (r - 1).min((K - 1) / unit),
    })
}
