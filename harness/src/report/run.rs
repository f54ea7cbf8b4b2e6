//! The run, from the manifest of the sweep.

use std::path::Path;

use algorithms::catalogue;
use serde::Deserialize;
use serde_json::Value;

use crate::base::failure::{Failure, Result};
use crate::record::manifest::Manifest;
use crate::record::results::Sweep;
use crate::regress::RecordedGrid;
use crate::space::Values;
use crate::space::form;

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
    pub grids: Vec<RecordedGrid>,
}

/// The points of a grid over all algorithms: each is evaluated over the product of the axes of its problem. `None` if this
/// castbench does not have an algorithm.
pub fn points(grid: &RecordedGrid) -> Option<u64> {
    let of = |name: &String| {
        let entry = catalogue::find(name)?;
        form(entry.problem(), |key| grid.axes.contains_key(key))
            .ok()?
            .into_iter()
            .map(|index| {
                grid.axes
                    .get(entry.axes()[index].key)
                    .map_or(1, Values::count)
            })
            .try_fold(1, u64::checked_mul)
    };
    grid.algorithms.iter().map(of).sum()
}

/// The manifest of a sweep, and the parts of its configuration that the page shows.
///
/// # Errors
/// Exit code 74 where there is none or it cannot be read.
pub fn read(from: &Path, sweep: &Sweep<'_>) -> Result<(Manifest<Value>, Configuration)> {
    let path = from.join("manifest.json");
    let manifest = sweep.manifest().ok_or_else(|| {
        let reason = "there is no such file, so there is no sweep to report; run `castbench run` first, or name the directory of a sweep with --from";
        Failure::read(&path, reason)
    })?;
    let configuration = Configuration::deserialize(&manifest.configuration)
        .map_err(|error| Failure::read(&path, format_args!("{error}; sweep again")))?;
    Ok((manifest.clone(), configuration))
}
