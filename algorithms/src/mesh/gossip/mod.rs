//! Gossip on a square mesh: every node has a message, and at the end every node holds all messages.
//!
//! Model H* (half-duplex, all-port), in steps, on an `n x n` mesh:
//!
//! - a link carries at most one message per step, in one direction or the other;
//! - a node can use all its links in the same step;
//! - a message that is sent in a step was held by its sender before that step.
//!
//! Nodes are numbered row by row, node (x, y) is `y*n + x`, and a message has the number of the node it comes
//! from. Node (x, y) is *even* where `x + y` is even, and so is its message.

pub mod coupled;
pub mod optimal;
pub mod problem;
pub mod simulator;
pub mod two_phase;

use crate::cost::{Published, Relation};
use crate::error::{Error, refuse_if};
pub use crate::rounds::{Rounds, Transfer};

/// The largest side that is scheduled and executed: 4.3 * 10^9 transfers, and 512 MiB for the holders of messages.
pub const MAX_SIDE: u32 = 256;

/// The largest side with a cost that is confirmed by execution instead of a proof. `castbench sweep --set gossip.n=1..128` executes all of
/// them.
pub const MAX_CHECKED: u32 = 128;

/// Gossip on the `n x n` mesh, n >= 1.
pub trait Gossip: Sync {
    /// Steps until every node holds every message.
    ///
    /// # Errors
    /// [`Error::Parameter`] above [`MAX_CHECKED`] without a proof; [`Error::Overflow`] where the steps do not fit in 64 bits.
    fn steps(&self, n: u32) -> Result<u64, Error>;

    /// The transfers of each step; for a side up to [`Gossip::most_side`].
    ///
    /// # Errors
    /// As [`Gossip::steps`].
    fn schedule(&self, n: u32) -> Result<Box<dyn Rounds>, Error>;

    /// The largest side that [`Gossip::schedule`] takes.
    fn most_side(&self) -> u32 {
        MAX_SIDE
    }

    /// The paper's figures for the cost, the most important first; none by default.
    fn published(&self, n: u32) -> Vec<Published> {
        let _ = n;
        Vec::new()
    }
}

/// Checks the side of a mesh.
///
/// # Errors
/// [`Error::Parameter`] for 0, and above 4294967295.
pub fn check_side(n: u64) -> Result<u32, Error> {
    refuse_if!(n == 0, "n" = 0 => "expected at least 1: n is the side of the mesh; write 1 for a single node");
    let most = || {
        Error::parameter(
            "n",
            n,
            format!("expected at most {}: a side is a 32-bit number", u32::MAX),
        )
    };
    u32::try_from(n).map_err(|_| most())
}

/// Checks the side of a mesh for a cost that is confirmed by execution and not proved.
fn refuse_unchecked(n: u32) -> Result<(), Error> {
    refuse_if!(n > MAX_CHECKED, "n" = n =>
        "expected at most {MAX_CHECKED}: that so few steps suffice was checked by execution up to there, and is not proved beyond; use gossip-two-phase");
    Ok(())
}

/// No gossip takes fewer steps (theorem 1 of Wang and Ying): `n^2(n^2-1)` deliveries over `2n(n-1)` links, `(n^2+n)/2`.
///
/// 0 for n = 1, where there is nothing to send.
///
/// ```
/// assert_eq!(castbench_algorithms::internals::mesh::gossip::lower_bound(8), 36);
/// ```
#[must_use]
pub fn lower_bound(n: u32) -> u64 {
    let n = u64::from(n);
    if n < 2 { 0 } else { n * (n + 1) / 2 }
}

/// [`lower_bound`] as the paper states it, of any gossip; not for n = 1, where it divides by no link.
#[must_use]
pub fn theorem_1(n: u32) -> Option<Published> {
    (n >= 2).then(|| Published {
        section: "theorem 1",
        formula: "(n^2+n)/2",
        relation: Relation::AtLeast,
        value: lower_bound(n).into(),
    })
}
