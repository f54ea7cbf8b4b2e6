//! Measurements: their configuration, rows and files.
//!
//! The crate `measure` runs the programs. Data flows one way: `configuration -> points -> measure -> rows -> files`.
//! Only [`results`] reads the files back, for figures and the report; [`interval`] compares two times.

mod chords;
pub mod config;
pub mod earlier;
pub mod failure;
pub mod interval;
pub mod manifest;
pub mod plan;
pub mod ports;
pub mod profile;
pub mod record;
pub mod results;
pub mod rule;
pub mod stop;
pub mod summarise;
