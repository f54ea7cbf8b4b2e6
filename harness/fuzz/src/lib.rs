//! Fuzz targets: a function for each reader of castbench that takes any bytes and panics if castbench breaks a promise.
//!
//! Targets call castbench's own code; there is no second parser. The promises: no panic; an error names its location and
//! has its documented code; data written and read again is equal; counts match; analytic and simulated cost agree at
//! every evaluated point, and none is below the lower bound.
//!
//! libFuzzer (`fuzz_targets/`) and the replay test (`harness/tests/fuzz.rs`) call the same functions. A program that
//! links this crate allocates at most [`MAX_MEMORY`] bytes.
#![forbid(unsafe_code)]
#![expect(
    non_snake_case,
    reason = "a symbol of a paper (L, o, g, K) keeps its letter"
)]

pub mod config;
pub mod cost;
pub mod csv;
pub mod goal;
pub mod grid;
pub mod machine;
pub mod plan;
mod promise;
pub mod readers;
pub mod text;

use std::alloc::System;

use cap::Cap;

/// The most bytes allocated at one time; a program that exceeds it is aborted. Inputs are small, so a larger need is
/// out of proportion.
pub const MAX_MEMORY: usize = 1 << 30;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, MAX_MEMORY);

/// A target: the function that takes the bytes.
pub type Target = fn(&[u8]);

/// The targets, by the names of their directories in `corpus/` and `regressions/`.
pub const TARGETS: [(&str, Target); 9] = [
    ("config", config::run),
    ("cost", cost::run),
    ("csv", csv::run),
    ("goal", goal::run),
    ("grid", grid::run),
    ("machine", machine::run),
    ("plan", plan::run),
    ("readers", readers::run),
    ("text", text::run),
];
