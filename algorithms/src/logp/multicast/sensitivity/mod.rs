//! How the cost of a multicast moves with each of L, o and g, exactly.
//!
//! **The cost.** Every node holds the message after some hops D and some gaps g' (see [`super`]), so the cost of a tree is
//! `a*D + b*g'` with the a hops and b gaps of a node that holds it last: K - 1 of both together at most. Which node
//! that is depends on the ratio `g'/D` alone, since twice the D and g' make twice the cost. So the axis of ratios falls into
//! intervals with a [`Piece`] each, and all that L, o and g do is move the ratio:
//!
//! | grows | D | g' | `g'/D` | the cost per unit |
//! |---|---|---|---|---|
//! | L | 1 | | falls | a |
//! | g, where `g >= o` | | 1 | rises | b |
//! | g, where `g < o` | | | stays | 0 |
//! | o, where `o < g` | 2 | | falls | 2a |
//! | o, where `o >= g` | 2 | 1 | rises towards 1/2 | 2a + b |
//!
//! Where g passes o, the cost bends, too, unless b = 0.
//!
//! **The piece beside a ratio.** Two pieces meet where `(a-a')*D = (b'-b)*g'`, at a fraction with a denominator of `|b'-b|` or less. A
//! cost grows with D and g', so a piece that is active beyond `g'/D` has `b <= cost/g'`. Let `p/q` be the
//! least fraction above `g'/D` with no larger denominator: the cost is linear from one to the other, and its values at both
//! give a and b. (They are neighbours in a Farey sequence, the determinant is 1, so nothing is rounded.) Below the ratio
//! the same is done with D and g' exchanged.
//!
//! **Its end, where the tree is the same on every machine.** The cost is then the largest of K sums, convex in the ratio. No two sums
//! change places beyond a ratio of the most hops of a node, which is at most cost/D; so the piece there is the last one. If
//! it is the one at hand, that has no end. Otherwise Newton: where the two cross, is the cost on the piece at hand? If
//! so, it is so everywhere up to there, as it is convex, and not beyond, where the other piece is above. If not,
//! the piece right before that crossing takes the place of the other, and the next crossing lies nearer.
//!
//! **Its end, where the tree [adapts](super::Multicast::adapts) to the machine.** The cost is continuous and piecewise linear, but not convex: that of
//! the optimum is the K-th smallest of all sums. It can leave the piece only where the piece crosses another one, and between two such
//! crossings it cannot come back. So they are visited in order, by the least fractions above with a numerator of a or
//! less or a denominator of b or less, and the cost is asked once between any two. That is tried for 2^20 crossings,
//! after which the answer is how far the piece surely goes ([`NotBefore`](crate::reach::Reach::NotBefore)).
//!
//! **Cost.** Some evaluations of [`Multicast::time`] for a tree that does not adapt; up to 2^20 on either side, at about a microsecond, for one
//! that does.

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

/// How the cost of a multicast moves around a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sensitivity {
    /// The cost there, in the time unit of the machine.
    pub cost: u64,
    /// The piece that is active there and where hops grow against gaps.
    pub slower_hops: Piece,
    /// The piece that is active there and where gaps grow against hops; the same one, unless two meet right there.
    pub slower_gaps: Piece,
    /// With the latency.
    pub L: Parameter,
    /// With the overhead.
    pub o: Parameter,
    /// With the gap.
    pub g: Parameter,
}

/// How the cost of a multicast of K nodes moves with L, o and g around `model`. See the module for cost and argument.
///
/// # Errors
/// [`Error::Parameter`] as [`check_instance`]; [`Error::Overflow`] where the cost there, or at a ratio of g' and D that has to be
/// looked at, does not fit in 64 bits.
///
/// ```
/// use castbench_algorithms::cost::Exact;
/// use castbench_algorithms::logp::LogP;
/// use castbench_algorithms::logp::multicast::fibonacci::Fibonacci;
/// use castbench_algorithms::logp::multicast::sensitivity::sensitivity;
/// use castbench_algorithms::reach::Reach;
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
        // No ratio is below 0, and slower hops leave it there.
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

/// An end that was found as a ratio `D/g'`, as `g'/D`.
fn turned(end: End) -> End {
    match end {
        End::Never => End::Never,
        End::At(ratio) => End::At(ratio.inverse()),
        End::NotBefore(ratio) => End::NotBefore(ratio.inverse()),
    }
}
