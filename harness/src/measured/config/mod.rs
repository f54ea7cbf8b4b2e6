//! The configuration of `castbench measure`: what is measured, how often, and over which transport.
//!
//! `wire` holds what the TOML says, [`Config`] what the program uses: checked, with defaults filled in.

mod wire;

use algorithms::logp::multicast::Multicast;
use algorithms::problem::Listed;
use measure::hosts::Mapping;
use measure::multicast::Library;
use measure::settings::Settings;
use serde::Serialize;

use crate::machine::Machine;

/// Most nodes of a multicast that is measured: each is a process.
pub const MAX_NODES: u64 = 250;
/// Longest message that is measured.
pub const MAX_BYTES: u64 = 1 << 30;
/// Most points of a configuration: of each its tree is kept, some kilobytes.
pub const MAX_POINTS: u64 = 10_000;

/// A checked configuration.
#[derive(Debug, Clone, Serialize)]
pub struct Config {
    /// The file it came from.
    #[serde(skip)]
    pub name: String,
    /// How it is measured.
    #[serde(flatten)]
    pub settings: Settings,
    /// What is measured.
    pub measurements: Vec<Measurement>,
}

/// What carries out a multicast.
#[derive(Debug, Clone, Copy)]
pub enum Algorithm {
    /// A tree of the catalogue: its schedule, message by message.
    Tree(&'static Listed<dyn Multicast>),
    /// The MPI library itself.
    Library(Library),
}

impl Algorithm {
    /// Its name in configurations and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree(entry) => entry.name,
            Self::Library(library) => library.name(),
        }
    }
}

/// Algorithms over a grid of sizes.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// Its name.
    pub name: String,
    /// Trees, in the order of the catalogue; then what the library brings.
    #[serde(serialize_with = "names")]
    pub algorithms: Vec<Algorithm>,
    /// Numbers of nodes, the source included.
    pub K: Vec<u32>,
    /// Message sizes.
    pub bytes: Vec<u64>,
    /// Whose L, o, g and G the trees are made for, and predict the times.
    pub machine: Machine,
    /// Position of the source, from 1.
    pub source: u32,
    /// Hosts that ranks are placed on; as many as there are, where none are named.
    pub hosts: Option<u32>,
    /// How they are placed.
    pub mappings: Vec<Mapping>,
    /// How long a receiver holds each further byte of a message, ps: the relay delays.
    #[serde(rename = "hold_ps_per_byte")]
    pub holds: Vec<u64>,
}

impl Measurement {
    /// How many points it has at most: of two ways to place ranks that come to the same only one is measured.
    #[must_use]
    pub fn points(&self) -> u64 {
        let Self { algorithms, K, bytes, mappings, holds, .. } = self;
        let lengths = [K.len(), bytes.len(), mappings.len(), holds.len()];
        lengths.into_iter().fold(algorithms.len() as u64, |points, length| points.saturating_mul(length as u64))
    }
}

fn names<S: serde::Serializer>(algorithms: &[Algorithm], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(algorithms.iter().map(|algorithm| algorithm.name()))
}
