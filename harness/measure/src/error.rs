//! Errors of a measurement.

use std::io;

/// An error of a measurement. The text says what, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user requested a stop.
    #[error("interrupted")]
    Interrupted,
    /// A rank, a host or a connection failed, a rank received wrong bytes, or a
    /// required program is missing or failed.
    #[error("{0}")]
    Failed(String),
    /// Not the right number of processes for the transport.
    #[error("{0}")]
    Launched(String),
    /// Ranks run different programs or read different configurations.
    #[error("{0}")]
    Differ(String),
    /// A bug.
    #[error("{0}")]
    Bug(String),
}

impl Error {
    /// Whether every MPI rank has this error: then one rank reports it, see [`crate::launcher::speaks`].
    #[must_use]
    pub fn is_met_by_every_rank(&self) -> bool {
        matches!(self, Self::Launched(_) | Self::Differ(_))
    }

    /// The program's own file, which starts ranks, cannot be found.
    pub(crate) fn no_program(error: &io::Error) -> Self {
        Self::Failed(format!("castbench itself cannot be found: {error}"))
    }
}
