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

use super::Broadcast;
use super::bounds::ceil_log;
use super::rounds::{Rounds, Transfer, check_instance, check_size};
use crate::error::{Error, fit};

/// m broadcasts of one message. See the module.
pub struct Repeated;

impl Broadcast for Repeated {
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        check_instance(n, k, m)?;
        fit(u128::from(m) * u128::from(ceil_log(u128::from(k) + 1, n.into())))
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        check_instance(n.into(), k.into(), m.into())?;
        check_size(n, 1)?;
        Ok(Box::new(Doubling { n: n.into(), k: k.into(), m, message: 0, holders: 1 }))
    }
}

struct Doubling {
    n: u64,
    k: u64,
    m: u32,
    message: u32,
    /// How many nodes hold the message; they are the first.
    holders: u64,
}

impl Rounds for Doubling {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        if self.message == self.m || self.n == 1 {
            return false;
        }
        let reached = self.n.min(self.holders * (self.k + 1));
        sends.extend((self.holders..reached).filter_map(|to| {
            let from = u32::try_from((to - self.holders) / self.k).ok()?;
            Some(Transfer { from, to: u32::try_from(to).ok()?, message: self.message })
        }));
        self.holders = reached;
        if reached == self.n {
            self.holders = 1;
            self.message += 1;
        }
        true
    }
}
