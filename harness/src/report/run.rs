//! The run, from the manifest of the sweep.

use std::collections::BTreeMap;
use std::path::Path;

use algorithms::catalogue::{self, axes};
use serde::Deserialize;
use serde_json::Value;

use crate::config::axis::Values;
use crate::failure::Failure;
use crate::grid::form;
use crate::record::manifest::Manifest;
use crate::record::results::Sweep;

/// The configuration with all defaults.
#[derive(Deserialize)]
pub struct Configuration {
    /// The seed of all random draws.
    pub seed: u64,
    /// The largest point that was simulated.
    pub simulate_up_to_nodes: u64,
    /// The most hops of a point that was simulated.
    pub simulate_up_to_hops: u64,
    /// The grids that were swept.
    pub grids: Vec<Grid>,
}

/// The parts of a grid that the page shows.
#[derive(Deserialize)]
pub struct Grid {
    /// Its name.
    pub name: String,
    /// The names of its algorithms.
    pub algorithms: Vec<String>,
    axes: BTreeMap<String, Values>,
    machines: Vec<Machine>,
}

#[derive(Deserialize)]
struct Machine {
    name: String,
}

impl Grid {
    /// The axes and their values, in the order of the catalogue; machines by their names.
    #[must_use]
    pub fn described_axes(&self) -> Vec<(String, String)> {
        let described = axes().iter().filter_map(|axis| {
            let values = self.axes.get(axis.key)?;
            let described = values.describe(axis.kind, self.machines.iter().map(|machine| machine.name.as_str()));
            Some((axis.key.to_owned(), described))
        });
        described.collect()
    }

    /// Its points over all algorithms: each is evaluated over the product of the axes of its problem. `None` if this
    /// castbench does not have an algorithm.
    #[must_use]
    pub fn points(&self) -> Option<u64> {
        self.algorithms.iter().map(|name| self.points_of(name)).sum()
    }

    fn points_of(&self, name: &str) -> Option<u64> {
        let entry = catalogue::find(name)?;
        let indices = form(entry.problem(), |key| self.axes.contains_key(key)).ok()?;
        let count = |index: usize| self.axes.get(entry.axes()[index].key).map_or(1, Values::count);
        indices.into_iter().map(count).try_fold(1, u64::checked_mul)
    }
}

/// The manifest of a sweep, and the parts of its configuration that the page shows.
///
/// # Errors
/// Exit code 74 where there is none or it cannot be read.
pub fn read(from: &Path, sweep: &Sweep<'_>) -> Result<(Manifest<Value>, Configuration), Failure> {
    let path = from.join("manifest.json");
    let manifest = sweep.manifest().ok_or_else(|| {
        let reason = "there is no such file, so there is no sweep to report; run `castbench run` first, or name the directory of a sweep with --from";
        Failure::read(&path, reason)
    })?;
    let configuration = Configuration::deserialize(&manifest.configuration)
        .map_err(|error| Failure::read(&path, format_args!("{error}; sweep again")))?;
    Ok((manifest.clone(), configuration))
}
