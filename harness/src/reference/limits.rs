//! The limits of castbench and what happens beyond. The tests `limits` and those of each verb show them.

use algorithms::catalogue::PROBLEMS;
use serde::Serialize;

/// A limit.
#[derive(Debug, Serialize)]
pub struct Limit {
    /// What is limited.
    pub what: &'static str,
    /// The largest accepted value.
    pub largest: &'static str,
    /// What happens beyond it.
    pub beyond: &'static str,
}

const fn limit(what: &'static str, largest: &'static str, beyond: &'static str) -> Limit {
    Limit { what, largest, beyond }
}

/// All limits: of numbers, of problems, of simulation, of verbs, of files.
#[must_use]
pub fn limits() -> Vec<Limit> {
    let of_problems = PROBLEMS.iter().flat_map(|problem| problem.limits());
    let of_problems = of_problems.map(|&[what, largest, beyond]| limit(what, largest, beyond));
    NUMBERS.into_iter().chain(of_problems).chain(PROGRAM).collect()
}

const NUMBERS: [Limit; 2] = [
    limit("a number on the command line", "2^64 - 1; whole, underscores may group digits", "exit code 2; 3 in a file"),
    limit("a cost", "2^64 - 2^30 - 2", "`cost`: exit code 2; a row of a sweep: `failed`; never a wrapped number"),
];

const PROGRAM: [Limit; 22] = [
    limit(
        "simulation",
        "2^20 nodes and 10^8 hops by default, see `--simulate-up-to` and `--simulate-up-to-hops`",
        "no simulated cost; the answer says why",
    ),
    limit("simulation, with any options", "2^26 nodes", "no simulated cost; the answer says why"),
    limit("cost", "those of the problem", "exit code 2"),
    limit(
        "show",
        "1,024 nodes (gossip: n = 32), 64 if each has a column; 2^20 messages, each over one link; 10^8 operands",
        "exit code 2; `cost` takes larger points",
    ),
    limit("show --html", "256 nodes, 65,536 events, times up to 2^53 - 1", "exit code 2"),
    limit("best", "10,000 cases", "exit code 2"),
    limit("export goal", "2^26 nodes", "exit code 2"),
    limit("export trace, export csv, sensitivity", "those of simulation by default", "exit code 2"),
    limit("plan", "2^64 - 1 points; above ten million some counts are estimated from a sample", "exit code 3"),
    limit(
        "sweep, run",
        "`most_points` of the configuration, ten million by default",
        "exit code 3; the limit may be raised up to 2^64 - 1",
    ),
    limit("plan --shards, sweep --shard", "a million shards", "exit code 2"),
    limit(
        "--jobs, RAYON_NUM_THREADS",
        "1,024 threads",
        "exit code 2; a variable that is not a number is ignored: one thread per core",
    ),
    limit("names of grids, measurements, hosts and machines", "200 bytes", "exit code 3"),
    limit("latencies of pairs of a machine", "4,096 ranks, 65,536 different latencies", "exit code 3"),
    limit("a line of a CSV file", "1 MiB", "exit code 74"),
    limit(
        "a file that is read whole: a configuration, a profile, a manifest, a drawing",
        "256 MiB",
        "exit code 3; 74 for results",
    ),
    limit("a fraction in a file", "20,000 characters", "exit code 74"),
    limit("a line or statement of GOAL", "64 MiB", "exit code 3"),
    limit("a pipe or a device as input", "256 MiB", "exit code 3"),
    limit("values of an axis, listed one by one", "ten million; no limit for a range", "exit code 3"),
    limit(
        "grids",
        "20 million pairs of grids that may share points; 200,000 grids that share none are accepted",
        "exit code 3; use one grid with longer axes",
    ),
    limit("points of a [[measurement]] file", "10,000", "exit code 3"),
];
