//! Files that appear whole or not at all, and several of them together.

mod claim;
mod draft;
mod holder;
mod journal;

use std::fs;
use std::io::{
    self,
    ErrorKind::{InvalidInput, NotADirectory, NotFound, PermissionDenied, Unsupported},
    Read as _,
};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

pub use claim::{Claim, is_touched};
pub use draft::Draft;
pub use holder::Holder;
pub use journal::{Batch, UNFINISHED, clear, is_under_way, publish, refuse_mixture};

use crate::failure::{Code, Failure};

/// The file that a path stands for: of a link the file that it names, which need not be there yet.
///
/// # Errors
/// Exit code 74 where there is something else than a file.
fn target(path: &Path) -> Result<PathBuf, Failure> {
    let failed = |error: io::Error| Failure::write(path, &error);
    // A link is followed, for a rename would replace the link itself.
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&target) {
            Ok(found) if found.is_symlink() => {
                let named = fs::read_link(&target).map_err(failed)?;
                target = target.parent().unwrap_or(Path::new("")).join(named);
            }
            Ok(found) if !found.is_file() => return Err(failed(io::Error::other("it exists and is not a file"))),
            // A file in the place of a directory is told where that is to be made.
            Err(error) if !matches!(error.kind(), NotFound | NotADirectory) => return Err(failed(error)),
            _ => return Ok(target),
        }
    }
    Err(failed(io::Error::other("it is a link to a link, and so on without end")))
}

/// The file that a path stands for, as `target` has it, in a directory that is there: a place where nothing can be written,
/// as a link may name one, fails before the work.
///
/// # Errors
/// Exit code 74 where there is something else than a file, and where the directory of a file cannot be made.
pub fn prepare(path: &Path) -> Result<PathBuf, Failure> {
    let target = target(path)?;
    let directory = draft::directory_of(&target);
    fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
    if target != path {
        draft::try_out(directory).map_err(|error| Failure::write(path, &error))?;
    }
    Ok(target)
}

/// As many links as Linux follows.
const MAX_LINKS: u32 = 40;

/// Opens a file to read it. What is not a file could keep its reader waiting for ever.
///
/// # Errors
/// Those of the file system.
pub fn open(path: &Path) -> io::Result<fs::File> {
    // Before it is opened, for opening a pipe waits already.
    match fs::metadata(path)?.is_file() {
        true => fs::File::open(path),
        false => Err(io::Error::other("it is not a file")),
    }
}

/// The text of a file that somebody wrote, from whatever can be read: a pipe, too, but not without end.
///
/// # Errors
/// Those of the file system, and where it is longer than that or no UTF-8.
pub fn read_text_up_to(path: &Path, most_bytes: u64) -> io::Result<String> {
    String::from_utf8(read_up_to(path, most_bytes)?)
        .map_err(|error| io::Error::other(format!("it is no UTF-8: {error}")))
}

/// The bytes of such a file.
///
/// # Errors
/// Those of the file system, and where there are more.
pub fn read_up_to(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most_bytes {
        true => Err(io::Error::other(format!("it has more than {} MiB", most_bytes >> 20))),
        false => Ok(bytes),
    }
}

/// The text of a file.
///
/// # Errors
/// Those of the file system, and where it is no file or no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    io::read_to_string(open(path)?)
}

/// A directory by a name that the system knows: the one here has none as the parent of a bare file name.
fn here_if_empty(directory: &Path) -> &Path {
    if directory.as_os_str().is_empty() { Path::new(".") } else { directory }
}

/// Waits until the names in a directory have reached the disk.
fn sync_directory(directory: &Path) -> io::Result<()> {
    match fs::File::open(here_if_empty(directory)).and_then(|directory| directory.sync_all()) {
        // Who may write there need not be allowed to read, and not every file system knows this.
        Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => Ok(()),
        synced => synced,
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
