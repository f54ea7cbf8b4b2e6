//! The k-tree algorithm of Bar-Noy and Ho: in every round a message down each of k trees.
//!
//! **Source.** Bar-Noy, Ho, "Broadcasting multiple messages in the multiport model", IEEE TPDS 10(5), 1999; Ding, Li,
//! "Algorithm and analysis of multiple messages broadcast in the multiport model", section 5.
//!
//! **Symbols.** n nodes, the source included; k ports; m messages; h the height of the trees; `a = (n-2) mod k`.
//!
//! **Algorithm.** k spanning trees, in each of which the root has one child; over all trees together a node has at
//! most k children. Message i goes down tree `i mod k`. Where k divides n - 2, each tree is the root over a complete
//! k-ary tree of the others, and every node but one is inner in one tree. Otherwise a nodes are set aside and k
//! such trees built of the rest. The new nodes have k children each to give, in a row, and tree j takes those from
//! `j*a` to `j*a + a - 1`: from one new node, which replaces the tree's first leaf, or from two, which
//! replace its first and second. The displaced leaves and the other new nodes become their children.
//! See [`trees`].
//!
//! **Cost.** `ceil(m/k) - 1 + h` rounds, `m(n-1)` sends. With H the height of a complete k-ary tree of n - 1 nodes,
//! `h = 1 + H`, plus one where that tree lacks less than k nodes of a full one, a > 0 does not divide k, and the last
//! batch of messages uses the first tree fed by two new nodes, that is `(m-1) mod k >= floor(k/a)`.
//!
//! **When it wins.** With two or more ports and many messages: the first term equals that of the lower bound, and h is a logarithm to
//! base k instead of k + 1. For k = 1 the tree is a chain, `m - 1 + n - 1` rounds.
//!
//! **Departures from the paper.**
//! 1. Ding and Li do not say how the a new nodes join; this is a reconstruction with their bound on the height.
//! 2. They give `ceil(m/k) - 1 + h` with h over all trees. Where only a later tree is higher and the last batch does
//!    not use it, the execution ends a round earlier, and so does the formula here (n = 4, k = 3, m = 1: two rounds).
//! 3. For `n < k + 2` their second new node becomes the first child of the first: the level order used throughout.
//! 4. They do not say which leaf goes where. For `n >= k + 2` leaves are chosen here so that no node sends two messages to another one in
//!    a round, so displaced leaves and new nodes can have other positions.

use super::RoundBroadcast;
use super::bounds::ceil_log;
use super::rounds::Rounds;
use super::trees::{self, Deal, Trees};
use crate::cost::{Published, Relation};
use crate::error::Error;

/// k trees. See the module.
pub struct KTrees {
    /// How the spare nodes are dealt out.
    deal: fn(u64, u64) -> Deal,
    /// Whether the paper states their cost.
    is_published: bool,
}

impl KTrees {
    /// Bar-Noy and Ho's.
    pub const IN_ROW: Self = Self {
        deal: |_, _| Deal::InRow,
        is_published: true,
    };
    /// Those of the [least height](super::packed).
    pub const PACKED: Self = Self {
        deal: Deal::whole_if_possible,
        is_published: false,
    };
}

impl RoundBroadcast for KTrees {
    /// ```
    /// use castbench_algorithms::internals::multiport::RoundBroadcast;
    /// use castbench_algorithms::internals::multiport::k_tree::KTrees;
    /// assert_eq!(KTrees::IN_ROW.rounds(1_000_000, 16, 32)?, 1 + 6);
    /// let [packed, in_row] = [KTrees::PACKED, KTrees::IN_ROW].map(|trees| trees.rounds(13, 3, 9));
    /// assert_eq!((packed?, in_row?), (5, 6));
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        trees::rounds(n, k, m, (self.deal)(n, k))
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        Ok(trees::schedule(n, k, m, (self.deal)(n.into(), k.into())))
    }

    fn trees(&self, n: u32, k: u32) -> Option<Trees> {
        Some(trees::all(n, k, (self.deal)(n.into(), k.into())))
    }

    fn published(&self, n: u64, k: u64, m: u64) -> Vec<Published> {
        if n < 2 || k < 2 || !self.is_published {
            return Vec::new();
        }
        let height = ceil_log(k.into(), u128::from(n) + 2 * u128::from(k)).max(2);
        vec![Published {
            section: "section 5",
            formula: "ceil(m/k) + max(ceil(log_k(n+2k)), 2)",
            relation: Relation::AtMost,
            value: u128::from(m.div_ceil(k)) + u128::from(height),
        }]
    }
}
