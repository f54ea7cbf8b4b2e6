//! Allreduce as a reduce to rank 0, then a broadcast from it.
//!
//! | algorithm | of | source |
//! |---|---|---|
//! | `allreduce-flat` | `reduce-flat`, `broadcast-flat` | Open MPI: basic linear |
//! | `allreduce-reduce-broadcast` | `reduce-binomial`, `broadcast-bmtree` | Open MPI: nonoverlapping |
//! | `allreduce-double-tree` | `reduce-double-tree`, `broadcast-double-tree` | Sanders, Speck, Träff 2009 |
//!
//! **Cost.** The sum of both where `g(s) <= 2 D(t) + ct`, for s words in the longest segment and t in the shortest. Rank 0 is the
//! last to receive in the reduce and the first to send in the broadcast. The ports of the other ranks delay nothing there:
//! after the last send of a rank in the reduce it takes `D + ct` at least until rank 0 has the result, and D until the
//! rank has received it and can send; from its last receive to the next one it takes longer. Elsewhere all ranks are
//! followed message by message, up to 2^22 messages.
//!
//! **When it wins.** Flat: few ranks over a long latency. Binomial: not by this cost, but it sends the fewest messages, 2(K-1).
//! Double trees: long vectors on many ranks, as words in all are few and paths are short.
//!
//! **Departures.** Open MPI's nonoverlapping chooses the two algorithms by size. NCCL's double trees send a segment down once it
//! is combined; here all are combined first.

use super::{Algorithm, Task, narrow};
use crate::collectives::rounds::followed;
use crate::collectives::script::Script;
use crate::collectives::{broadcast, reduce};
use crate::error::{Error, fit};

/// See the module.
#[derive(Clone, Copy)]
pub struct ReduceBroadcast {
    reduce: &'static dyn Algorithm,
    broadcast: &'static dyn Algorithm,
    /// With rank 0 as the root.
    keeps_order: bool,
}

impl ReduceBroadcast {
    /// Every rank sends to rank 0, and receives from it.
    pub const FLAT: Self = Self { reduce: &reduce::Flat, broadcast: &broadcast::Flat, keeps_order: true };
    /// Up a binomial tree, and down one.
    pub const BINOMIAL: Self =
        Self { reduce: &reduce::Binomial, broadcast: &broadcast::Tree::BMTREE, keeps_order: true };
    /// Up two binary trees in turn, and down.
    pub const DOUBLE_TREE: Self =
        Self { reduce: &reduce::DoubleTree, broadcast: &broadcast::DoubleTree, keeps_order: false };
}

impl Algorithm for ReduceBroadcast {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let [sum, most] = self.sums(task)?;
        if sum == most { fit(sum).map(Some) } else { followed(self, task)?.map(fit).transpose() }
    }

    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        let [sum, most] = self.sums(task)?;
        Ok([fit(sum)?, fit(most)?])
    }

    fn messages(&self, task: &Task) -> u128 {
        self.reduce.messages(task) + self.broadcast.messages(task)
    }

    fn keeps_order(&self) -> bool {
        self.keeps_order
    }

    fn is_segmented(&self) -> bool {
        self.reduce.is_segmented() && self.broadcast.is_segmented()
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        self.reduce.script(task, rank, script);
        let reduced = script.steps.len();
        self.broadcast.script(&without_combining(task), rank, script);
        for step in &mut script.steps[reduced..] {
            step.round = step.round.saturating_add(narrow(task.m));
        }
    }
}

impl ReduceBroadcast {
    /// The sum of both times: the cost, or no more than it, and then one that no cost exceeds.
    fn sums(&self, task: &Task) -> Result<[u128; 2], Error> {
        let times = [self.reduce.bounds(task)?, self.broadcast.bounds(&without_combining(task))?];
        let [reduce, broadcast] = times.map(|bounds| bounds.map(u128::from));
        let (longest, shortest) = (task.hop(task.n.div_ceil(task.m))?, task.hop(task.n / task.m)?);
        // All ports are free a gap after the end of the reduce.
        let wait = if longest.g > 2 * shortest.D() + shortest.q { longest.g } else { 0 };
        Ok([reduce[0] + broadcast[0], reduce[1] + broadcast[1] + wait])
    }
}

/// The task of the broadcast.
fn without_combining(task: &Task) -> Task {
    Task { c: 0, ..*task }
}
