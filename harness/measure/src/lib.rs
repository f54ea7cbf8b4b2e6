//! Programs run for real: one process per rank, exchanging real messages, and every byte checked at every rank.
//!
//! The programs are those that the engine of `algorithms` executes; here they meet a wire. Data flows one way:
//! `tasks -> clusters of ranks -> deliveries`. This crate reads and writes no files of castbench and has no exit
//! codes: its callers have both.
//!
//! Words: a *task* is a program of messages, or a function of the MPI library, that is carried out some times; a *rank* is
//! the process of one node, rank r that of the node at position r + 1; a *host* is where ranks run; the *coordinator* is
//! the process that the user started, and takes no part in a task.
//!
//! A transport brings hosts and starts ranks there: `tcp` (this host, or a list of others) and [`emulated`], which [`run`]
//! carries out. The ranks of `mpi` (behind a feature of that name) are started by a launcher, and carry out the same
//! tasks in the same order without a coordinator.
#![expect(non_snake_case, reason = "a symbol of a paper (L, o, g, K) keeps the letter it has there")]

pub mod act;
pub mod calibrate;
pub mod clock;
pub mod cluster;
pub mod delivery;
pub mod diagnosis;
pub mod emulated;
pub mod error;
pub mod exchange;
pub mod facts;
pub mod fault;
pub mod hosts;
pub mod launcher;
pub mod link;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod order;
pub mod peers;
pub mod rank;
pub mod results;
pub mod run;
pub mod secret;
pub mod serial;
pub mod settings;
pub mod statistics;
pub mod stop;
pub mod task;
mod tell;
mod threads;
pub mod wire;

pub use error::Error;
