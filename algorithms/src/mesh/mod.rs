//! Multicast on a two-dimensional mesh, counted in links.
//!
//! A `w x h` mesh has a pair of opposite links between neighbours. A multicast has a source and `K`
//! destinations, **not** counting the source; its cost is the number of links its messages cross,
//! counted with repetition. The figures here are expectations over a source drawn uniformly and `K`
//! destinations drawn uniformly among the other nodes.

mod axes;
mod draws;
pub mod gossip;
pub mod labelling;
pub mod multicast;
pub mod wormhole;

use crate::error::Error;
use labelling::Mesh;

/// How a Monte Carlo run draws its multicasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sampling {
    /// How many multicasts are drawn, at least one.
    pub trials: u64,
    /// The seed of the portable generator (ChaCha8). The same seed draws the same multicasts for every algorithm.
    pub seed: u64,
}

impl Sampling {
    /// Checks the number of trials.
    ///
    /// # Errors
    /// [`Error::Parameter`] without a trial.
    pub fn new(trials: u64, seed: u64) -> Result<Self, Error> {
        match trials {
            0 => Err(Error::parameter("trials", 0, "expected at least 1 random multicast, as in 10000")),
            trials => Ok(Self { trials, seed }),
        }
    }
}

/// Checks a number of destinations.
///
/// # Errors
/// [`Error::Parameter`] above `w*h - 1`.
pub fn check_destinations(mesh: Mesh, K: u64) -> Result<u32, Error> {
    let most = mesh.nodes() - 1;
    u32::try_from(K).ok().filter(|&K| K <= most).ok_or_else(|| {
        Error::parameter(
            "K",
            K,
            format!(
                "expected at most {most} on the {mesh} mesh, for K counts the destinations without the source (w*h - 1)"
            ),
        )
    })
}

pub use draws::draw;
