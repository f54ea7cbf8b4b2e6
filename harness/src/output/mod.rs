//! Files that appear whole or not at all.
//!
//! Every file is written beside its place and renamed into it. Of several files `manifest.json` comes last and lists the
//! others with digests, so a reader can tell files that do not go together.

mod draft;
mod error;
mod holder;
mod lock;
mod read;
mod rows;

pub use draft::{Draft, is_own, is_still, prepare, publish, write};
pub use error::Error;
pub use holder::{Holder, refuse_strangers};
pub use lock::{Lock, UNFINISHED, is_touched};
pub use read::{hash, hex, open, open_lines, read_text, read_text_up_to, read_up_to, sha256};
pub use rows::{csv_behind, csv_bytes, csv_under};
