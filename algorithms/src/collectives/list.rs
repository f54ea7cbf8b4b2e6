//! The collectives: the one list, in the order of the catalogue. A new one is a line here; the catalogue, names of algorithms for
//! levels, files of users, `verify` and the tests then have it.

use super::{
    Collective, allgather, allreduce, alltoall, barrier, broadcast, gather, reduce, reduce_scatter,
    scan, scatter,
};
use crate::mpi::Function;

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

/// The functions of MPI whose algorithms the catalogue has.
pub fn mpi_functions() -> impl Iterator<Item = &'static Function> {
    ALL.into_iter()
        .flat_map(|collective| collective.functions())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::collectives::library;
    use crate::mpi::{Call, Default, Function, Library};

    /// Names are in the catalogue, tables are in order, and each default is an algorithm of the library.
    #[test]
    fn every_default_has_a_name() {
        for function in mpi_functions() {
            for known in function.open_mpi.iter().chain(function.mpich) {
                assert!(catalogue::find(known.ours).is_some(), "{known:?}");
            }
            let decisions = function.decisions;
            assert!(decisions.is_sorted_by_key(|(from, _)| *from) && decisions[0].0 == 0);
            for (_, rules) in decisions {
                assert!(rules.is_sorted_by_key(|(from, _)| *from) && rules[0].0 == 0);
                assert!(
                    rules.windows(2).all(|pair| pair[0].1 != pair[1].1),
                    "{}: {rules:?}",
                    function.name
                );
            }
            for (K, bytes) in (1..5000).flat_map(|K| (0..30).map(move |power| (K, 1 << power))) {
                for library in [Library::OpenMpi4, Library::OpenMpi5] {
                    let call = Call {
                        K,
                        bytes,
                        element: 8,
                    };
                    assert_ne!(
                        function.default(library, call),
                        Default::Unknown,
                        "{}, {call:?}",
                        function.name
                    );
                }
            }
        }
    }

    #[test]
    fn defaults_are_named() {
        let runs = |function: &Function, library, K, bytes| match function.default(
            library,
            Call {
                K,
                bytes,
                element: 1,
            },
        ) {
            Default::Known(known) => known.name,
            Default::Lacks(name) => name,
            Default::Unknown => "",
        };
        let bcast = &library::BROADCAST;
        assert_eq!(runs(bcast, Library::OpenMpi4, 8, 1 << 20), "basic_linear");
        assert_eq!(
            runs(bcast, Library::OpenMpi4, 18, 1 << 20),
            "scatter_allgather"
        );
        assert_eq!(runs(bcast, Library::OpenMpi4, 4, 1 << 20), "chain");
        assert_eq!(
            runs(bcast, Library::Mpich, 16, 64 << 10),
            "scatter_recursive_doubling_allgather"
        );
        assert_eq!(
            runs(&library::ALLTOALL, Library::OpenMpi5, 64, 1 << 18),
            "pairwise"
        );
        assert_eq!(runs(&library::ALLGATHER, Library::OpenMpi4, 2, 8), "ring");
    }
}
