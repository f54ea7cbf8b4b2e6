//! The algorithms of MPI libraries for `MPI_Bcast`. A test counts their messages.

use crate::mpi::{Function, Numbered, Size, defaults};

/// `MPI_Bcast`.
pub const BCAST: Function = Function {
    name: "MPI_Bcast",
    collective: 7,
    ranks: "K",
    bytes: "bytes",
    size: Size::Operand,
    open_mpi: &OPEN_MPI,
    mpich: &MPICH,
    lacks: &[],
    decisions: defaults::BCAST,
    decides: Size::Operand,
    mpich_chooses: defaults::mpich::bcast,
    also: None,
    presumes: "presumes a contiguous datatype.",
};

/// Open MPI's numbers of its algorithms for `MPI_Bcast` (`coll_tuned_bcast_algorithm`), and the names here. Its decisions use `chain`
/// with a fan-out of 0, which it raises to 1: one chain, as `pipeline` with the whole message. Rules use the first number where
/// several have the same name here.
const OPEN_MPI: [Numbered; 9] = [
    Numbered::whole(1, "basic_linear", "segmented-flat").ordered("posts all sends at once: broadcast-flat:posted"),
    Numbered::cut(3, "pipeline", "segmented-chain"),
    Numbered::cut(4, "split_binary_tree", "split-binary")
        .but("equal where a segment divides half of the message; otherwise each half has a shorter last segment")
        .in_halves(),
    Numbered::cut(5, "binary_tree", "segmented-binary").ordered(
        "posts the sends of a segment to all children at once; for one segment that is broadcast-binary:posted",
    ),
    Numbered::cut(6, "binomial", "segmented-bmtree").ordered(
        "posts the sends of a segment to all children at once; for one segment that is broadcast-bmtree:posted",
    ),
    Numbered::cut(7, "knomial", "segmented-k-nomial-4").ordered(
        "posts the sends of a segment to all children at once; for one segment that is broadcast-k-nomial-4:posted",
    ),
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
