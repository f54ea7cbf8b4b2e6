//! Measurements, from their configuration to what they mean: what is measured, its rows and files, and what these say.
//!
//! The crate `measure` runs the programs. Data flows one way: `configuration -> points -> measure -> rows -> files`. The
//! files are read back by [`results`] alone, for figures, report and audit; [`claims`] says what they mean.

pub mod claims;
pub mod config;
pub mod earlier;
pub mod failure;
pub mod plan;
pub mod profile;
pub mod record;
pub mod results;
pub mod stop;
pub mod summarise;
