//! The row of a broadcast in segments.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Status;
use crate::machine::Basis;

/// A row of `pipelined-broadcast.csv`.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct PipelinedRow {
    /// Name in the catalogue.
    pub algorithm: Cow<'static, str>,
    /// Machine profile that gave the cost of a message by its bytes, if one did.
    pub machine: Option<String>,
    /// Whether that profile is `measured` or `estimated`.
    pub machine_basis: Option<Basis>,
    /// Size of the message on that machine.
    pub message_bytes: Option<u64>,
    /// What one unit of the columns `*_time` is: `ns` on a machine profile, else `unit`, the model's own.
    pub time_unit: Cow<'static, str>,
    /// Latency of a word; on a machine profile all three depend on the segment.
    pub L_time: Option<u64>,
    /// Overhead of a word.
    pub o_time: Option<u64>,
    /// Gap between words.
    pub g_time: Option<u64>,
    /// Nodes, the source included.
    pub K_nodes: u64,
    /// Words of the message where no machine counts its bytes.
    pub n_words: Option<u64>,
    /// How many sends of a node run at once.
    pub k_ports: u64,
    /// Into how many segments the message is cut, at most.
    pub m_segments: u64,
    /// How the evaluation ended.
    pub status: Status,
    /// What no broadcast can beat, however it cuts the message.
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
