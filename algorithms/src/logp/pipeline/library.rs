//! What MPI libraries have for `MPI_Bcast`, and what they choose by default.
//!
//! **Open MPI**: component `tuned`, its fixed decisions of 4.1 (`coll_tuned_decision_fixed.c`), which cut no message. A test
//! asks an installed Open MPI which messages it sends and compares them with this.
//! **MPICH**: its decisions until 3.x (`MPIR_CVAR_BCAST_*`), which are those of Thakur, Rabenseifner, Gropp 2005.

use crate::mpi::{Function, Library, Numbered};

/// `MPI_Bcast`.
pub static BCAST: Function = Function {
    name: "MPI_Bcast",
    collective: 7,
    ranks: "K",
    bytes: "bytes",
    open_mpi: &OPEN_MPI,
    mpich: &["segmented-binomial", "scatter-doubling", "scatter-ring"],
    default: default_of,
};

/// Open MPI's numbers of its algorithms for `MPI_Bcast` (`coll_tuned_bcast_algorithm`), and ours. Its decisions take `chain`
/// with a fan-out of 0, which it raises to 1: one chain, so what `pipeline` does with the whole message. A rule takes the
/// first of several that are the same to us.
const OPEN_MPI: [Numbered; 9] = [
    whole(1, "basic_linear", "segmented-flat"),
    cut(3, "pipeline", "segmented-chain"),
    cut(4, "split_binary_tree", "split-binary"),
    cut(5, "binary_tree", "segmented-binary"),
    cut(6, "binomial", "segmented-bmtree"),
    cut(7, "knomial", "segmented-k-nomial-4"),
    whole(8, "scatter_allgather", "scatter-doubling"),
    whole(9, "scatter_allgather_ring", "scatter-ring"),
    whole(2, "chain", "segmented-chain"),
];

const fn cut(number: u32, name: &'static str, ours: &'static str) -> Numbered {
    Numbered { number, name, ours, reads_segment: true }
}

const fn whole(number: u32, name: &'static str, ours: &'static str) -> Numbered {
    Numbered { number, name, ours, reads_segment: false }
}

/// A least number of ranks, each with its rules: a least number of bytes, and the number of the algorithm.
type Decisions = [(u64, &'static [(u64, u32)])];

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

/// The algorithm that a library takes by default for a message of this length to K ranks, by our name.
fn default_of(library: Library, K: u64, bytes: u64) -> Option<&'static str> {
    match library {
        Library::OpenMpi => {
            let number = open_mpi_default(K, bytes);
            // What it calls recursive doubling takes other ranks, too; ours is for powers of two.
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

/// The number of the algorithm that Open MPI takes by default.
#[must_use]
pub fn open_mpi_default(K: u64, bytes: u64) -> u32 {
    let of =
        |rules: &[(u64, u32)]| rules.iter().rev().find(|(from, _)| bytes >= *from).map_or(0, |(_, number)| *number);
    OPEN_MPI_DECISIONS.iter().rev().find(|(from, _)| K >= *from).map_or(0, |(_, rules)| of(rules))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn every_name_is_in_the_catalogue() {
        for name in OPEN_MPI.iter().map(|known| &known.ours).chain(BCAST.mpich) {
            assert!(catalogue::find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn decisions_are_in_order_and_begin_at_nothing() {
        assert!(OPEN_MPI_DECISIONS.is_sorted_by_key(|(from, _)| *from) && OPEN_MPI_DECISIONS[0].0 == 0);
        for (_, rules) in OPEN_MPI_DECISIONS {
            assert!(rules.is_sorted_by_key(|(from, _)| *from) && rules[0].0 == 0);
            // Else one of two would be of no use.
            assert!(rules.windows(2).all(|pair| pair[0].1 != pair[1].1));
        }
        assert_eq!(open_mpi_default(8, 1 << 20), 1);
        assert_eq!(open_mpi_default(18, 1 << 20), 8);
        assert_eq!(default_of(Library::OpenMpi, 4, 1 << 20), Some("segmented-chain"));
        assert_eq!(BCAST.numbered("segmented-chain").map(|known| known.number), Some(3));
        assert_eq!(default_of(Library::Mpich, 16, 64 << 10), Some("scatter-doubling"));
        assert_eq!(default_of(Library::Mpich, 18, 64 << 10), Some("scatter-ring"));
    }
}
