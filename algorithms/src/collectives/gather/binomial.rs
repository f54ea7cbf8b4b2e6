//! Gather up a binomial tree.
//!
//! **Source.** Folklore; MPICH: binomial (`MPIR_Gather_intra_binomial`); Open MPI: binomial.
//!
//! Ranks are numbered from the root. The tree is the [binomial] one: the subtree of a number
//! is a range. A rank receives the blocks of each child's subtree, the smallest subtree first, and sends all to its parent.
//!
//! **Cost.** With `D(b) = D(bn)` and so on for b blocks. The root of a complete tree of `2^j` ranks holds all blocks at
//! R(j): `R(0) = 0`, `R(1) = D(1)`, and
//! `R(j+1) = R(j) + max(D(2^j), g(2^j) + o(2^j) - o(2^(j-1)))` for j >= 1, because its last child sends at R(j), and it
//! began the receive before at `R(j) - o(2^(j-1))`. The root of a tree of `S = 2^j + s` ranks, `1 <= s <= 2^j`, receives s
//! blocks last: `P(1) = 0`, `P(S) = o(s) + max(R(j), P(s) + o(s) + L(s), R(j) - o(2^(j-1)) + g(s))`, without the last term
//! for j = 0. The cost is P(K). One pass over the bits of K-1 computes it.
//!
//! **When it wins.** Short blocks on machine profiles: the root receives `ceil(log2 K)` messages.
//!
//! **Departures.** None.

use crate::collectives::{Closed, Plain, Properties, scatter};
use crate::plan::binomial;
use crate::wide::Wide;

/// See the module.
pub const BINOMIAL: Plain = Plain {
    formula: |task| {
        // When the root of a complete tree holds all, and when it began its last receive.
        let (mut complete, mut began) = (Wide::ZERO, None);
        let (mut time, mut exponent) = (Wide::ZERO, 0);
        for (bit, last) in binomial::incomplete(task.K) {
            while exponent < bit {
                let hop = task.hop(task.n << exponent)?;
                let port = began.map_or(Wide::ZERO, |began: Wide| began + hop.g);
                let begins = (complete + hop.o + hop.L).max(port);
                (complete, began) = (begins + hop.o, Some(begins));
                exponent += 1;
            }
            let hop = task.hop(task.n * last)?;
            let port = began.map_or(Wide::ZERO, |began: Wide| began + hop.g);
            time = (time + hop.o + hop.L).max(port).max(complete) + hop.o;
        }
        Closed::exact(time)
    },
    holds_on_duplex: |task| task.k == 1,
    plan: |task| Ok((scatter::BINOMIAL.plan)(task)?.reversed(false)),
    properties: Properties::PLAIN,
};
