//! Reference tables of keys, libraries and limits, for `castbench list` and docs/reference.

pub mod keys;
pub mod libraries;
pub mod limits;
