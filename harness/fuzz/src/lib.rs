//! What castbench reads, read from anything: a function for each of its readers that takes any bytes and panics where
//! castbench does not keep a promise.
//!
//! Each target goes the whole way through castbench's own code: there is no second parser here. What it promises is more
//! than not to panic: an error names its place and has its documented code; what is written again and read again is the
//! same; what is counted is there; at every point that is evaluated the analytic cost is the simulated one, and none is
//! below the lower bound.
//!
//! The same functions are called by libFuzzer (`fuzz_targets/`) and by the test that replays what is committed
//! (`harness/tests/fuzz.rs`). A program that links this crate allocates at most [`MAX_MEMORY`] bytes.
#![forbid(unsafe_code)]
#![expect(non_snake_case, reason = "a symbol of a paper (L, o, g, K) keeps the letter it has there")]

pub mod config;
pub mod cost;
pub mod csv;
pub mod goal;
pub mod grid;
pub mod machine;
mod promise;

use std::alloc::System;

use cap::Cap;

/// Most bytes that are allocated at one time; a program that asks for more is aborted. Inputs are small, so anything near it grew out
/// of proportion.
pub const MAX_MEMORY: usize = 1 << 30;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, MAX_MEMORY);

/// A target: what takes the bytes.
pub type Target = fn(&[u8]);

/// The targets, by the names of their directories in `corpus/` and `regressions/`.
pub const TARGETS: [(&str, Target); 6] = [
    ("config", config::run),
    ("cost", cost::run),
    ("csv", csv::run),
    ("goal", goal::run),
    ("grid", grid::run),
    ("machine", machine::run),
];
