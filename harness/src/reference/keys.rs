//! The keys of configurations, measurements and machine profiles.

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Kind;
use serde::Serialize;

/// A key and its values.
#[derive(Debug, Serialize)]
pub struct Key {
    /// As it is written.
    pub key: &'static str,
    /// The file, or the table in a file, that has it.
    pub table: &'static str,
    /// The meaning of its values.
    pub takes: String,
}

/// All keys, in the order of the files. The problems define those of the axes.
#[must_use]
pub fn keys() -> Vec<Key> {
    let plain = |table: &'static str, keys: &'static [(&'static str, &'static str)]| {
        keys.iter().map(move |(key, takes)| Key { key, table, takes: (*takes).to_owned() })
    };
    let [sweep @ .., last] = SWEEP;
    let sweep = sweep.into_iter().flat_map(|(table, keys)| plain(table, keys));
    let rest = std::iter::once(last).chain(OTHERS).flat_map(|(table, keys)| plain(table, keys));
    sweep.chain(axes()).chain(rest).collect()
}

fn axes() -> Vec<Key> {
    let mut found: Vec<(&'static str, &'static str, Option<u64>, Vec<&'static str>)> = Vec::new();
    for problem in PROBLEMS {
        for axis in problem.axes() {
            let key = if axis.kind == Kind::Profile { "machines" } else { axis.key };
            match found.iter_mut().find(|known| (known.0, known.1, known.2) == (key, axis.meaning, axis.default)) {
                Some(known) => known.3.push(problem.name()),
                None => found.push((key, axis.meaning, axis.default, vec![problem.name()])),
            }
        }
    }
    found.sort_by_key(|(key, ..)| PROBLEMS.iter().flat_map(|problem| problem.axes()).position(|axis| axis.key == *key));
    let told = found.into_iter().map(|(key, meaning, default, problems)| {
        let default = default.map_or_else(String::new, |value| format!("; {value} if left out"));
        Key { key, table: "[[grid]]", takes: format!("axis of {}: {meaning}{default}", problems.join(", ")) }
    });
    told.collect()
}

type Table = (&'static str, &'static [(&'static str, &'static str)]);

/// The tables of a sweep; the axes follow the last but one.
const SWEEP: [Table; 5] = [
    (
        "sweep",
        &[
            ("schema", "1, the version of this format"),
            ("seed", "seed of random multicasts; 1 if left out"),
            ("limits", "a table `[limits]`"),
            ("algorithm", "`[[algorithm]]`, once for each algorithm of your own"),
            ("grid", "`[[grid]]`, once for each grid"),
            ("figures", "`[[figures.KIND]]`, once for each figure"),
        ],
    ),
    (
        "[limits]",
        &[
            ("simulate_up_to_nodes", "a point with up to this many nodes or processors is simulated; 4096 if left out"),
            ("simulate_up_to_hops", "most hops, deliveries or additions of a simulation; 100,000,000 if left out"),
            ("most_points", "a sweep of more points is refused; 10,000,000 if left out"),
        ],
    ),
    (
        "[[algorithm]]",
        &[
            ("name", "a name that no other algorithm has"),
            ("problem", "the collective that it carries out"),
            ("plan", "a file beside the configuration, as `mine-{K}.json`: axes in braces"),
            ("command", "instead of `plan`: a program and its arguments, which answers points with plans"),
            ("seconds", "most time for an answer of the command; 10 if left out"),
            (
                "formula",
                "what you state of its cost, as `ceil(log2(K)) * (L + 2*o)`, which is compared with the execution",
            ),
        ],
    ),
    (
        "[[grid]]",
        &[
            ("name", "a name that no other grid has, for `--set GRID.AXIS=VALUES`"),
            ("algorithms", "names of `castbench list`; if left out, all whose axes the grid has"),
            ("without", "instead of `algorithms`: all but these"),
        ],
    ),
    (
        "[[figures.KIND]]",
        &[
            ("lines", "a KIND: costs or measured times against an axis, a line per algorithm, machine or axis value"),
            (
                "winners",
                "a KIND: which algorithm costs least, over two axes; keys x, y, algorithms, at; `log` has no effect",
            ),
            ("history", "a KIND: mean cost over lower bound at each `castbench regress accept`; no keys of its own"),
            ("measured", "former KIND, refused: use `lines` with `measurements`"),
            ("file", "file name of the figure, ending in .svg or .png"),
            ("title", "its title"),
            ("shows", "a sentence for the page of `castbench report`"),
            ("note", "first sentence of the caption"),
        ],
    ),
];

const OTHERS: [Table; 7] = [
    (
        "[[figures.lines]]",
        &[
            ("x", "the horizontal axis"),
            (
                "y",
                "`cost` (analytic, or simulated where there is no formula; if left out), `analytic`, `simulated`, `published`, `lower_bound`, `excess` (cost above the lower bound); `median` of measured times",
            ),
            ("over", "divisor of y: `lower_bound`, or the cost of an algorithm"),
            ("by", "one line for each: `algorithm` (if left out), `machine` or another axis"),
            ("algorithms", "algorithms to draw; the caption names the others of the same points"),
            ("at", "values of the other axes: `{ L = 6, o = 2 }`; an axis with a default may be left out"),
            ("log", "axes with a logarithmic scale: `[\"x\"]`, `[\"y\"]` or both"),
            ("free", "axes whose range each panel has for itself: `[\"x\"]`, `[\"y\"]` or both"),
            (
                "with",
                "drawn beside y: `lower_bound` as a line, `published` and `simulated` as points; `predicted` beside measured times",
            ),
            (
                "compare",
                "two algorithms: the caption states at how many values the first costs more, and whether the difference grows",
            ),
            (
                "measurements",
                "directory of measurements, beside the CSV files of the sweep; without it nothing is drawn",
            ),
            (
                "panels",
                "tables that differ in `algorithms`, `at`, `y`, `over`, `log`, `free` or `with`; the same scales where only `at` differs",
            ),
            ("heading", "of a panel: text above it; made of its own values if left out"),
            ("band", "of a panel: an area between the lines for two values of an axis"),
        ],
    ),
    (
        "value of an axis",
        &[
            ("18", "one value; also `1_000`, `10^6`"),
            ("8,12,18", "a list; in a configuration also `[8, 12, 18]`"),
            ("2..16", "every whole number; in a configuration also `{ from = 2, to = 16 }`"),
            (
                "0..60..4",
                "every fourth number: 0, 4, ..., 60; in a configuration also `{ from = 0, to = 60, step = 4 }`",
            ),
            (
                "2..4096..x2",
                "each twice the last; also `{ from = 2, to = 4096, factor = 2 }`. The factor need not be whole; values are rounded down. Ends may be texts: `{ from = \"8B\", to = \"1MiB\", factor = 2 }`",
            ),
            ("2..8,16..64..x2", "a list of such parts; each value once, in ascending order"),
            ("1KiB..64MiB..x2", "sizes in B, kB to EB, KiB to EiB; also `1.5MiB`"),
            ("50ps", "of c on a machine profile: a time per byte in fs, ps, ns, us, ms or s, a whole number of ps"),
            ("8x6", "a mesh of 8 columns and 6 rows; 8 for a square; ranges are of squares"),
        ],
    ),
    (
        "machine profile",
        &[
            ("schema", "1, the version of this format"),
            ("name", "name in tables, charts and files"),
            (
                "basis",
                "`measured`, `estimated` (if left out), or `unreliable`, which `calibrate` writes after a poor fit",
            ),
            ("L", "latency of the first byte, whole ns: `\"1.5us\"`"),
            ("o", "overhead of the first byte at either end, whole ns"),
            ("g", "gap between two short messages of one processor, whole ns"),
            ("G", "gap per further byte, whole fs: `\"1.11ps\"` is 900 GB/s"),
            ("O", "overhead per further byte at either end, whole fs; 0 if left out"),
            ("H", "time per further byte that a message is held on its way, whole fs; 0 if left out"),
            (
                "value, origin",
                "of L, o, g, G, O, H: `{ value = \"1.5us\", origin = \"half a round trip\" }`, or `{ ns = 1500, origin = ... }`, `{ ps_per_byte = 82, origin = ... }`",
            ),
            (
                "[valid]",
                "`bytes = [\"1B..4KiB\"]`, `within_percent = 10`: message sizes at which hop and gap match the \
                 measurement, and the largest error there; all sizes if left out",
            ),
        ],
    ),
    (
        "measurement",
        &[
            ("schema", "1, the version of this format"),
            ("seed", "seed of the order of the programs and of the bytes of the messages"),
            ("repetitions", "number of timed executions of each point"),
            ("warm_up", "number of executions before them that are not recorded"),
            ("time_limit_seconds", "time after which a silent rank counts as lost"),
            ("transport", "`tcp`, `emulated` or `mpi`"),
            ("tcp", "a table `[tcp]`"),
            ("emulated", "a table: `rate_mbit`, the rate of each link in Mbit/s; 100 if left out"),
            ("measurement", "`[[measurement]]`, once for each"),
        ],
    ),
    (
        "[tcp]",
        &[
            ("first_port", "rank r listens on this port + r; on any free one if left out"),
            ("hosts", "a list of `{ name = ..., address = ... }`; this host if left out"),
            ("launch", "command that starts a program on `{host}`; ssh if left out"),
            ("program", "path of castbench on the hosts"),
        ],
    ),
    (
        "[[measurement]]",
        &[
            ("name", "a name that no other has"),
            (
                "algorithms",
                "algorithms in which processors send messages; over MPI also `MPI_Bcast`, `MPI_Ibcast`, `MPI_Allreduce` and the other blocking collectives",
            ),
            ("K, k, m, root, P, operands, bytes, source", "axes, as in a grid"),
            (
                "machine",
                "profile that predicts the times; a problem without machines takes its L, o and g at this size",
            ),
            ("hosts", "number of hosts for the nodes; one per node if left out"),
            ("mapping", "`round-robin` (if left out) or `neighbours`"),
            ("hold_ps_per_byte", "relay delay: how long a node holds each further byte; 0 if left out"),
        ],
    ),
    (
        "axis of measurements, in a figure",
        &[
            ("measurement", "name of the [[measurement]]"),
            (
                "machine, bytes, hosts, mapping, hold_ps_per_byte",
                "for `x`, `by` and `at`; one host per node if `hosts` is not given",
            ),
        ],
    ),
];
