//! The best number of segments of a message.

use super::{Broadcast, Instance, Machine};
use crate::error::Error;

/// The best cut of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best {
    /// The least m with this time.
    pub m: u64,
    /// The time, in time units of the machine.
    pub time: u64,
}

/// The number of segments, at most `most`, with which the broadcast is fastest; of several the least. `instance.m` is ignored.
///
/// Segments are whole words, so the time can have several minima over m, and every cut is computed. A message of n words has fewer
/// than `2*sqrt(n)` cuts, the number of values of `ceil(n/m)`.
///
/// Cost: one [`Broadcast::time`] per cut. None where the algorithm accepts no number of segments.
///
/// # Errors
/// Those of [`Broadcast::time`], except a refused number of segments: such cuts are left out.
///
/// ```
/// # use castbench_algorithms::internals::problem::Problem;
/// # use castbench_algorithms::internals::logp::pipeline::{Instance, Machine};
/// # use castbench_algorithms::internals::logp::pipeline::best::best_segments;
/// # use castbench_algorithms::logp::LogP;
/// let chain = castbench_algorithms::internals::logp::pipeline::problem::PipelinedBroadcast::find("segmented-chain").unwrap();
/// let (machine, instance) = (Machine::Words(LogP::new(6, 2, 4)?), Instance { K: 8, n: 64, k: 1, m: 1 });
/// let best = best_segments(chain, machine, instance, 64)?.unwrap();
/// assert!(best.time < chain.time(machine, instance)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_segments(
    algorithm: &dyn Broadcast,
    machine: Machine,
    instance: Instance,
    most: u64,
) -> Result<Option<Best>, Error> {
    Instance { m: 1, ..instance }.check()?;
    let mut best: Option<Best> = None;
    let mut m = 1;
    while m <= most.min(instance.n) {
        match algorithm.time(machine, Instance { m, ..instance }) {
            Ok(time) if best.is_none_or(|best| time < best.time) => best = Some(Best { m, time }),
            Ok(_) | Err(Error::Parameter { symbol: "m", .. }) => {}
            Err(error) => return Err(error),
        }
        // The next m with shorter segments.
        match instance.n.div_ceil(m) {
            1 => break,
            words => m = instance.n.div_ceil(words - 1),
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::LogP;
    use crate::logp::loggops::LogGops;
    use crate::logp::pipeline::scatter_allgather::ScatterAllgather;
    use crate::logp::pipeline::split_binary::SplitBinary;
    use crate::logp::pipeline::trees::Pipelined;

    fn by_trying_all(algorithm: &dyn Broadcast, machine: Machine, instance: Instance, most: u64) -> Option<Best> {
        let times = (1..=instance.n.min(most))
            .filter_map(|m| Some((algorithm.time(machine, Instance { m, ..instance }).ok()?, m)));
        times.min().map(|(time, m)| Best { m, time })
    }

    #[test]
    fn every_cut_is_tried() {
        let algorithms: [&dyn Broadcast; 5] =
            [&Pipelined::CHAIN, &Pipelined::BINARY, &Pipelined::OPTIMAL, &SplitBinary, &ScatterAllgather::RING];
        let bytes = LogGops { L: 900, o: 40, g: 200, G: 9_000_000, O: 300_000, H: 0 };
        for machine in [Machine::Words(LogP::new(60, 2, 4).unwrap()), Machine::LogGops(bytes.into())] {
            for algorithm in algorithms {
                for K in [2, 5, 12] {
                    for n in [1, 2, 7, 60, 97, 360] {
                        for most in [1, 10, u64::MAX] {
                            let instance = Instance { K, n, k: 2, m: 0 };
                            let found = best_segments(algorithm, machine, instance, most).unwrap_or(None);
                            assert_eq!(found, by_trying_all(algorithm, machine, instance, most), "{instance:?} {most}");
                        }
                    }
                }
            }
        }
    }

    /// The time has several minima over m: with an odd number of segments one half has one more.
    #[test]
    fn the_time_need_not_fall_and_then_rise() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let time = |m| SplitBinary.time(machine, Instance { K: 64, n: 4096, k: 1, m }).unwrap();
        let times: Vec<u64> = (2..=64).map(time).collect();
        let falls_again = times.windows(3).any(|three| three[0] < three[1] && three[1] > three[2]);
        assert!(falls_again, "{times:?}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let best = |K, n| best_segments(&SplitBinary, machine, Instance { K, n, k: 1, m: 1 }, 100);
        assert!(best(0, 5).is_err() && best(2, 5).is_err() && best(3, 0).is_err());
        assert_eq!(best(3, 1), Ok(None));
    }
}
