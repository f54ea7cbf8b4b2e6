//! Flat reduce.
//!
//! **Source.** Folklore; Open MPI: basic linear.
//!
//! Every rank sends its words to the root. The root combines those of the ranks after it, in ascending order, then those of
//! the ranks before it, in descending order. So it combines in the order of the ranks.
//!
//! **Cost** with `M = max(g(n), o(n) + cn)`: `(K-2)M + D(n) + cn`, and 0 for K = 1. All messages are at the root at
//! `o(n) + L(n)`; it receives them M apart.
//!
//! **When it wins.** Two ranks, or a few over a long latency.
//!
//! **Departures.** Open MPI receives from rank K-1 down to rank 0, and combines the root's words in their place.

use crate::collectives::trees::flat;
use crate::collectives::{Closed, Plain, Properties};
use crate::plan::{Family, Load, Plan, Tree, narrow};

/// See the module.
pub const FLAT: Plain = Plain {
    formula: |task| Closed::exact(flat(task)?),
    holds_on_duplex: |task| task.k == 1,
    plan: |task| {
        let (K, root) = (task.K, task.root);
        // In the order of the ranks: those after the root, then those before it.
        Ok(Plan::Tree(Tree::up(Load::Vector, move |number| {
            let mut family = Family::flat(K, number);
            let before = family.children.get_mut(narrow(K - root - 1) as usize..);
            before.into_iter().for_each(<[_]>::reverse);
            family
        })))
    },
    properties: Properties::PLAIN,
};
