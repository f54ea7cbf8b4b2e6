//! The rows of a sweep: what CSV holds. One row type a problem, units in the column names, exact values
//! as integers or `num/den`, missing is empty and never 0.

pub mod findings;
pub mod manifest;

use algorithms::catalogue::{Entry, Problem};
use algorithms::cost::{Agreement, Evaluation, Exact, Limits, Simulated};
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

use crate::grid::Cell;
use crate::machine::Basis;

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

/// A row of `logp-multicast.csv`.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogpRow {
    /// Name in the catalogue.
    pub algorithm: String,
    /// Machine profile that gave L, o and g, if one did.
    pub machine: Option<String>,
    /// Whether that profile is `measured` or `estimated`.
    pub machine_basis: Option<Basis>,
    /// Message size on that machine.
    pub message_bytes: Option<u64>,
    /// What one unit of the columns `*_time` is: `ns` on a machine profile, else `unit`, the model's own.
    pub time_unit: String,
    /// Latency.
    pub L_time: Option<u64>,
    /// Overhead.
    pub o_time: Option<u64>,
    /// Gap.
    pub g_time: Option<u64>,
    /// Nodes, the source included.
    pub K_nodes: u64,
    /// Position of the source.
    pub source_position: u64,
    /// How the evaluation ended.
    pub status: Status,
    /// The optimal tree.
    pub lower_bound_time: Option<u64>,
    /// The paper's headline figure.
    pub published_time: Option<u128>,
    /// How the paper relates the cost to that figure: `=`, `<=`, `<` or `>=`.
    pub published_relation: Option<String>,
    /// Whether it does.
    pub published_holds: Option<bool>,
    /// The exact cost.
    pub analytic_time: Option<u64>,
    /// The executed cost.
    pub simulated_time: Option<u64>,
    /// Why something is missing.
    pub note: Option<String>,
}

/// A row of `mesh-multicast.csv`.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeshRow {
    /// Name in the catalogue.
    pub algorithm: String,
    /// Columns of the mesh.
    pub mesh_width_nodes: u64,
    /// Rows of the mesh.
    pub mesh_height_nodes: u64,
    /// Destinations, without the source.
    pub K_destinations: u64,
    /// Random multicasts simulated.
    pub trials: u64,
    /// Seed they were drawn with.
    pub seed: u64,
    /// How the evaluation ended.
    pub status: Status,
    /// Fewest links any multicast needs on average, or fewer.
    pub lower_bound_links: Option<String>,
    /// The paper's figure; none of this problem's papers gives one.
    pub published_links: Option<String>,
    /// The exact expectation.
    pub analytic_links: Option<String>,
    /// The exact mean of the simulated multicasts.
    pub simulated_links: Option<String>,
    /// The lower bound, rounded.
    pub lower_bound_links_f64: Option<f64>,
    /// The expectation, rounded.
    pub analytic_links_f64: Option<f64>,
    /// The simulated mean, rounded.
    pub simulated_links_f64: Option<f64>,
    /// Its standard error, rounded.
    pub simulated_standard_error_links_f64: Option<f64>,
    /// Why something is missing.
    pub note: Option<String>,
}

/// A row of any problem.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// Of `logp-multicast.csv`.
    Logp(LogpRow),
    /// Of `mesh-multicast.csv`.
    Mesh(MeshRow),
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
    match problem {
        Problem::LogpMulticast => columns_of(&LogpRow::default()),
        Problem::MeshMulticast => columns_of(&MeshRow::default()),
    }
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
    match *cell {
        Cell::Logp { machine, parameters, K, source } => {
            let parameters = match machine {
                None => Some(parameters),
                Some((machine, bytes)) => {
                    machine.parameters().at(bytes).ok().map(|model| (model.L(), model.o(), model.g()))
                }
            };
            let point = LogpRow {
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
                note,
                ..LogpRow::default()
            };
            Row::Logp(match evaluation {
                Some(evaluation) => point.with(evaluation),
                None => point,
            })
        }
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
    }
}

impl LogpRow {
    /// The row of a point with the costs found there.
    fn with(self, evaluation: &Evaluation) -> Self {
        let integer = |exact: &Exact| match exact {
            Exact::Integer(value) => Some(*value),
            Exact::Rational(_) => None,
        };
        let analytic = integer(&evaluation.analytic);
        let claim = evaluation.published.first();
        Self {
            lower_bound_time: integer(&evaluation.lower_bound),
            published_time: claim.map(|claim| claim.value),
            published_relation: claim.map(|claim| claim.relation.symbol().to_owned()),
            published_holds: claim.zip(analytic).map(|(claim, cost)| claim.relation.holds(cost, claim.value)),
            analytic_time: analytic,
            simulated_time: match evaluation.simulated {
                Simulated::Exact(cost) => Some(cost),
                _ => None,
            },
            ..self
        }
    }
}

impl MeshRow {
    /// The row of a point with the costs found there.
    fn with(self, evaluation: &Evaluation) -> Self {
        let sample = match &evaluation.simulated {
            Simulated::Mean(sample) => Some(sample),
            _ => None,
        };
        let mean = sample.map(|sample| Exact::from(sample.mean()));
        let squared_error = sample.and_then(|sample| sample.squared_standard_error()?.to_f64());
        Self {
            lower_bound_links: Some(evaluation.lower_bound.to_string()),
            published_links: evaluation.published.first().map(|claim| claim.value.to_string()),
            analytic_links: Some(evaluation.analytic.to_string()),
            simulated_links: mean.as_ref().map(Exact::to_string),
            lower_bound_links_f64: rounded(&evaluation.lower_bound),
            analytic_links_f64: rounded(&evaluation.analytic),
            simulated_links_f64: mean.as_ref().and_then(rounded),
            simulated_standard_error_links_f64: squared_error.map(f64::sqrt),
            ..self
        }
    }
}

/// The nearest float, for drawing and for people.
#[must_use]
pub fn rounded(exact: &Exact) -> Option<f64> {
    exact.to_rational().to_f64()
}
