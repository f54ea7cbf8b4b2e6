//! How the cost of a multicast changes with each of L, o and g, exactly.
//!
//! **The cost.** Every node holds the message after some hops D and some gaps g' (see [`super`]), so the cost of a tree is `a*D + b*g'`
//! with the a hops and b gaps of the last node: at most K - 1 of both together. Which node is last depends only on the ratio `g'/D`. So
//! the axis of ratios has intervals with a [`Piece`] each, and L, o and g move the ratio:
//!
//! | grows | D | g' | `g'/D` | the cost per unit |
//! |---|---|---|---|---|
//! | L | 1 | | falls | a |
//! | g, where `g >= o` | | 1 | rises | b |
//! | g, where `g < o` | | | stays | 0 |
//! | o, where `o < g` | 2 | | falls | 2a |
//! | o, where `o >= g` | 2 | 1 | rises towards 1/2 | 2a + b |
//!
//! At g = o the cost also bends, unless b = 0.
//!
//! **The piece beside a ratio.** Two pieces meet where `(a-a')*D = (b'-b)*g'`, at a fraction with a denominator of `|b'-b|` or less. A
//! cost grows with D and g', so a piece that is active beyond `g'/D` has `b <= cost/g'`. Let `p/q` be the least fraction above `g'/D` with
//! at most this denominator: between them the cost is linear, and its values at both give a and b. (They are neighbours in a Farey
//! sequence with determinant 1, so nothing is rounded.) Below the ratio the same holds with D and g' exchanged.
//!
//! **Its end, where the tree is the same on every machine.** The cost is the largest of K sums, convex in the ratio. No two sums cross
//! beyond a ratio of the most hops of a node, which is at most cost/D; the piece there is the last one. If it is the current piece, that
//! has no end. Otherwise Newton's iteration: if the cost at the crossing of both is on the current piece, this is its end, by convexity.
//! If not, the piece just before the crossing replaces the last one, and the next crossing is nearer.
//!
//! **Its end, where the tree [adapts](super::Multicast::adapts) to the machine.** The cost is continuous and piecewise linear, but not
//! convex: the optimum's is the K-th smallest of all sums. It can leave the piece only at a crossing with another one, and cannot return
//! between two crossings. So crossings are visited in order (the least larger fractions with a numerator up to a or a denominator up to
//! b), and the cost is computed once between any two. After 2^20 crossings the answer is how far the piece certainly goes
//! ([`NotBefore`](crate::reach::Reach::NotBefore)).
//!
//! **Cost.** A few evaluations of [`Multicast::time`] for a tree that does not adapt; for one that does up to 2^20 on each side, about 1 us
//! each.

mod fractions;
mod parameters;
mod piece;
mod pieces;

use super::{Multicast, check_instance};
use crate::error::Error;
use crate::logp::LogP;
use crate::reach::Parameter;
use fractions::Fraction;
pub use piece::Piece;
use pieces::{Direction, End, View};

/// How the cost of a multicast changes around a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sensitivity {
    /// The cost there, in the time unit of the machine.
    pub cost: u64,
    /// The piece that is active there and where hops grow relative to gaps.
    pub slower_hops: Piece,
    /// The piece that is active there and where gaps grow relative to hops; the same one unless two meet there.
    pub slower_gaps: Piece,
    /// Over the latency.
    pub L: Parameter,
    /// Over the overhead.
    pub o: Parameter,
    /// Over the gap.
    pub g: Parameter,
}

/// How the cost of a multicast of K nodes changes with L, o and g around `model`. See the module.
///
/// # Errors
/// [`Error::Parameter`] as [`check_instance`]; [`Error::Overflow`] where the cost there or at a needed ratio does not fit in 64 bits.
///
/// ```
/// use castbench_algorithms::cost::Exact;
/// use castbench_algorithms::logp::LogP;
/// use castbench_algorithms::internals::logp::multicast::fibonacci::Fibonacci;
/// use castbench_algorithms::internals::logp::multicast::sensitivity::sensitivity;
/// use castbench_algorithms::internals::reach::Reach;
///
/// let around = sensitivity(&Fibonacci, LogP::new(6, 2, 4)?, 18, 1)?;
/// assert_eq!((around.cost, around.slower_hops.hops, around.slower_hops.gaps), (34, 3, 1));
/// // Up to D = 2g', an L of 4, it is one hop and six gaps.
/// let below = around.L.below.unwrap();
/// assert_eq!((below.slope, below.reach), (3, Reach::Breakpoint(Exact::Integer(4))));
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub fn sensitivity(tree: &dyn Multicast, model: LogP, K: u64, source: u64) -> Result<Sensitivity, Error> {
    check_instance(K, source)?;
    let cost = tree.time(model, K, source)?;
    let ratio = Fraction::new(model.gap(), model.D());
    let rising = View { tree, K, source, direction: Direction::Rising };
    let (slower_gaps, rising_end) = rising.piece(ratio)?;
    let (slower_hops, falling_end) = if model.gap() == 0 {
        // A ratio of 0 stays 0 with slower hops.
        (slower_gaps, End::Never)
    } else {
        View { direction: Direction::Falling, ..rising }.piece(ratio.inverse())?
    };
    let around = parameters::Around {
        model,
        falling: parameters::Cone { piece: slower_hops, end: turned(falling_end) },
        rising: parameters::Cone { piece: slower_gaps, end: rising_end },
    };
    Ok(Sensitivity { cost, slower_hops, slower_gaps, L: around.L(), o: around.o()?, g: around.g() })
}

/// An end as a ratio `D/g'` converted to `g'/D`.
fn turned(end: End) -> End {
    match end {
        End::Never => End::Never,
        End::At(ratio) => End::At(ratio.inverse()),
        End::NotBefore(ratio) => End::NotBefore(ratio.inverse()),
    }
}
