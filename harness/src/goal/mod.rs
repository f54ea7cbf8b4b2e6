//! GOAL, the text in which LogGOPSim and ATLAHS take schedules (Hoefler, Siebert, Lumsdaine, "Group operation assembly
//! language", ICPP 2009; the dialect is that of LogGOPSim's `txt2bin`).
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: calc 100
//! l2: send 8b to 1 tag 0
//! l2 requires l1
//! }
//! rank 1 {
//! l1: recv 8b from 0 tag 0
//! }
//! ```
//!
//! An operation may have a label, a tag, a `cpu` and a `nic`, each 0 by default. `a requires b` begins a after b is done,
//! `a irequires b` after b has begun. A statement ends with its line, here also with `;`. Comments are `// ...` and
//! `/* ... */`. Labels are those of their rank, and may be used before the line that they stand on. Not read: `-1` as any
//! source or any tag, for what it takes in depends on who comes first.

pub mod reader;
pub mod writer;

#[cfg(test)]
mod tests;
