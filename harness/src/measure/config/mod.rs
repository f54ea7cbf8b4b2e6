//! The configuration of `castbench measure`: what is measured, how often, and over which transport.
//!
//! `wire` holds what the TOML says, [`Config`] what the program uses: checked, with defaults filled in.

mod wire;

use std::path::Path;
use std::time::Duration;

use algorithms::catalogue::Entry;
use serde::Serialize;

use super::emulated::Shape;
use super::hosts::{Host, Mapping};
use crate::config::diagnostics::Source;
use crate::failure::Failure;
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
    /// Decides the order of the multicasts and the bytes of the messages.
    pub seed: u64,
    /// How often each point is measured, warm-up not counted.
    pub repetitions: u32,
    /// How often each point is tried before that.
    pub warm_up: u32,
    /// How long one rank waits for another.
    #[serde(rename = "time_limit_seconds", serialize_with = "seconds")]
    pub limit: Duration,
    /// How the messages travel.
    pub transport: Transport,
    /// What is measured.
    pub measurements: Vec<Measurement>,
}

fn seconds<S: serde::Serializer>(limit: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(limit.as_secs())
}

/// How messages travel between ranks.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Transport {
    /// TCP between processes of this host.
    Loopback {
        /// Rank r listens on this port + r; on any that is free, where it is none.
        first_port: Option<u16>,
    },
    /// TCP between the hosts of a list.
    Hosts {
        /// The hosts.
        hosts: Vec<Host>,
        /// Rank r listens on this port + r; on any that is free, where it is none.
        first_port: Option<u16>,
    },
    /// TCP between network namespaces of this host, joined by a switch of a given rate.
    Emulated(Shape),
    /// MPI, as the library does it, between the ranks that its launcher started: this process is one of them.
    Mpi,
}

impl Transport {
    /// Its name in results.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Loopback { .. } | Self::Hosts { .. } => "tcp",
            Self::Emulated(_) => "emulated",
            Self::Mpi => "mpi",
        }
    }

    /// How many hosts a multicast of K nodes uses; with MPI it is the launcher that knows.
    #[must_use]
    pub fn hosts(&self, measurement: &Measurement, K: u32) -> Option<u32> {
        let asked = measurement.hosts;
        let hosts = match self {
            Self::Loopback { .. } => 1,
            Self::Hosts { hosts, .. } => asked.unwrap_or(u32::try_from(hosts.len()).unwrap_or(u32::MAX)),
            Self::Emulated(_) => asked.unwrap_or(K),
            Self::Mpi => return None,
        };
        Some(hosts.min(K))
    }

    /// The first port that ranks listen on, where it is fixed.
    #[must_use]
    pub fn first_port(&self) -> Option<u16> {
        match self {
            Self::Loopback { first_port } | Self::Hosts { first_port, .. } => *first_port,
            Self::Emulated(_) | Self::Mpi => None,
        }
    }
}

/// Who carries out a multicast.
#[derive(Debug, Clone, Copy)]
pub enum Algorithm {
    /// A tree of the catalogue: its schedule, message by message.
    Tree(&'static Entry),
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

/// A broadcast that the MPI library brings with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The one that waits, in whatever way the library does.
    Bcast,
    /// The one that is begun, and asked after until it is done.
    Ibcast,
}

impl Library {
    /// All.
    pub const ALL: [Self; 2] = [Self::Bcast, Self::Ibcast];

    /// The name of the standard.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bcast => "MPI_Bcast",
            Self::Ibcast => "MPI_Ibcast",
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

impl Config {
    /// Reads a configuration file, or configs/measure.toml, which is built in.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn load(path: Option<&Path>) -> Result<Self, Failure> {
        let built_in = include_str!("../../../../configs/measure.toml");
        let source = match path {
            Some(path) => Source::read(path, "configuration")?,
            None => Source::built_in("configs/measure.toml (built in)", built_in),
        };
        Self::of(&source)
    }

    /// The configuration in this document.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn of(source: &Source) -> Result<Self, Failure> {
        wire::check(source)
    }
}
