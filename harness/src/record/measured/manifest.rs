//! `manifest.json` of a measurement: how it was made, and the digests of the files beside it.

use std::path::Path;

use measure::results::{HostEntry, Launch, Status};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::base::failure::{Code, Result};
use crate::base::units::{grouped, plural};
use crate::output::Holder;
use crate::output::seal::{self, Expected};
use crate::print::listed::FileEntry;
use crate::record::measurement::{MEASUREMENTS, SUMMARY};

/// Version of the manifest and of the columns of the CSV files.
pub const SCHEMA: u32 = 3;

/// The manifest, with its configuration or the parts of it that matter to a reader.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest<C> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// How it ended.
    pub outcome: Status,
    /// Always `castbench`.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// The git revision of castbench.
    pub revision: String,
    /// When it began, in UTC, as RFC 3339 has it.
    pub started: String,
    /// When it was resumed, in UTC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<String>,
    /// Its duration, s.
    pub seconds: f64,
    /// The configuration file.
    pub configuration_source: String,
    /// The configuration.
    pub configuration: C,
    /// The method of the median's interval.
    pub interval: String,
    /// The hosts.
    pub hosts: Vec<HostEntry>,
    /// How MPI was started; none over other transports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpi: Option<Launch>,
    /// What was to be measured; missing in those of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Planned>,
    /// The files beside it.
    pub files: Vec<FileEntry>,
}

/// What to do with a measurement that is there.
pub fn advice(is_mpi: bool) -> &'static str {
    if is_mpi {
        "name another --out, or replace it with --force (over MPI --resume cannot continue it)"
    } else {
        "continue it with --resume, replace it with --force, or name another --out"
    }
}

/// What a measurement has once it is complete.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Planned {
    /// Rows of `summary.csv`.
    pub points: u64,
    /// Rows of `measurements.csv`.
    pub executions: u64,
}

impl<C: DeserializeOwned> Manifest<C> {
    /// The manifest at a path; `advice` says what to do if it cannot be read.
    ///
    /// # Errors
    /// Exit code 74 for one that cannot be read, was edited or is of another castbench.
    pub fn open(path: &Path, advice: &str) -> Result<Self> {
        seal::open(
            path,
            &Expected {
                schema: SCHEMA,
                otherwise: Code::Output,
                of: &[Holder::Measurement],
                advice,
            },
        )
    }
}

impl<C> Manifest<C> {
    /// How it ended and what it has, if executions are missing.
    pub fn unfinished(&self) -> Option<String> {
        let how = match &self.outcome {
            Status::Complete => return None,
            Status::Interrupted => "was interrupted",
            Status::Failed(_) => "failed",
        };
        let rows = |name: &str| {
            let mut files = self.files.iter();
            files
                .find(|file| file.name == name)
                .map_or(0, |file| file.rows)
        };
        let Some(Planned { points, executions }) = self.planned else {
            return Some(format!("{how}; executions are missing"));
        };
        let (timed, with) = (grouped(rows(MEASUREMENTS)), grouped(rows(SUMMARY)));
        let (executions, points) = (plural(executions, "execution"), plural(points, "point"));
        Some(format!(
            "{how} after {timed} of {executions}, of {with} of {points}"
        ))
    }

    /// The day of the measurement, UTC.
    pub fn date(&self) -> &str {
        self.started.split('T').next().unwrap_or_default()
    }
}
