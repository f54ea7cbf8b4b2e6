//! The algorithms of Open MPI and MPICH for collectives, by number and name. A test counts their messages.
//!
//! Their default choices are known for `MPI_Allreduce` and `MPI_Bcast` only.

use crate::logp::pipeline::library::BCAST;
use crate::mpi::{Function, Numbered};

/// A function with unknown default choices.
const fn function(
    (name, collective): (&'static str, u32),
    open_mpi: &'static [Numbered],
    mpich: &'static [Numbered],
) -> Function {
    Function { name, collective, ranks: "K", bytes: "bytes", open_mpi, mpich, default: |_, _, _| None }
}

/// `MPI_Bcast`, on one port.
pub static BROADCAST: Function = Function {
    name: "MPI_Bcast",
    collective: 7,
    ranks: "K",
    bytes: "bytes",
    open_mpi: &[
        Numbered::whole(1, "basic_linear", "broadcast-flat"),
        Numbered::cut(3, "pipeline", "broadcast-chain"),
        Numbered::cut(4, "split_binary_tree", "broadcast-split-binary")
            .but("equal where a segment divides half of the message; otherwise each half has a shorter last segment"),
        Numbered::cut(5, "binary_tree", "broadcast-binary"),
        Numbered::cut(6, "binomial", "broadcast-bmtree"),
        Numbered::cut(7, "knomial", "broadcast-k-nomial-4"),
        Numbered::whole(8, "scatter_allgather", "broadcast-scatter-doubling"),
    ],
    mpich: &[
        Numbered::whole(1, "binomial", "broadcast-binomial"),
        Numbered::whole(4, "scatter_recursive_doubling_allgather", "broadcast-scatter-doubling"),
    ],
    default: |library, K, bytes| match (BCAST.default)(library, K, bytes)? {
        "segmented-flat" => Some("broadcast-flat"),
        "segmented-chain" => Some("broadcast-chain"),
        "segmented-binary" => Some("broadcast-binary"),
        "segmented-binomial" => Some("broadcast-binomial"),
        "segmented-bmtree" => Some("broadcast-bmtree"),
        "segmented-k-nomial-4" => Some("broadcast-k-nomial-4"),
        "scatter-doubling" => Some("broadcast-scatter-doubling"),
        "split-binary" => Some("broadcast-split-binary"),
        _ => None,
    },
};

/// `MPI_Reduce_scatter`, with blocks of one size.
pub static REDUCE_SCATTER: Function = function(
    ("MPI_Reduce_scatter", 12),
    &[
        Numbered::whole(2, "recursive_halving", "reduce-scatter-recursive-halving"),
        Numbered::whole(3, "ring", "reduce-scatter-ring"),
        Numbered::whole(4, "butterfly", "reduce-scatter-butterfly")
            .but("equal unless K is a power of two; then ranks also exchange blocks at the end"),
    ],
    &[
        Numbered::whole(3, "pairwise", "reduce-scatter-pairwise"),
        Numbered::whole(5, "recursive_halving", "reduce-scatter-recursive-halving"),
    ],
);

/// `MPI_Reduce_scatter_block`.
pub static REDUCE_SCATTER_BLOCK: Function = function(
    ("MPI_Reduce_scatter_block", 13),
    &[
        Numbered::whole(3, "recursive_halving", "reduce-scatter-recursive-halving"),
        Numbered::whole(4, "butterfly", "reduce-scatter-butterfly"),
    ],
    &[
        Numbered::whole(3, "pairwise", "reduce-scatter-pairwise"),
        Numbered::whole(4, "recursive_halving", "reduce-scatter-recursive-halving"),
    ],
);

/// `MPI_Allgather`.
pub static ALLGATHER: Function = function(
    ("MPI_Allgather", 0),
    &[
        Numbered::whole(2, "bruck", "allgather-bruck"),
        Numbered::whole(3, "recursive_doubling", "allgather-recursive-doubling"),
        Numbered::whole(4, "ring", "allgather-ring"),
        Numbered::whole(5, "neighbor", "allgather-neighbour-exchange"),
    ],
    &[
        Numbered::whole(1, "brucks", "allgather-bruck"),
        Numbered::whole(3, "recursive_doubling", "allgather-recursive-doubling"),
        Numbered::whole(4, "ring", "allgather-ring"),
    ],
);

/// `MPI_Alltoall`.
pub static ALLTOALL: Function = function(
    ("MPI_Alltoall", 3),
    &[
        Numbered::whole(1, "linear", "alltoall-linear"),
        Numbered::whole(2, "pairwise", "alltoall-pairwise"),
        Numbered::whole(3, "modified_bruck", "alltoall-bruck"),
        Numbered::whole(4, "linear_sync", "alltoall-linear"),
    ],
    &[
        Numbered::whole(1, "brucks", "alltoall-bruck"),
        Numbered::whole(3, "pairwise", "alltoall-pairwise"),
        Numbered::whole(5, "scattered", "alltoall-linear"),
    ],
);

/// `MPI_Barrier`.
pub static BARRIER: Function = function(
    ("MPI_Barrier", 6),
    &[
        Numbered::whole(1, "linear", "barrier-linear"),
        Numbered::whole(3, "recursive_doubling", "barrier-recursive-doubling")
            .but("equal for powers of two; for other K the ranks of a pair are 2^p apart, here 1"),
        Numbered::whole(4, "bruck", "barrier-dissemination"),
        Numbered::whole(6, "tree", "barrier-tree"),
    ],
    &[Numbered::whole(3, "dissemination", "barrier-dissemination")],
);

/// `MPI_Reduce`.
pub static REDUCE: Function = function(
    ("MPI_Reduce", 11),
    &[
        Numbered::whole(1, "linear", "reduce-flat"),
        Numbered::cut(3, "pipeline", "reduce-chain"),
        Numbered::cut(4, "binary", "reduce-binary"),
        Numbered::cut(5, "binomial", "reduce-binomial"),
        Numbered::cut(6, "in-order_binary", "reduce-in-order-binary"),
        Numbered::whole(7, "rabenseifner", "reduce-rabenseifner"),
    ],
    &[
        Numbered::whole(1, "binomial", "reduce-binomial"),
        Numbered::whole(4, "reduce_scatter_gather", "reduce-rabenseifner")
            .but("equal for powers of two; for other K one rank of a pair sends all words, and stays outside"),
    ],
);

/// `MPI_Gather`.
pub static GATHER: Function = function(
    ("MPI_Gather", 9),
    &[Numbered::whole(1, "basic_linear", "gather-linear"), Numbered::whole(2, "binomial", "gather-binomial")],
    &[Numbered::whole(1, "binomial", "gather-binomial")],
);

/// `MPI_Scatter`.
pub static SCATTER: Function = function(
    ("MPI_Scatter", 15),
    &[
        Numbered::whole(1, "basic_linear", "scatter-linear"),
        Numbered::whole(2, "binomial", "scatter-binomial"),
        Numbered::whole(3, "linear_nb", "scatter-linear"),
    ],
    &[Numbered::whole(1, "binomial", "scatter-binomial")],
);

/// `MPI_Scan`.
pub static SCAN: Function = function(
    ("MPI_Scan", 14),
    &[Numbered::whole(1, "linear", "scan-linear"), Numbered::whole(2, "recursive_doubling", "scan-recursive-doubling")],
    &[],
);

/// `MPI_Exscan`.
pub static EXSCAN: Function = function(
    ("MPI_Exscan", 8),
    &[
        Numbered::whole(1, "linear", "exscan-linear"),
        Numbered::whole(2, "recursive_doubling", "exscan-recursive-doubling"),
    ],
    &[],
);
