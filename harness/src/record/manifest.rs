//! `manifest.json`: what made the CSV files beside it, and what they are.
//!
//! It holds nothing that differs between two runs of the same configuration (no time, host or thread
//! count), so results can be compared whole.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Resolved;
use crate::failure::Failure;
use crate::output;

/// Version of the manifest and of the columns of the CSV files.
pub const SCHEMA: u32 = 1;

/// The manifest of a sweep.
#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Whether the sweep ran to its end.
    pub status: RunStatus,
    /// Always `castbench`.
    pub tool: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The git revision it was built from, or `unknown`.
    pub revision: &'static str,
    /// Where the configuration came from.
    pub configuration_source: &'a str,
    /// The configuration with everything filled in.
    pub configuration: Resolved<'a>,
    /// The files, in the order written.
    pub files: Vec<FileEntry>,
    /// How the points ended.
    pub points: Tally,
}

/// How a sweep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Every point was evaluated.
    Complete,
    /// It was stopped; the rows that were finished are there.
    Interrupted,
}

/// One file of a sweep.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FileEntry {
    /// Name, relative to the manifest.
    pub name: String,
    /// Rows, without the header.
    pub rows: u64,
    /// Digest, as `sha256sum` prints it.
    pub sha256: String,
}

impl FileEntry {
    /// Where the file is, after checking that it is still the one described; `advice` is what to do where it is not.
    ///
    /// # Errors
    /// Exit code 74 for a file that cannot be read or is another one.
    pub fn found_in(&self, directory: &Path, advice: &str) -> Result<PathBuf, Failure> {
        let path = directory.join(&self.name);
        let digest = fs::File::open(&path).and_then(output::sha256).map_err(|error| Failure::read(&path, error))?;
        if digest == self.sha256 {
            return Ok(path);
        }
        Err(Failure::read(&path, format_args!("it is not the file that manifest.json describes; {advice}")))
    }
}

/// How many points ended in which way.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub struct Tally {
    /// Evaluated without complaint.
    pub ok: u64,
    /// Of those, analytic and simulated were compared and agree.
    pub simulated: u64,
    /// Values that do not go together.
    pub not_applicable: u64,
    /// Could not be evaluated.
    pub failed: u64,
    /// Analytic and simulated differ.
    pub disagree: u64,
}

impl<'a> Manifest<'a> {
    /// A manifest of this build.
    #[must_use]
    pub fn new(
        status: RunStatus,
        configuration_source: &'a str,
        configuration: Resolved<'a>,
        files: Vec<FileEntry>,
        points: Tally,
    ) -> Self {
        Self {
            schema: SCHEMA,
            status,
            tool: "castbench",
            version: env!("CARGO_PKG_VERSION"),
            revision: env!("CASTBENCH_REVISION"),
            configuration_source,
            configuration,
            files,
            points,
        }
    }
}
