//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::failure::{Code, Failure};

/// A file being written beside its place; [`Draft::publish`] renames it there, dropping it leaves nothing.
pub struct Draft {
    /// As it was named.
    path: PathBuf,
    /// The file that is replaced.
    target: PathBuf,
    file: NamedTempFile,
}

impl Draft {
    /// Creates the directory if need be and a temporary neighbour of `path` in it, so that a bad path
    /// fails before the work and not after it.
    ///
    /// # Errors
    /// Exit code 74 where that is not allowed.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let target = target(path)?;
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let file = fs::create_dir_all(directory)
            .and_then(|()| builder().tempfile_in(directory))
            .map_err(|error| Failure::write(path, &error))?;
        Ok(Self { path: path.to_owned(), target, file })
    }

    /// A draft with these contents.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written.
    pub fn of(path: &Path, contents: &[u8]) -> Result<Self, Failure> {
        let mut draft = Self::create(path)?;
        draft.file().write_all(contents).map_err(|error| Failure::write(path, &error))?;
        Ok(draft)
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
    pub fn digest(&mut self) -> Result<String, Failure> {
        let file = self.file.as_file_mut();
        file.rewind().and_then(|()| sha256(file)).map_err(|error| Failure::read(&self.path, error))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be renamed.
    pub fn publish(mut self) -> Result<(), Failure> {
        let synced = self.file.flush().and_then(|()| self.file.as_file().sync_all());
        synced.map_err(|error| Failure::write(&self.path, &error))?;
        self.file.persist(&self.target).map_err(|error| Failure::write(&self.path, &error.error))?;
        Ok(())
    }
}

/// The file that a path stands for.
///
/// # Errors
/// Exit code 74 where there is something else than a file.
pub fn target(path: &Path) -> Result<PathBuf, Failure> {
    // A link is followed, for a rename would replace the link itself.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if target.exists() && !target.is_file() {
        let error = io::Error::other("it exists and is not a file");
        return Err(Failure::write(path, &error));
    }
    Ok(target)
}

/// Puts a whole file in its place, where it may replace another one.
///
/// # Errors
/// Exit code 74 where that is not possible.
pub fn move_into_place(from: &Path, path: &Path) -> Result<(), Failure> {
    match fs::rename(from, target(path)?) {
        // The place is a link to another disk.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let mut draft = Draft::create(path)?;
            let mut file = fs::File::open(from).map_err(|error| Failure::read(from, error))?;
            io::copy(&mut file, draft.file()).map_err(|error| Failure::write(path, &error))?;
            draft.publish()?;
            fs::remove_file(from).map_err(|error| Failure::write(from, &error))
        }
        moved => moved.map_err(|error| Failure::write(path, &error)),
    }
}

/// Writes a whole file at once.
///
/// # Errors
/// Exit code 74 where it cannot be written.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    Draft::of(path, contents)?.publish()
}

/// Rows as CSV under this header, which is there without a row, too.
///
/// # Errors
/// Exit code 1 for a row that the CSV library cannot write.
pub fn csv_under<'a, T: Serialize + 'a>(
    header: &[String],
    rows: impl IntoIterator<Item = &'a T>,
) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer
        .write_record(header)
        .and_then(|()| rows.into_iter().try_for_each(|row| writer.serialize(row)))
        .map_err(|error| error.to_string())
        .and_then(|()| writer.into_inner().map_err(|error| error.to_string()))
        .map_err(|error| Failure::new(Code::Internal, error))
}

/// Rows as CSV with a header.
///
/// # Errors
/// Exit code 1 for a row that the CSV library cannot write.
pub fn csv_bytes<T: Serialize>(rows: &[T]) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter()
        .try_for_each(|row| writer.serialize(row))
        .map_err(|error| error.to_string())
        .and_then(|()| writer.into_inner().map_err(|error| error.to_string()))
        .map_err(|error| Failure::new(Code::Internal, error))
}

/// The SHA-256 of all that a reader still has, in hexadecimal, as `sha256sum` prints it.
///
/// # Errors
/// Those of the reader.
pub fn sha256(reader: impl io::Read) -> io::Result<String> {
    hash(reader).map(|(hasher, _)| hex(&hasher.finalize()))
}

/// All that a reader still has, hashed and counted: more can be added.
///
/// # Errors
/// Those of the reader.
pub fn hash(mut reader: impl io::Read) -> io::Result<(Sha256, u64)> {
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok((hasher, bytes)),
            read => {
                hasher.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
}

/// Bytes in hexadecimal, as `sha256sum` prints them.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
        assert_eq!(sha256(&b"abc"[..]).unwrap(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
