//! The collectives: the one list, in the order of the catalogue. A new one is a line here; the catalogue, names of algorithms for
//! levels, files of users, `verify` and the tests then have it.

use super::{
    Collective, allgather, allreduce, alltoall, barrier, broadcast, gather, reduce, reduce_scatter,
    scan, scatter,
};

/// All collectives.
pub static ALL: [&Collective; 11] = [
    &barrier::BARRIER,
    &allreduce::ALLREDUCE,
    &reduce_scatter::REDUCE_SCATTER,
    &allgather::ALLGATHER,
    &alltoall::ALLTOALL,
    &scan::SCAN,
    &scan::EXSCAN,
    &reduce::REDUCE,
    &broadcast::BROADCAST,
    &gather::GATHER,
    &scatter::SCATTER,
];

impl Collective {
    /// The collective that a file or a user names so: `reducescatter`, `reduce_scatter` and `reduce-scatter` are one.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        let plain = |name: &str| name.replace(['-', '_'], "").to_ascii_lowercase();
        let mut all = ALL.into_iter();
        all.find(|known| plain(known.name) == plain(name))
    }
}
