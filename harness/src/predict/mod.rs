//! Learns a machine from measured collectives and predicts others on it. See `docs/prediction.md`.
//!
//! `measured (CSV) -> names -> programs -> fit -> process -> calibration -> learned -> decision -> score`.

pub mod calibration;
pub mod decision;
pub mod features;
pub mod filter;
pub mod fit;
pub mod learned;
mod linear;
pub mod measured;
pub mod names;
pub mod pairs;
pub mod process;
pub mod profile;
pub mod programs;
pub mod readers;
pub mod score;
pub mod trees;

#[cfg(test)]
mod tests;
