//! Networks of ranks, switches and links with capacities: the least time of a collective, why nothing is faster, and a schedule
//! that takes that time.
//!
//! **Model.** A network is a directed graph. Ranks hold data; switches forward, and neither reduce nor copy. Messages are long:
//! latency does not count, and ranks forward in a pipeline. So the time of a schedule is the largest load of a link over its
//! capacity. M is the vector of a rank (broadcast, reduce, allreduce) or all blocks together (gather, scatter, allgather,
//! reduce-scatter, alltoall: what one rank sends or receives, with its own block). Times are exact fractions in units of M over a
//! capacity of 1.
//!
//! **Half-duplex.** On a half-duplex network the two directions of a link share one capacity.
//!
//! **Sources.** The page of each part names them: [`bounds`], [`packing`], [`named`].

mod arborescences;
pub mod bounds;
mod cuts;
mod direct;
mod fault;
mod flow;
mod forest;
mod graph;
mod levels;
pub mod named;
pub mod packing;
mod paths;
pub mod routes;
mod spanning;
mod switches;
mod topology;

pub use bounds::{Bound, Certificate, Collective};
pub use fault::{Fault, MOST_LINKS, MOST_NODES};
pub use forest::{Route, Tree};
pub use graph::Link;
pub use packing::Schedule;
pub use topology::{Network, Shape};
