//! Reduce up a complete binary tree, in segments.
//!
//! **Source.** Folklore; Open MPI: binary (`ompi_coll_base_topo_build_tree` with a fanout of 2).
//!
//! Ranks are numbered from the root, level by level. Number i of a level of `2^l` has the children i and `i + 2^l` of the
//! next level. For each segment a rank receives from both, combines, and sends to its parent.
//!
//! **Cost.** Let M, d and the period P(d) of a rank be as in [segments](super::segments). A longest path begins at the first
//! number of the last level: no path is longer, no rank on another one has more children, and at each rank it enters by
//! the first child. So with H levels below the root, and s words in a segment where m divides n:
//! `H(D(s) + cs) + (d_1 + ... + d_H - H)M + (m-1)P`, where `d_i` are the children of the ranks on this path and P is the
//! longest of their periods. All but the last rank above the leaf have 2 children. For segments of two sizes the lines of
//! both are joined. O(log K).
//!
//! **When it wins.** Vectors of medium length on many ranks.
//!
//! **Departures.** None.

use crate::collectives::trees::Segments;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::{Family, Load, Plan, Task, Tree};

/// See the module.
pub struct Binary;

impl Algorithm for Binary {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let levels = task.K.ilog2();
        let Some(relays) = levels.checked_sub(1) else { return Ok(Closed::Exact(0)) };
        let segments = Segments::new(task)?;
        // The first number of the level above the last has both children.
        let d = if task.K - ((1 << levels) - 1) > 1 << relays { 2 } else { 1 };
        if relays == 0 {
            return Closed::exact(segments.root(&[segments.leaf()], d));
        }
        let lowest = segments.relays(segments.leaf(), d, 1)?;
        Closed::exact(segments.root(&[segments.relays(lowest, 2, (relays - 1).into())?], 2))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        Ok(Plan::Tree(Tree::up(Load::Vector, move |number| Family::binary(K, number))))
    }

    fn properties(&self) -> Properties {
        Properties { keeps_order: false, is_segmented: true, ..Properties::PLAIN }
    }
}
