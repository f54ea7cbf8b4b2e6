//! What no algorithm for a collective can beat.

use super::Task;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::logp::pipeline::bounds::{one_message, over_ports};

/// The largest of three bounds, for a collective in which some rank needs contributions of all ranks, or all ranks that of
/// one; 0 for one rank:
///
/// - latency: no multicast of one word to K ranks is faster, nor a collection of one word of each, which is a multicast
///   backwards. A rank with k ports begins at most k sends in any `max(g, k o)`; all k are assumed to begin at once;
/// - bandwidth: some rank sends, or receives, `words` words over its ports;
/// - combining: some rank combines `combined` words, the first after a hop.
pub(super) fn least_time(task: &Task, words: u128, combined: u128) -> Result<u64, Error> {
    if task.K == 1 {
        return Ok(0);
    }
    let one = task.machine.at(1)?;
    let turn = task.k.checked_mul(one.o()).ok_or(Error::Overflow)?.max(one.gap());
    let latency = one_message(LogP::new(one.L(), one.o(), turn)?, task.K, task.k)?;
    let bandwidth = over_ports(task.machine, fit(words)?, task.k)?;
    let combining = task.combining(fit(combined)?)?.checked_add(one.D()).ok_or(Error::Overflow)?;
    Ok(latency.max(bandwidth).max(combining))
}
