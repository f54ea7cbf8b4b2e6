//! The columns of every CSV file and every CSV answer of castbench.

use super::super::{
    audit, best, bound, cost, coverage, fit, generate, hosts, predict, read, regress, rules, score,
    sweep, trace_mpi, tune,
};
use super::{columns_of_algorithms, columns_of_machines, keys, known, limits};
use crate::base::units::together;
use crate::draw::trace;
use crate::measured::profile;
use crate::print::column::Tabled;
use crate::print::{Column, Columns, Format};
use crate::record::findings::Finding;
use crate::record::history::HistoryRow;
use crate::record::measurement::{ExecutionRow, NodeRow, SummaryRow};
use crate::record::on_network::OnNetwork;
use crate::record::row::{self, ALGORITHM};
use crate::rules::Decision;
use algorithms::catalogue::PROBLEMS;
use algorithms::cost::Unit;

/// A column, the problems with it or the file or verb that prints it, and what it holds.
pub(super) type Described = (String, String, String);

pub(super) fn columns() -> Columns<'static, Described> {
    Columns::<Described>::empty()
        .column("column", "name of a column", |row| row.0.clone())
        .code()
        .column("in", "problems, file or verb that have it", |row| {
            row.1.clone()
        })
        .column("holds", "meaning of its values", |row| row.2.clone())
}

/// All columns: rows of a sweep, other files, answers.
pub(super) fn all() -> Vec<Described> {
    let mut all: Vec<Described> = rows().chain(files()).collect();
    fn add<R>(all: &mut Vec<Described>, owner: &str, columns: &[Column<'_, R>]) {
        let columns = described(columns);
        all.extend(columns.map(|(name, holds)| (name, owner.to_owned(), holds)));
    }
    add(&mut all, "export csv", &trace::EventRow::columns());
    let lists = "list --columns, --keys, --limits, --verbs";
    add(&mut all, "audit", &audit::columns());
    let best = best::columns::columns(true, Some("library"), Unit::Time);
    add(
        &mut all,
        "best; before these the axes, as in the rows of a sweep",
        &best,
    );
    add(
        &mut all,
        "best --explain",
        &best::explained::columns(true, Unit::Time),
    );
    add(&mut all, "best --along", &best::along::columns("K"));
    add(&mut all, "sweep --dry-run", &sweep::plan::columns());
    add(
        &mut all,
        "sweep --dry-run --shards",
        &sweep::plan::columns_of_shards(),
    );
    add(
        &mut all,
        "cost --slopes; before these the point and its cost",
        &cost::slopes::columns(),
    );
    add(
        &mut all,
        "cost --network, sweep with networks; before these the row of a sweep",
        &OnNetwork::columns(),
    );
    add(&mut all, "bound", &bound::columns(Format::Json));
    add(&mut all, "bound --algorithms", &bound::compared::columns());
    add(&mut all, "generate", &generate::columns());
    add(&mut all, "cost --ends", &cost::ends::columns("time units"));
    add(&mut all, "read", &read::columns());
    add(&mut all, "rules check", &rules::columns());
    add(
        &mut all,
        "rules check --measured",
        &rules::measured::columns(),
    );
    add(
        &mut all,
        "rules check without a question",
        &rules::lint_columns(),
    );
    add(&mut all, "trace-mpi", &trace_mpi::PairCount::columns());
    add(&mut all, "fit", &fit::columns());
    add(
        &mut all,
        "predict",
        &predict::columns(false, predict::INTERVAL),
    );
    add(
        &mut all,
        "score; a JSON object for each three of one kind",
        &score::columns(Format::Csv),
    );
    add(&mut all, "tune", &tune::columns());
    add(&mut all, "hosts status", &hosts::columns());
    add(&mut all, "regress", &regress::columns());
    add(&mut all, "list", &columns_of_algorithms());
    add(&mut all, "list --libraries", &known::columns());
    add(&mut all, "list --machines", &columns_of_machines());
    add(&mut all, lists, &columns());
    add(&mut all, lists, &keys::columns());
    add(&mut all, lists, &limits::columns());
    add(&mut all, lists, &coverage::columns());
    all
}

/// The names of columns, and what they hold.
fn described<R>(columns: &[Column<'_, R>]) -> impl Iterator<Item = (String, String)> {
    columns
        .iter()
        .filter(|column| column.is_data() && !column.holds.is_empty())
        .map(|column| (column.name.to_string(), column.holds.to_string()))
}

/// The columns of other files; equal ones of several files appear once.
fn files() -> impl Iterator<Item = Described> {
    fn of<T: Tabled>(file: &'static str) -> Vec<((String, String), &'static str)> {
        let columns = T::columns();
        // It is described with the rows of a sweep.
        described(&columns)
            .filter(|column| column.0 != ALGORITHM)
            .map(|column| (column, file))
            .collect()
    }
    let all = [
        of::<Finding>("findings.csv"),
        of::<HistoryRow>("history.csv"),
        of::<ExecutionRow>("measurements.csv"),
        of::<NodeRow>("nodes.csv"),
        of::<SummaryRow>("summary.csv"),
        of::<profile::SizeRow>("the CSV of calibrate"),
        of::<Decision>("best --format rules"),
        of::<tune::Measured>("measured.csv of tune"),
    ];
    together(all.into_iter().flatten())
        .into_iter()
        .map(|((column, holds), files)| (column, files.join(", "), holds))
}

/// The columns of the rows of all problems; equal ones appear once.
fn rows() -> impl Iterator<Item = Described> {
    together(PROBLEMS.iter().flat_map(|problem| {
        let name = problem.name;
        row::columns(problem)
            .into_iter()
            .map(move |column| ((column.name, column.holds), name))
    }))
    .into_iter()
    .map(|((column, holds), problems)| {
        let owner = if problems.len() == PROBLEMS.len() {
            "all problems".to_owned()
        } else {
            problems.join(", ")
        };
        (column.into_owned(), owner, holds.into_owned())
    })
}
