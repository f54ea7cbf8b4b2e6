//! Reads files and computes their digests.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::path::Path;

use sha2::{Digest, Sha256};

/// Opens a file for reading. A pipe is refused, because it could block forever.
///
/// # Errors
/// Those of the file system.
pub fn open(path: &Path) -> io::Result<File> {
    // Checked first, because opening a pipe already blocks.
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is not a file")),
    }
}

/// Opens a user's file; `-` is standard input.
///
/// # Errors
/// Those of the file system.
pub fn open_user(path: &Path) -> io::Result<File> {
    match path == Path::new("-") {
        true => io::stdin().as_fd().try_clone_to_owned().map(File::from),
        false => File::open(path),
    }
}

const MAX_PIPE: u64 = 256 << 20;
/// Longest line of a CSV file: a cost has at most a few thousand characters.
const MAX_LINE: u64 = 1 << 20;

/// Opens a file of lines. A line longer than any row is an error, because an endless one would fill the memory.
///
/// # Errors
/// Those of the file system, and later a line that is too long.
pub fn open_lines(path: &Path) -> io::Result<Lines<File>> {
    open(path).map(|file| Lines { file, since: 0 })
}

/// See [`open_lines`].
#[derive(Debug)]
pub struct Lines<R> {
    file: R,
    since: u64,
}

impl<R: io::Read> io::Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.since = match buffer[..read].iter().rposition(|&byte| byte == b'\n') {
            Some(end) => (read - end - 1) as u64,
            None => self.since + read as u64,
        };
        match self.since > MAX_LINE {
            true => Err(io::Error::other(format!("a line is longer than {} MiB", MAX_LINE >> 20))),
            false => Ok(read),
        }
    }
}

/// The text of a file.
///
/// # Errors
/// Those of the file system, and a text that is not a file or not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    io::read_to_string(open(path)?)
}

/// The text of a user's file, or of standard input for `-`. It may be a pipe, so its length is limited.
///
/// # Errors
/// Those of the file system, and a text that is too long or not UTF-8.
pub fn read_text_up_to(path: &Path, most_bytes: u64) -> io::Result<String> {
    String::from_utf8(read_up_to(path, most_bytes)?)
        .map_err(|error| io::Error::other(format!("it is not UTF-8: {error}")))
}

/// The bytes of a user's file, or of standard input for `-`.
///
/// # Errors
/// Those of the file system, and a file that is too long.
pub fn read_up_to(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_user(path)?;
    // An endless device would fill the memory before it is refused.
    let most_bytes = if file.metadata()?.is_file() { most_bytes } else { most_bytes.min(MAX_PIPE) };
    file.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most_bytes {
        true => Err(io::Error::other(format!("it is longer than {} MiB", most_bytes >> 20))),
        false => Ok(bytes),
    }
}

/// The SHA-256 of the rest of a reader in hexadecimal, as `sha256sum` prints it.
///
/// # Errors
/// Those of the reader.
pub fn sha256(reader: impl io::Read) -> io::Result<String> {
    hash(reader).map(|(hasher, _)| hex(&hasher.finalize()))
}

/// The hash and the length of the rest of a reader; more can be added to the hash.
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
