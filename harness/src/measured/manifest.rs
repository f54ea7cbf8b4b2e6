//! `manifest.json` of a measurement: how it was made, and the digests of the files beside it.

use std::path::Path;

use measure::results::{HostEntry, Launch, Status};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::base::failure::{Code, Result};
use crate::output::Holder;
use crate::output::seal::{self, Expected};
use crate::print::listed::FileEntry;

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
    /// The files beside it.
    pub files: Vec<FileEntry>,
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
    /// The day of the measurement, UTC.
    pub fn date(&self) -> &str {
        self.started.split('T').next().unwrap_or_default()
    }
}
