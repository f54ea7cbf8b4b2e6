//! Pipelined chain: every node passes k messages a round to the next.
//!
//! **Source.** Folklore; with one message a round it is Open MPI's `pipeline`.
//!
//! **Symbols.** n nodes, the source included; k ports; m messages.
//!
//! **Algorithm.** In round t node i sends batch `t - i` of k messages to node i + 1.
//!
//! **Cost.** `ceil(m/k) - 1 + n - 1` rounds, `m(n-1)` sends, k of them over one link in a round.
//!
//! **When it wins.** For two nodes, where it is optimal. For m far above n the additional n - 2 rounds matter little.

use super::RoundBroadcast;
use super::rounds::{Rounds, Transfer};
use crate::error::{Error, fit};

/// A chain with k messages a round. See the module.
pub struct PipelinedChain;

impl RoundBroadcast for PipelinedChain {
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        if n == 1 {
            return Ok(0);
        }
        fit(u128::from(m.div_ceil(k) - 1) + u128::from(n - 1))
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        let (n, k, m, mut round) = (u64::from(n), u64::from(k), u64::from(m), 0);
        Ok(Box::new(move |sends: &mut Vec<Transfer>| {
            round += 1;
            let before = sends.len();
            // Nodes that have batch `round - 1 - node`, up to the last.
            for node in u64::saturating_sub(round, m.div_ceil(k))..round.min(n - 1) {
                let first = (round - 1 - node) * k;
                let messages = first..m.min(first + k);
                sends.extend(messages.filter_map(|message| Transfer::new(node, node + 1, message)));
            }
            sends.len() > before
        }))
    }
}
