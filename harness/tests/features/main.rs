//! Tests of the features Parquet and MPI: a separate test binary, built and run with and without them.

#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "mpi")]
#[expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]
mod libraries;
mod mpi;
#[cfg(feature = "mpi")]
#[expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]
mod mpi_defaults;
#[cfg(feature = "mpi")]
mod mpi_rules;
mod parquet;
#[cfg(feature = "mpi")]
mod rules_replay;
#[cfg(feature = "mpi")]
mod tune;
