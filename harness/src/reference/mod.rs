//! Reference tables that no code implies: what columns, keys and limits mean. `castbench list` prints them, and the pages
//! of docs/reference show what it prints.

mod columns;
mod keys;
mod limits;

pub use columns::{Column, columns};
pub use keys::{Key, keys};
pub use limits::{LIMITS, Limit};
