//! The rows of a sweep: what CSV holds, missing is empty and never 0.

mod build;
mod columns;
pub mod findings;
pub mod manifest;
pub mod parquet;
mod pipelined;
pub mod results;
mod rows;
mod wormhole;

use algorithms::catalogue::{Entry, Neighbours, Problem};
use algorithms::cost::{Agreement, Evaluation, Limits, Simulated};
use serde::{Deserialize, Serialize};

use crate::grid::Cell;

pub use columns::{Kind, columns, columns_of, kind};
pub use pipelined::PipelinedRow;
pub use rows::{GossipRow, KPortRow, LogpRow, MeshRow, Row, SummationRow, WholeCosts, rounded};
pub use wormhole::WormholeRow;

/// How the evaluation of a point ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Evaluated; analytic and simulated agree where both are there.
    #[default]
    Ok,
    /// The values do not go together, as K = 64 destinations on an 8x8 mesh. The note says why. No failure.
    NotApplicable,
    /// The point could not be evaluated. The note says why.
    Failed,
    /// Analytic and simulated cost differ: a bug in castbench.
    Disagree,
}

/// The name of a problem's CSV file.
#[must_use]
pub fn file_name(problem: Problem) -> String {
    format!("{}.csv", problem.slug())
}

/// What became of a cell: its row, and the evaluation it was made from where there is one.
pub struct Outcome {
    /// The row.
    pub row: Row,
    /// How it ended.
    pub status: Status,
    /// The evaluation behind it.
    pub evaluation: Option<Evaluation>,
}

/// Evaluates one cell into its row; `neighbours` keeps what the next cells need not ask again.
#[must_use]
pub fn evaluate(entry: &Entry, cell: &Cell<'_>, limits: &Limits, neighbours: &mut Neighbours) -> Outcome {
    let without = |status, reason: String| {
        let row = build::row(entry, cell, status, None, Some(reason));
        Outcome { row, status, evaluation: None }
    };
    let point = match cell.point() {
        Ok(point) => point,
        Err(reason) => return without(Status::NotApplicable, reason.to_string()),
    };
    match entry.evaluate_near(&point, limits, neighbours) {
        // What the point's problem allows and this algorithm does not is no failure.
        Err(reason) => match entry.check(&point) {
            Err(reason) => without(Status::NotApplicable, reason.to_string()),
            Ok(()) => without(Status::Failed, reason.to_string()),
        },
        Ok(evaluation) => {
            Outcome { row: row(entry, cell, &evaluation), status: status(&evaluation), evaluation: Some(evaluation) }
        }
    }
}

/// Why a cost of this problem has no analytic value.
#[must_use]
pub fn unknown(problem: Problem) -> &'static str {
    match problem {
        Problem::WormholeMulticast => {
            "worms of several senders may meet, and for that there is no formula, only the simulation"
        }
        _ => "nobody knows the expectation here; the mean of the sampled multicasts is an estimate",
    }
}

/// The row of a cell that was evaluated.
#[must_use]
pub fn row(entry: &Entry, cell: &Cell<'_>, evaluation: &Evaluation) -> Row {
    let note = match &evaluation.simulated {
        Simulated::Skipped(reason) => Some(reason.clone()),
        _ => evaluation.analytic.is_none().then(|| unknown(entry.problem()).to_owned()),
    };
    build::row(entry, cell, status(evaluation), Some(evaluation), note)
}

fn status(evaluation: &Evaluation) -> Status {
    if evaluation.agreement() == Agreement::Differ { Status::Disagree } else { Status::Ok }
}
