//! The limits of castbench and what happens beyond. The tests `limits` and those of each verb show them.

use crate::print::Column;
use algorithms::catalogue::PROBLEMS;

/// What is limited, the largest accepted value, and what happens beyond it.
pub type Limit = [&'static str; 3];

/// The columns of a limit.
#[must_use]
pub fn columns() -> Vec<Column<'static, Limit>> {
    type Of = Column<'static, Limit>;
    vec![
        Of::new("what", "what is limited", |limit| limit[0]),
        Of::new("largest", "the largest that is accepted", |limit| limit[1]),
        Of::new("beyond", "what happens beyond that", |limit| limit[2]),
    ]
}

/// All limits: of numbers, of problems, of simulation, of verbs, of files.
#[must_use]
pub fn limits() -> Vec<Limit> {
    let of_problems = PROBLEMS.iter().flat_map(|problem| problem.limits());
    NUMBERS.into_iter().chain(of_problems.copied()).chain(PROGRAM).collect()
}

const NUMBERS: [Limit; 2] = [
    ["a number on the command line", "2^64 - 1; whole, underscores may group digits", "exit code 2; 3 in a file"],
    ["a cost", "2^64 - 2^30 - 2", "`cost`: exit code 2; a row of a sweep: `failed`; never a wrapped number"],
];

const PROGRAM: [Limit; 22] = [
    [
        "simulation",
        "2^20 nodes and 10^8 hops by default, see `--simulate-up-to` and `--simulate-up-to-hops`",
        "no simulated cost; the answer says why",
    ],
    ["simulation, with any options", "2^26 nodes", "no simulated cost; the answer says why"],
    ["cost", "those of the problem", "exit code 2"],
    [
        "show",
        "1,024 nodes (gossip: n = 32), 64 if each has a column; 2^20 messages, each over one link; 10^8 operands",
        "exit code 2; `cost` takes larger points",
    ],
    ["show --html", "256 nodes, 65,536 events, times up to 2^53 - 1", "exit code 2"],
    ["best", "10,000 cases", "exit code 2"],
    ["export goal", "2^26 nodes", "exit code 2"],
    ["export trace, export csv, sensitivity", "those of simulation by default", "exit code 2"],
    ["plan", "2^64 - 1 points; above ten million some counts are estimated from a sample", "exit code 3"],
    [
        "sweep, run",
        "`most_points` of the configuration, ten million by default",
        "exit code 3; the limit may be raised up to 2^64 - 1",
    ],
    ["plan --shards, sweep --shard", "a million shards", "exit code 2"],
    [
        "--jobs, RAYON_NUM_THREADS",
        "1,024 threads",
        "exit code 2; a variable that is not a number is ignored: one thread per core",
    ],
    ["names of grids, measurements, hosts and machines", "200 bytes", "exit code 3"],
    ["latencies of pairs of a machine", "4,096 ranks, 65,536 different latencies", "exit code 3"],
    ["a line of a CSV file", "1 MiB", "exit code 74"],
    [
        "a file that is read whole: a configuration, a profile, a manifest, a drawing",
        "256 MiB",
        "exit code 3; 74 for results",
    ],
    ["a fraction in a file", "20,000 characters", "exit code 74"],
    ["a line or statement of GOAL", "64 MiB", "exit code 3"],
    ["a pipe or a device as input", "256 MiB", "exit code 3"],
    ["values of an axis, listed one by one", "ten million; no limit for a range", "exit code 3"],
    [
        "grids",
        "20 million pairs of grids that may share points; 200,000 grids that share none are accepted",
        "exit code 3; use one grid with longer axes",
    ],
    ["points of a [[measurement]] file", "10,000", "exit code 3"],
];
