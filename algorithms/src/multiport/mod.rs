//! Broadcast of several messages in the multiport model: bounds, algorithms, and the simulator that executes them.
//!
//! | symbol | meaning |
//! |---|---|
//! | `n` | nodes, the source included; they are `0..n`, and node 0 is the source |
//! | `k` | ports: how many messages a node can send, and how many it can receive, in a round |
//! | `m` | messages; they are `0..m`, all of one size, all at the source before the first round |
//!
//! In a round a node sends only what it held before the round. The cost is the number of rounds until every node
//! holds every message: 0 rounds for `n = 1`.

pub mod balanced;
pub mod bounds;
pub mod chain;
pub mod circulant;
pub mod grouped;
pub mod hypercube;
pub mod k_tree;
mod packed;
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
/// All three are at least 1: [`check_instance`]. A schedule is made where `n*min(k, m)` is at most [`MAX_AT_ONCE`].
#[expect(unused_variables, reason = "a default ignores what it does not need")]
pub trait RoundBroadcast: Sync {
    /// How many rounds it takes.
    ///
    /// # Errors
    /// [`Error::Overflow`] where that does not fit in 64 bits; [`Error::Parameter`] for one that the algorithm does not solve.
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error>;

    /// The sends of each round.
    ///
    /// # Errors
    /// [`Error::Parameter`] as for [`RoundBroadcast::rounds`].
    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error>;

    /// The k spanning trees down which the messages go, where the algorithm has them.
    fn trees(&self, n: u32, k: u32) -> Option<Trees> {
        None
    }

    /// The paper's figures for the cost, the most important first; none by default.
    fn published(&self, n: u64, k: u64, m: u64) -> Vec<Published> {
        Vec::new()
    }
}
