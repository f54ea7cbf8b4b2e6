//! Errors of a measurement.

use std::io;

/// An error of a measurement. The text says what, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user requested a stop.
    #[error("interrupted")]
    Interrupted,
    /// A rank, a host or a connection failed, or a rank received wrong bytes.
    #[error("{0}")]
    Failed(String),
    /// A required program is missing or failed.
    #[error("{what}: {why}")]
    Refused {
        /// What failed.
        what: String,
        /// Why.
        why: String,
    },
    /// Hosts of these names already exist.
    #[error("emulated hosts already exist, such as `{0}`; remove them with `castbench hosts down`")]
    HostsExist(String),
    /// The named emulated host does not exist.
    #[error("there is no emulated host `{0}`; `castbench hosts status` lists them")]
    NoSuchHost(String),
    /// A launcher started several processes for a transport that needs one.
    #[error(
        "a launcher of MPI started castbench {ranks} times, but the transport is `{transport}`, whose ranks \
         castbench starts; run it once, or write transport = \"mpi\""
    )]
    Launched {
        /// The number of processes.
        ranks: u32,
        /// The transport that starts its ranks itself.
        transport: &'static str,
    },
    /// MPI has only one rank.
    #[error("over MPI this is the only rank, and a program needs two: {0}")]
    Alone(String),
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
        matches!(self, Self::Launched { .. } | Self::Alone(_) | Self::Differ(_))
    }

    /// The program's own file, which starts ranks, cannot be found.
    pub(crate) fn no_program(error: &io::Error) -> Self {
        Self::Refused { what: "castbench itself cannot be found".to_owned(), why: error.to_string() }
    }
}
