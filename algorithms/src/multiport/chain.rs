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

use super::Broadcast;
use super::rounds::{Rounds, Transfer, check_instance, check_size};
use crate::error::{Error, fit};

/// A chain with k messages a round. See the module.
pub struct PipelinedChain;

impl Broadcast for PipelinedChain {
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        check_instance(n, k, m)?;
        if n == 1 {
            return Ok(0);
        }
        fit(u128::from(m.div_ceil(k) - 1) + u128::from(n - 1))
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        check_instance(n.into(), k.into(), m.into())?;
        check_size(n, k.min(m))?;
        Ok(Box::new(Relay { n: n.into(), k: k.into(), m: m.into(), round: 0 }))
    }
}

struct Relay {
    n: u64,
    k: u64,
    m: u64,
    round: u64,
}

impl Rounds for Relay {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        self.round += 1;
        let batches = self.m.div_ceil(self.k);
        // Nodes that have batch `round - 1 - node`, up to the last.
        let nodes = self.round.saturating_sub(batches)..self.round.min(self.n - 1);
        let before = sends.len();
        for node in nodes {
            let first = (self.round - 1 - node) * self.k;
            sends.extend((first..self.m.min(first + self.k)).filter_map(|message| {
                let from = u32::try_from(node).ok()?;
                Some(Transfer { from, to: from + 1, message: u32::try_from(message).ok()? })
            }));
        }
        sends.len() > before
    }
}
