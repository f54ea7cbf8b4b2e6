//! Multicasts run for real: one process per node, exchanging real messages, and every byte checked at every node.
//!
//! The schedules are those that the simulators of `algorithms` execute; here they meet a wire. Data flows one way:
//! `multicasts -> clusters of ranks -> deliveries`. This crate reads and writes no files of castbench and has no exit
//! codes: its callers have both.
//!
//! Words: a *rank* is the process of one node, rank r that of the node at position r + 1; a *host* is where ranks run;
//! the *coordinator* is the process that the user started, and takes no part in a multicast.
//!
//! A transport brings hosts and starts ranks there: `tcp` (this host, or a list of others) and [`emulated`], which [`run`]
//! carries out. The ranks of `mpi` (behind a feature of that name) are started by a launcher, and carry out the same
//! multicasts in the same order without a coordinator.
#![expect(non_snake_case, reason = "a symbol of a paper (L, o, g, K) keeps the letter it has there")]

pub mod calibrate;
pub mod clock;
pub mod cluster;
pub mod delivery;
pub mod emulated;
pub mod error;
pub mod facts;
pub mod fault;
pub mod hosts;
pub mod launcher;
pub mod link;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod multicast;
pub mod order;
pub mod peers;
pub mod rank;
pub mod results;
pub mod run;
pub mod secret;
pub mod settings;
pub mod statistics;
pub mod stop;
mod tell;
pub mod wire;

pub use error::Error;
