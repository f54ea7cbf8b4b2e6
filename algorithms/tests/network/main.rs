//! Bounds and schedules of networks, against all cuts and all partitions.

mod brute;
mod graphs;
mod values;
mod random_networks;
#[path = "../random/mod.rs"]
mod random;
