//! `manifest.json`: what made the CSV files beside it, and what they are.
//!
//! It holds nothing that differs between two runs of the same configuration (no time, host or thread
//! count), so results can be compared whole.

use std::path::Path;

use algorithms::catalogue::PROBLEMS;
use serde::{Deserialize, Serialize};

use super::shard::Shard;
use super::summary::{Summary, Tally};
use crate::failure::Failure;
pub use crate::listed::FileEntry;
use crate::output;

/// Version of the manifest and of the columns of the CSV files.
pub const SCHEMA: u32 = 2;

/// The manifest of a sweep; the configuration as this castbench knows it, or as text that was read.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest<C> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Whether it is all of the sweep.
    pub status: RunStatus,
    /// Which shard, where it is not all.
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

/// A shard of a sweep, and what merging it takes.
#[derive(Debug, Serialize, Deserialize)]
pub struct ShardEntry {
    /// Which shard.
    #[serde(flatten)]
    pub shard: Shard,
    /// What its points found.
    pub summary: Summary,
}

/// What the files beside a manifest are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// All points of the configuration.
    Complete,
    /// One shard of them, for `castbench merge`.
    Shard,
}

/// Refuses rows that the manifest of their directory does not vouch for.
///
/// # Errors
/// Exit code 74, naming the first such file.
pub fn refuse_unlisted(directory: &Path, files: &[FileEntry]) -> Result<(), Failure> {
    let mut paths = PROBLEMS
        .iter()
        .map(|problem| super::file_name(*problem))
        .filter(|name| files.iter().all(|file| file.name != *name));
    match paths.find(|name| directory.join(name).exists()) {
        Some(name) => {
            let reason = "the manifest beside it does not list it; remove it, or sweep again";
            Err(Failure::read(&directory.join(name), reason))
        }
        None => Ok(()),
    }
}

/// Refuses rows without a manifest where a sweep or merge was stopped, perhaps while it published them.
///
/// # Errors
/// Exit code 74 where that is so.
pub fn refuse_stopped(directory: &Path) -> Result<(), Failure> {
    if !directory.join(output::UNFINISHED).exists() {
        return Ok(());
    }
    let reason = "no manifest.json vouches for its files, and a sweep or merge is running or was stopped there; \
                  run that command again, a sweep with --resume";
    Err(Failure::read(directory, reason))
}

impl<C> Manifest<C> {
    /// A manifest of this build, for files and points to come.
    #[must_use]
    pub fn new(configuration_source: String, configuration: C) -> Self {
        Self {
            schema: SCHEMA,
            status: RunStatus::Complete,
            shard: None,
            tool: "castbench".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: env!("CASTBENCH_REVISION").to_owned(),
            configuration_source,
            configuration,
            files: Vec::new(),
            points: Tally::default(),
        }
    }
}
