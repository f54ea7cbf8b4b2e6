//! Tunes a library: measures where the model is unsure and the choice matters, and writes rules where they pay. See `docs/prediction.md`.
//!
//! `cells -> bench (runs of measure) -> knowledge (fit, gains) -> search (what is next) -> trial (turns) -> verdict (rows, decisions)`.

pub mod bench;
pub mod cells;
pub mod knowledge;
pub mod processes;
pub mod search;
pub mod trial;
pub mod verdict;

#[cfg(test)]
mod tests;
