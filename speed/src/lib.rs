//! What castbench's own code costs to run, for who changes it: every algorithm of the catalogue at two fixed points,
//! one evaluated, one executed.
//!
//! Times (`benches/catalogue.rs`, criterion) mean something on the machine that took them. Instruction counts
//! (`examples/instructions.rs`, callgrind) repeat on a noisy one, so they are committed as a [baseline] and compared.
//!
//! Why not gungraun, which counts with callgrind, too: it keeps its baselines as profiles under `target/`, names the
//! benches of a list by their position, so that a new algorithm renames those behind it, and needs a second program of
//! the very same version to be installed, minutes of compiling. What it would save is [`callgrind`].

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

pub mod baseline;
pub mod callgrind;
pub mod cases;
pub mod compare;
