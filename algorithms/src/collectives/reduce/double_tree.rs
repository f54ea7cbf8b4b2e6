//! Reduce up two binary trees at the same time, in segments.
//!
//! **Source.** Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
//! 35(12), 2009.
//!
//! It is [`broadcast-double-tree`](crate::collectives::broadcast::DoubleTree) backwards: a rank sends where it receives there, and
//! receives and combines where it sends there, in the opposite order, from the last segment on.
//!
//! **Cost.** That of the broadcast with `G = max(g(s), o(s) + cs)` and `P = max(g(s), 2o(s) + cs)` for s words in a segment, and
//! `D(s) + cs` for a way: a longest path has the same length in both directions. Only sends of a rank without children
//! are `max(g(s), o(s))` apart. O(log K) sizes of subtrees tell it.
//!
//! **When it wins.** Long vectors on many ranks: every rank sends, receives and combines each word about once, over paths
//! of about `log2 K` ranks.
//!
//! **Departures.** m has to divide n. The paper colours edges with the parity of rounds; see the broadcast.

use crate::collectives::{Algorithm, Closed, Properties, broadcast, double_tree};
use crate::error::Error;
use crate::plan::{Plan, Task};

/// See the module.
pub struct DoubleTree;

impl Algorithm for DoubleTree {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        double_tree::formula(task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(broadcast::DoubleTree.plan(task)?.reversed(true))
    }

    /// The positions of the second tree are not in order.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            is_segmented: true,
            ..Properties::PLAIN
        }
    }
}
