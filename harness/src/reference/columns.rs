//! The columns of every CSV file that castbench writes, and of every answer in CSV.

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Kind;
use serde::Serialize;

use crate::record::row;

/// A column, and what it holds.
#[derive(Debug, Serialize)]
pub struct Column {
    /// Its name.
    pub column: &'static str,
    /// The problems whose rows have it, or the file or verb that prints it.
    #[serde(rename = "in")]
    pub place: String,
    /// What its values are.
    pub holds: String,
}

/// All columns: first those of the rows of a sweep, then those of the other files, then those of answers.
#[must_use]
pub fn columns() -> Vec<Column> {
    let others = OTHERS.iter().flat_map(|(place, columns)| {
        columns.iter().map(|(column, holds)| Column { column, place: (*place).to_owned(), holds: (*holds).to_owned() })
    });
    rows().into_iter().chain(others).collect()
}

/// The columns of the rows of all problems, those of the same name and meaning once.
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

/// Columns of a file or an answer, each with what it holds.
type Table = (&'static str, &'static [(&'static str, &'static str)]);

const OTHERS: [Table; 17] = [
    (
        "findings.csv",
        &[
            ("published", "equation or theorem"),
            ("formula", "as the paper prints it"),
            ("relation", "how the paper relates the cost to it"),
            ("points_checked", "points at which it was checked"),
            ("points_failed", "points at which it does not hold"),
            ("first_counterexample", "the first of these, in options of `castbench cost`"),
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
            ("worst_point", "where it is"),
        ],
    ),
    (
        "measurements.csv, nodes.csv, summary.csv",
        &[
            ("number", "place of the execution in the random order"),
            ("measurement", "`name` of a [[measurement]]"),
            ("transport", "`tcp`, `emulated` or `mpi`"),
            ("K", "nodes, the source included"),
            ("source", "position of the source; empty where the algorithm has none"),
            ("bytes", "length of the message"),
            ("axes", "values of further axes, as `k=1 m=16`; the column is missing where no point has any"),
            ("hosts", "hosts that the nodes were placed on"),
            ("mapping", "`round-robin`, `neighbours`, or `launched` by MPI's launcher"),
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
            ("host", "host that it ran on"),
            ("sender", "node that sent it all its messages"),
            ("received_ns", "when the last byte was there"),
            ("held_ns", "when the relay delay and the last computation were over"),
            ("sent_ns", "when the last send was acknowledged"),
        ],
    ),
    (
        "summary.csv",
        &[
            ("repetitions", "how many completion times there are"),
            ("median_ns", "their median"),
            ("low_ns", "lower end of the interval for the true median"),
            ("high_ns", "upper end of that interval"),
            ("coverage_f64", "probability that the interval holds the true median, rounded"),
            ("least_ns", "least time"),
            ("greatest_ns", "greatest time"),
            ("model_ns", "what the machine profile predicts under LogP"),
            ("link_sharing_ns", "what it predicts where nodes of one host share its link; trees only"),
        ],
    ),
    (
        "audit",
        &[
            ("id", "name of the claim"),
            ("paper", "paper of the claim"),
            ("place", "where in the paper"),
            ("statement", "what it says"),
            ("verdict", "`holds`, `fails` or `not decided`"),
            ("points", "points that it speaks of"),
            ("failures", "points at which it fails"),
            ("counterexample", "the first of these, and a command that shows it"),
            ("note", "why it fails, what holds instead, the grid"),
        ],
    ),
    (
        "best; before these the axes, as in the rows of a sweep",
        &[
            ("algorithm", "the best algorithm"),
            ("m_segments", "number of segments it cuts the message into"),
            ("piece", "size of a segment"),
            ("unit", "what costs are counted in"),
            ("cost", "analytic cost of the best algorithm"),
            ("executed", "whether it was simulated, too"),
            ("lower_bound", "what no algorithm beats with a cut that was compared"),
            ("runner_up", "the next other algorithm"),
            ("runner_up_m_segments", "number of its segments"),
            ("runner_up_piece", "size of its segments"),
            ("runner_up_cost", "its cost"),
            ("runner_up_over_best_f64", "its cost over that of the best, rounded"),
            ("library", "MPI library that has a function for the problem"),
            ("library_algorithm", "what that library takes by default"),
            ("library_cost", "its cost"),
            ("library_over_best_f64", "its cost over that of the best, rounded"),
        ],
    ),
    (
        "excess; the axis of --by stands first",
        &[
            ("k", "the value of the axis of --by"),
            ("points", "points with that value"),
            ("at_bound", "points at which the best algorithm costs as much as the lower bound"),
            ("above_by_1", "points at which it costs one more"),
            ("above_by_more", "points at which it costs more than that"),
            ("worst_gap", "the largest difference"),
            ("worst_n", "n of the first point that has it"),
            ("worst_m", "m of that point"),
            ("best", "at how many points each algorithm is among the best, as `name:points`"),
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
        ],
    ),
    (
        "list --columns, --keys, --limits, --verbs",
        &[
            ("column", "name of a column"),
            ("in", "problems, file or verb that have it"),
            ("holds", "what its values are"),
            ("key", "key of a file"),
            ("table", "file, or table in a file, that has the key"),
            ("takes", "what its values mean"),
            ("what", "what is limited"),
            ("largest", "the largest that is accepted"),
            ("beyond", "what happens beyond"),
            ("verb", "name of a verb"),
            ("why_not", "why it does not answer for the problem; empty where it does"),
        ],
    ),
    (
        "plan",
        &[
            ("grid", "name of the grid"),
            ("not_applicable", "points that the algorithm refuses"),
            ("simulated", "points that are simulated, too"),
            ("in_earlier_grid", "points that an earlier grid has already"),
            ("exact", "whether these are counted; else they are estimated from a sample"),
            ("work", "about how long the points take, in points that are not simulated"),
            ("estimated_csv_bytes", "size of the rows on disk"),
        ],
    ),
    ("plan --shards", &[("shard", "number of the shard"), ("of", "number of shards"), ("points", "its points")]),
    (
        "sensitivity; before these the point",
        &[
            ("cost", "cost at the point"),
            ("parameter", "L, o, g; on a machine profile also G, O and H in ps per byte"),
            ("value", "its value at the point"),
            ("slope_below", "growth of the cost per unit, below the value"),
            ("slope_above", "growth of the cost per unit, above the value"),
            ("down_to", "value down to which that slope holds"),
            ("down_to_is", "whether that end is known"),
            ("up_to", "value up to which that slope holds"),
            ("up_to_is", "whether that end is known"),
        ],
    ),
    (
        "export csv",
        &[
            ("start", "begin of the event: time, ns, steps, rounds; hops where links are counted"),
            ("end", "end of the event"),
            ("node", "where it happens"),
            (
                "what",
                "`compute`, `send`, `receive`, `cross` (a message holds a link), `send-gap`, `receive-gap` (a port takes no other message)",
            ),
            ("port", "cpu or port"),
            ("peer", "other node of the message, or end of the link"),
            ("message", "number of the message"),
            ("item", "what it carries: a segment, a message of the problem, a round"),
            ("class", "network that a path uses, or what is added"),
        ],
    ),
    ("import goal", &[("rank", "a processor"), ("end_time_units", "when it is done")]),
];
