//! Measurements: their configuration, rows and files.
//!
//! The crate `measure` runs the programs. Data flows one way: `configuration -> points -> measure -> rows -> files`.
//! [`record::measured`](crate::record::measured) reads the files back, for figures and the report.

mod chords;
pub mod config;
pub mod earlier;
pub mod failure;
pub mod plan;
pub mod ports;
pub mod profile;
pub mod record;
pub mod rule;
pub mod stop;
pub mod summarise;
