//! A temporary directory for results that are not kept.
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
                // Another process took it for dead in the moment before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(failed)?,
            };
            match lock.try_lock() {
                Ok(()) if directory.path().exists() => return Ok(Self { directory, _lock: lock }),
                // Where nothing can be locked, a dead one cannot be told, and none is removed.
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
        // The lock is kept until the directory is gone: a process that makes one of this name anew sees that it is taken.
        if let Some(_lock) = locked_dead(&path) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// The directory, locked until this is dropped, where it is one of this user's whose process is gone.
fn locked_dead(path: &Path) -> Option<File> {
    let found = fs::symlink_metadata(path).ok()?;
    let directory = if found.is_dir() && is_own(&found) { File::open(path).ok()? } else { return None };
    directory.try_lock().is_ok().then_some(directory)
}

fn is_own(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From when a directory is found to be dead until it is gone no other process has it.
    #[test]
    fn the_dead_are_locked_while_they_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let dead = place.path().join(format!("{PREFIX}dead"));
        fs::create_dir(&dead).unwrap();
        let lock = locked_dead(&dead).unwrap();
        let is_taken = || matches!(File::open(&dead).unwrap().try_lock(), Err(TryLockError::WouldBlock));
        assert!(is_taken());
        assert!(locked_dead(&dead).is_none());
        clear_dead(place.path());
        assert!(dead.exists(), "it is locked");
        drop(lock);
        assert!(!is_taken());
        clear_dead(place.path());
        assert!(!dead.exists());
    }

    #[test]
    fn what_is_no_directory_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let [file, other] = [format!("{PREFIX}file"), "other".to_owned()].map(|name| place.path().join(name));
        fs::write(&file, "").unwrap();
        fs::create_dir(&other).unwrap();
        clear_dead(place.path());
        assert!(file.exists() && other.exists());
        assert!(locked_dead(&place.path().join("nowhere")).is_none());
    }
}
