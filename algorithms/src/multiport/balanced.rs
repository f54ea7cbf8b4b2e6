//! Balanced hypercube: the optimal number of rounds wherever the grouped hypercube exists.
//!
//! **Source.** Not in the papers.
//!
//! **Symbols.** n nodes, the source included; k ports; m messages in `b = ceil(m/k)` batches, `r' = (m-1) mod k + 1` of them in the
//! last; `q = ceil(log_{k+1} n)`; `p = q - 1`; `N = (k+1)^p` vertices; `M = n - N`; F is the function of the [bound](super::bounds).
//!
//! **Algorithm.** The first N nodes are the vertices of a [`hypercube`](super::hypercube), the other M are a *pool*. Each of the k messages of
//! a batch has a slot.
//! 1. *Grow.* A message leaves the root once and spreads for p rounds along the lines of the hypercube. All vertices but the root's hold
//!    one growing message each and give all ports to it.
//! 2. *Spread.* In the next round the N/(k+1) vertices that hold a full-grown message send it to `k*N/(k+1)` more nodes of any kind.
//! 3. *Complete.* In the round after that the pool sends the message to the other `M - 1` nodes.
//! 4. *End.* Each of the k slots of each of the last q rounds holds one of the r' last messages, as F has it. In round `b - 1 + q` each
//!    vertex sends its growing message to any k nodes that lack it, and step 3 completes batch b - 1.
//!
//! **Which nodes hold a full-grown message.** Each node has a set of slots, whose size never changes:
//! - A vertex has s successive slots, k being followed by 1. The first is that of the growing message that it holds before the round. The
//!   k vertices that differ by a rotation of their digits 1 to k have the same s; together they have each slot s times.
//! - Node i of the pool, from 0, has the slots from `floor(i*k/M)` up to but not `floor((i+D)*k/M)`. As each end is a start D nodes on,
//!   D nodes of the pool have each slot.
//!
//! With `O = (N-1)/k` rotations, D is the lesser of M and `N - (r'-1)*O`, and the vertices have the rest: N nodes have each slot.
//!
//! **Why this works.** Let w be the number of slots of a node, plus one for the growing message of a vertex.
//! - A vertex has r' - 1 slots at least. A node of the pool has `k*D/M`, rounded down or up. That is k for D = M. Else
//!   `k*D = k*N - (r'-1)*(N-1) >= r'*M`, because `r'*(n-1) <= r'*F(q, r') <= (k+1)^q - 1`. So w is r' at least.
//! - *Receiving.* w never changes. In every round a node receives the slots of the batch before that it has not, and as many new messages
//!   as it has slots: k in all. In the last round it lacks k less its slots, and r' less its growing message: k at most.
//! - *Sending in step 3.* Give each slot M sends, one slot after the other, and k of these to each node of the pool in its order. Node i
//!   gets sends of the slots from `floor(i*k/M)` up to but not `ceil((i+1)*k/M)`, and has all of them if `(D-1)*k/M >= 1`. That holds for
//!   M >= k, because `k*D/M >= r' >= 2`, and below, because D is 2 at least. A node alone has nothing to send.
//! - *Sending in step 4.* After round `b - 2 + q` the vertices hold c copies of a last message, and the root sends it x times.
//!   `(k+1)*c + x` is one of the r' numbers whose least is F, so at least n - 1.
//!
//! **Cost.** T*: `b - 1 + q` rounds where r' is 1 or `n - 1 <= F(q, r')`, and `b + q` else. Where r' is 1 or `n - 1 > F(q, r')`, and for n
//! up to k + 1, the schedule is that of the [`grouped`](super::grouped) hypercube.
//!
//! **Where it does not exist.** Where the grouped hypercube does not.
//!
//! **When it wins.** Against the grouped hypercube by one round where `n - 1 <= F(q, r')` and r' > 1.

mod ending;
mod layout;
mod pool;

use super::RoundBroadcast;
use super::bounds::{ceil_log, reach};
use super::grouped::GroupedHypercube;
use super::rounds::Rounds;
use crate::error::Error;

/// The broadcast on a hypercube and a pool. See the module.
pub struct BalancedHypercube;

/// Whether the last batch ends a round before that of the grouped hypercube.
fn ends_early(n: u64, k: u64, m: u64) -> bool {
    let ending = (m - 1) % k + 1;
    n - 1 > k
        && ending > 1
        && reach(ceil_log(u128::from(k) + 1, n.into()), ending, k) >= u128::from(n - 1)
}

impl RoundBroadcast for BalancedHypercube {
    /// ```
    /// use castbench_algorithms::internals::multiport::RoundBroadcast;
    /// use castbench_algorithms::internals::multiport::balanced::BalancedHypercube;
    /// use castbench_algorithms::internals::multiport::grouped::GroupedHypercube;
    /// assert_eq!((BalancedHypercube.rounds(14, 2, 8)?, GroupedHypercube.rounds(14, 2, 8)?), (6, 7));
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        let grouped = GroupedHypercube.rounds(n, k, m)?;
        Ok(if ends_early(n, k, m) {
            grouped - 1
        } else {
            grouped
        })
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        if !ends_early(n.into(), k.into(), m.into()) {
            return GroupedHypercube.schedule(n, k, m);
        }
        Ok(Box::new(pool::Pool::new(n.into(), k.into(), m.into())))
    }
}
