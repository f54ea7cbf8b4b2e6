//! What MPI libraries have for `MPI_Allreduce`.
//!
//! Without a segment size Open MPI's `segmented_ring` (5) is the ring (4). Its `nonoverlapping` (2) has no algorithm of its own: it
//! calls reduce and broadcast, which choose theirs by size; `allreduce-reduce-broadcast` is the case where both are binomial.

use crate::mpi::{Function, Numbered, Size, defaults};

/// `MPI_Allreduce`.
pub static ALLREDUCE: Function = Function {
    name: "MPI_Allreduce",
    collective: 2,
    ranks: "K",
    bytes: "bytes",
    size: Size::Operand,
    open_mpi: &OPEN_MPI,
    mpich: &MPICH,
    lacks: &[(2, "nonoverlapping")],
    decisions: defaults::ALLREDUCE,
    decides: Size::Operand,
    mpich_chooses: defaults::mpich::allreduce,
    also: None,
    presumes: "presumes an operator that commutes, a contiguous datatype, and no MPI_IN_PLACE.",
};

/// Open MPI's numbers of its algorithms for `MPI_Allreduce` (`coll_tuned_allreduce_algorithm`), and ours.
const OPEN_MPI: [Numbered; 5] = [
    Numbered::whole(1, "basic_linear", "allreduce-flat")
        .ordered("posts all sends of the root at once: allreduce-flat:posted"),
    Numbered::whole(3, "recursive_doubling", "allreduce-recursive-doubling"),
    Numbered::whole(4, "ring", "allreduce-ring"),
    Numbered::cut(5, "segmented_ring", "allreduce-segmented-ring").whole_is(4),
    Numbered::whole(6, "rabenseifner", "allreduce-rabenseifner"),
];

/// MPICH's, for `MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM`.
const MPICH: [Numbered; 2] = [
    Numbered::whole(3, "recursive_doubling", "allreduce-recursive-doubling"),
    Numbered::whole(4, "reduce_scatter_allgather", "allreduce-rabenseifner")
        .but("equal for powers of two; for other K even ranks of pairs send all words, and stay outside"),
];
