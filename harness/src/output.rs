//! Files that appear whole or not at all.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A file being written beside its place; [`Draft::publish`] renames it there, dropping it leaves nothing.
pub struct Draft {
    path: PathBuf,
    file: NamedTempFile,
}

impl Draft {
    /// Creates the directory if need be and an unnamed neighbour of `path` in it, so that a bad path
    /// fails before the work and not after it.
    ///
    /// # Errors
    /// Exit code 74 where that is not allowed.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let file = fs::create_dir_all(directory)
            .and_then(|()| builder().tempfile_in(directory))
            .map_err(|error| Failure::write(path, &error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Where the file will appear.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file.
    pub fn file(&mut self) -> &mut fs::File {
        self.file.as_file_mut()
    }

    /// Reads back what was written and returns its SHA-256 in hexadecimal, as `sha256sum` prints it.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be read.
    pub fn digest(&self) -> Result<String, Failure> {
        let bytes = fs::read(self.file.path()).map_err(|error| Failure::read(&self.path, error))?;
        Ok(sha256(&bytes))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be renamed.
    pub fn publish(mut self) -> Result<(), Failure> {
        let synced = self.file.flush().and_then(|()| self.file.as_file().sync_all());
        synced.map_err(|error| Failure::write(&self.path, &error))?;
        self.file.persist(&self.path).map_err(|error| Failure::write(&self.path, &error.error))?;
        Ok(())
    }
}

/// Writes a whole file at once.
///
/// # Errors
/// Exit code 74 where it cannot be written.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let mut draft = Draft::create(path)?;
    draft.file().write_all(contents).map_err(|error| Failure::write(path, &error))?;
    draft.publish()
}

/// The SHA-256 of some bytes in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Temporary files are private to their owner; results get the permissions that the umask leaves.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".castbench-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
