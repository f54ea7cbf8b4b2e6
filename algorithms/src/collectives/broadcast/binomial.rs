//! Broadcast down a binomial tree, in segments.
//!
//! **Source.** Folklore; MPICH: binomial (`MPIR_Bcast_intra_binomial`).
//!
//! Ranks are numbered from the root. The tree is the [binomial] one, that of
//! [`reduce-binomial`](crate::collectives::reduce::Binomial). For each segment a rank receives from its parent and sends to its
//! children, the largest subtree first.
//!
//! **Cost** for m dividing n and `K = 2^p`, with a segment of s words and `G = max(g(s), o(s))`:
//! `D(s) + (p-1) max(D(s), G) + (m-1)pG`. The first two terms are one segment, as in a scatter. pG is the period of the
//! root, which has most children; that of another rank with d children is `(d-1)G + max(g(s), 2o(s))`, which is not longer.
//! In general the [times](super::segments) of the complete subtrees, and of the incomplete ones on the path from the root
//! over last children, follow from those of their parents. `O(log^2 K)`.
//!
//! **When it wins.** Short vectors: `ceil(log2 K)` messages on the longest path.
//!
//! **Departures.** MPICH sends a vector whole. Open MPI numbers the tree in another way.

use super::segments::{self, Part};
use crate::collectives::script::Script;
use crate::collectives::trees::Family;
use crate::collectives::{Algorithm, Task, binomial};
use crate::error::Error;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Binomial;

impl Algorithm for Binomial {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        segments::time(task, parts)
    }

    fn messages(&self, task: &Task) -> u128 {
        u128::from(task.K - 1) * u128::from(task.m)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn is_segmented(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        Family::binomial(task, rank).reversed().down(task, script);
    }
}

/// The children of the root of a binomial tree with `size` ranks.
fn parts(size: u64) -> Vec<Part> {
    let sizes = binomial::children(size, 0).rev().map(|child| binomial::size(size, child));
    sizes.zip(1..).collect()
}
