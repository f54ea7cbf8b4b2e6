//! Flat: the source sends to every other node itself.
//!
//! **Source.** Folklore; `basic linear` in Open MPI's tuned collectives.
//!
//! **Symbols.** K nodes, the source included, at positions 1..K; D = L + 2o; g' = max(g, o).
//!
//! **Cost.** `(K-2)*g' + D` for K >= 2, for every source. K - 1 messages.
//!
//! **When it wins.** Where a hop takes longer than all gaps, about `(K-2)*g' < D`: few nodes, high latency. There it is optimal.

use super::Multicast;
use super::schedule::Schedule;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::plan::Family;

/// The source sends to all, in ascending order of position. See the module.
pub struct Flat;

impl Multicast for Flat {
    /// ```
    /// use castbench_algorithms::logp::LogP;
    /// use castbench_algorithms::internals::logp::multicast::Multicast;
    /// use castbench_algorithms::internals::logp::multicast::flat::Flat;
    /// assert_eq!(Flat.time(LogP::new(6, 2, 4)?, 8, 1)?, 34);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn time(&self, model: LogP, K: u64, _source: u64) -> Result<u64, Error> {
        let (D, gap) = model.wide();
        if K == 1 {
            Ok(0)
        } else {
            fit((K - 2) * gap + D)
        }
    }

    fn schedule(&self, _: LogP, K: u32, source: u32) -> Schedule {
        let root = u64::from(source - 1);
        Schedule::from_family(K, source, |number| Family::by_rank(K.into(), root, number))
    }
}
