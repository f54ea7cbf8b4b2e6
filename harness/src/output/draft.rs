//! A file on its way: written apart, then renamed into its place.
//!
//! A draft is locked while its process lives, so that whoever finds one that is not locked may remove it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::claim::is_still;
use super::{here_if_empty, prepare, sha256, sync_directory};
use crate::failure::Failure;

/// How the name of a draft begins.
const PREFIX: &str = ".castbench-draft-";

/// A file being written apart from its place; [`Draft::publish`] renames it there, dropping it leaves nothing.
pub struct Draft {
    /// As it was named.
    path: PathBuf,
    /// The file that is replaced.
    target: PathBuf,
    file: NamedTempFile,
}

impl Draft {
    /// Creates the directory if need be and a temporary neighbour of `path` in it, so that a bad path
    /// fails before the work and not after it. Drafts that a killed castbench left there are removed.
    ///
    /// # Errors
    /// Exit code 74 where that is not allowed.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let target = prepare(path)?;
        let directory = directory_of(&target);
        clear_dead(directory);
        Self::within(directory, path, target.clone())
    }

    /// One in this directory, to be renamed to `path` later.
    ///
    /// # Errors
    /// Exit code 74 where that is not allowed.
    pub(super) fn staged(directory: &Path, path: &Path) -> Result<Self, Failure> {
        Self::within(directory, path, prepare(path)?)
    }

    fn within(directory: &Path, path: &Path, target: PathBuf) -> Result<Self, Failure> {
        loop {
            let file = builder().tempfile_in(directory).map_err(|error| Failure::write(path, &error))?;
            match file.as_file().try_lock() {
                // Somebody took it for dead in the moment before it was locked.
                Err(TryLockError::WouldBlock) => {}
                Ok(()) if !is_still(file.as_file(), file.path()) => {}
                // Where nothing can be locked, nobody can tell a dead draft, and none is removed.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self { path: path.to_owned(), target, file }),
            }
        }
    }

    /// A draft with these contents.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written.
    pub fn of(path: &Path, contents: &[u8]) -> Result<Self, Failure> {
        let mut draft = Self::create(path)?;
        draft.put(contents)?;
        Ok(draft)
    }

    /// Adds to it.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written.
    pub fn put(&mut self, contents: &[u8]) -> Result<(), Failure> {
        self.file().write_all(contents).map_err(|error| Failure::write(&self.path, &error))
    }

    /// Where the file will appear.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Reads back what was written and returns its SHA-256 in hexadecimal, as `sha256sum` prints it.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be read.
    pub fn digest(&mut self) -> Result<String, Failure> {
        let file = self.file.as_file_mut();
        file.rewind().and_then(|()| sha256(file)).map_err(|error| Failure::read(&self.path, error))
    }

    /// Puts the file in its place. It has reached the disk before it has its name, and its name before this returns.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be renamed.
    pub fn publish(self) -> Result<(), Failure> {
        let Self { path, target, file } = self.synced()?;
        file.persist(&target).map_err(|error| Failure::write(&path, &error.error))?;
        sync_directory(directory_of(&target)).map_err(|error| Failure::write(&path, &error))
    }

    /// The draft, once it has reached the disk.
    fn synced(mut self) -> Result<Self, Failure> {
        let synced = self.file.flush().and_then(|()| self.file.as_file().sync_all());
        synced.map_err(|error| Failure::write(&self.path, &error)).map(|()| self)
    }

    /// Lets a staged draft stay under a name of its own beside it, until it is moved to its place.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written or renamed.
    pub(super) fn keep(self, name: &str) -> Result<PathBuf, Failure> {
        let Self { path, file, .. } = self.synced()?;
        let kept = file.path().with_file_name(name);
        file.persist(&kept).map_err(|error| Failure::write(&path, &error.error))?;
        Ok(path)
    }
}

/// The directory of a file.
pub(super) fn directory_of(file: &Path) -> &Path {
    here_if_empty(file.parent().unwrap_or(Path::new("")))
}

/// Whether a file can be made in a directory; leaves none.
pub(super) fn try_out(directory: &Path) -> io::Result<()> {
    builder().tempfile_in(directory).map(drop)
}

/// Removes the drafts in a directory whose process is gone. What cannot be removed stays: it is in nobody's way.
pub(super) fn clear_dead(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())) {
        let path = entry.path();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let Some(file) = is_file.then(|| File::options().write(true).open(&path).ok()).flatten() else { continue };
        if file.try_lock().is_ok() && is_still(&file, &path) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Temporary files are private to their owner; results get the permissions that the umask leaves.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// Puts a whole file, which has reached the disk, in its place, where it may replace another one. Returns the directory whose
/// names are still to reach the disk: of a link that of the file that it names.
///
/// # Errors
/// Exit code 74 where that is not possible.
pub(super) fn move_file(from: &Path, path: &Path) -> Result<PathBuf, Failure> {
    let target = prepare(path)?;
    match fs::rename(from, &target) {
        // The place is a link to another disk.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let mut draft = Draft::create(path)?;
            let mut file = File::open(from).map_err(|error| Failure::read(from, error))?;
            io::copy(&mut file, draft.file()).map_err(|error| Failure::write(path, &error))?;
            draft.publish()?;
            fs::remove_file(from).map_err(|error| Failure::write(from, &error))?;
        }
        moved => moved.map_err(|error| Failure::write(path, &error))?,
    }
    Ok(directory_of(&target).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::write;

    #[test]
    fn a_dropped_draft_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let mut draft = Draft::create(&directory.path().join("a/b.csv")).unwrap();
        draft.file().write_all(b"half").unwrap();
        drop(draft);
        assert_eq!(fs::read_dir(directory.path().join("a")).unwrap().count(), 0);
    }

    #[test]
    fn a_published_draft_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("b.csv");
        write(&path, b"abc").unwrap();
        write(&path, b"ab").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ab");
        assert_eq!(sha256(&b"abc"[..]).unwrap(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    /// A draft of the living stays, one of the dead goes, and so does nothing else.
    #[test]
    fn the_next_draft_removes_dead_ones() {
        let directory = tempfile::tempdir().unwrap();
        let (dead, other) = (directory.path().join(".castbench-draft-dead"), directory.path().join(".castbench-other"));
        fs::write(&dead, "half").unwrap();
        fs::write(&other, "whole").unwrap();
        let living = Draft::create(&directory.path().join("a.csv")).unwrap();
        assert!(!dead.exists() && other.exists());
        let second = Draft::create(&directory.path().join("b.csv")).unwrap();
        assert!(living.file.path().exists() && second.file.path().exists());
    }
}
