//! Balanced hypercube: the last batch ends a round earlier than in the grouped hypercube, where it can be planned.
//!
//! **Source.** Not in the papers.
//!
//! **Symbols.** n nodes, the source included; k ports; m messages, `r' = (m-1) mod k + 1` of them in the last of
//! `b = ceil(m/k)` batches; `q = ceil(log_{k+1} n)`; `p = q - 1`; `N = (k+1)^p` places; `M = n - N`.
//!
//! **Why balance.** After round t a node holds some messages of batches that are not yet everywhere, of batch t - p
//! and later. Over all nodes but the root these are `(k+1)^q - 1`; when all ports are busy, their number at a node never
//! changes. In the [`grouped`](super::grouped) hypercube some nodes have k + 1, others one. If each has r' at
//! least, all slots of batch b and later can be filled with the r' last messages so that each node has all of these after
//! round b + p. Such nodes are possible only for `r' <= ((k+1)^q - 1) / (n-1)`, which is just where T* is
//! [`b + p`](super::bounds).
//!
//! **Algorithm.** The first N nodes are the places of a [`hypercube`](super::hypercube) of one node each, the other M are
//! a *pool*. The k slots of a batch are cut into r' classes. When a batch is through the hypercube, each node of the
//! pool holds a slot of each class and sends it to as many nodes as the class has slots. So that it can hold them,
//! they are sent to it instead of some nodes of the hypercube, to which the pool sends them a round later. Which
//! nodes wait is the plan:
//! 1. so many for each slot as nodes of the pool hold it, less one;
//! 2. as many slots in every dimension for the same node, and none that it passes on itself;
//! 3. in the dimension in which all ends, a node has a slot of each class or is passing on a message of it.
//!
//! The plan is a maximum flow in each dimension: from the nodes through their classes to the slots. It is tried for each
//! way to cut k into r' sizes, and for each way to turn the classes of the batches after b by some slots.
//!
//! **Cost.** `b + p = ceil(m/k) - 1 + q` rounds, T*, where there is a plan; elsewhere that of the grouped
//! hypercube, whose schedule it is then: T* where r' is 1 or above `((k+1)^q - 1) / (n-1)`, and else T* + 1. There is no
//! closed form of where there is a plan: it is made, for `n*k` up to [`MAX_PLANNED`], and not tried beyond.
//!
//! **When it wins.** Against the grouped hypercube by one round for 2(n-1) < (k+1)^q and r' > 1, mostly.

mod plan;
mod pool;

use super::Broadcast;
use super::grouped::GroupedHypercube;
use super::rounds::{Rounds, check_instance, check_size};
use crate::error::Error;
pub use plan::MAX_PLANNED;
use plan::Plan;

/// The broadcast on a hypercube and a pool. See the module.
#[derive(Debug, Clone, Copy)]
pub struct BalancedHypercube;

impl Broadcast for BalancedHypercube {
    /// ```
    /// use algorithms::multiport::{Broadcast, balanced::BalancedHypercube, grouped::GroupedHypercube};
    /// assert_eq!((BalancedHypercube.rounds(12, 2, 8)?, GroupedHypercube.rounds(12, 2, 8)?), (6, 7));
    /// # Ok::<(), algorithms::error::Error>(())
    /// ```
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        let grouped = GroupedHypercube.rounds(n, k, m)?;
        Ok(if Plan::find(n, k, m).is_some() { grouped - 1 } else { grouped })
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        check_instance(n.into(), k.into(), m.into())?;
        check_size(n, k.min(m))?;
        match Plan::find(n.into(), k.into(), m.into()) {
            Some(plan) => Ok(Box::new(pool::Pool::new(plan, n.into(), k.into(), m.into()))),
            None => GroupedHypercube.schedule(n, k, m),
        }
    }
}
