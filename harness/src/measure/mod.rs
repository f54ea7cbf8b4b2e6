//! Multicast trees run for real: a process per node, real messages, and every byte checked at every node.
//!
//! The schedules are those that the simulator executes, taken from `algorithms`; here they meet a wire. Data flows one
//! way: `configuration -> points -> clusters of ranks -> deliveries -> rows`.
//!
//! What it leaves is read back by [`results`] alone, for figures, report and audit; [`claims`] says what it means.
//!
//! Words: a *rank* is the process of one node, rank r that of the node at position r + 1; a *host* is where ranks run;
//! the *coordinator* is the process that was started by the user, and takes no part in a multicast.
//!
//! A transport brings hosts and starts ranks there: `tcp` (this host, or a list of others) and [`emulated`], which [`run`]
//! carries out. `mpi` (behind a feature of that name) has its ranks started by a launcher, and carries out the same plan
//! in its own way, without a coordinator; plan, statistics and records are shared.

pub mod calibrate;
pub mod claims;
pub mod clock;
pub mod cluster;
pub mod config;
pub mod delivery;
pub mod emulated;
pub mod facts;
pub mod hosts;
pub mod launcher;
pub mod link;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod peers;
pub mod plan;
pub mod program;
pub mod rank;
pub mod record;
pub mod results;
pub mod run;
pub mod secret;
pub mod statistics;
pub mod stop;
pub mod summarise;
pub mod wire;
