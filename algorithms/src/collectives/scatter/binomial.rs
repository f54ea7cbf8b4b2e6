//! Scatter down a binomial tree.
//!
//! **Source.** Folklore; MPICH: binomial (`MPIR_Scatter_intra_binomial`); Open MPI: binomial.
//!
//! Ranks are numbered from the root. The tree is the [binomial] one: the subtree of a number
//! is a range. A rank sends each child the blocks of its subtree in one message, the largest subtree first.
//!
//! **Cost** with `G(b) = max(g(bn), o(bn))` and `D(b) = D(bn)` for b blocks. A complete tree of `2^p` ranks takes
//! `F(p) = D(1) + sum over 1 <= j < p of max(D(2^j), G(2^j))`: its root first sends to a complete tree of half the size,
//! which ends `D + F` after the start, and has such a tree itself G after the start. A tree of `S = 2^p + s` ranks,
//! `1 <= s <= 2^p`, takes `P(S) = max(D(s) + P(s), G(s) + F(p))`, without the second term for p = 0, and `P(1) = 0`: the
//! first subtree has s ranks, the others are those of a complete tree. The cost is P(K). One pass over the bits of K-1
//! computes it.
//!
//! **When it wins.** Short blocks on machine profiles: the root sends `ceil(log2 K)` messages.
//!
//! **Departures.** Older releases of Open MPI send the smallest subtree first.

use crate::collectives::{Closed, Plain, Properties};
use crate::plan::binomial;
use crate::plan::{Family, Load, Plan, Tree};
use crate::wide::Wide;

/// See the module.
pub const BINOMIAL: Plain = Plain {
    formula: |task| {
        let (mut complete, mut time, mut exponent) = (Wide::ZERO, Wide::ZERO, 0);
        for (bit, first) in binomial::incomplete(task.K) {
            while exponent < bit {
                let hop = task.hop(task.n << exponent)?;
                complete += if exponent == 0 {
                    hop.D()
                } else {
                    hop.D().max(hop.g)
                };
                exponent += 1;
            }
            let hop = task.hop(task.n * first)?;
            let others = if bit == 0 {
                Wide::ZERO
            } else {
                hop.gap() + complete
            };
            time = (hop.D() + time).max(others);
        }
        Closed::exact(time)
    },
    holds_on_duplex: |task| task.k == 1,
    plan: |task| {
        let K = task.K;
        Ok(Plan::Tree(Tree::down(Load::Blocks, move |number| {
            Family::binomial(K, number).reversed()
        })))
    },
    properties: Properties::PLAIN,
};
