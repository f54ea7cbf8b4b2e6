//! Broadcast of several messages in the multiport model: bounds, algorithms, and the simulator that executes them.
//!
//! | symbol | meaning |
//! |---|---|
//! | `n` | nodes, the source included; they are `0..n`, and node 0 is the source |
//! | `k` | ports: how many messages a node may send, and how many it may receive, in a round |
//! | `m` | messages; they are `0..m`, all of one size, all at the source before the first round |
//!
//! In a round a node sends only what it held before the round. The cost is the number of rounds until every node
//! holds every message. For `n = 1` there is nothing to send, so that costs 0 rounds whatever `m` is.

pub mod balanced;
pub mod bounds;
pub mod chain;
pub mod circulant;
pub mod grouped;
pub mod hypercube;
pub mod k_tree;
pub mod packed;
pub mod problem;
pub mod repeated;
mod rounds;
pub mod simulator;
pub mod trees;

use crate::cost::Published;
use crate::error::Error;
pub use rounds::{MAX_AT_ONCE, Rounds, Transfer, check_instance};
pub use trees::Trees;

/// A broadcast of m messages from node 0 to all n nodes with k ports.
///
/// All three are at least 1: [`check_instance`].
pub trait Broadcast: Sync {
    /// How many rounds it takes.
    ///
    /// # Errors
    /// [`Error::Overflow`] where that does not fit in 64 bits; [`Error::Parameter`] for an instance of nothing or one
    /// that the algorithm is not made for.
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error>;

    /// Who sends what to whom in each round.
    ///
    /// # Errors
    /// [`Error::Parameter`] as for [`Broadcast::rounds`], or where the schedule would not fit in memory:
    /// `n*min(k, m)` above [`MAX_AT_ONCE`].
    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error>;

    /// The k spanning trees down which the messages go, where the algorithm has them and they fit in memory:
    /// `n*k` up to [`MAX_AT_ONCE`].
    fn trees(&self, n: u32, k: u32) -> Option<Trees> {
        let _ = (n, k);
        None
    }

    /// What the algorithm's paper says of its cost, headline first; nothing by default.
    fn published(&self, n: u64, k: u64, m: u64) -> Vec<Published> {
        let _ = (n, k, m);
        Vec::new()
    }
}
