//! What no algorithm for a collective can beat.

use super::Task;
use crate::error::{Error, fit};
use crate::logp::multicast::optimal;
use crate::logp::pipeline::bounds::one_port;

/// The largest of three bounds, for a collective in which some rank needs contributions of all ranks, or all ranks that of
/// one; 0 for one rank:
///
/// - latency: no multicast of one word to K ranks is faster, nor a collection of one word of each, which is a multicast
///   backwards;
/// - bandwidth: some rank sends, or receives, so many words over its port;
/// - combining: some rank combines so many words, the first after a hop.
pub(super) fn least_time(task: &Task, over_a_port: u128, combined: u128) -> Result<u64, Error> {
    if task.K == 1 {
        return Ok(0);
    }
    let one = task.machine.at(1)?;
    let latency = optimal::time(one, task.K)?;
    let bandwidth = one_port(task.machine, fit(over_a_port)?)?;
    let combining = task.combining(fit(combined)?)?.checked_add(one.D()).ok_or(Error::Overflow)?;
    Ok(latency.max(bandwidth).max(combining))
}
