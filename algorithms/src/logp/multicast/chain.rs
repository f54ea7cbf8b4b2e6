//! Chain: every node passes the message to the next one.
//!
//! **Source.** Folklore; `chain` with one chain, or `pipeline` with one segment, in Open MPI's tuned collectives.
//!
//! **Symbols.** K nodes, the source included, at positions 1..K; D = L + 2o; g' = max(g, o).
//!
//! **Algorithm.** The chain runs from the source upwards and wraps from K to 1.
//!
//! **Cost.** `(K-1)*D`, for every source. K - 1 messages.
//!
//! **When it wins.** With one message only where `g' >= (K-2)*D`: a second send takes longer than all hops, and the chain is optimal.
//! With many segments it pipelines them.

use super::Numbered;
use crate::error::fit;
use crate::plan::Family;
use crate::wide::Wide;

/// One relay after the other. See the module.
///
/// ```
/// use castbench_algorithms::logp::LogP;
/// use castbench_algorithms::internals::logp::multicast::Multicast;
/// use castbench_algorithms::internals::logp::multicast::chain::CHAIN;
/// assert_eq!(CHAIN.time(LogP::new(6, 2, 4)?, 8, 1)?, 70);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub const CHAIN: Numbered = Numbered {
    time: |model, K| fit((K - 1) * Wide::from(model.D())),
    family: Family::chain,
};
