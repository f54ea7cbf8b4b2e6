//! The algorithms of MPI libraries for `MPI_Bcast`, and their default choices.
//!
//! **Open MPI**: component `tuned`, the fixed decisions of 4.1 (`coll_tuned_decision_fixed.c`), which do not segment. A test compares
//! them with the messages that an installed Open MPI sends.
//! **MPICH**: the decisions up to 3.x (`MPIR_CVAR_BCAST_*`), those of Thakur, Rabenseifner, Gropp 2005.

use crate::mpi::{Decisions, Function, Library, Numbered, decided};

/// `MPI_Bcast`.
pub static BCAST: Function = Function {
    name: "MPI_Bcast",
    collective: 7,
    ranks: "K",
    bytes: "bytes",
    open_mpi: &OPEN_MPI,
    mpich: &MPICH,
    default: default_of,
};

/// Open MPI's numbers of its algorithms for `MPI_Bcast` (`coll_tuned_bcast_algorithm`), and the names here. Its decisions use `chain`
/// with a fan-out of 0, which it raises to 1: one chain, as `pipeline` with the whole message. Rules use the first number where
/// several have the same name here.
const OPEN_MPI: [Numbered; 9] = [
    Numbered::whole(1, "basic_linear", "segmented-flat"),
    Numbered::cut(3, "pipeline", "segmented-chain"),
    Numbered::cut(4, "split_binary_tree", "split-binary")
        .but("equal where a segment divides half of the message; otherwise each half has a shorter last segment"),
    Numbered::cut(5, "binary_tree", "segmented-binary"),
    Numbered::cut(6, "binomial", "segmented-bmtree"),
    Numbered::cut(7, "knomial", "segmented-k-nomial-4"),
    Numbered::whole(8, "scatter_allgather", "scatter-doubling"),
    Numbered::whole(9, "scatter_allgather_ring", "scatter-ring"),
    Numbered::whole(2, "chain", "segmented-chain")
        .but("equal with a fan-out of 1, which its decisions take; 4 by default"),
];

/// MPICH's algorithms for `MPI_Bcast` (`MPIR_CVAR_BCAST_INTRA_ALGORITHM`).
const MPICH: [Numbered; 3] = [
    Numbered::whole(1, "binomial", "segmented-binomial"),
    Numbered::whole(4, "scatter_recursive_doubling_allgather", "scatter-doubling"),
    Numbered::whole(5, "scatter_ring_allgather", "scatter-ring"),
];

const OPEN_MPI_DECISIONS: &Decisions = &[
    (
        0,
        &[
            (0, 3),
            (32, 5),
            (256, 3),
            (512, 7),
            (1 << 10, 1),
            (1 << 15, 5),
            (1 << 17, 2),
            (1 << 18, 1),
            (1 << 19, 6),
            (1 << 20, 5),
        ],
    ),
    (4, &[(0, 5), (64, 6), (128, 5), (1 << 11, 6), (1 << 13, 1), (1 << 20, 2)]),
    (8, &[(0, 7), (8, 5), (64, 7), (1 << 12, 5), (1 << 14, 6), (1 << 15, 1)]),
    (16, &[(0, 7), (1 << 12, 6), (1 << 20, 8)]),
    (32, &[(0, 6), (1 << 11, 7)]),
    (64, &[(0, 7)]),
    (128, &[(0, 6), (2, 5), (1 << 14, 1), (1 << 15, 5), (1 << 16, 7)]),
    (256, &[(0, 7), (1 << 14, 4), (1 << 15, 7)]),
    (1024, &[(0, 7), (1 << 19, 8)]),
    (2048, &[(0, 7), (1 << 18, 8)]),
    (4096, &[(0, 7), (1 << 13, 5), (1 << 14, 7), (1 << 18, 8)]),
];

/// The algorithm that a library chooses by default for a message of this size to K ranks.
fn default_of(library: Library, K: u64, bytes: u64) -> Option<&'static str> {
    match library {
        Library::OpenMpi => {
            let number = open_mpi_default(K, bytes);
            // Its recursive doubling accepts any number of ranks; the one here needs a power of two.
            OPEN_MPI.iter().find(|known| known.number == number).map(|known| known.ours)
        }
        Library::Mpich => Some(match bytes {
            _ if K < 8 => "segmented-binomial",
            ..12_288 => "segmented-binomial",
            12_288..524_288 if K.is_power_of_two() => "scatter-doubling",
            _ => "scatter-ring",
        }),
    }
}

/// The number of the algorithm that Open MPI chooses by default.
#[must_use]
pub fn open_mpi_default(K: u64, bytes: u64) -> u32 {
    decided(OPEN_MPI_DECISIONS, K, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn every_name_is_in_the_catalogue() {
        for name in OPEN_MPI.iter().chain(&MPICH).map(|known| known.ours) {
            assert!(catalogue::find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn decisions_are_in_order_and_begin_at_nothing() {
        crate::mpi::check(OPEN_MPI_DECISIONS);
        assert_eq!(open_mpi_default(8, 1 << 20), 1);
        assert_eq!(open_mpi_default(18, 1 << 20), 8);
        assert_eq!(default_of(Library::OpenMpi, 4, 1 << 20), Some("segmented-chain"));
        assert_eq!(BCAST.numbered("segmented-chain").map(|known| known.number), Some(3));
        assert_eq!(default_of(Library::Mpich, 16, 64 << 10), Some("scatter-doubling"));
        assert_eq!(default_of(Library::Mpich, 18, 64 << 10), Some("scatter-ring"));
    }
}
