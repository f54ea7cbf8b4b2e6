//! Why something could not be measured.

use std::io;

/// Why something could not be measured. The text says what, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user asked for a stop.
    #[error("interrupted")]
    Interrupted,
    /// A rank, a host or a connection failed, or a rank received other bytes than were sent.
    #[error("{0}")]
    Failed(String),
    /// A program that measuring needs is missing, or refuses.
    #[error("{what}: {why}")]
    Refused {
        /// What was attempted.
        what: String,
        /// Why it did not succeed.
        why: String,
    },
    /// Hosts of these names are there already.
    #[error("there are emulated hosts already, `{0}` for one; castbench hosts down")]
    HostsExist(String),
    /// An emulated host was named that is not there.
    #[error("there is no emulated host `{0}`; `castbench hosts status` lists them")]
    NoSuchHost(String),
    /// A launcher started several processes where one was wanted.
    #[error(
        "a launcher of MPI started castbench {ranks} times, but the transport is `{transport}`, whose ranks castbench \
         starts itself; run it alone, or write transport = \"mpi\""
    )]
    Launched {
        /// How many.
        ranks: u32,
        /// The transport that starts its ranks itself.
        transport: &'static str,
    },
    /// MPI knows one rank only.
    #[error("over MPI this rank is alone, and a program takes two: {0}")]
    Alone(String),
    /// Ranks that MPI started are different programs, or read different configurations.
    #[error("{0}")]
    Differ(String),
    /// A calibration with another number of ranks than two.
    #[error("a calibration takes two ranks, not {0}; write `mpirun -n 2 --map-by node`")]
    NotTwo(u32),
    /// A bug.
    #[error("{0}")]
    Bug(String),
}

impl Error {
    /// Whether every rank that MPI started meets it: one message is enough then, see [`crate::launcher::speaks`].
    #[must_use]
    pub fn is_met_by_every_rank(&self) -> bool {
        matches!(self, Self::Launched { .. } | Self::Alone(_) | Self::Differ(_) | Self::NotTwo(_))
    }

    /// The program itself is needed as a file, to start ranks from.
    pub(crate) fn no_program(error: &io::Error) -> Self {
        Self::Refused { what: "castbench itself cannot be found".to_owned(), why: error.to_string() }
    }
}
