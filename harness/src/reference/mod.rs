//! Reference tables of columns, keys, libraries and limits, for `castbench list` and docs/reference.

mod columns;
mod keys;
mod libraries;
mod limits;

pub use columns::{Column, columns};
pub use keys::{Key, keys};
pub use libraries::{Known, libraries};
pub use limits::{Limit, limits};
