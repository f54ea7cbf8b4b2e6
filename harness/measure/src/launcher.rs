//! What the environment says of the launcher of MPI that started this process, if one did.
//!
//! MPI itself is asked when it is needed; this is for what must be known without it: how many processes would say the
//! same thing, and whether a launcher started many where one was wanted.

use std::env;
use std::thread;
use std::time::Duration;

use super::error::Error;

/// Rank and number of ranks: Open MPI's variables, and those of PMI, which MPICH and Slurm set.
const VARIABLES: [(&str, &str); 2] = [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];

/// What the launcher called this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// From 0.
    pub rank: u32,
    /// How many there are.
    pub ranks: u32,
}

/// What the launcher called this process; none where there was none.
#[must_use]
pub fn launched() -> Option<Launched> {
    let number = |name: &str| env::var(name).ok()?.parse().ok();
    VARIABLES.iter().find_map(|(rank, ranks)| Some(Launched { rank: number(rank)?, ranks: number(ranks)? }))
}

/// How long the first rank has to say what happened: once any has failed the launcher ends them all, so this is not
/// waited for.
const WORDS: Duration = Duration::from_secs(20);

/// Whether this process is the one to report a failure that every rank meets: the first. The others wait here until the
/// first has reported it.
#[must_use]
pub fn speaks() -> bool {
    let first = launched().is_none_or(|launched| launched.rank == 0);
    if !first {
        thread::sleep(WORDS);
    }
    first
}

/// Makes sure that this process is the only one, for a transport that starts its ranks itself.
///
/// # Errors
/// [`Error::Launched`] where a launcher started several.
pub fn alone(transport: &'static str) -> Result<(), Error> {
    match launched() {
        Some(Launched { ranks: ranks @ 2.., .. }) => Err(Error::Launched { ranks, transport }),
        _ => Ok(()),
    }
}
