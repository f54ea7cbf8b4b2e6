//! The collectives: the one list, in the order of the catalogue. A new one is a line here; the catalogue, names of algorithms for
//! levels, files of users, `verify` and the tests then have it.

use std::fmt;
use std::iter;

use super::{
    Algorithm, Collective, Goal, allgather, allreduce, alltoall, barrier, broadcast, gather,
    reduce, reduce_scatter, scan, scatter,
};
use crate::mpi::Function;
use crate::problem::{AnyProblem, Listed};

/// A collective for callers that take any.
#[derive(Clone, Copy)]
pub struct AnyCollective {
    /// Its name.
    pub name: &'static str,
    /// What ranks must hold.
    pub goal: &'static dyn Goal,
    /// Its algorithms in the catalogue.
    pub entries: &'static [Listed<dyn Algorithm>],
    /// The problem of the catalogue.
    pub problem: &'static dyn AnyProblem,
    function: Option<&'static Function>,
}

macro_rules! list {
    ($($collective:path),* $(,)?) => {
        /// All collectives.
        pub const ALL: [AnyCollective; [$(stringify!($collective)),*].len()] =
            [$(AnyCollective::new::<$collective>()),*];
    };
}

list![
    barrier::Barrier,
    allreduce::Allreduce,
    reduce_scatter::ReduceScatter,
    allgather::Allgather,
    alltoall::Alltoall,
    scan::Scan,
    scan::Exscan,
    reduce::Reduce,
    broadcast::Broadcast,
    gather::Gather,
    scatter::Scatter,
];

impl AnyCollective {
    const fn new<C: Collective>() -> Self {
        Self {
            name: C::NAME,
            goal: C::GOAL,
            entries: C::ENTRIES,
            problem: C::GOAL,
            function: C::MPI,
        }
    }

    /// The collective that a file or a user names so: `reducescatter`, `reduce_scatter` and `reduce-scatter` are one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain = |name: &str| name.replace(['-', '_'], "").to_ascii_lowercase();
        ALL.into_iter()
            .find(|known| plain(known.name) == plain(name))
    }

    /// The algorithm of the catalogue with the rest of its name.
    pub(super) fn find(self, rest: &str) -> Option<&'static dyn Algorithm> {
        let is_it = |listed: &&Listed<dyn Algorithm>| {
            let own = listed.about.name.strip_prefix(self.name);
            own.and_then(|own| own.strip_prefix('-')) == Some(rest)
        };
        self.entries
            .iter()
            .find(is_it)
            .map(|listed| listed.algorithm)
    }

    /// The functions of MPI that are this collective.
    pub fn functions(self) -> impl Iterator<Item = &'static Function> {
        iter::successors(self.function, |function| function.also)
    }
}

/// The functions of MPI whose algorithms the catalogue has.
pub fn mpi_functions() -> impl Iterator<Item = &'static Function> {
    ALL.into_iter().flat_map(AnyCollective::functions)
}

impl fmt::Debug for AnyCollective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Collectives are equal if their names are.
impl PartialEq for AnyCollective {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for AnyCollective {}

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
