//! The columns of every CSV file and every CSV answer of castbench.

use super::super::{audit, best, coverage, hosts, import, plan, regress, sensitivity};
use super::{columns_of_algorithms, columns_of_machines};
use crate::print::Column;
use crate::record::row;
use crate::reference::{keys, libraries, limits};
use algorithms::catalogue::PROBLEMS;
use algorithms::cost::Unit;
use algorithms::problem::{AnyProblem, Kind};

/// A column, the problems with it or the file or verb that prints it, and what it holds.
pub(super) type Described = (String, String, String);

pub(super) fn columns() -> Vec<Column<'static, Described>> {
    type Of = Column<'static, Described>;
    vec![
        Of::new("column", "name of a column", |row| row.0.clone()).code(),
        Of::new("in", "problems, file or verb that have it", |row| row.1.clone()),
        Of::new("holds", "meaning of its values", |row| row.2.clone()),
    ]
}

/// All columns: rows of a sweep, other files, answers.
pub(super) fn all() -> Vec<Described> {
    let described = |column: &str, place: &str, holds: &str| (column.to_owned(), place.to_owned(), holds.to_owned());
    let files =
        FILES.iter().flat_map(|(place, columns)| columns.iter().map(|(column, holds)| described(column, place, holds)));
    let mut all: Vec<Described> = rows().into_iter().chain(files).collect();
    fn add<R>(all: &mut Vec<Described>, place: &str, columns: &[Column<'_, R>]) {
        let told = columns.iter().filter(|column| column.is_data() && !column.holds.is_empty());
        all.extend(told.map(|column| (column.name.to_string(), place.to_owned(), column.holds.to_owned())));
    }
    let lists = "list --columns, --keys, --limits, --verbs";
    add(&mut all, "audit", &audit::columns());
    let best = best::columns(true, Some("library"), Unit::Time);
    add(&mut all, "best; before these the axes, as in the rows of a sweep", &best);
    add(&mut all, "plan", &plan::columns());
    add(&mut all, "plan --shards", &plan::columns_of_shards());
    add(&mut all, "sensitivity; before these the point and its cost", &sensitivity::columns());
    add(&mut all, "import goal", &import::columns("time units"));
    add(&mut all, "hosts status", &hosts::columns());
    add(&mut all, "regress, compare", &regress::columns());
    add(&mut all, "list", &columns_of_algorithms());
    add(&mut all, "list --libraries", &libraries::columns());
    add(&mut all, "list --machines", &columns_of_machines());
    add(&mut all, lists, &columns());
    add(&mut all, lists, &keys::columns());
    add(&mut all, lists, &limits::columns());
    add(&mut all, lists, &coverage::columns());
    all
}

/// The columns of the rows of all problems; equal ones appear once.
fn rows() -> Vec<Described> {
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
        (column.to_owned(), place, holds)
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

const FILES: [Table; 7] = [
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
            ("model_ns", "prediction of the machine profile under LogP"),
            ("link_sharing_ns", "the same with the nodes of a host sharing its link; trees only"),
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
];
