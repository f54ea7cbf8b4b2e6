//! Reduce up a binomial tree, in segments.
//!
//! **Source.** Folklore; MPICH: binomial (`MPIR_Reduce_intra_binomial`); Open MPI: binomial.
//!
//! Ranks are numbered from the root. The tree is the [binomial] one. For each segment a rank
//! receives from its children, the smallest subtree first, combines, and sends to its parent.
//!
//! **Cost** for m dividing n and `K = 2^p`, with a segment of s words, `A = D(s) + cs` and `M = max(g(s), o(s) + cs)`:
//! `A + (p-1) max(A, g(s)) + (m-1)pM`. The first two terms are one segment, as in a gather; pM is the period of the root,
//! which has most children. 0 for K = 1.
//! Otherwise the [times](super::segments) of the complete subtrees, and of the incomplete ones on the path from the root
//! over last children, follow from those of their children. `O(log^2 K)`.
//!
//! **When it wins.** Short vectors: `ceil(log2 K)` messages on the longest path.
//!
//! **Departures.** MPICH sends a vector whole, and from another root for operators that do not commute.

use super::segments::Starts;
use crate::collectives::trees::Segments;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::binomial;
use crate::plan::{Family, Load, Plan, Task, Tree};

/// See the module.
pub struct Binomial;

impl Algorithm for Binomial {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let segments = Segments::new(task)?;
        // The complete subtrees by size, and the incomplete one.
        let mut complete: Vec<Starts> = Vec::with_capacity(64);
        let mut last = segments.leaf();
        let mut path = binomial::incomplete(task.K).peekable();
        while let Some((bit, size)) = path.next() {
            while complete.len() < bit as usize {
                complete.push(if complete.is_empty() { segments.leaf() } else { segments.relay(&complete) });
            }
            complete.push(last);
            if path.peek().is_none() {
                return Closed::exact(segments.end(&complete));
            }
            last = segments.relay(&complete);
            // What was last may itself be complete.
            if size < 1 << bit {
                complete.pop();
            }
        }
        Ok(Closed::Exact(0))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let K = task.K;
        Ok(Plan::Tree(Tree::up(Load::Vector, move |number| Family::binomial(K, number))))
    }

    /// From the root to the last rank, then from rank 0 to the root.
    fn properties(&self) -> Properties {
        Properties { keeps_order: false, is_segmented: true, ..Properties::PLAIN }
    }
}
