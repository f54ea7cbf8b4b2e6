//! What is behind features, Parquet and MPI: a test program of its own, for it is built and run with them and without them.

#[path = "../common/mod.rs"]
mod common;
mod mpi;
#[cfg(feature = "mpi")]
#[expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]
mod mpi_rules;
mod parquet;
