//! The promises of castbench for any input.

use algorithms::cost::{Agreement, Evaluation, Exact, Limits, Simulated};
use algorithms::internals::mesh::wormhole;
use algorithms::problem::{Kind, Refused, Sides};
use castbench::base::failure::{Code, Failure};
use castbench::print::column;
use castbench::record::Status;
use castbench::record::row::{self, Row, RowReader};
use castbench::space::Cell;

/// The limits of simulation: a few milliseconds per point.
pub const LIMITS: Limits = Limits {
    nodes: 300,
    hops: 20_000,
};

/// The longest refusal in bytes. It may list everything that castbench knows, but only the beginning of the input.
const MAX_MESSAGE: usize = 20_000;

/// A refusal has one of these codes, a message, and a location if there is one.
pub fn refused(failure: &Failure, codes: &[Code], locations: &[&str]) {
    let explanation = failure.explanation();
    assert!(
        codes.contains(&failure.code),
        "exit code {:?}: {explanation}",
        failure.code
    );
    assert!(
        !explanation.trim().is_empty(),
        "a refusal that says nothing, exit code {:?}",
        failure.code
    );
    assert!(
        explanation.len() <= MAX_MESSAGE,
        "a refusal of {} bytes: {explanation}",
        explanation.len()
    );
    assert!(
        locations.is_empty()
            || locations
                .iter()
                .any(|location| explanation.contains(location)),
        "a refusal without a location: {explanation}"
    );
}

/// Unwraps a result that must not be a refusal.
pub fn kept<T>(result: Result<T, impl Into<Failure>>) -> T {
    result
        .map_err(Into::into)
        .unwrap_or_else(|failure| panic!("exit code {:?}: {}", failure.code, failure.explanation()))
}

/// Analytic and simulated cost agree, and neither is below the lower bound.
fn sound(cell: &Cell<'_>, evaluation: &Evaluation) {
    assert!(
        !matches!(
            evaluation.agreement(),
            Agreement::Differ | Agreement::BelowBound
        ),
        "{}: {evaluation:?}",
        cell.command()
    );
    let bound = evaluation.lower_bound.to_rational();
    let simulated = match &evaluation.simulated {
        Simulated::Exact(cost) | Simulated::Unjudged(cost, _) => Some(Exact::Integer(*cost)),
        Simulated::ExactMean(mean) => Some(mean.clone()),
        // A sample may be below an expectation.
        Simulated::Mean(_) | Simulated::Skipped(_) => None,
    };
    for cost in evaluation.analytic.iter().chain(&simulated) {
        assert!(
            cost.to_rational() >= bound,
            "{} is below its bound: {evaluation:?}",
            cell.command()
        );
    }
}

/// The largest mesh whose exact expectations take milliseconds.
const MAX_NODES: u64 = 400;
/// The most draws of a node on a mesh.
const MAX_DRAWN: u64 = 20_000;

/// Whether castbench accepts a mesh, but takes long for it.
pub fn is_large(sides: Sides) -> bool {
    (MAX_NODES + 1..=1 << 14).contains(&sides.w.saturating_mul(sides.h))
}

/// The most parts of a tree for an analytic cost, some milliseconds; castbench refuses more than a million.
const MAX_STEPS: usize = 1 << 12;

/// Whether the analytic cost alone takes long.
fn takes_long(cell: &Cell<'_>) -> bool {
    let mut axes = cell.entry.axes().iter().zip(cell.values.iter().copied());
    let is_large = axes.any(|(axis, value)| {
        axis.kind == Kind::Sides && value.map(Sides::from_value).is_some_and(is_large)
    });
    is_large
        || (MAX_DRAWN..=wormhole::MAX_DRAWN).contains(&drawn(cell))
        || cell
            .bind()
            .is_ok_and(|instance| instance.steps(MAX_STEPS) == MAX_STEPS)
}

/// The number of nodes drawn for the analytic cost; none if draws only sample it.
fn drawn(cell: &Cell<'_>) -> u64 {
    let decides = cell
        .entry
        .axes()
        .iter()
        .any(|axis| axis.key == "trials" && !axis.samples);
    let [trials, m, K] = ["trials", "m", "K"].map(|key| cell.value(key).unwrap_or(0));
    if decides {
        trials.saturating_mul(m).saturating_mul(K.saturating_add(1))
    } else {
        0
    }
}

/// Evaluates a cell as a sweep does, unless that takes long. Its row identifies it and is sound.
pub fn row(cell: &Cell<'_>, limits: &Limits) {
    if takes_long(cell) {
        return;
    }
    let result = cell.evaluate(limits);
    match &result {
        Ok(evaluation) => sound(cell, evaluation),
        Err(refused) => {
            // Only a cost beyond 64 bits may fail.
            let is_overflow = matches!(refused, Refused::Overflow);
            assert!(
                refused.is_not_applicable() || is_overflow,
                "{}: {refused}",
                cell.command()
            );
            assert!(
                !refused.to_string().is_empty(),
                "{}: no reason",
                cell.command()
            );
        }
    }
    explanation(cell, &result);
}

/// The row of a cell is read back unchanged.
fn explanation(cell: &Cell<'_>, result: &Result<Evaluation, Refused>) {
    let problem = cell.entry.problem();
    let text = column::csv(&row::columns(problem), [Row::from_result(cell, result)]);
    let text = kept(text);
    let mut file = csv::Reader::from_reader(text.as_slice());
    let header = file.headers().cloned().unwrap_or_default();
    let mut records = file.into_records();
    let (Some(Ok(record)), None) = (records.next(), records.next()) else {
        panic!("no row: {}", cell.command())
    };
    let read = RowReader::new(problem, &header)
        .unwrap_or_else(|column| panic!("no column {column}"))
        .read(&record, |_| true);
    let row = read.unwrap_or_else(|reason| panic!("{}: {reason}", cell.command()));
    let row = row.unwrap_or_else(|| panic!("{}: no row", cell.command()));
    assert_eq!(
        (row.algorithm.as_str(), row.status),
        (cell.entry.name, Status::from_result(result))
    );
    assert_eq!(
        row.machine(),
        cell.machine().map(|machine| machine.name.as_str())
    );
    let resolved = cell.resolved();
    for ((axis, read), value) in cell
        .entry
        .axes()
        .iter()
        .zip(row.values.iter())
        .zip(resolved.iter())
    {
        assert!(
            axis.kind == Kind::Profile || read == value,
            "{}: {} is {read:?}",
            cell.command(),
            axis.key
        );
    }
    match result {
        Ok(evaluation) => {
            assert_eq!(row.lower_bound.as_ref(), Some(&evaluation.lower_bound));
            assert_eq!(
                (row.analytic, row.simulated),
                (evaluation.analytic.clone(), evaluation.simulated.cost())
            );
        }
        Err(refused) => assert_eq!((row.note, row.lower_bound), (refused.to_string(), None)),
    }
}
