//! What was run, as the manifest of the sweep says.

use std::collections::BTreeMap;
use std::path::Path;

use algorithms::catalogue::{self, Axis, Problem};
use serde::Deserialize;

use crate::failure::Failure;
use crate::output;
use crate::record::manifest::{FileEntry, Tally};
use crate::record::results::Sweep;
use crate::units::{grouped, plural, show_bytes};

/// A manifest that was read back.
#[derive(Deserialize)]
pub struct Run {
    /// Of the castbench that swept.
    pub version: String,
    /// The git revision it was built from.
    pub revision: String,
    /// The file that named the grids.
    pub configuration_source: String,
    /// What decided the rows.
    pub configuration: Configuration,
    /// The files of the sweep.
    pub files: Vec<FileEntry>,
    /// How the points ended.
    pub points: Tally,
}

/// The configuration with everything filled in.
#[derive(Deserialize)]
pub struct Configuration {
    /// Of all random draws.
    pub seed: u64,
    /// The largest point that was simulated.
    pub simulate_up_to_nodes: u64,
    /// The most hops of a point that was simulated.
    pub simulate_up_to_hops: u64,
    /// What was swept.
    pub grids: Vec<Grid>,
}

/// A grid, as far as the page tells of it.
#[derive(Deserialize)]
pub struct Grid {
    /// Its name.
    pub name: String,
    /// The names of its algorithms.
    pub algorithms: Vec<String>,
    axes: BTreeMap<String, Values>,
    machines: Option<Machines>,
    sources: Values,
}

#[derive(Deserialize)]
struct Machines {
    machines: Vec<Machine>,
    bytes: Vec<u64>,
}

#[derive(Deserialize)]
struct Machine {
    name: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    List(Vec<u64>),
    Range { from: u64, to: u64, step: u64 },
}

/// The longest list that is told value by value.
const FEW: usize = 8;

impl Values {
    fn count(&self) -> u64 {
        match self {
            Self::List(values) => values.len() as u64,
            Self::Range { from, to, step } => to.saturating_sub(*from) / (*step).max(1) + 1,
        }
    }

    fn told(&self) -> String {
        match self {
            Self::List(values) if values.len() <= FEW => {
                values.iter().map(|&value| grouped(value)).collect::<Vec<_>>().join("; ")
            }
            Self::List(values) => {
                let [first, last] = [values.first(), values.last()].map(|end| grouped(end.copied().unwrap_or(0)));
                format!("{} from {first} to {last}", plural(self.count(), "value"))
            }
            Self::Range { from, to, step: 1 } => format!("{} to {}", grouped(*from), grouped(*to)),
            Self::Range { from, to, step } => format!("{} to {}, every {step}", grouped(*from), grouped(*to)),
        }
    }
}

impl Grid {
    /// The axes and their values, in the order of the catalogue; machines and sizes where they stand for L, o and g.
    #[must_use]
    pub fn told(&self) -> Vec<(String, String)> {
        let axis = |axis: &Axis| Some((axis.symbol().to_owned(), self.axes.get(axis.symbol())?.told()));
        let mut told: Vec<_> = Axis::ALL.iter().filter_map(axis).collect();
        if self.sources.count() > 1 {
            told.push(("source".to_owned(), self.sources.told()));
        }
        if let Some(Machines { machines, bytes }) = &self.machines {
            let names: Vec<&str> = machines.iter().map(|machine| machine.name.as_str()).collect();
            let sizes: Vec<String> = bytes.iter().map(|&size| show_bytes(size)).collect();
            told.push(("machine".to_owned(), names.join("; ")));
            told.push(("message".to_owned(), sizes.join("; ")));
        }
        told
    }

    /// Its points over all algorithms: each is evaluated over the product of the axes it reads. `None` where an
    /// algorithm is not known to this castbench.
    #[must_use]
    pub fn points(&self) -> Option<u64> {
        self.algorithms.iter().map(|name| self.points_of(name)).sum()
    }

    fn points_of(&self, name: &str) -> Option<u64> {
        let entry = catalogue::find(name)?;
        let axis = |axis: &Axis| self.axes.get(axis.symbol()).map_or(0, Values::count);
        let factors: Vec<u64> = match (entry.problem(), &self.machines) {
            (Problem::LogpMulticast, Some(Machines { machines, bytes })) => {
                vec![machines.len() as u64, bytes.len() as u64, axis(&Axis::K), self.sources.count()]
            }
            (Problem::LogpMulticast, None) => entry.axes().iter().map(axis).chain([self.sources.count()]).collect(),
            _ => entry.axes().iter().map(axis).collect(),
        };
        factors.into_iter().try_fold(1, u64::checked_mul)
    }
}

/// Reads the manifest of a sweep that [`Sweep::open`] has found whole.
///
/// # Errors
/// Exit code 74 where there is none or it cannot be read.
pub fn read(from: &Path, sweep: &Sweep<'_>) -> Result<Run, Failure> {
    let path = from.join("manifest.json");
    if !sweep.has_manifest() {
        let reason = "there is no such file, so there is no sweep to report on; run `castbench run` first, or name its directory with --from";
        return Err(Failure::read(&path, reason));
    }
    let text = output::read_text(&path).map_err(|error| Failure::read(&path, error))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::read(&path, format_args!("{error}; it is no manifest of castbench, sweep again")))
}
