//! Repeated: one message after another, each in the least time for one message.
//!
//! **Source.** Folklore; the broadcast of one message is theorem 1 of Ding and Li.
//!
//! **Symbols.** n nodes, the source included; k ports; m messages.
//!
//! **Algorithm.** Before round t of a message the first `c = (k+1)^(t-1)` nodes hold it. Node i of these sends it to
//! the k nodes from `c + i*k` on.
//!
//! **Cost.** `m*ceil(log_{k+1} n)` rounds, `m(n-1)` sends.
//!
//! **When it wins.** For m = 1, where it is optimal. With more messages, nodes that could forward one are idle.

use super::RoundBroadcast;
use super::bounds::ceil_log;
use super::rounds::{Rounds, Transfer};
use crate::error::{Error, fit};

/// m broadcasts of one message. See the module.
pub struct Repeated;

impl RoundBroadcast for Repeated {
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        fit(u128::from(m) * u128::from(ceil_log(u128::from(k) + 1, n.into())))
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        let (n, k, m) = (u64::from(n), u64::from(k), u64::from(m));
        // The nodes that hold a message are the first.
        let (mut message, mut holders) = (0, 1);
        Ok(Box::new(move |sends: &mut Vec<Transfer>| {
            if message == m || n == 1 {
                return false;
            }
            let reached = n.min(holders * (k + 1));
            sends.extend(
                (holders..reached).filter_map(|to| Transfer::new((to - holders) / k, to, message)),
            );
            holders = reached;
            if reached == n {
                holders = 1;
                message += 1;
            }
            true
        }))
    }
}
