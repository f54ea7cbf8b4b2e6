//! Measurements read back: what `castbench measure` left in a directory, as far as its manifest vouches for it. Figures,
//! report and audit read measurements here and nowhere else.

use std::path::{Path, PathBuf};

use algorithms::logp::LogP;
use algorithms::logp::loggops::LogGops;
use measure::results::{HostEntry, Status};
use serde::Deserialize;

use super::config::Algorithm;
use super::plan::held;
use super::record::{SCHEMA, SummaryRow};
use crate::failure::Failure;
use crate::grid::PointValues;
use crate::listed::{self, FileEntry};
use crate::machine::Machine;
use crate::output;
use crate::record::{self, Row};
use crate::seal;

/// What to do about a directory that cannot be read.
const ADVICE: &str = "sum up again with `castbench measure CONFIG --out DIR --summarise`, or measure again";

/// The measurements of a directory.
#[derive(Debug)]
pub struct Results {
    /// Where they are.
    pub directory: PathBuf,
    /// How they were made.
    pub manifest: Manifest,
    /// A point for each row of `summary.csv`, in their order; at least one.
    pub points: Vec<MeasuredPoint>,
}

/// A point that was measured, and the machine it was measured on.
#[derive(Debug, Clone)]
pub struct MeasuredPoint {
    /// Its times and their predictions.
    pub row: SummaryRow,
    /// The profile that the measurement names, relay delay included.
    pub machine: LogGops,
    /// What messages of this size see of it, in ns.
    pub model: LogP,
}

impl MeasuredPoint {
    /// `D/g`: how many gaps between two sends a hop takes, relay delay included. None where there is no gap.
    #[must_use]
    pub fn D_over_g(&self) -> Option<f64> {
        let gap = self.model.gap();
        (gap > 0).then(|| self.model.D() as f64 / gap as f64)
    }
}

/// `manifest.json`, as far as anyone tells of it.
#[derive(Debug, Deserialize)]
pub struct Manifest {
    /// How it ended.
    pub outcome: Status,
    /// The git revision that measured.
    pub revision: String,
    /// When it began, in UTC, as RFC 3339 has it.
    pub started: String,
    /// How long it took, s.
    pub seconds: f64,
    /// The file that said what to measure.
    pub configuration_source: String,
    /// What was measured.
    pub configuration: Configuration,
    /// Where.
    pub hosts: Vec<HostEntry>,
    /// The files beside it.
    pub files: Vec<FileEntry>,
}

/// Of the configuration, what a reader needs.
#[derive(Debug, Deserialize)]
pub struct Configuration {
    /// How messages travelled.
    pub transport: Transport,
    measurements: Vec<Measurement>,
}

/// How messages travelled.
#[derive(Debug, Deserialize)]
pub struct Transport {
    /// Its name.
    pub kind: String,
    /// The rate of every link, where they were shaped.
    pub rate_mbit: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Measurement {
    name: String,
    machine: Machine,
}

impl Manifest {
    /// The day it was measured, in UTC.
    #[must_use]
    pub fn date(&self) -> &str {
        self.started.split('T').next().unwrap_or_default()
    }

    /// How messages travelled, in words.
    #[must_use]
    pub fn transport(&self) -> String {
        let Transport { kind, rate_mbit } = &self.configuration.transport;
        match (kind.as_str(), rate_mbit) {
            ("loopback", _) => "TCP over loopback".to_owned(),
            ("hosts", _) => "TCP between hosts".to_owned(),
            ("mpi", _) => "MPI".to_owned(),
            ("emulated", Some(rate)) => format!("TCP between emulated hosts with links of {rate} Mbit/s"),
            (other, _) => other.to_owned(),
        }
    }
}

impl Results {
    /// The measurements in a directory; none where nothing was measured.
    ///
    /// # Errors
    /// Exit code 74 where they cannot be read, are not those of their manifest, or there is no manifest.
    pub fn open(directory: &Path) -> Result<Option<Self>, Failure> {
        let path = directory.join("manifest.json");
        if !path.exists() {
            let summary = directory.join("summary.csv");
            if summary.exists() {
                let reason = format_args!("there is no manifest.json beside it that vouches for it; {ADVICE}");
                return Err(Failure::read(&summary, reason));
            }
            return Ok(None);
        }
        let manifest = manifest(&path)?;
        let rows = listed::rows(&manifest.files, directory, "summary.csv", ADVICE)?;
        let points = rows.into_iter().map(|row| point(row, &manifest, &path)).collect::<Result<Vec<_>, _>>()?;
        Ok((!points.is_empty()).then(|| Self { directory: directory.to_owned(), manifest, points }))
    }

    /// Those in the directory that was named; in the default one, if there are any, where none was.
    ///
    /// # Errors
    /// Those of [`Results::open`], and exit code 74 where nothing was measured in the one that was named.
    pub fn choose(named: Option<&Path>, default: &Path) -> Result<Option<Self>, Failure> {
        let results = Self::open(named.unwrap_or(default))?;
        match named {
            Some(directory) if results.is_none() => {
                let reason = "there is no such file, so nothing was measured there; measure with `castbench measure CONFIG --out DIR`, or name another directory";
                Err(Failure::read(&directory.join("manifest.json"), reason))
            }
            _ => Ok(results),
        }
    }

    /// The rows of `summary.csv` as figures read them; what the library does, among the algorithms that it could be.
    #[must_use]
    pub fn into_rows(self) -> Vec<Row> {
        let row = |MeasuredPoint { row, .. }| {
            let algorithm = Algorithm::find(&row.algorithm)?;
            Some(Row {
                problem: algorithm.entry().problem(),
                algorithm: algorithm.name().to_owned(),
                values: PointValues::none(&[]),
                machine: None,
                status: record::Status::Ok,
                unit: "ns".to_owned(),
                lower_bound: None,
                published: None,
                analytic: None,
                simulated: None,
                standard_error: None,
                note: String::new(),
                measured: Some(Box::new(row)),
            })
        };
        self.points.into_iter().filter_map(row).collect()
    }
}

fn manifest(path: &Path) -> Result<Manifest, Failure> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    let text = output::read_text(path).map_err(|error| Failure::read(path, error))?;
    let unread = |error: serde_json::Error| {
        Failure::read(path, format_args!("{error}; it is no manifest of `castbench measure`, measure again"))
    };
    // First, for the manifest of another schema may lack anything.
    let Version { schema } = serde_json::from_str(&text).map_err(unread)?;
    if schema != SCHEMA {
        let reason = format_args!("it has schema {schema}, this castbench reads schema {SCHEMA}; {ADVICE}");
        return Err(Failure::read(path, reason));
    }
    seal::check(path, &text, "measure again")?;
    serde_json::from_str(&text).map_err(unread)
}

/// A row with its machine, as the manifest has that: a profile of this name may have changed since.
fn point(row: SummaryRow, manifest: &Manifest, path: &Path) -> Result<MeasuredPoint, Failure> {
    let failed = |reason: &dyn std::fmt::Display| {
        let name = &row.measurement;
        Failure::read(path, format_args!("measurement `{name}`, of which summary.csv has rows: {reason}; {ADVICE}"))
    };
    let measurement = manifest.configuration.measurements.iter().find(|own| own.name == row.measurement);
    let machine = &measurement.ok_or_else(|| failed(&"the configuration has no such measurement"))?.machine;
    let machine = held(machine.parameters(), row.hold_ps_per_byte);
    let machine = machine.ok_or_else(|| failed(&"its relay delay does not fit in 64 bits"))?;
    let model = machine.at(row.bytes).map_err(|error| failed(&error))?;
    Ok(MeasuredPoint { row, machine, model })
}
