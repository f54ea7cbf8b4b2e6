//! Linear barrier: every rank reports to rank 0, which then releases every rank.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! **Cost** `2D + 2(K-2) g'` for K >= 2, and 0 for K = 1. The K-1 reports arrive together at `o + L`. Rank 0 receives them
//! `g'` apart, so the last receive ends at `D + (K-2) g'`. Then rank 0 sends K-1 releases `g'` apart.
//!
//! **When it wins.** Where a hop takes many gaps: dissemination needs `R = ceil(log2 K)` hops, this barrier two. With
//! `D >= g'` it is faster where `(R-2) D > 2(K-2) g'`.
//!
//! **Departures.** None. The reports arrive at the same time; rank 0 receives them in the order of the ranks.

use crate::collectives::trees::flat;
use crate::collectives::{Closed, Plain, Properties};
use crate::plan::{Family, Task};

/// See the module.
pub const LINEAR: Plain = Plain {
    formula: |task| Closed::exact(2 * flat(&Task { c: 0, ..*task })?),
    holds_on_duplex: |task| task.k == 1,
    plan: |task| {
        let K = task.K;
        let family = move |number| Family::flat(K, number);
        Ok(super::reported(task, family, family))
    },
    properties: Properties::PLAIN,
};
