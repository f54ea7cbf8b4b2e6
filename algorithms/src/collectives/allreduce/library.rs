//! What MPI libraries have for `MPI_Allreduce`, and what they choose by default for operators that commute.
//!
//! **Open MPI**: component `tuned`, its fixed decisions of 4.1 (`coll_tuned_decision_fixed.c`). They leave out the segment
//! size, and without one `segmented_ring` (5) is the ring (4). `nonoverlapping` (2) has no algorithm of its own: it calls
//! reduce and broadcast, which choose theirs by size; `allreduce-reduce-broadcast` is the case where both are binomial.
//! **MPICH**: its decisions until 3.x (`MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE`), for elements of one byte.

use crate::mpi::{Decisions, Function, Library, Numbered};

/// `MPI_Allreduce`.
pub static ALLREDUCE: Function = Function {
    name: "MPI_Allreduce",
    collective: 2,
    ranks: "K",
    bytes: "bytes",
    open_mpi: &OPEN_MPI,
    mpich: &MPICH,
    default: default_of,
};

/// Open MPI's numbers of its algorithms for `MPI_Allreduce` (`coll_tuned_allreduce_algorithm`), and ours.
const OPEN_MPI: [Numbered; 5] = [
    Numbered::whole(1, "basic_linear", "allreduce-flat"),
    Numbered::whole(3, "recursive_doubling", "allreduce-recursive-doubling"),
    Numbered::whole(4, "ring", "allreduce-ring"),
    Numbered::cut(5, "segmented_ring", "allreduce-segmented-ring"),
    Numbered::whole(6, "rabenseifner", "allreduce-rabenseifner"),
];

/// MPICH's, for `MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM`.
const MPICH: [Numbered; 2] = [
    Numbered::whole(3, "recursive_doubling", "allreduce-recursive-doubling"),
    Numbered::whole(4, "reduce_scatter_allgather", "allreduce-rabenseifner")
        .but("equal for powers of two; for other K even ranks of pairs send all words, and stay outside"),
];

const OPEN_MPI_DECISIONS: &Decisions = &[
    (0, &[(0, 4), (8, 3), (1 << 12, 4), (1 << 13, 3), (1 << 14, 4), (1 << 16, 5), (1 << 18, 6)]),
    (4, &[(0, 4), (16, 3), (1 << 13, 6)]),
    (8, &[(0, 3), (1 << 13, 6)]),
    (16, &[(0, 5), (64, 3), (1 << 12, 6)]),
    (32, &[(0, 5), (128, 6)]),
    (64, &[(0, 3), (1 << 18, 6)]),
    (128, &[(0, 2), (1 << 17, 3), (1 << 18, 6)]),
    (256, &[(0, 2), (1 << 12, 6)]),
    (512, &[(0, 2), (1 << 11, 3), (1 << 14, 6)]),
    (2048, &[(0, 2), (1 << 11, 5), (1 << 12, 3), (1 << 14, 6)]),
    (4096, &[(0, 2), (1 << 11, 5), (1 << 14, 3), (1 << 15, 6)]),
];

/// The algorithm that a library takes by default for this size on K ranks, by our name.
fn default_of(library: Library, K: u64, bytes: u64) -> Option<&'static str> {
    match library {
        Library::OpenMpi => {
            let number = match crate::mpi::decided(OPEN_MPI_DECISIONS, K, bytes) {
                5 => 4,
                number => number,
            };
            OPEN_MPI.iter().find(|known| known.number == number).map(|known| known.ours)
        }
        Library::Mpich if bytes <= 2048 || bytes < 1 << K.max(1).ilog2() => Some("allreduce-recursive-doubling"),
        Library::Mpich => Some("allreduce-rabenseifner"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn decisions_name_algorithms_of_the_catalogue() {
        for name in OPEN_MPI.iter().chain(&MPICH).map(|known| known.ours) {
            assert!(catalogue::find(name).is_some(), "{name}");
        }
        crate::mpi::check(OPEN_MPI_DECISIONS);
        assert_eq!(default_of(Library::OpenMpi, 8, 1 << 20), Some("allreduce-rabenseifner"));
        assert_eq!(default_of(Library::OpenMpi, 300, 1 << 10), None);
        assert_eq!(default_of(Library::OpenMpi, 16, 0), Some("allreduce-ring"));
        assert_eq!(default_of(Library::Mpich, 5000, 4000), Some("allreduce-recursive-doubling"));
        assert_eq!(default_of(Library::Mpich, 12, 1 << 20), Some("allreduce-rabenseifner"));
    }
}
