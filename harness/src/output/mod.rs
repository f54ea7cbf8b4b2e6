//! Files that appear complete or not at all.
//!
//! Every file is written beside its final path and renamed. `manifest.json` comes last and lists the others with
//! digests, so a reader detects files that do not belong together.

pub mod built_in;
pub mod diagnostics;
mod directory;
mod draft;
pub mod ending;
mod holder;
pub(crate) mod interruption;
mod lock;
mod read;
mod rows;
mod scratch;
pub mod seal;
pub(crate) mod signals;
mod tries;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use crate::base::failure::{Failure, Result};

pub use directory::{Directory, Target};
pub use draft::{Draft, prepare, publish, write};
pub use holder::{Holder, refuse_strangers};
pub use lock::{Lock, UNFINISHED, is_touched};
pub use read::{
    Lines, bytes_after, bytes_of, hash, hex, lines_of, open, open_lines, open_user, read_text,
    read_user_text, sha256, text_of,
};
/// Adds to the end of a file to which other programs add, too.
///
/// # Errors
/// Exit code 74 for a file that cannot be written, or one that this command reads.
pub fn append(path: &Path, contents: &[u8]) -> Result {
    let file = File::options().create(true).append(true).open(path);
    let mut file = file.map_err(unwritten(path))?;
    read::refuse_input(path, &file)?;
    file.write_all(contents).map_err(unwritten(path))
}

pub use rows::{CsvWriter, has_formula};
pub use scratch::Scratch;

/// For `map_err`: writing this path failed.
pub fn unwritten(path: &Path) -> impl Fn(io::Error) -> Failure + Copy {
    |error| Failure::write(path, &error)
}

/// For `map_err`: reading this path failed.
pub fn unread<E: Display>(path: &Path) -> impl Fn(E) -> Failure + Copy {
    |error| Failure::read(path, error)
}
