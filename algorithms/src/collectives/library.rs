//! The algorithms of Open MPI and MPICH for collectives, by number and name. A test counts their messages.

use crate::mpi::{Decisions, Function, Numbered, Size, defaults};

const AT_ONCE: &str = "posts its sends and receives at once; here a rank sends, then receives; alltoall-linear:posted posts the sends at once";
const BLOCKS: &str = "presumes contiguous blocks of one size, and no MPI_IN_PLACE.";
const COMBINED: &str =
    "presumes an operator that commutes, a contiguous datatype, and no MPI_IN_PLACE.";

/// A function with its number in rules files; all else is stated where it differs.
const fn function(
    (name, collective): (&'static str, u32),
    size: Size,
    decisions: &'static Decisions,
) -> Function {
    Function {
        name,
        collective,
        ranks: "K",
        bytes: "bytes",
        size,
        open_mpi: &[],
        mpich: &[],
        lacks: &[],
        decisions,
        decides: Size::Operand,
        mpich_chooses: |_| None,
        also: None,
        presumes: BLOCKS,
    }
}

/// What both libraries do on other numbers of ranks.
const BRUCK: &str =
    "equal on powers of two; the library runs its algorithm of Bruck on other numbers of ranks";

/// `MPI_Bcast`.
pub static BROADCAST: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "basic_linear", "broadcast-flat").ordered("posts all sends at once: broadcast-flat:posted"),
        Numbered::cut(3, "pipeline", "broadcast-chain"),
        Numbered {
            halves: true,
            ..Numbered::cut(4, "split_binary_tree", "broadcast-split-binary").but(
                "equal where a segment divides half of the message; otherwise each half has a shorter last segment",
            )
        },
        Numbered::cut(5, "binary_tree", "broadcast-binary").ordered(
            "posts the sends of a segment to all children at once; for one segment that is broadcast-binary:posted",
        ),
        Numbered::cut(6, "binomial", "broadcast-bmtree").ordered(
            "posts the sends of a segment to all children at once; for one segment that is broadcast-bmtree:posted",
        ),
        Numbered::cut(7, "knomial", "broadcast-k-nomial-4").ordered(
            "posts the sends of a segment to all children at once; for one segment that is broadcast-k-nomial-4:posted",
        ),
        Numbered::whole(8, "scatter_allgather", "broadcast-scatter-doubling"),
        Numbered::whole(9, "scatter_allgather_ring", "broadcast-scatter-ring"),
        Numbered::whole(2, "chain", "broadcast-chain")
            .but("equal with a fan-out of 1, which its decisions take; 4 by default"),
    ],
    mpich: &[
        Numbered::whole(1, "binomial", "broadcast-binomial"),
        Numbered::whole(4, "scatter_recursive_doubling_allgather", "broadcast-scatter-doubling"),
        Numbered::whole(5, "scatter_ring_allgather", "broadcast-scatter-ring"),
    ],
    mpich_chooses: defaults::mpich::bcast,
    presumes: "presumes a contiguous datatype, and for a scatter a message that K divides.",
    ..function(("MPI_Bcast", 7), Size::Operand, defaults::BCAST)
};

/// `MPI_Allreduce`.
pub static ALLREDUCE: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "basic_linear", "allreduce-flat")
            .ordered("posts all sends of the root at once: allreduce-flat:posted"),
        Numbered::whole(3, "recursive_doubling", "allreduce-recursive-doubling"),
        Numbered::whole(4, "ring", "allreduce-ring"),
        Numbered { whole_is: Some(4), ..Numbered::cut(5, "segmented_ring", "allreduce-segmented-ring") },
        Numbered::whole(6, "rabenseifner", "allreduce-rabenseifner"),
    ],
    mpich: &[
        Numbered::whole(3, "recursive_doubling", "allreduce-recursive-doubling"),
        Numbered::whole(4, "reduce_scatter_allgather", "allreduce-rabenseifner")
            .but("equal for powers of two; for other K even ranks of pairs send all words, and stay outside"),
    ],
    lacks: &[(2, "nonoverlapping")],
    mpich_chooses: defaults::mpich::allreduce,
    presumes: COMBINED,
    ..function(("MPI_Allreduce", 2), Size::Operand, defaults::ALLREDUCE)
};

/// `MPI_Reduce_scatter`, with blocks of one size.
pub static REDUCE_SCATTER: Function = Function {
    open_mpi: &[
        Numbered::whole(2, "recursive_halving", "reduce-scatter-recursive-halving"),
        Numbered::whole(3, "ring", "reduce-scatter-ring"),
        Numbered::whole(4, "butterfly", "reduce-scatter-butterfly")
            .but("equal unless K is a power of two; then ranks also exchange blocks at the end"),
    ],
    mpich: &[
        Numbered::whole(3, "pairwise", "reduce-scatter-pairwise"),
        Numbered::whole(5, "recursive_halving", "reduce-scatter-recursive-halving"),
    ],
    lacks: &[(1, "non-overlapping")],
    decides: Size::Blocks,
    mpich_chooses: defaults::mpich::reduce_scatter,
    presumes: COMBINED,
    ..function(
        ("MPI_Reduce_scatter", 12),
        Size::Blocks,
        defaults::REDUCE_SCATTER,
    )
};

/// `MPI_Reduce_scatter_block`.
pub static REDUCE_SCATTER_BLOCK: Function = Function {
    open_mpi: &[
        Numbered::whole(3, "recursive_halving", "reduce-scatter-recursive-halving"),
        Numbered::whole(4, "butterfly", "reduce-scatter-butterfly"),
    ],
    mpich: &[
        Numbered::whole(3, "pairwise", "reduce-scatter-pairwise"),
        Numbered::whole(4, "recursive_halving", "reduce-scatter-recursive-halving"),
    ],
    lacks: &[(1, "basic_linear"), (2, "recursive_doubling")],
    mpich_chooses: defaults::mpich::reduce_scatter_block,
    also: Some(&REDUCE_SCATTER),
    presumes: COMBINED,
    ..function(
        ("MPI_Reduce_scatter_block", 13),
        Size::Blocks,
        defaults::REDUCE_SCATTER_BLOCK,
    )
};

/// `MPI_Allgather`.
pub static ALLGATHER: Function = Function {
    open_mpi: &[
        Numbered::whole(2, "bruck", "allgather-bruck"),
        Numbered::whole(3, "recursive_doubling", "allgather-recursive-doubling").but(BRUCK),
        Numbered::whole(4, "ring", "allgather-ring"),
        Numbered::whole(5, "neighbor", "allgather-neighbour-exchange"),
    ],
    mpich: &[
        Numbered::whole(1, "brucks", "allgather-bruck"),
        Numbered::whole(3, "recursive_doubling", "allgather-recursive-doubling").but(BRUCK),
        Numbered::whole(4, "ring", "allgather-ring"),
    ],
    lacks: &[(1, "linear"), (7, "sparbit")],
    mpich_chooses: defaults::mpich::allgather,
    ..function(("MPI_Allgather", 0), Size::Blocks, defaults::ALLGATHER)
};

/// `MPI_Alltoall`.
pub static ALLTOALL: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "linear", "alltoall-linear").ordered(AT_ONCE),
        Numbered::whole(2, "pairwise", "alltoall-pairwise"),
        Numbered::whole(3, "modified_bruck", "alltoall-bruck"),
        Numbered::whole(4, "linear_sync", "alltoall-linear").ordered(AT_ONCE),
    ],
    mpich: &[
        Numbered::whole(1, "brucks", "alltoall-bruck"),
        Numbered::whole(3, "pairwise", "alltoall-pairwise"),
        Numbered::whole(5, "scattered", "alltoall-linear"),
    ],
    mpich_chooses: defaults::mpich::alltoall,
    ..function(("MPI_Alltoall", 3), Size::Blocks, defaults::ALLTOALL)
};

/// `MPI_Barrier`.
pub static BARRIER: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "linear", "barrier-linear")
            .ordered("the root takes what comes first; here in the order of ranks"),
        Numbered::whole(3, "recursive_doubling", "barrier-recursive-doubling")
            .but("equal for powers of two; for other K the ranks of a pair are 2^p apart, here 1"),
        Numbered::whole(4, "bruck", "barrier-dissemination"),
        Numbered::whole(6, "tree", "barrier-tree"),
    ],
    mpich: &[Numbered::whole(3, "dissemination", "barrier-dissemination")],
    lacks: &[(2, "double_ring"), (5, "two_proc")],
    mpich_chooses: |_| Some(3),
    presumes: "presumes nothing else of the call.",
    ..function(("MPI_Barrier", 6), Size::Nothing, defaults::BARRIER)
};

/// `MPI_Reduce`.
pub static REDUCE: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "linear", "reduce-flat"),
        Numbered::cut(3, "pipeline", "reduce-chain"),
        Numbered::cut(4, "binary", "reduce-binary"),
        Numbered::cut(5, "binomial", "reduce-binomial"),
        Numbered::cut(6, "in-order_binary", "reduce-in-order-binary"),
        Numbered::whole(7, "rabenseifner", "reduce-rabenseifner"),
        Numbered::whole(2, "chain", "reduce-chain")
            .but("equal with a fan-out of 1, which its decisions take; 4 by default"),
    ],
    mpich: &[
        Numbered::whole(1, "binomial", "reduce-binomial"),
        Numbered::whole(4, "reduce_scatter_gather", "reduce-rabenseifner")
            .but("equal for powers of two; for other K one rank of a pair sends all words, and stays outside"),
    ],
    mpich_chooses: defaults::mpich::reduce,
    presumes: COMBINED,
    ..function(("MPI_Reduce", 11), Size::Operand, defaults::REDUCE)
};

/// `MPI_Gather`.
pub static GATHER: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "basic_linear", "gather-linear"),
        Numbered::whole(2, "binomial", "gather-binomial"),
    ],
    mpich: &[Numbered::whole(1, "binomial", "gather-binomial")],
    lacks: &[(3, "linear_sync")],
    mpich_chooses: |_| Some(1),
    ..function(("MPI_Gather", 9), Size::Blocks, defaults::GATHER)
};

/// `MPI_Scatter`.
pub static SCATTER: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "basic_linear", "scatter-linear"),
        Numbered::whole(2, "binomial", "scatter-binomial"),
        Numbered::whole(3, "linear_nb", "scatter-linear:posted"),
    ],
    mpich: &[Numbered::whole(1, "binomial", "scatter-binomial")],
    mpich_chooses: |_| Some(1),
    ..function(("MPI_Scatter", 15), Size::Blocks, defaults::SCATTER)
};

/// `MPI_Scan`.
pub static SCAN: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "linear", "scan-linear"),
        Numbered::whole(2, "recursive_doubling", "scan-recursive-doubling"),
    ],
    mpich: &[],
    presumes: COMBINED,
    ..function(("MPI_Scan", 14), Size::Elements, defaults::SCAN)
};

/// `MPI_Exscan`.
pub static EXSCAN: Function = Function {
    open_mpi: &[
        Numbered::whole(1, "linear", "exscan-linear"),
        Numbered::whole(2, "recursive_doubling", "exscan-recursive-doubling"),
    ],
    mpich: &[],
    presumes: COMBINED,
    ..function(("MPI_Exscan", 8), Size::Elements, defaults::SCAN)
};
