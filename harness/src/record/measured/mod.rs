//! Reads the measurements of a directory, as far as its manifest lists them. Figures, report and audit read them here
//! only.

pub mod manifest;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use algorithms::logp::{LogGops, LogP};
use serde::Deserialize;

use super::measurement::{Algorithm, SummaryRow};
use crate::base::failure::{Failure, Result};
use crate::base::units::plural;
use crate::print::listed;
use crate::record::{Row, Status};
use crate::space::PointValues;
use crate::space::machine::Machine;
use manifest::{Manifest, advice};

const ADVICE: &str =
    "summarise again with `castbench measure CONFIG --out DIR --summarise`, or measure again";

/// The measurements of a directory.
#[derive(Debug)]
pub struct Results {
    /// Their directory.
    pub directory: PathBuf,
    /// Their manifest.
    pub manifest: Manifest<Configuration>,
    /// A point for each row of `summary.csv`, in order; at least one.
    pub points: Vec<MeasuredPoint>,
}

/// A measured point and its machine.
#[derive(Debug, Clone)]
pub struct MeasuredPoint {
    /// Its times and predictions.
    pub row: SummaryRow,
    /// The measurement's profile for messages of this size, with the relay delay, in ns.
    pub model: LogP,
    /// Whether these are some of several parameters, because ranks are near or far, or sizes matter.
    pub has_levels: bool,
}

impl MeasuredPoint {
    /// `D/g`: the time of a hop, with the relay delay, over the gap between two sends. None without a gap,
    /// and where both depend on the ranks.
    pub fn D_over_g(&self) -> Option<f64> {
        let gap = self.model.gap();
        (gap > 0 && !self.has_levels).then(|| self.model.D() as f64 / gap as f64)
    }
}

/// The keys of the configuration that matter here.
#[derive(Debug, Deserialize)]
pub struct Configuration {
    /// The transport.
    pub transport: Transport,
    measurements: Vec<Measurement>,
}

/// The transport.
#[derive(Debug, Deserialize)]
pub struct Transport {
    /// Its name.
    pub kind: String,
    /// The rate of every link, if limited.
    pub rate_mbit: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Measurement {
    name: String,
    machine: Machine,
}

impl Configuration {
    /// The transport in words.
    pub fn transport(&self) -> String {
        let Transport { kind, rate_mbit } = &self.transport;
        match (kind.as_str(), rate_mbit) {
            ("loopback", _) => "TCP over loopback".to_owned(),
            ("hosts", _) => "TCP between hosts".to_owned(),
            ("mpi", _) => "MPI".to_owned(),
            ("emulated", Some(rate)) => {
                format!("TCP between emulated hosts with links of {rate} Mbit/s")
            }
            (other, _) => other.to_owned(),
        }
    }
}

impl Results {
    /// The measurements of a directory; none if it has none.
    ///
    /// # Errors
    /// Exit code 74 if they cannot be read, differ from their manifest, or have none.
    pub fn open(directory: &Path) -> Result<Option<Self>> {
        let path = directory.join("manifest.json");
        if !path.exists() {
            let summary = directory.join("summary.csv");
            if summary.exists() {
                let reason = "no manifest.json in this directory lists it; measure again with `castbench measure CONFIG \
                              --out DIR --force`";
                return Err(Failure::read(&summary, reason));
            }
            return Ok(None);
        }
        let manifest = Manifest::open(&path, ADVICE)?;
        let points = listed::rows(&manifest.files, directory, "summary.csv", ADVICE)?
            .into_iter()
            .map(|row| point(row, &manifest, &path))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(unfinished) = manifest.unfinished() {
            let (directory, advice) = (directory.display(), advice(manifest.mpi.is_some()));
            tell!("{directory}: the measurement {unfinished}; {advice}");
        }
        Ok((!points.is_empty()).then(|| Self {
            directory: directory.to_owned(),
            manifest,
            points,
        }))
    }

    /// The measurements of the named directory; without a name those of the default one, if any.
    ///
    /// # Errors
    /// Exit code 74 if the directory has no measurements, or they cannot be read.
    pub fn choose(named: Option<&Path>, default: &Path) -> Result<Option<Self>> {
        let results = Self::open(named.unwrap_or(default))?;
        match named {
            Some(directory) if results.is_none() => {
                let reason = "the file does not exist, so the directory has no measurements; measure with `castbench \
                              measure CONFIG --out DIR`, or name another directory";
                Err(Failure::read(&directory.join("manifest.json"), reason))
            }
            _ => Ok(results),
        }
    }

    /// The rows of `summary.csv` for figures; a function of the library counts as an algorithm of its problem.
    pub fn into_rows(self) -> Vec<Row> {
        let unfinished = self.manifest.unfinished();
        let mut unknown: BTreeMap<String, u64> = BTreeMap::new();
        let row = |MeasuredPoint { row, .. }| {
            let Some(algorithm) = Algorithm::find(&row.algorithm) else {
                *unknown.entry(row.algorithm).or_default() += 1;
                return None;
            };
            let (problem, name) = (algorithm.entry().problem(), algorithm.name().to_owned());
            let own = Row::new(problem, name, PointValues::none(&[]), Status::Ok);
            let unfinished = unfinished.clone();
            let row = SummaryRow { unfinished, ..row };
            Some(Row {
                unit: "ns".to_owned(),
                measured: Some(Box::new(row)),
                ..own
            })
        };
        let rows = self.points.into_iter().filter_map(row).collect();
        for (algorithm, count) in unknown {
            tell!(
                "{}: {} of `{algorithm}`, which this version of castbench does not have: left out",
                self.directory.display(),
                plural(count, "row")
            );
        }
        rows
    }
}

/// A row with its machine from the manifest, because the profile of that name may have changed.
fn point(
    row: SummaryRow,
    manifest: &Manifest<Configuration>,
    path: &Path,
) -> Result<MeasuredPoint> {
    let failed = |reason: &dyn std::fmt::Display| {
        let name = &row.measurement;
        Failure::read(
            path,
            format_args!("measurement `{name}` of summary.csv: {reason}; {ADVICE}"),
        )
    };
    let measurement = manifest
        .configuration
        .measurements
        .iter()
        .find(|own| own.name == row.measurement);
    let machine = &measurement
        .ok_or_else(|| failed(&"the configuration does not have it"))?
        .machine;
    let has_levels = !machine.is_flat();
    let model = held(machine.parameters(), row.hold_ps_per_byte)
        .ok_or_else(|| failed(&"its relay delay does not fit in 64 bits"))?
        .at(row.bytes)
        .map_err(|error| failed(&error))?;
    Ok(MeasuredPoint {
        row,
        model,
        has_levels,
    })
}

/// The machine with the relay delay added to every message; none above 64 bits.
pub fn held(machine: LogGops, hold_ps_per_byte: u64) -> Option<LogGops> {
    Some(LogGops {
        H: machine.H.checked_add(hold_ps_per_byte.checked_mul(1000)?)?,
        ..machine
    })
}
