//! What no algorithm for a collective can beat.

use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::logp::LogP;
use crate::logp::pipeline::bounds::{one_message, over_ports};
use crate::plan::Task;
use crate::wide::Wide;

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
pub(super) fn least_time(task: &Task, words: Wide, combined: Wide) -> Result<Bound, Error> {
    if task.K == 1 {
        return Ok(Bound { time: 0, name: LATENCY });
    }
    let one = task.machine.fastest().at(1)?;
    // A shorter turn is a weaker bound.
    let turn = task.k.saturating_mul(one.o()).max(one.gap());
    let bandwidth = over_ports(task.machine, task.size(fit(words)?)?, task.k)?;
    let combining = task.combining(fit(combined)?)?.checked_add(one.D()).ok_or(Error::Overflow)?;
    // The latency takes longest to find. It is no more than this, which halving takes on one port.
    let most = u64::from(ceil_log2(task.K)).saturating_mul(one.D().max(turn));
    let is_less = bandwidth.max(combining) > most;
    let latency = if is_less { 0 } else { one_message(LogP::new(one.L(), one.o(), turn)?, task.K, task.k)? };
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
        let of = |words: u64, combined: u64| {
            least_time(&Task::new(machine, 8, 100, 3), words.into(), combined.into()).unwrap()
        };
        // Ranks hold a word at 0, 10, 14, 18, 20, 22, 24 and 24.
        assert_eq!(of(1, 0), Bound { time: 24, name: LATENCY });
        // 100 words 4 apart, then a hop.
        assert_eq!(of(100, 100), Bound { time: 99 * 4 + 10, name: "bandwidth" });
        // A hop, then 200 words combined, 3 each.
        assert_eq!(of(100, 200), Bound { time: 200 * 3 + 10, name: "combining" });
    }

    /// The latency is not computed where it cannot be the largest.
    #[test]
    fn no_bound_is_below_the_latency() {
        for (L, o, g) in [(6, 2, 4), (1, 0, 50), (0, 3, 1), (100, 0, 0)] {
            let model = LogP::new(L, o, g).unwrap();
            for (K, words) in (2..40).flat_map(|K| (1..40).map(move |words| (K, words))) {
                let task = Task::new(Machine::Words(model), K, words, 2);
                let [latency, bandwidth] = [one_message(model, K, 1), over_ports(task.machine, words, 1)];
                let combining = 2 * words + model.D();
                let expected = latency.unwrap().max(bandwidth.unwrap()).max(combining);
                assert_eq!(least_time(&task, words.into(), words.into()).unwrap().time, expected, "{task:?}");
            }
        }
    }
}
