//! Broadcast down two binary trees at the same time, in segments.
//!
//! **Source.** Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
//! 35(12), 2009: two trees of all ranks but the root, in neither of which a rank has children if it has them in the other.
//!
//! **Trees.** Ranks are numbered from the root, `h = K-1` of them without it. The first tree is in order: a subtree of S
//! consecutive positions has `a = floor((S-1)/2)`, or a+1 if that is even, positions below its root; for S = 1 none. So positions with children are
//! even. Number v has position v in the first tree, in the second `h+1-v` for even h and `v mod h + 1` for odd h. The root
//! sends segments in turn to the roots of both trees, even segments to the first one.
//!
//! **A rank** with two children receives a segment from its parent, sends it to the first child, receives a segment of the
//! other tree, and sends the first one to the second child. That segment is l segments behind, so that it is there: messages
//! of the other tree delay no rank. At the end the rank receives the last ones of the other tree.
//!
//! **Cost** with s words in a segment, `G = max(g(s), o(s))`, `P = max(g(s), 2o(s))`. The root of a tree with two children gets a
//! segment every G + P until the l-th one, later every 2P. A segment reaches the first child D(s) later, the second
//! D(s) + P, or D(s) + G before the l-th one. No other rank delays it. So the cost is that of the last segment of each tree to
//! its last leaf, or to the last rank that receives l more from the other tree G apart. The
//! second tree's root gets each segment G after the first's. So l is the least number of periods of the roots (G + P, with fewer
//! than two children 2G) that exceeds the sum of G and the longest way down, with D(s) + P to second children. O(log K) sizes of subtrees
//! tell it.
//!
//! **When it wins.** Long vectors on many ranks: every rank sends and receives each word about once, over paths of about
//! `log2 K` ranks.
//!
//! **Departures.** m has to divide n. The paper has rounds in which a message is sent and received, and colours edges with
//! the parity of theirs. Here a rank receives its segments of the other tree later by the time that messages take.

use crate::collectives::{Algorithm, Closed, Properties, double_tree};
use crate::error::Error;
use crate::plan::{Plan, Task};
use crate::wide::Wide;

/// See the module.
pub struct DoubleTree;

impl Algorithm for DoubleTree {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        double_tree::formula(task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        Ok(Plan::script(
            Wide::from(task.K - 1) * Wide::from(task.m),
            task.m,
            move |rank, script| {
                double_tree::write(&task, rank, script);
            },
        ))
    }

    fn properties(&self) -> Properties {
        Properties {
            is_segmented: true,
            ..Properties::PLAIN
        }
    }
}
