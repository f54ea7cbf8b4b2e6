//! Rules of LogP that audits check on times in order.

use std::fmt::Arguments;

use super::LogP;
use crate::violation::{Rule, Violation};

/// Checks that these starts are at least `least` apart. `what` is the subject and its starts: "node 1 begins two sends".
pub(super) fn check_apart(
    rule: Rule,
    what: Arguments,
    (symbol, least): (&str, u64),
    starts: impl Iterator<Item = u64> + Clone,
) -> Result<(), Violation> {
    match closer_than(least, 1, starts) {
        None => Ok(()),
        Some((earlier, later)) => {
            let text = format_args!(
                "{what} at times {earlier} and {later}, less than {symbol} = {least} apart"
            );
            Err(rule.broken(text))
        }
    }
}

/// Checks that at most `ceil(L/g')` messages from, or to, a processor are in transit; `entered` has the times at which they
/// enter the network, in order.
///
/// A message is in transit for L, so message i is still in transit when message i + capacity enters, if they enter less than
/// L apart.
pub(super) fn check_capacity(
    model: LogP,
    direction: Arguments,
    entered: impl Iterator<Item = u64> + Clone,
) -> Result<(), Violation> {
    let Some(capacity) = model.capacity() else {
        return Ok(());
    };
    match closer_than(model.L(), usize::try_from(capacity).unwrap_or(usize::MAX), entered) {
        None => Ok(()),
        Some((_, time)) => Err(Rule::Capacity.broken(format_args!(
            "{} messages are in transit {direction} at time {time}; the network takes ceil(L/g') = {capacity}",
            capacity.saturating_add(1)
        ))),
    }
}

/// Two times, `stride` apart in the list, that are less than `least` apart.
fn closer_than(
    least: u64,
    stride: usize,
    times: impl Iterator<Item = u64> + Clone,
) -> Option<(u64, u64)> {
    times
        .clone()
        .zip(times.skip(stride))
        .find(|(earlier, later)| later - earlier < least)
}

/// Checks that the audit of an execution finds the same end.
pub(super) fn check_finish(executed: u64, audited: u64) -> Result<(), Violation> {
    Rule::Differs.unless(audited == executed, || {
        format!("the execution ends at {executed}, its audit says {audited}")
    })
}
