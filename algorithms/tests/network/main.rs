//! Bounds and schedules of networks, against all cuts and all partitions.

mod brute;
mod counter;
mod graphs;
#[path = "../random/mod.rs"]
mod random;
mod random_networks;
mod tori;
mod values;
