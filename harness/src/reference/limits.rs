//! How large things may be, and what happens beyond. The tests `limits` and those of each verb show it.

use serde::Serialize;

/// A limit.
#[derive(Debug, Serialize)]
pub struct Limit {
    /// What is limited.
    pub what: &'static str,
    /// The largest that is accepted.
    pub largest: &'static str,
    /// What happens beyond.
    pub beyond: &'static str,
}

const fn limit(what: &'static str, largest: &'static str, beyond: &'static str) -> Limit {
    Limit { what, largest, beyond }
}

/// All limits: of numbers, of algorithms, of simulation, of verbs, of files.
pub const LIMITS: [Limit; 32] = [
    limit("a number that is typed", "2^64 - 1; whole, underscores may group digits", "exit code 2; 3 in a file"),
    limit("a cost", "2^64 - 2^30 - 2", "`cost`: exit code 2; a row of a sweep: `failed`; never a wrapped number"),
    limit("multicast trees", "K = 2^64 - 1, any L, o, g", "the cost does not fit in 64 bits"),
    limit(
        "summation-optimal, summation-paper",
        "P and operands = 2^64 - 1",
        "the cost does not fit; summation-paper also refuses fewer operands than its theorem needs",
    ),
    limit(
        "multicast on a mesh, but for steiner",
        "a mesh of 16,384 nodes",
        "refused: exact fractions have as many digits as the mesh has nodes",
    ),
    limit(
        "steiner",
        "the same, with as many trials as `--simulate-up-to-hops` allows; a tree to 7 destinations takes some 100,000 steps",
        "not simulated, and the answer says so",
    ),
    limit("gossip-two-phase", "n = 2^32 - 1", "refused: a side has 32 bits"),
    limit(
        "gossip-coupled, gossip-optimal",
        "n = 128",
        "refused: that so few steps suffice was checked by execution up to there and is not proved beyond",
    ),
    limit(
        "broadcasts on k ports",
        "n, k and m = 2^64 - 1",
        "the cost does not fit. circulant needs k = 1, hypercube a power of k + 1 nodes; hypercube-grouped and hypercube-balanced do not exist for some n and k",
    ),
    limit("pipelined broadcasts", "K, n, k and m = 2^64 - 1", "the cost does not fit"),
    limit(
        "segmented-optimal",
        "a hop of a segment of about 100 gaps",
        "refused after a second or two where the tree has more than 2^20 kinds of subtrees",
    ),
    limit(
        "worms",
        "a mesh of 16,384 nodes; 10^8 destinations over all trials and multicasts; startup and flits 2^40, a hop 2^24",
        "refused, with the largest value that goes with the others",
    ),
    limit(
        "simulation",
        "2^20 nodes and 10^8 hops, unless `--simulate-up-to` and `--simulate-up-to-hops` say otherwise",
        "no simulated cost; the answer says why",
    ),
    limit(
        "simulation, whatever the options say",
        "2^26 nodes; 2^25 messages on k ports with 2^34 deliveries; 2^22 deliveries in segments",
        "no simulated cost; the answer says why",
    ),
    limit(
        "cost, sensitivity",
        "as the algorithms; sensitivity also needs the costs on machines around it",
        "exit code 2",
    ),
    limit(
        "show",
        "1,024 nodes (gossip: n = 32), 64 where each has a column; 2^20 messages, each over one link; 10^8 operands",
        "exit code 2; `cost` takes more",
    ),
    limit("best", "10,000 cases", "exit code 2"),
    limit("export goal", "2^26 nodes", "exit code 2"),
    limit("export trace, export csv, critical paths", "what is simulated by default", "exit code 2"),
    limit("excess", "20 million points; else as sweep", "exit code 2; 3"),
    limit(
        "plan",
        "2^64 - 1 points; beyond ten million they are counted by the lengths of axes, and some counts are estimated from a sample",
        "exit code 3",
    ),
    limit(
        "sweep, run",
        "`most_points` of the configuration, ten million if it says nothing",
        "exit code 3, naming the limit; it may be raised up to 2^64 - 1",
    ),
    limit("plan --shards, sweep --shard", "a million shards", "exit code 2"),
    limit(
        "--jobs, RAYON_NUM_THREADS",
        "1,024 threads",
        "exit code 2; a variable that is no number is ignored: one thread per core",
    ),
    limit("names of grids, measurements, hosts and machines", "200 bytes", "exit code 3"),
    limit("a line of a CSV file that is read", "1 MiB", "exit code 74"),
    limit("a fraction that is read", "20,000 characters", "exit code 74"),
    limit("a line or statement of GOAL", "64 MiB", "exit code 3"),
    limit("a pipe or a device that is read", "256 MiB", "exit code 3"),
    limit("values of an axis, listed one by one", "ten million; a range has any number", "exit code 3"),
    limit(
        "grids",
        "20 million pairs of grids that may share points; 200,000 grids that do not meet are fine",
        "exit code 3; one grid with longer axes says the same",
    ),
    limit("points of a [[measurement]] file", "10,000", "exit code 3"),
];
