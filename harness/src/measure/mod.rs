//! Multicast trees run for real: a process per node, real messages over TCP, and every byte checked at every node.
//!
//! The schedules are those that the simulator executes, taken from `algorithms`; here they meet a wire. Data flows one
//! way: `configuration -> points -> clusters of ranks -> deliveries -> rows`.
//!
//! What it leaves is read back by [`results`] alone, for figures, report and audit; [`claims`] says what it means.
//!
//! Words: a *rank* is the process of one node, rank r that of the node at position r + 1; a *host* is where ranks run;
//! the *coordinator* is the process that was started by the user, and takes no part in a multicast.
//!
//! A transport brings hosts and starts ranks there: `tcp` (this host, or a list of others) and [`emulated`]. `mpi`, whose
//! ranks are started by `mpirun`, will be one more variant of [`config::Transport`] beside them, with its own way to carry
//! out a [`program::Multicast`]; plan, statistics and records are the same.

pub mod calibrate;
pub mod claims;
pub mod clock;
pub mod cluster;
pub mod config;
pub mod delivery;
pub mod emulated;
pub mod facts;
pub mod hosts;
pub mod link;
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
