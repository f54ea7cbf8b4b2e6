//! Runs programs with real messages: one process per rank, and every byte checked at every rank.
//!
//! The programs are those that the engine of `algorithms` executes. Data flows one way: `tasks -> clusters of ranks ->
//! deliveries`. This crate reads and writes no files of castbench and has no exit codes; its callers do.
//!
//! Terms: a *task* is a program of messages, or a function of the MPI library, executed several times. A *rank* is the
//! process of one node; rank r is the node at position r + 1. A *host* runs ranks. The *coordinator* is the process
//! that gives orders to ranks.
//!
//! A transport provides hosts and starts ranks: `tcp` (this host, or a list of others) and [`emulated`], where the
//! process that the user started is the coordinator and takes no part in a task. A launcher starts the ranks of [`mpi`];
//! rank 0 is the coordinator, and obeys its own orders. All else stands once: [`cluster`] over a `Channel` of orders,
//! [`exchange`] and [`probe`] over a [`link::Link`] of messages.
#![expect(
    non_snake_case,
    reason = "a symbol of a paper (L, o, g, K) keeps the letter it has there"
)]

pub mod act;
pub mod calibrate;
pub mod clock;
pub mod cluster;
pub mod delivery;
pub mod emulated;
pub mod error;
pub mod exchange;
pub mod facts;
pub mod fault;
pub mod hosts;
pub mod launcher;
pub mod library;
pub mod link;
pub mod message;
pub mod mpi;
pub mod order;
mod orders;
pub mod peers;
pub mod plausible;
pub mod probe;
pub mod processes;
pub mod rank;
pub mod results;
pub mod run;
pub mod secret;
pub mod serial;
pub mod settings;
pub mod statistics;
pub mod stop;
pub mod task;
pub mod tcp;
mod tell;
mod threads;
pub mod wire;

pub use error::Error;
pub use tell::{is_command, printable};
