//! Files that appear complete or not at all.
//!
//! Every file is written beside its final path and renamed. `manifest.json` comes last and lists the others with
//! digests, so a reader detects files that do not belong together.

mod directory;
mod draft;
mod holder;
mod lock;
mod read;
mod rows;
mod tries;

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::failure::Failure;

pub use directory::{Directory, Target};
pub use draft::{Draft, prepare, publish, write};
pub use holder::{Holder, refuse_strangers};
pub use lock::{Lock, UNFINISHED, is_touched};
pub use read::{
    Lines, bytes_of, hash, hex, lines_of, open, open_lines, open_user, read_text, read_user_text, sha256, text_of,
};
/// Opens a file of another program, to which it and others add at the end.
///
/// # Errors
/// Input or output that fails.
pub fn append(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

pub use rows::{CsvWriter, csv_behind, csv_bytes, csv_header, has_formula};
pub use tempfile::TempDir as Scratch;

/// A new directory in this one that is deleted with its owner, and that no other account reads.
///
/// # Errors
/// Input or output that fails.
pub fn scratch(parent: &Path) -> io::Result<Scratch> {
    tempfile::Builder::new().prefix("castbench-").permissions(Permissions::from_mode(0o700)).tempdir_in(parent)
}

/// For `map_err`: writing this path failed.
fn unwritten(path: &Path) -> impl FnOnce(io::Error) -> Failure {
    |error| Failure::write(path, &error)
}

/// For `map_err`: reading this path failed.
fn unread(path: &Path) -> impl FnOnce(io::Error) -> Failure {
    |error| Failure::read(path, error)
}
