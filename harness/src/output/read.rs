//! Reads files and computes their digests.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use crate::base::failure::Result;

/// Most bytes of a file that is read whole, so that no file fills the memory.
const MAX_WHOLE: u64 = 256 << 20;
/// Longest line of a CSV file: a cost has at most a few thousand characters.
const MAX_LINE: u64 = 1 << 20;

/// The files of a user that were opened, so that none is written over.
static OPENED: Mutex<BTreeSet<[u64; 2]>> = Mutex::new(BTreeSet::new());

fn opened() -> MutexGuard<'static, BTreeSet<[u64; 2]>> {
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a file for reading. A pipe is refused, because it could block forever.
///
/// # Errors
/// Input or output that fails.
pub fn open(path: &Path) -> io::Result<File> {
    let other = || io::Error::other("it is not a file");
    // Checked first, because opening a pipe or a device already has effects.
    if !fs::metadata(path)?.is_file() {
        return Err(other());
    }
    // Files of the kernel, such as /proc/kmsg, block like a pipe; a pipe may be there by now.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(other())
    }
}

/// Opens a user's file; `-` is standard input.
///
/// # Errors
/// Input or output that fails.
pub fn open_user(path: &Path) -> io::Result<File> {
    if path == Path::new("-") {
        return io::stdin().as_fd().try_clone_to_owned().map(File::from);
    }
    #[expect(clippy::disallowed_methods, reason = "a user may name a pipe")]
    let file = File::open(path)?;
    let identity = identity(&file)?;
    opened().insert(identity);
    Ok(file)
}

/// Refuses to write to a user's file that this process has opened for reading.
///
/// # Errors
/// Exit code 74.
pub(super) fn refuse_input(path: &Path, file: &File) -> Result {
    if identity(file).is_ok_and(|identity| opened().contains(&identity)) {
        bail!(
            Output,
            "cannot write to `{}`: this command reads it; name another file",
            path.display()
        );
    }
    Ok(())
}

/// The disk and the number of a file there.
fn identity(file: &File) -> io::Result<[u64; 2]> {
    file.metadata()
        .map(|metadata| [metadata.dev(), metadata.ino()])
}

/// Opens a file of lines. A line longer than any row is an error, because an endless one would fill the memory.
///
/// # Errors
/// The file cannot be read; later a line that is too long.
pub fn open_lines(path: &Path) -> io::Result<Lines<File>> {
    open(path).map(lines_of)
}

/// An open file, line by line, with a limit on the length of a line.
pub fn lines_of<R: io::Read>(file: R) -> Lines<R> {
    Lines {
        file,
        since: 0,
        quoted: false,
        opens: true,
    }
}

/// See [`open_lines`].
#[derive(Debug)]
pub struct Lines<R> {
    file: R,
    /// Bytes since the last end of a line outside of quotes.
    since: u64,
    quoted: bool,
    /// Whether a quote would begin or continue a quoted field.
    opens: bool,
}

impl<R> Lines<R> {
    fn count(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match (self.quoted, byte) {
                // A second quote would mean that the first one is part of the text.
                (true, b'"') => (self.quoted, self.opens) = (false, true),
                (false, b'"') if self.opens => self.quoted = true,
                (false, _) => self.opens = matches!(byte, b',' | b'\n' | b'\r'),
                (true, _) => {}
            }
            self.since = if byte == b'\n' && !self.quoted {
                0
            } else {
                self.since + 1
            };
        }
    }
}

impl<R: io::Read> io::Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let bytes = &buffer[..read];
        let last_line = bytes.iter().rposition(|&byte| byte == b'\n');
        match last_line.filter(|_| !self.quoted && !bytes.contains(&b'"')) {
            // The quick way: without quotes only the last line matters.
            Some(end) => {
                (self.since, self.opens) = (0, true);
                self.count(&bytes[end + 1..]);
            }
            None => self.count(bytes),
        }
        if self.since > MAX_LINE {
            Err(io::Error::other(format!(
                "a line is longer than {} MiB",
                MAX_LINE >> 20
            )))
        } else {
            Ok(read)
        }
    }
}

/// The text of a file.
///
/// # Errors
/// The file cannot be read, is too long, or is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    text_of(open(path)?)
}

/// The text of a user's file, which may be a pipe, or of standard input for `-`.
///
/// # Errors
/// The file cannot be read, is too long, or is not UTF-8.
pub fn read_user_text(path: &Path) -> io::Result<String> {
    text_of(open_user(path)?)
}

/// The text of an open file.
///
/// # Errors
/// The file cannot be read, is too long, or is not UTF-8.
pub fn text_of(file: File) -> io::Result<String> {
    String::from_utf8(bytes_of(file)?)
        .map_err(|error| io::Error::other(format!("it is not UTF-8: {error}")))
}

/// The bytes of an open file.
///
/// # Errors
/// The file cannot be read, or is longer than 256 MiB.
pub fn bytes_of(file: File) -> io::Result<Vec<u8>> {
    bytes_after(Vec::new(), file)
}

/// The bytes of an open file, of which the first are read.
///
/// # Errors
/// The file cannot be read, or is longer than 256 MiB.
pub fn bytes_after(mut bytes: Vec<u8>, file: File) -> io::Result<Vec<u8>> {
    // A file states its length; the length of a pipe is known only after it is read.
    if file.metadata()?.len() <= MAX_WHOLE {
        file.take(MAX_WHOLE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= MAX_WHOLE {
            return Ok(bytes);
        }
    }
    Err(io::Error::other(format!(
        "it is longer than {} MiB",
        MAX_WHOLE >> 20
    )))
}

/// The SHA-256 of the rest of a reader in hexadecimal, as `sha256sum` prints it.
///
/// # Errors
/// The reader fails.
pub fn sha256(reader: impl io::Read) -> io::Result<String> {
    hash(reader).map(|(hasher, _)| hex(&hasher.finalize()))
}

/// The hash and the length of the rest of a reader; more can be added to the hash.
///
/// # Errors
/// The reader fails.
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
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(begin: &[u8], repeated: &'static [u8]) -> bool {
        let endless = repeated
            .iter()
            .copied()
            .cycle()
            .take(3 << 20)
            .collect::<Vec<u8>>();
        let text = [begin, &endless].concat();
        let mut lines = lines_of(&text[..]);
        io::copy(&mut lines, &mut io::sink()).is_ok()
    }

    /// A quoted field may have line ends, so these end no row.
    #[test]
    fn an_endless_row_is_refused() {
        for (begin, repeated) in [
            (&b""[..], &b"a,b\n"[..]),
            (b"\"a\nb\"\n", b"\"\",\n"),
            (b"a\"b\n", b"a\n"),
            (b"a,\"b\"\"\n\"\n", b"\"\"\"\"\n"),
        ] {
            assert!(reads(begin, repeated), "{begin:?}");
        }
        for (begin, repeated) in [
            (&b""[..], &b"a,"[..]),
            (b"a,\"", b"\n"),
            (b"a\"b,\"", b"\n"),
            (b"\"a\"\"", b"\n"),
            (b"a,\"", b"\"\"\n"),
        ] {
            assert!(!reads(begin, repeated), "{begin:?}");
        }
    }

    #[test]
    fn a_long_file_is_refused_unread() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(MAX_WHOLE + 1).unwrap();
        for read in [read_text, read_user_text] {
            assert_eq!(
                read(file.path()).unwrap_err().to_string(),
                "it is longer than 256 MiB"
            );
        }
        file.as_file().set_len(4).unwrap();
        assert_eq!(read_text(file.path()).unwrap(), "\0\0\0\0");
    }
}
