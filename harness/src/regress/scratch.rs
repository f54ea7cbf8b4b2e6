//! A temporary directory for results that nobody keeps.
//!
//! It is locked while its process lives, so that the next one may remove it where that was killed.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use tempfile::TempDir;

use crate::failure::{Code, Failure};

/// How its name begins.
const PREFIX: &str = "castbench-regress-";

/// The directory; gone when this is dropped.
pub(super) struct Scratch {
    directory: TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes it where temporary files go, and removes those of the dead.
    ///
    /// # Errors
    /// Exit code 74 where that cannot be written.
    pub(super) fn new() -> Result<Self, Failure> {
        let place = std::env::temp_dir();
        let failed = |error: io::Error| {
            let place = place.display();
            let explanation =
                format_args!("cannot make a temporary directory in `{place}`: {error}; name another place in TMPDIR");
            Failure::new(Code::Output, explanation)
        };
        clear_dead(&place);
        loop {
            let directory = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&place).map_err(failed)?;
            let lock = match File::open(directory.path()) {
                // Somebody took it for dead in the moment before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(failed)?,
            };
            match lock.try_lock() {
                Ok(()) if directory.path().exists() => return Ok(Self { directory, _lock: lock }),
                // Where nothing can be locked, nobody can tell a dead one, and none is removed.
                Err(TryLockError::Error(_)) => return Ok(Self { directory, _lock: lock }),
                Ok(()) | Err(TryLockError::WouldBlock) => {}
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes what killed processes of the same user left.
fn clear_dead(place: &Path) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())) {
        let path = entry.path();
        if entry.metadata().is_ok_and(|found| found.is_dir() && is_own(&found))
            && File::open(&path).is_ok_and(|directory| directory.try_lock().is_ok())
        {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(unix)]
fn is_own(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}
