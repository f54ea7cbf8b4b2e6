//! The algorithms of Open MPI's component tuned, by collective and number.

use super::super::Version;

/// A collective: its name, the names of its algorithms from number 1 on, and how many of them 4.1, 5.0 and 6.0 have.
pub(super) type Collective = (&'static str, &'static [&'static str], [usize; 3]);

const REDUCTIONS: &[&str] = &["linear", "recursive_doubling"];

/// All collectives by their numbers in files of numbers. Those without algorithms are not chosen by tuned.
pub(super) const COLLECTIVES: [Collective; 22] = [
    (
        "allgather",
        &[
            "linear",
            "bruck",
            "recursive_doubling",
            "ring",
            "neighbor",
            "two_proc",
            "sparbit",
            "direct-messaging",
        ],
        [6, 7, 8],
    ),
    (
        "allgatherv",
        &[
            "default", "bruck", "ring", "neighbor", "two_proc", "sparbit",
        ],
        [5, 6, 6],
    ),
    (
        "allreduce",
        &[
            "basic_linear",
            "nonoverlapping",
            "recursive_doubling",
            "ring",
            "segmented_ring",
            "rabenseifner",
            "allgather_reduce",
        ],
        [6, 6, 7],
    ),
    (
        "alltoall",
        &[
            "linear",
            "pairwise",
            "modified_bruck",
            "linear_sync",
            "two_proc",
        ],
        [5, 5, 5],
    ),
    ("alltoallv", &["basic_linear", "pairwise"], [2, 2, 2]),
    ("alltoallw", &[], [0; 3]),
    (
        "barrier",
        &[
            "linear",
            "double_ring",
            "recursive_doubling",
            "bruck",
            "two_proc",
            "tree",
        ],
        [6, 6, 6],
    ),
    (
        "bcast",
        &[
            "basic_linear",
            "chain",
            "pipeline",
            "split_binary_tree",
            "binary_tree",
            "binomial",
            "knomial",
            "scatter_allgather",
            "scatter_allgather_ring",
        ],
        [9, 9, 9],
    ),
    ("exscan", REDUCTIONS, [2, 2, 2]),
    (
        "gather",
        &["basic_linear", "binomial", "linear_sync"],
        [3, 3, 3],
    ),
    ("gatherv", &[], [0; 3]),
    (
        "reduce",
        &[
            "linear",
            "chain",
            "pipeline",
            "binary",
            "binomial",
            "in-order_binary",
            "rabenseifner",
            "knomial",
        ],
        [7, 7, 8],
    ),
    (
        "reduce_scatter",
        &["non-overlapping", "recursive_halving", "ring", "butterfly"],
        [4, 4, 4],
    ),
    (
        "reduce_scatter_block",
        &[
            "basic_linear",
            "recursive_doubling",
            "recursive_halving",
            "butterfly",
        ],
        [4, 4, 4],
    ),
    ("scan", REDUCTIONS, [2, 2, 2]),
    (
        "scatter",
        &["basic_linear", "binomial", "linear_nb"],
        [3, 3, 3],
    ),
    ("scatterv", &[], [0; 3]),
    ("neighbor_allgather", &[], [0; 3]),
    ("neighbor_allgatherv", &[], [0; 3]),
    ("neighbor_alltoall", &[], [0; 3]),
    ("neighbor_alltoallv", &[], [0; 3]),
    ("neighbor_alltoallw", &[], [0; 3]),
];

/// The names of a collective's algorithms in a version, from number 1 on.
pub(super) fn algorithms(collective: usize, version: Version) -> &'static [&'static str] {
    let (_, names, counts) = COLLECTIVES[collective];
    let column = match version {
        Version::OpenMpi4 => 0,
        Version::OpenMpi5 => 1,
        _ => 2,
    };
    &names[..counts[column]]
}

/// The function of MPI, for messages.
pub(super) fn function(collective: usize) -> String {
    let name = COLLECTIVES[collective].0;
    let (first, rest) = name.split_at(1);
    format!("MPI_{}{rest}", first.to_uppercase())
}

/// Why no call can run an algorithm of this number, if none can.
pub(super) fn missing(collective: usize, number: i64, version: Version) -> Option<String> {
    let known = algorithms(collective, version).len();
    let has = usize::try_from(number).is_ok_and(|number| number <= known);
    (!has).then(|| {
        format!(
            "{} has no algorithm {number}: {} fails with MPI_ERR_ARG; write 0 to {known}",
            version.name(),
            function(collective)
        )
    })
}
