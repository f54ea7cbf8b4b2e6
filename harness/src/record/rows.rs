//! The row types, one a problem: units in the column names, exact values as integers or `num/den`.

use std::borrow::Cow;

use algorithms::catalogue::{Axis, Problem};
use algorithms::cost::{Evaluation, Exact, Simulated};
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

use super::{PipelinedRow, Status, WormholeRow};
use crate::machine::Basis;

/// A row of `logp-multicast.csv`.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogpRow {
    /// Name in the catalogue.
    pub algorithm: Cow<'static, str>,
    /// Machine profile that gave L, o and g, if one did.
    pub machine: Option<String>,
    /// Whether that profile is `measured` or `estimated`.
    pub machine_basis: Option<Basis>,
    /// Message size on that machine.
    pub message_bytes: Option<u64>,
    /// What one unit of the columns `*_time` is: `ns` on a machine profile, else `unit`, the model's own.
    pub time_unit: Cow<'static, str>,
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
    pub published_relation: Option<Cow<'static, str>>,
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
    pub algorithm: Cow<'static, str>,
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
    /// The exact expectation, where it is known.
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

/// A row of `logp-summation.csv`.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummationRow {
    /// Name in the catalogue.
    pub algorithm: Cow<'static, str>,
    /// Latency; the unit of all times is that of an addition.
    pub L_time: u64,
    /// Overhead.
    pub o_time: u64,
    /// Gap.
    pub g_time: u64,
    /// Processors.
    pub P_processors: u64,
    /// Numbers to be summed, the N of the papers.
    pub N_operands: u64,
    /// How the evaluation ended.
    pub status: Status,
    /// The optimal summation.
    pub lower_bound_time: Option<u64>,
    /// The paper's headline figure.
    pub published_time: Option<u128>,
    /// How the paper relates the cost to that figure: `=`, `<=`, `<` or `>=`.
    pub published_relation: Option<Cow<'static, str>>,
    /// Whether it does.
    pub published_holds: Option<bool>,
    /// The exact cost.
    pub analytic_time: Option<u64>,
    /// The executed cost.
    pub simulated_time: Option<u64>,
    /// Why something is missing.
    pub note: Option<String>,
}

/// A row of `mesh-gossip.csv`.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct GossipRow {
    /// Name in the catalogue.
    pub algorithm: Cow<'static, str>,
    /// Side of the mesh.
    pub n_side_nodes: u64,
    /// How the evaluation ended.
    pub status: Status,
    /// Deliveries over links: a whole number for every n from 2 on.
    pub lower_bound_steps: Option<u64>,
    /// The paper's headline figure.
    pub published_steps: Option<u128>,
    /// How the paper relates the cost to that figure: `=`, `<=`, `<` or `>=`.
    pub published_relation: Option<Cow<'static, str>>,
    /// Whether it does.
    pub published_holds: Option<bool>,
    /// The exact cost.
    pub analytic_steps: Option<u64>,
    /// The executed cost.
    pub simulated_steps: Option<u64>,
    /// Why something is missing.
    pub note: Option<String>,
}

/// A row of `k-port-broadcast.csv`.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct KPortRow {
    /// Name in the catalogue.
    pub algorithm: Cow<'static, str>,
    /// Nodes, the source included.
    pub n_nodes: u64,
    /// Messages a node sends at most, and receives at most, in a round.
    pub k_ports: u64,
    /// Messages.
    pub m_messages: u64,
    /// How the evaluation ended.
    pub status: Status,
    /// Fewest rounds that can carry all deliveries.
    pub lower_bound_rounds: Option<u64>,
    /// The paper's headline figure.
    pub published_rounds: Option<u128>,
    /// How the paper relates the cost to that figure: `=`, `<=`, `<` or `>=`.
    pub published_relation: Option<Cow<'static, str>>,
    /// Whether it does.
    pub published_holds: Option<bool>,
    /// The exact cost.
    pub analytic_rounds: Option<u64>,
    /// The executed cost.
    pub simulated_rounds: Option<u64>,
    /// Why something is missing.
    pub note: Option<String>,
}

/// A row of any problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Row {
    /// Of `logp-multicast.csv`.
    Logp(LogpRow),
    /// Of `logp-summation.csv`.
    Summation(SummationRow),
    /// Of `mesh-multicast.csv`.
    Mesh(MeshRow),
    /// Of `mesh-gossip.csv`.
    Gossip(GossipRow),
    /// Of `k-port-broadcast.csv`.
    KPort(KPortRow),
    /// Of `pipelined-broadcast.csv`.
    Pipelined(PipelinedRow),
    /// Of `wormhole-multicast.csv`.
    Wormhole(WormholeRow),
}

impl Row {
    /// A row without values, whose columns are those of the problem's file.
    #[must_use]
    pub fn empty(problem: Problem) -> Self {
        match problem {
            Problem::LogpMulticast => Self::Logp(LogpRow::default()),
            Problem::LogpSummation => Self::Summation(SummationRow::default()),
            Problem::MeshMulticast => Self::Mesh(MeshRow::default()),
            Problem::MeshGossip => Self::Gossip(GossipRow::default()),
            Problem::KPortBroadcast => Self::KPort(KPortRow::default()),
            Problem::PipelinedBroadcast => Self::Pipelined(PipelinedRow::default()),
            Problem::WormholeMulticast => Self::Wormhole(WormholeRow::default()),
        }
    }

    /// The algorithm's name in the catalogue.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        match self {
            Self::Logp(row) => &row.algorithm,
            Self::Summation(row) => &row.algorithm,
            Self::Mesh(row) => &row.algorithm,
            Self::Gossip(row) => &row.algorithm,
            Self::KPort(row) => &row.algorithm,
            Self::Pipelined(row) => &row.algorithm,
            Self::Wormhole(row) => &row.algorithm,
        }
    }

    /// How the evaluation ended.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::Logp(row) => row.status,
            Self::Summation(row) => row.status,
            Self::Mesh(row) => row.status,
            Self::Gossip(row) => row.status,
            Self::KPort(row) => row.status,
            Self::Pipelined(row) => row.status,
            Self::Wormhole(row) => row.status,
        }
    }

    /// Whether the cost was executed, too.
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        match self {
            Self::Logp(row) => row.simulated_time.is_some(),
            Self::Summation(row) => row.simulated_time.is_some(),
            Self::Mesh(row) => row.simulated_links.is_some(),
            Self::Gossip(row) => row.simulated_steps.is_some(),
            Self::KPort(row) => row.simulated_rounds.is_some(),
            Self::Pipelined(row) => row.simulated_time.is_some(),
            Self::Wormhole(row) => row.simulated_time.is_some(),
        }
    }

    /// Why something is missing.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::Logp(row) => row.note.as_deref(),
            Self::Summation(row) => row.note.as_deref(),
            Self::Mesh(row) => row.note.as_deref(),
            Self::Gossip(row) => row.note.as_deref(),
            Self::KPort(row) => row.note.as_deref(),
            Self::Pipelined(row) => row.note.as_deref(),
            Self::Wormhole(row) => row.note.as_deref(),
        }
    }

    /// The value on an axis, where the problem has it.
    #[must_use]
    pub fn value(&self, axis: Axis) -> Option<u64> {
        match (self, axis) {
            (Self::Logp(row), Axis::L) => row.L_time,
            (Self::Logp(row), Axis::O) => row.o_time,
            (Self::Logp(row), Axis::G) => row.g_time,
            (Self::Logp(row), Axis::K) => Some(row.K_nodes),
            (Self::Summation(row), Axis::L) => Some(row.L_time),
            (Self::Summation(row), Axis::O) => Some(row.o_time),
            (Self::Summation(row), Axis::G) => Some(row.g_time),
            (Self::Summation(row), Axis::P) => Some(row.P_processors),
            (Self::Summation(row), Axis::Operands) => Some(row.N_operands),
            (Self::Mesh(row), Axis::N) => Some(row.mesh_width_nodes),
            (Self::Mesh(row), Axis::K) => Some(row.K_destinations),
            (Self::Gossip(row), Axis::N) => Some(row.n_side_nodes),
            (Self::KPort(row), Axis::N) => Some(row.n_nodes),
            (Self::KPort(row), Axis::Ports) => Some(row.k_ports),
            (Self::KPort(row), Axis::M) => Some(row.m_messages),
            (Self::Pipelined(row), Axis::L) => row.L_time,
            (Self::Pipelined(row), Axis::O) => row.o_time,
            (Self::Pipelined(row), Axis::G) => row.g_time,
            (Self::Pipelined(row), Axis::K) => Some(row.K_nodes),
            (Self::Pipelined(row), Axis::N) => row.n_words,
            (Self::Pipelined(row), Axis::Ports) => Some(row.k_ports),
            (Self::Pipelined(row), Axis::M) => Some(row.m_segments),
            (Self::Wormhole(row), axis) => row.value(axis),
            _ => None,
        }
    }

    /// What the row says of the cost, where costs are whole numbers.
    #[must_use]
    pub fn costs(&self) -> Option<WholeCosts<'_>> {
        let (lower_bound, published, relation, analytic) = match self {
            Self::Logp(row) => (row.lower_bound_time, row.published_time, &row.published_relation, row.analytic_time),
            Self::Summation(row) => {
                (row.lower_bound_time, row.published_time, &row.published_relation, row.analytic_time)
            }
            Self::Gossip(row) => {
                (row.lower_bound_steps, row.published_steps, &row.published_relation, row.analytic_steps)
            }
            Self::KPort(row) => {
                (row.lower_bound_rounds, row.published_rounds, &row.published_relation, row.analytic_rounds)
            }
            Self::Pipelined(row) => {
                (row.lower_bound_time, row.published_time, &row.published_relation, row.analytic_time)
            }
            Self::Mesh(_) | Self::Wormhole(_) => return None,
        };
        let published = published.zip(relation.as_deref());
        Some(WholeCosts { lower_bound: lower_bound?, published, analytic: analytic? })
    }
}

/// What a row says of a cost that is a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WholeCosts<'a> {
    /// No algorithm can cost less.
    pub lower_bound: u64,
    /// The paper's headline figure, if it gives one, and how it relates the cost to it.
    pub published: Option<(u128, &'a str)>,
    /// The exact cost.
    pub analytic: u64,
}

impl MeshRow {
    /// The row of a point with the costs found there.
    pub(super) fn with(self, evaluation: &Evaluation) -> Self {
        let sample = match &evaluation.simulated {
            Simulated::Mean(sample) => Some(sample),
            _ => None,
        };
        let mean = sample.map(|sample| Exact::from(sample.mean()));
        let squared_error = sample.and_then(|sample| sample.squared_standard_error()?.to_f64());
        Self {
            lower_bound_links: Some(evaluation.lower_bound.to_string()),
            published_links: evaluation.headline().map(|claim| claim.value.to_string()),
            analytic_links: evaluation.analytic.as_ref().map(Exact::to_string),
            simulated_links: mean.as_ref().map(Exact::to_string),
            lower_bound_links_f64: rounded(&evaluation.lower_bound),
            analytic_links_f64: evaluation.analytic.as_ref().and_then(rounded),
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
