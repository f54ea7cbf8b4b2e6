//! Tests with MPI libraries.

#[path = "../common/mod.rs"]
mod common;
#[expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]
mod libraries;
mod mpi;
#[expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]
mod mpi_defaults;
mod mpi_rules;
mod rules_replay;
mod tune;
