//! `manifest.json`: what made the CSV files beside it, and what they are.
//!
//! It holds nothing that differs between two runs of the same configuration (no time, host or thread
//! count), so results can be compared whole.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::{Config, Resolved};
use crate::failure::Failure;
use crate::output;
use crate::sweep::{Place, Shard, Summary};

/// Version of the manifest and of the columns of the CSV files.
pub const SCHEMA: u32 = 1;

/// The manifest of a sweep; the configuration as this castbench knows it, or as text that was read.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest<C> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Whether it is all of the sweep.
    pub status: RunStatus,
    /// Which stretch, where it is not all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shard: Option<ShardEntry>,
    /// Always `castbench`.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// The git revision it was built from, or `unknown`.
    pub revision: String,
    /// Where the configuration came from.
    pub configuration_source: String,
    /// The configuration with everything filled in.
    pub configuration: C,
    /// The files, in the order written.
    pub files: Vec<FileEntry>,
    /// How the points ended.
    pub points: Tally,
}

/// A stretch of a sweep, and what merging it takes.
#[derive(Debug, Serialize, Deserialize)]
pub struct ShardEntry {
    /// Which stretch.
    #[serde(flatten)]
    pub shard: Shard,
    /// The cells: it begins where the one before it ends.
    pub cells: Range<Place>,
    /// What its points found.
    pub summary: Summary,
}

/// What the files beside a manifest are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// All points of the configuration.
    Complete,
    /// One stretch of them, for `castbench merge`.
    Shard,
}

/// One file of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        let digest = output::open(&path).and_then(output::sha256).map_err(|error| Failure::read(&path, error))?;
        if digest == self.sha256 {
            return Ok(path);
        }
        Err(Failure::read(&path, format_args!("it is not the file that manifest.json describes; {advice}")))
    }
}

/// How many points ended in which way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

impl Tally {
    /// Adds those of other points.
    pub fn add(&mut self, other: &Self) {
        let Self { ok, simulated, not_applicable, failed, disagree } = other;
        // Saturating, for a file may say anything; no sweep has as many points.
        let add = |sum: &mut u64, more: &u64| *sum = sum.saturating_add(*more);
        add(&mut self.ok, ok);
        add(&mut self.simulated, simulated);
        add(&mut self.not_applicable, not_applicable);
        add(&mut self.failed, failed);
        add(&mut self.disagree, disagree);
    }
}

impl<'a> Manifest<Resolved<'a>> {
    /// A manifest of this build, for files and points to come.
    #[must_use]
    pub fn new(config: &'a Config) -> Self {
        Self {
            schema: SCHEMA,
            status: RunStatus::Complete,
            shard: None,
            tool: "castbench".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: env!("CASTBENCH_REVISION").to_owned(),
            configuration_source: config.name().to_owned(),
            configuration: config.resolved(),
            files: Vec::new(),
            points: Tally::default(),
        }
    }
}
