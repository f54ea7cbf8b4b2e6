//! The rows of a sweep: what CSV holds, missing is empty and never 0.

pub mod findings;
pub mod manifest;
mod rows;

use algorithms::catalogue::{Entry, Problem};
use algorithms::cost::{Agreement, Evaluation, Limits, Simulated};
use algorithms::error::Error;
use serde::{Deserialize, Serialize};

use crate::grid::Cell;
use rows::Whole;

pub use rows::{GossipRow, KPortRow, LogpRow, MeshRow, Row, SummationRow, WholeCosts, rounded};

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

/// The header of a problem's CSV file.
///
/// # Errors
/// Those of the CSV library.
pub fn columns(problem: Problem) -> Result<Vec<String>, csv::Error> {
    columns_of(&Row::empty(problem))
}

/// The header that serialising this row would write: a file without rows has one, too.
///
/// # Errors
/// Those of the CSV library.
pub fn columns_of<T: Serialize>(row: &T) -> Result<Vec<String>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.serialize(row)?;
    let text = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    Ok(reader.headers()?.iter().map(str::to_owned).collect())
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

/// Evaluates one cell into its row.
#[must_use]
pub fn evaluate(entry: &Entry, cell: &Cell<'_>, limits: &Limits) -> Outcome {
    let without = |status, reason: String| {
        let row = row_with(entry, cell, status, None, Some(reason));
        Outcome { row, status, evaluation: None }
    };
    let point = match cell.point() {
        Ok(point) => point,
        Err(reason) => return without(Status::NotApplicable, reason.to_string()),
    };
    match entry.evaluate(&point, limits) {
        // What the point's problem allows and this algorithm does not.
        Err(reason @ Error::Parameter { .. }) => without(Status::NotApplicable, reason.to_string()),
        Err(reason) => without(Status::Failed, reason.to_string()),
        Ok(evaluation) => {
            Outcome { row: row(entry, cell, &evaluation), status: status(&evaluation), evaluation: Some(evaluation) }
        }
    }
}

/// The row of a cell that was evaluated.
#[must_use]
pub fn row(entry: &Entry, cell: &Cell<'_>, evaluation: &Evaluation) -> Row {
    let note = match &evaluation.simulated {
        Simulated::Skipped(reason) => Some(reason.clone()),
        _ => None,
    };
    row_with(entry, cell, status(evaluation), Some(evaluation), note)
}

fn status(evaluation: &Evaluation) -> Status {
    if evaluation.agreement() == Agreement::Differ { Status::Disagree } else { Status::Ok }
}

fn row_with(
    entry: &Entry,
    cell: &Cell<'_>,
    status: Status,
    evaluation: Option<&Evaluation>,
    note: Option<String>,
) -> Row {
    let algorithm = entry.name.to_owned();
    let whole = evaluation.map(Whole::of).unwrap_or_default();
    match *cell {
        Cell::Logp { machine, parameters, K, source } => {
            let parameters = match machine {
                None => Some(parameters),
                Some((machine, bytes)) => {
                    machine.parameters().at(bytes).ok().map(|model| (model.L(), model.o(), model.g()))
                }
            };
            Row::Logp(LogpRow {
                algorithm,
                machine: machine.map(|(machine, _)| machine.name.clone()),
                machine_basis: machine.map(|(machine, _)| machine.basis),
                message_bytes: machine.map(|(_, bytes)| bytes),
                time_unit: if machine.is_some() { "ns" } else { "unit" }.to_owned(),
                L_time: parameters.map(|parameters| parameters.0),
                o_time: parameters.map(|parameters| parameters.1),
                g_time: parameters.map(|parameters| parameters.2),
                K_nodes: K,
                source_position: source,
                status,
                lower_bound_time: whole.lower_bound,
                published_time: whole.published,
                published_relation: whole.relation,
                published_holds: whole.holds,
                analytic_time: whole.analytic,
                simulated_time: whole.simulated,
                note,
            })
        }
        Cell::Summation { parameters: (L, o, g), P, operands } => Row::Summation(SummationRow {
            algorithm,
            L_time: L,
            o_time: o,
            g_time: g,
            P_processors: P,
            N_operands: operands,
            status,
            lower_bound_time: whole.lower_bound,
            published_time: whole.published,
            published_relation: whole.relation,
            published_holds: whole.holds,
            analytic_time: whole.analytic,
            simulated_time: whole.simulated,
            note,
        }),
        Cell::Mesh { sides: (w, h), K, sampling } => {
            let point = MeshRow {
                algorithm,
                mesh_width_nodes: w,
                mesh_height_nodes: h,
                K_destinations: K,
                trials: sampling.trials,
                seed: sampling.seed,
                status,
                note,
                ..MeshRow::default()
            };
            Row::Mesh(match evaluation {
                Some(evaluation) => point.with(evaluation),
                None => point,
            })
        }
        Cell::Gossip { n } => Row::Gossip(GossipRow {
            algorithm,
            n_side_nodes: n,
            status,
            lower_bound_steps: whole.lower_bound,
            published_steps: whole.published,
            published_relation: whole.relation,
            published_holds: whole.holds,
            analytic_steps: whole.analytic,
            simulated_steps: whole.simulated,
            note,
        }),
        Cell::KPort { n, k, m } => Row::KPort(KPortRow {
            algorithm,
            n_nodes: n,
            k_ports: k,
            m_messages: m,
            status,
            lower_bound_rounds: whole.lower_bound,
            published_rounds: whole.published,
            published_relation: whole.relation,
            published_holds: whole.holds,
            analytic_rounds: whole.analytic,
            simulated_rounds: whole.simulated,
            note,
        }),
    }
}
