//! The row type of multicasts with wormhole switching.

use std::borrow::Cow;

use algorithms::catalogue::Axis;
use algorithms::cost::{Evaluation, Exact, Simulated};
use serde::{Deserialize, Serialize};

use super::{Status, rounded};

/// A row of `wormhole-multicast.csv`. Times are means over the draws, exact.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct WormholeRow {
    /// Name in the catalogue.
    pub algorithm: Cow<'static, str>,
    /// Columns of the mesh.
    pub mesh_width_nodes: u64,
    /// Rows of the mesh.
    pub mesh_height_nodes: u64,
    /// Destinations of a multicast, without its source.
    pub K_destinations: u64,
    /// Worms that a node sends at most at once.
    pub k_ports: u64,
    /// Multicasts that begin at once.
    pub m_messages: u64,
    /// Startup.
    pub startup_time: u64,
    /// A hop of the header.
    pub hop_time: u64,
    /// A further flit.
    pub flit_time: u64,
    /// Length of a message behind its header.
    pub message_flits: u64,
    /// How many times the multicasts were drawn: the cost is the mean over just these.
    pub draws: u64,
    /// Seed they were drawn with.
    pub draw_seed: u64,
    /// How the evaluation ended.
    pub status: Status,
    /// The farthest destination, reached undisturbed.
    pub lower_bound_time: Option<String>,
    /// The paper's figure; none of this problem's papers gives one.
    pub published_time: Option<String>,
    /// By formula, where one multicast runs alone.
    pub analytic_time: Option<String>,
    /// Simulated.
    pub simulated_time: Option<String>,
    /// The lower bound, rounded.
    pub lower_bound_time_f64: Option<f64>,
    /// The time by formula, rounded.
    pub analytic_time_f64: Option<f64>,
    /// The simulated time, rounded.
    pub simulated_time_f64: Option<f64>,
    /// Why something is missing.
    pub note: Option<String>,
}

impl WormholeRow {
    /// The row of a point with the costs found there.
    pub(super) fn with(self, evaluation: &Evaluation) -> Self {
        let simulated = match &evaluation.simulated {
            Simulated::ExactMean(mean) => Some(mean),
            _ => None,
        };
        Self {
            lower_bound_time: Some(evaluation.lower_bound.to_string()),
            published_time: evaluation.headline().map(|claim| claim.value.to_string()),
            analytic_time: evaluation.analytic.as_ref().map(Exact::to_string),
            simulated_time: simulated.map(Exact::to_string),
            lower_bound_time_f64: rounded(&evaluation.lower_bound),
            analytic_time_f64: evaluation.analytic.as_ref().and_then(rounded),
            simulated_time_f64: simulated.and_then(rounded),
            ..self
        }
    }

    /// The value on an axis, where the problem has it.
    #[must_use]
    pub fn value(&self, axis: Axis) -> Option<u64> {
        Some(match axis {
            Axis::N => self.mesh_width_nodes,
            Axis::K => self.K_destinations,
            Axis::Ports => self.k_ports,
            Axis::M => self.m_messages,
            Axis::Startup => self.startup_time,
            Axis::Hop => self.hop_time,
            Axis::Flit => self.flit_time,
            Axis::Flits => self.message_flits,
            Axis::L | Axis::O | Axis::G | Axis::P | Axis::Operands => return None,
        })
    }
}
