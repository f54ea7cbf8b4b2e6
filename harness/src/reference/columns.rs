//! The columns of every CSV file and every CSV answer of castbench.

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::{AnyProblem, Kind};
use serde::Serialize;

use crate::record::row;

/// A column and its meaning.
#[derive(Debug, Serialize)]
pub struct Column {
    /// Its name.
    pub column: &'static str,
    /// The problems with this column, or the file or verb that prints it.
    #[serde(rename = "in")]
    pub place: String,
    /// Its meaning.
    pub holds: String,
}

/// All columns: rows of a sweep, other files, answers.
#[must_use]
pub fn columns() -> Vec<Column> {
    let others = OTHERS.iter().flat_map(|(place, columns)| {
        columns.iter().map(|(column, holds)| Column { column, place: (*place).to_owned(), holds: (*holds).to_owned() })
    });
    rows().into_iter().chain(others).collect()
}

/// The columns of the rows of all problems; equal ones appear once.
fn rows() -> Vec<Column> {
    let mut rows: Vec<(&str, String, Vec<&str>)> = Vec::new();
    let mut add = |column: &'static str, holds: String, problem: &'static str| match rows
        .iter_mut()
        .find(|row| (row.0, &row.1) == (column, &holds))
    {
        Some(row) => row.2.push(problem),
        None => rows.push((column, holds, vec![problem])),
    };
    for problem in PROBLEMS {
        add(row::ALGORITHM, "name in the catalogue".to_owned(), problem.name());
        for axis in problem.axes() {
            for (place, column) in axis.columns.iter().enumerate() {
                let holds = match (axis.kind, place) {
                    (Kind::Profile, 0) => "name of the machine profile".to_owned(),
                    (Kind::Profile, _) => "whether that profile is `measured`, `estimated` or `unreliable`".to_owned(),
                    (Kind::Sides, 0) => "columns of the mesh".to_owned(),
                    (Kind::Sides, _) => "rows of the mesh".to_owned(),
                    _ if is_implied(*problem, axis.key) => {
                        format!("{}; on a machine profile {}(s) in ns, {}", axis.meaning, axis.key, size(*problem))
                    }
                    _ => axis.meaning.to_owned(),
                };
                add(column, holds, problem.name());
            }
        }
    }
    for (column, holds) in row::TAIL {
        PROBLEMS.iter().for_each(|problem| add(column, holds.to_owned(), problem.name()));
    }
    let merged = |(column, holds, problems): (&'static str, String, Vec<&str>)| {
        let place = if problems.len() == PROBLEMS.len() { "all problems".to_owned() } else { problems.join(", ") };
        Column { column, place, holds }
    };
    rows.into_iter().map(merged).collect()
}

/// Whether a machine profile determines this axis: L, o or g.
fn is_implied(problem: &dyn AnyProblem, key: &str) -> bool {
    ["L", "o", "g"].contains(&key) && problem.axes().iter().any(|axis| axis.kind == Kind::Profile)
}

/// The size s of the message whose times the rows on a machine profile have.
fn size(problem: &dyn AnyProblem) -> &'static str {
    let has_bytes = problem.axes().iter().any(|axis| axis.kind == Kind::Bytes);
    if has_bytes { "s = `message_bytes`, whatever the sizes of its parts" } else { "s = 1 byte" }
}

type Table = (&'static str, &'static [(&'static str, &'static str)]);

const OTHERS: [Table; 17] = [
    (
        "findings.csv",
        &[
            ("published", "equation or theorem"),
            ("formula", "as the paper prints it"),
            ("relation", "relation of the cost to it in the paper"),
            ("points_checked", "number of checked points"),
            ("points_failed", "number of points at which it fails"),
            ("first_counterexample", "the first of these, as options of `castbench cost`"),
        ],
    ),
    (
        "history.csv",
        &[
            ("date", "day of the acceptance, UTC"),
            ("revision", "git revision"),
            ("reason", "why the costs were accepted"),
            ("algorithm_revision", "revision that the algorithm declares"),
            ("points", "points with a cost"),
            ("points_changed", "points whose cost changed"),
            ("points_better", "points whose cost fell"),
            ("points_worse", "points whose cost rose"),
            ("sum_over_bound_f64", "sum over the points of cost over lower bound, rounded"),
            ("worst_over_bound_f64", "the largest of these ratios, rounded"),
            ("worst_point", "the point with that ratio"),
        ],
    ),
    (
        "measurements.csv, nodes.csv, summary.csv",
        &[
            ("number", "place of the execution in the random order"),
            ("measurement", "`name` of a [[measurement]]"),
            ("transport", "`tcp`, `emulated` or `mpi`"),
            ("K", "nodes, the source included"),
            ("source", "position of the source; empty if the algorithm has none"),
            ("bytes", "length of the message"),
            ("axes", "values of further axes, as `k=1 m=16`; the column is missing if no point has any"),
            ("hosts", "number of hosts"),
            ("mapping", "`round-robin`, `neighbours`, `block`, `list` of a machine, or `launched` by MPI's launcher"),
            ("hold_ps_per_byte", "relay delay, ps per further byte"),
            ("repetition", "repetition of this point, from 1"),
        ],
    ),
    (
        "measurements.csv",
        &[
            ("completion_ns", "from the start of the first node that begins until the last node is done"),
            ("clock_error_ns", "largest error of the hosts' clocks"),
        ],
    ),
    (
        "nodes.csv",
        &[
            ("node", "position of the node"),
            ("host", "its host"),
            ("sender", "node that sent all its messages"),
            ("received_ns", "when its last byte arrived"),
            ("held_ns", "when its relay delay and its last computation ended"),
            ("sent_ns", "when the last send was acknowledged"),
        ],
    ),
    (
        "summary.csv",
        &[
            ("repetitions", "number of completion times"),
            ("median_ns", "their median"),
            ("low_ns", "lower end of the interval for the true median"),
            ("high_ns", "upper end of that interval"),
            ("coverage_f64", "probability that the interval contains the true median, rounded"),
            ("least_ns", "least time"),
            ("greatest_ns", "greatest time"),
            ("model_ns", "prediction of the machine profile, with its levels, under LogP"),
            (
                "link_sharing_ns",
                "the same with the nodes of a host sharing its link; only of trees, on a profile without levels",
            ),
        ],
    ),
    (
        "audit",
        &[
            ("id", "name of the claim"),
            ("paper", "paper of the claim"),
            ("place", "where in the paper"),
            ("statement", "the statement"),
            ("verdict", "`holds`, `fails` or `not decided`"),
            ("points", "number of points that it covers"),
            ("failures", "number of points at which it fails"),
            ("counterexample", "the first of these, and a command that shows it"),
            ("note", "why it fails, what holds instead, the grid"),
        ],
    ),
    (
        "best; before these the axes, as in the rows of a sweep",
        &[
            ("algorithm", "the best algorithm"),
            ("m_segments", "number of segments of the message"),
            ("piece", "size of a segment"),
            ("unit", "unit of the costs"),
            ("cost", "analytic cost of the best algorithm"),
            ("executed", "whether it was also simulated"),
            ("lower_bound", "lower bound for any algorithm, with the compared segments"),
            ("runner_up", "the next best algorithm"),
            ("runner_up_m_segments", "number of its segments"),
            ("runner_up_piece", "size of its segments"),
            ("runner_up_cost", "its cost"),
            ("runner_up_over_best_f64", "the least cost of its cuts over that of the best, rounded"),
            ("tied", "other algorithms whose least cost is within the error of the profile, or --within with --only"),
            ("library", "MPI library that has a function for the problem"),
            ("function", "the function of the library"),
            ("library_runs", "what the library runs by default, by its own name"),
            ("library_algorithm", "default choice of that library"),
            ("library_cost", "its cost"),
            ("library_over_best_f64", "its cost over the least cost of the best, rounded"),
        ],
    ),
    (
        "list",
        &[
            ("algorithm", "name of the algorithm"),
            ("problem", "name of the problem"),
            ("axes", "axes that it reads"),
            ("summary", "what it does"),
            ("paper", "source"),
            ("place", "where in the source"),
            ("libraries", "the same in Open MPI and MPICH: function, number, name"),
        ],
    ),
    (
        "list --libraries",
        &[
            ("algorithm", "name of the algorithm"),
            ("library", "MPI library and version"),
            ("function", "MPI function"),
            ("variable", "control variable that chooses the algorithm"),
            ("number", "its value"),
            ("name", "name in the library"),
            ("messages", "`equal`, or how the messages differ"),
            (
                "order",
                "known differences of the order and the concurrency of messages, which the test does not compare",
            ),
        ],
    ),
    (
        "list --machines",
        &[
            ("machine", "name of the profile"),
            ("basis", "`measured`, `estimated` or `unreliable`"),
            ("symbol", "L, o, g, G, O or H"),
            ("value", "with its unit"),
            ("origin", "where the number comes from"),
            ("valid", "sizes of messages at which the profile matches a measurement; empty if it states none"),
            ("within_percent", "largest error at these sizes"),
        ],
    ),
    (
        "list --columns, --keys, --limits, --verbs",
        &[
            ("column", "name of a column"),
            ("in", "problems, file or verb that have it"),
            ("holds", "meaning of its values"),
            ("key", "key of a file"),
            ("table", "file, or table in a file, that has the key"),
            ("takes", "meaning of its values"),
            ("what", "what is limited"),
            ("largest", "the largest that is accepted"),
            ("beyond", "what happens beyond that"),
            ("verb", "name of a verb"),
            ("why_not", "why it does not support the problem; empty if it does"),
        ],
    ),
    (
        "plan",
        &[
            ("grid", "name of the grid"),
            ("not_applicable", "points that the algorithm refuses"),
            ("simulated", "points that are also simulated"),
            ("in_earlier_grid", "points that an earlier grid has"),
            ("exact", "whether the counts are exact; if not, they are estimated from a sample"),
            ("work", "approximate work, in units of a point that is not simulated"),
            ("estimated_csv_bytes", "size of the rows on disk"),
        ],
    ),
    (
        "plan --shards",
        &[
            ("shard", "number of the shard"),
            ("of", "number of shards"),
            (
                "points",
                "number of its \
            points",
            ),
        ],
    ),
    (
        "sensitivity; before these the point",
        &[
            ("cost", "cost at the point"),
            ("parameter", "L, o, g; on a machine profile also G, O and H in ps per byte"),
            ("value", "its value at the point"),
            ("slope_below", "growth of the cost per unit, below the value"),
            ("slope_above", "growth of the cost per unit, above the value"),
            ("down_to", "value down to which that slope holds"),
            ("down_to_is", "what that value is: `breakpoint`, `zero`, `no end` or `search ended`"),
            ("up_to", "value up to which that slope holds"),
            ("up_to_is", "what that value is: `breakpoint`, `zero`, `no end` or `search ended`"),
        ],
    ),
    (
        "export csv",
        &[
            ("start", "begin of the event: time, ns, steps, rounds; hops where links are counted"),
            ("end", "end of the event"),
            ("node", "its node"),
            (
                "what",
                "`compute`, `send`, `receive`, `cross` (a message holds a link), `send-gap`, `receive-gap` (a port takes no other message)",
            ),
            ("port", "cpu or port"),
            ("peer", "other node of the message, or end of the link"),
            ("message", "number of the message"),
            ("item", "what it carries: a segment, a message of the problem, a round"),
            ("class", "network of a path, or kind of addition"),
        ],
    ),
    ("import goal", &[("rank", "a processor"), ("end_time_units", "when it is done")]),
];
