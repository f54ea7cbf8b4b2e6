//! Broadcast down a complete binary tree, in segments.
//!
//! **Source.** Folklore; Open MPI: binary (`ompi_coll_base_topo_build_tree` with a fanout of 2).
//!
//! The tree is that of [`reduce-binary`](crate::collectives::reduce::Binary): ranks are numbered from the root, level by level;
//! number i of a level of `2^l` has the children i and `i + 2^l` of the next level. For each segment a rank receives from
//! its parent and sends to both children, in this order.
//!
//! **Cost** for m dividing n and `K = 2^(H+1) - 1`, H >= 2, with a segment of s words and `G = max(g(s), o(s))`:
//! `H(D(s) + G) + (m-1)(G + max(g(s), 2o(s)))`: the path over second children, and the period of a rank with two. In
//! general subtrees have at most two sizes on each level. If the last of `H + 1` levels has e ranks, the first child has
//! `ceil(e/2)` of them in its subtree and the second `floor(e/2)`. The [times](super::segments) of both follow from those
//! of the level above. O(log K).
//!
//! **When it wins.** Vectors of medium length on many ranks.
//!
//! **Departures.** None.

use super::segments::{self, Part};
use crate::collectives::script::Script;
use crate::collectives::trees::Family;
use crate::collectives::{Algorithm, Task};
use crate::error::Error;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Binary;

impl Algorithm for Binary {
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
        Family::binary(task, rank).down(task, script);
    }
}

/// The children of the root of a complete tree with `size` ranks.
fn parts(size: u64) -> Vec<Part> {
    let levels = size.ilog2();
    let Some(below) = levels.checked_sub(1) else { return vec![] };
    let (above, last) = ((1 << below) - 1, size - ((1 << levels) - 1));
    let sizes = [(above + last.div_ceil(2), 1), (above + last / 2, 2)];
    sizes.into_iter().filter(|&(size, _)| size > 0).collect()
}
