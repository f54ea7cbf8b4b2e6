//! What castbench promises, whatever it reads.

use algorithms::catalogue::{Entry, Neighbours, Point};
use algorithms::cost::{Agreement, Evaluation, Exact, Limits, Simulated};
use algorithms::error::Error;
use algorithms::mesh::wormhole;
use harness::failure::{Code, Failure};
use harness::grid::Cell;
use harness::record::{self, Status};

/// How far points are simulated: a few milliseconds each.
pub const LIMITS: Limits = Limits { nodes: 300, hops: 20_000 };

/// Longest refusal, in bytes: all that castbench knows may be listed, of what it was given only the beginning.
const MAX_TOLD: usize = 20_000;

/// A refusal has one of these codes, says something, and says where, if there is a place to name.
pub fn refused(failure: &Failure, codes: &[Code], places: &[&str]) {
    let told = failure.explanation();
    assert!(codes.contains(&failure.code), "exit code {:?}: {told}", failure.code);
    assert!(!told.trim().is_empty(), "a refusal that says nothing, exit code {:?}", failure.code);
    assert!(told.len() <= MAX_TOLD, "a refusal of {} bytes: {told}", told.len());
    assert!(places.is_empty() || places.iter().any(|place| told.contains(place)), "a refusal without a place: {told}");
}

/// What must not be refused.
pub fn kept<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|failure| panic!("exit code {:?}: {}", failure.code, failure.explanation()))
}

/// Analytic and simulated cost agree, and neither is below the lower bound.
fn sound(entry: &Entry, point: &Point, evaluation: &Evaluation) {
    assert_ne!(evaluation.agreement(), Agreement::Differ, "{} at {point:?}: {evaluation:?}", entry.name);
    let bound = evaluation.lower_bound.to_rational();
    let simulated = match &evaluation.simulated {
        Simulated::Exact(cost) => Some(Exact::Integer(*cost)),
        Simulated::ExactMean(mean) => Some(mean.clone()),
        // A sample may lie below an expectation.
        Simulated::Mean(_) | Simulated::Skipped(_) => None,
    };
    for cost in evaluation.analytic.iter().chain(&simulated) {
        assert!(cost.to_rational() >= bound, "{} at {point:?} is below its bound: {evaluation:?}", entry.name);
    }
}

/// Most nodes of a mesh whose exact expectations take milliseconds.
const MAX_NODES: u64 = 400;
/// Most draws of a node on a mesh.
const MAX_DRAWN: u64 = 20_000;

/// Whether a mesh is of those that castbench takes and that take it long.
pub fn is_large(sides: (u64, u64)) -> bool {
    (MAX_NODES + 1..=1 << 14).contains(&sides.0.saturating_mul(sides.1))
}

/// Most parts of a tree that an analytic cost looks at, some milliseconds; castbench refuses more than a million.
const MAX_STEPS: usize = 1 << 12;

/// Whether the analytic cost alone takes long.
fn takes_long(entry: &Entry, cell: &Cell<'_>) -> bool {
    if cell.point().is_ok_and(|point| entry.steps(&point, MAX_STEPS) == MAX_STEPS) {
        return true;
    }
    match *cell {
        Cell::Mesh { sides, .. } => is_large(sides),
        Cell::Wormhole(cell) => {
            let drawn = cell.sampling.trials.saturating_mul(cell.m).saturating_mul(cell.K.saturating_add(1));
            is_large(cell.sides) || (MAX_DRAWN..=wormhole::MAX_DRAWN).contains(&drawn)
        }
        _ => false,
    }
}

/// Evaluates a cell as a sweep does, if it does not take long; its row says what it is, and is sound.
pub fn row(entry: &Entry, cell: &Cell<'_>, limits: &Limits) {
    if takes_long(entry, cell) {
        return;
    }
    let outcome = record::evaluate(entry, cell, limits, &mut Neighbours::default());
    match outcome.status {
        Status::Ok => {
            if let (Some(evaluation), Ok(point)) = (&outcome.evaluation, cell.point()) {
                sound(entry, &point, evaluation);
            }
        }
        Status::NotApplicable | Status::Failed => {
            let note = outcome.row.note().unwrap_or_default();
            assert!(!note.is_empty(), "{} at {cell:?}: no reason", entry.name);
            // All that may fail is a cost that does not fit.
            let overflow = Error::Overflow.to_string();
            assert!(outcome.status == Status::NotApplicable || note == overflow, "{} at {cell:?}: {note}", entry.name);
        }
        Status::Disagree => panic!("{} at {cell:?}: analytic and simulated cost differ", entry.name),
    }
}
