//! What no algorithm for a collective can beat.

use super::Task;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::logp::pipeline::bounds::{one_message, over_ports};

/// A time that no algorithm can beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The time.
    pub time: u64,
    /// The reason for it, as a noun: latency.
    pub name: &'static str,
}

pub(super) const LATENCY: &str = "latency";

/// The largest of three bounds, for a collective in which some rank needs contributions of all ranks, or all ranks that of
/// one; 0 for one rank:
///
/// - latency: no multicast of one word to K ranks is faster, nor a collection of one word of each, which is a multicast
///   backwards. A rank with k ports begins at most k sends in any `max(g, k o)`; all k are assumed to begin at once;
/// - bandwidth: some rank sends, or receives, `words` words over its ports;
/// - combining: some rank combines `combined` words, the first after a hop.
pub(super) fn least_time(task: &Task, words: u128, combined: u128) -> Result<Bound, Error> {
    if task.K == 1 {
        return Ok(Bound { time: 0, name: LATENCY });
    }
    let one = task.machine.at(1)?;
    let turn = task.k.checked_mul(one.o()).ok_or(Error::Overflow)?.max(one.gap());
    let latency = one_message(LogP::new(one.L(), one.o(), turn)?, task.K, task.k)?;
    let bandwidth = over_ports(task.machine, fit(words)?, task.k)?;
    let combining = task.combining(fit(combined)?)?.checked_add(one.D()).ok_or(Error::Overflow)?;
    let mut bound = Bound { time: latency, name: LATENCY };
    for (time, name) in [(bandwidth, "bandwidth"), (combining, "combining")] {
        if time > bound.time {
            bound = Bound { time, name };
        }
    }
    Ok(bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Machine;

    #[test]
    fn the_largest_has_its_name() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let of = |words, combined| least_time(&Task::new(machine, 8, 100, 3), words, combined).unwrap();
        // Ranks hold a word at 0, 10, 14, 18, 20, 22, 24 and 24.
        assert_eq!(of(1, 0), Bound { time: 24, name: LATENCY });
        // 100 words 4 apart, then a hop.
        assert_eq!(of(100, 100), Bound { time: 99 * 4 + 10, name: "bandwidth" });
        // A hop, then 200 words combined, 3 each.
        assert_eq!(of(100, 200), Bound { time: 200 * 3 + 10, name: "combining" });
    }
}
