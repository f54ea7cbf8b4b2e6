//! The configuration of `castbench measure`: what is measured, how often, and over which transport.
//!
//! `wire` and `measurement` hold the TOML, [`Config`] the checked values with defaults filled in.

mod measurement;
mod wire;

use std::collections::BTreeMap;

use algorithms::problem::{Axis, Entry, Kind};
use measure::hosts::Mapping;
use measure::settings::Settings;
use serde::Serialize;

use crate::plans::record::Record;
use crate::record::measurement::Algorithm;
use crate::space::Key;
use crate::space::form;
use crate::space::machine::Machine;

/// Most ranks of a point, each a process.
pub const MAX_NODES: u64 = 250;
/// Longest message, and most bytes of all messages of one rank.
pub const MAX_BYTES: u64 = 1 << 30;
/// Most points of a configuration: the program of each takes some kilobytes.
pub const MAX_POINTS: u64 = 10_000;
/// Most operations of all programs of a configuration, at 12 bytes each.
pub const MAX_OPERATIONS: usize = 5_000_000;

/// The key of the axis with the number of nodes, which functions of the MPI library also read.
pub const NODES: Key = "K";
/// The key of the axis with the position of the source; a measurement has one value.
pub const SOURCE: Key = "source";

/// The key of the axis with the root of a collective.
pub const ROOT: Key = "root";

/// Values of some axes.
pub type Coordinates = Vec<(Key, u64)>;

/// A checked configuration.
#[derive(Debug, Clone, Serialize)]
pub struct Config {
    /// The name of its file.
    #[serde(skip)]
    pub name: String,
    /// How it measures.
    #[serde(flatten)]
    pub settings: Settings,
    /// What it measures.
    pub measurements: Vec<Measurement>,
    /// The algorithms that it gives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub algorithms: Vec<Record>,
}

impl Algorithm {
    /// Whether it reads the position of the source.
    pub fn has_source(self) -> bool {
        match self {
            Self::Program(entry) => entry.axes().iter().any(|axis| axis.key == SOURCE),
            Self::Library(library) => library.is_broadcast(),
        }
    }

    /// The axes that it reads among those for which `given` holds.
    fn reads(self, given: impl Fn(&str) -> bool) -> Result<Vec<Key>, Key> {
        match self {
            Self::Program(entry) => {
                let indices = indices(entry, given).map_err(|axis| axis.key)?;
                Ok(indices
                    .into_iter()
                    .map(|index| entry.axes()[index].key)
                    .collect())
            }
            Self::Library(_) if !given(NODES) => Err(NODES),
            Self::Library(library) if library.is_broadcast() => Ok(vec![NODES, SOURCE]),
            Self::Library(library) if library.has_root() => Ok(vec![NODES, ROOT]),
            Self::Library(_) => Ok(vec![NODES]),
        }
    }
}

/// Algorithms over a grid of sizes.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// Its name.
    pub name: String,
    /// In the order of the catalogue, the library's functions last.
    #[serde(serialize_with = "names")]
    pub algorithms: Vec<Algorithm>,
    /// Values of the axes that are counts, except the source.
    #[serde(flatten)]
    pub axes: BTreeMap<Key, Vec<u64>>,
    /// Message sizes.
    pub bytes: Vec<u64>,
    /// The machine whose L, o, g and G the programs are made for, and that predicts the times.
    pub machine: Machine,
    /// Position of the source, from 1.
    pub source: u32,
    /// Number of hosts for the ranks; all hosts if not given.
    pub hosts: Option<u32>,
    /// Number of ranks on each host, in place of `hosts`; the machine has it, too, where it has levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks_per_node: Option<u32>,
    /// The mappings of ranks to hosts.
    pub mappings: Vec<Mapping>,
    /// The relay delays: how long a receiver holds each further byte of a message, ps.
    #[serde(rename = "hold_ps_per_byte")]
    pub holds: Vec<u64>,
}

impl Measurement {
    /// Upper limit of its points: mappings with the same placement are measured once.
    pub fn points(&self) -> u64 {
        let times = |points: u64, length: usize| points.saturating_mul(length as u64);
        let each = [self.bytes.len(), self.mappings.len(), self.holds.len()]
            .into_iter()
            .fold(1, times);
        self.algorithms
            .iter()
            .map(|algorithm| {
                self.own(*algorithm)
                    .iter()
                    .map(|(_, values)| values.len())
                    .fold(each, times)
            })
            .fold(0, u64::saturating_add)
    }

    /// The indices of the axes that an algorithm reads here.
    ///
    /// # Errors
    /// A missing axis.
    pub fn indices(&self, entry: Entry) -> Result<Vec<usize>, &'static Axis> {
        indices(entry, |key| self.axes.contains_key(key))
    }

    fn own(&self, algorithm: Algorithm) -> Vec<(Key, Vec<u64>)> {
        let given = |key: &str| self.axes.contains_key(key);
        let axes: &[Axis] = match algorithm {
            Algorithm::Program(entry) => entry.axes(),
            Algorithm::Library(_) => &[],
        };
        let values = |key: Key| {
            let axis = axes.iter().find(|axis| axis.key == key);
            let values = self
                .axes
                .get(key)
                .cloned()
                .or_else(|| Some(vec![self.machine.value_of(axis?)?]))?;
            // A word is left out where it is the default, as it was before there were words.
            (key != SOURCE
                && axis.is_none_or(|axis| match axis.kind {
                    Kind::Word(_) => {
                        self.axes.contains_key(key) || self.machine.value_of(axis) != axis.default
                    }
                    kind => kind == Kind::Count,
                }))
            .then_some((key, values))
        };
        algorithm
            .reads(given)
            .unwrap_or_default()
            .into_iter()
            .filter_map(values)
            .collect()
    }

    /// The product of the axes of an algorithm; the last changes fastest.
    pub fn coordinates(&self, algorithm: Algorithm) -> Vec<Coordinates> {
        let mut product = vec![Vec::new()];
        for (key, values) in self.own(algorithm) {
            product = product
                .iter()
                .flat_map(|known| {
                    let known = known.clone();
                    values
                        .clone()
                        .into_iter()
                        .map(move |value| [&known[..], &[(key, value)]].concat())
                })
                .collect();
        }
        product
    }
}

/// The indices of the axes that an algorithm reads if these are given. The profile and the size are always given.
fn indices(entry: Entry, given: impl Fn(&str) -> bool) -> Result<Vec<usize>, &'static Axis> {
    let axes = entry.axes();
    let has_profile = axes.iter().any(|axis| axis.kind == Kind::Profile);
    let follows = |axis: &Axis| match axis.kind {
        Kind::Profile | Kind::Bytes => true,
        Kind::Time => !has_profile,
        Kind::Count | Kind::Sides | Kind::Counts | Kind::Word(_) => false,
    };
    form(entry.problem(), |key| {
        given(key) || axes.iter().any(|axis| axis.key == key && follows(axis))
    })
}

fn names<S: serde::Serializer>(algorithms: &[Algorithm], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(algorithms.iter().map(|algorithm| algorithm.name()))
}
