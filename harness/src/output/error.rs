//! Errors of files: the path, and the error of the system. They become a [`Failure`] only here.

use std::io;
use std::path::{Path, PathBuf};

use crate::failure::{Code, Failure, cannot_write};

/// Why a file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory that could not be written.
    #[error("{}", cannot_write(path, source))]
    Write {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file that could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Another castbench holds the lock of the directory.
    #[error("another castbench ({process}) is writing into `{}`; wait for it, or name another directory", directory.display())]
    Locked {
        /// The directory.
        directory: PathBuf,
        /// The process, its host and its start, if known.
        process: String,
    },
    /// The directory holds results of another kind.
    #[error("cannot write to `{}`: it holds {found}, which {own} would replace; name another directory, or remove its manifest.json first", directory.display())]
    OtherResults {
        /// The directory.
        directory: PathBuf,
        /// The existing results.
        found: &'static str,
        /// The new results.
        own: &'static str,
    },
    /// A file that castbench did not write is in the way.
    #[error("cannot write to `{}`: castbench did not write the existing file; move it, or name another directory", path.display())]
    Stranger {
        /// The path.
        path: PathBuf,
    },
    /// A row that the CSV library cannot write.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

impl Error {
    /// For `map_err`: writing this path failed.
    pub fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Write { path: path.to_owned(), source }
    }

    /// For `map_err`: reading this path failed.
    pub fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Read { path: path.to_owned(), source }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = if matches!(error, Error::Csv(_)) { Code::Internal } else { Code::Output };
        Self::new(code, error)
    }
}
