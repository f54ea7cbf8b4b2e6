//! Grouped hypercube: for almost every number of nodes, at most one round above the bound.
//!
//! **Source.** Not in the papers. Bar-Noy, Ho, "Broadcasting multiple messages in the multiport model", IEEE TPDS 10(5),
//! 1999, announce a second algorithm that is "optimal up to an additive term of one"; this one is independent of it.
//!
//! **Symbols.** n nodes, the source included; k ports; m messages; `q = ceil(log_{k+1} n)`; `N = (k+1)^(q-1)`, and
//! `n = N + c*k + r` with r from 1 to k and c below N.
//!
//! **Algorithm.** The [`hypercube`](super::hypercube) of N vertices brings each message to one node of each vertex; one
//! more round brings it to all others.
//! 1. The first c vertices but the root's hold k + 1 nodes each. One of them *speaks*: it receives the message that its
//!    vertex is to pass on, and gives all its ports to it until the batch is through the hypercube. Then the next node
//!    of the group speaks. The other k receive one message each of the batch that comes through, and in the next
//!    round send it to all of their group.
//! 2. The other vertices hold one node each.
//! 3. The last r nodes have no vertex. They share the k messages that the hypercube would send to its root, and exchange them.
//!
//! Every port of every node but the root sends something new in every round, except k of them all. In 3 a node has up
//! to `ceil(k/r)` messages, each for r - 1 others. Where that is more than k sends, for `r*floor(k/(r-1)) < k`,
//! the first r - 1 nodes share the sends out in a row. A message whose sends are shared by two goes to both, and to
//! the last vertex of the hypercube a round later instead.
//!
//! For n up to k + 1 there is no hypercube: the root sends each message to one node, which forwards it. If `r'*(n-1) <= k`, the root
//! sends the r' messages of the last batch to all nodes.
//!
//! **Cost.** `q + ceil((m-1)/k)` rounds; for n up to k + 1, `ceil(m/k)` or one more. Never more than T* + 1
//! ([`bounds`](super::bounds)), and just T* unless `n > k + 1` and `2 <= r' <= ((k+1)^q - 1) / (n-1)` for the
//! `r' = (m-1) mod k + 1` messages of the last batch. So it is T* for every m where `2(n-1) >= (k+1)^q`.
//!
//! **Where it does not exist.** If all vertices but the root's hold k + 1 nodes, there is no last vertex that can wait: for
//! `n = (k+1)^q - k + r` with `r*floor(k/(r-1)) < k`. Such r are 4 for k = 5, 5 for k = 6, 5 and 6 for k = 7.
//!
//! **When it wins.** Wherever the hypercube and the circulant graph do not exist. The height of k trees is a
//! logarithm to base k, not k + 1.

mod groups;
mod shape;
mod star;

use super::RoundBroadcast;
use super::rounds::Rounds;
use crate::error::{Error, fit};
use shape::Grouping;

/// The broadcast on a hypercube of groups of nodes. See the module.
pub struct GroupedHypercube;

impl RoundBroadcast for GroupedHypercube {
    /// ```
    /// use castbench_algorithms::internals::multiport::RoundBroadcast;
    /// use castbench_algorithms::internals::multiport::grouped::GroupedHypercube;
    /// use castbench_algorithms::internals::multiport::k_tree::KTrees;
    /// assert_eq!((GroupedHypercube.rounds(80, 2, 9)?, KTrees::PACKED.rounds(80, 2, 9)?), (8, 11));
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        if n == 1 {
            return Ok(0);
        }
        let shape = Grouping::new(n, k)?;
        if shape.dimensions == 0 {
            return fit(star::rounds(n, k, m));
        }
        fit(u128::from(shape.dimensions) + 1 + u128::from((m - 1).div_ceil(k)))
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        let (n, k, m) = (u64::from(n), u64::from(k), u64::from(m));
        let shape = Grouping::new(n.max(2), k)?;
        if shape.dimensions == 0 {
            return Ok(star::schedule(n, k, m));
        }
        Ok(Box::new(groups::Groups::new(shape, k, m)))
    }
}
