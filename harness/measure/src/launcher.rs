//! The MPI launcher of this process, from its environment.
//!
//! This answers what must be known before MPI starts: how many processes would report the same error, and whether a
//! launcher started several processes by mistake.

use std::env;
use std::thread;
use std::time::Duration;

use super::error::Error;

/// Rank and number of ranks: Open MPI's variables, and those of PMI, which MPICH and Slurm set.
const VARIABLES: [(&str, &str); 2] = [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];

/// The rank from the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// From 0.
    pub rank: u32,
    /// The number of ranks.
    pub ranks: u32,
}

/// The rank from the launcher; none without a launcher.
#[must_use]
pub fn launched() -> Option<Launched> {
    let number = |name: &str| env::var(name).ok()?.parse().ok();
    VARIABLES.iter().find_map(|(rank, ranks)| Some(Launched { rank: number(rank)?, ranks: number(ranks)? }))
}

/// Most time that other ranks wait for the first one's report. The launcher usually ends them before.
const WORDS: Duration = Duration::from_secs(20);

/// Whether this process reports an error that every rank has: only the first does. The others wait here until it has.
#[must_use]
pub fn speaks() -> bool {
    let first = launched().is_none_or(|launched| launched.rank == 0);
    if !first {
        thread::sleep(WORDS);
    }
    first
}

/// Checks that this process is the only one, for a transport that starts its own ranks.
///
/// # Errors
/// [`Error::Launched`] if a launcher started several.
pub fn alone(transport: &'static str) -> Result<(), Error> {
    match launched() {
        Some(Launched { ranks: ranks @ 2.., .. }) => Err(Error::Launched { ranks, transport }),
        _ => Ok(()),
    }
}
