//! `manifest.json`: how the CSV files beside it were made, and their digests.
//!
//! It contains nothing that differs between two runs of a configuration, so no time, host or thread count. Results can
//! be compared byte by byte.

use std::path::Path;

use algorithms::catalogue::PROBLEMS;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::shard::Shard;
use super::summary::{Summary, Tally};
use crate::base::failure::{Code, Failure, Result};
use crate::base::revision::revision;
use crate::output::seal::{self, Expected};
use crate::output::{self, Holder};
pub use crate::print::listed::FileEntry;

/// Version of the manifest and of the columns of the CSV files.
pub const SCHEMA: u32 = 2;

/// The manifest of a sweep, with its configuration as a value or as the text that was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest<C> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// `complete`, or `shard` if it does not cover the whole sweep.
    pub status: String,
    /// The shard, if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardEntry>,
    /// Always `castbench`.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// The git revision of the build, or `unknown`.
    pub revision: String,
    /// The configuration file.
    pub configuration_source: String,
    /// The configuration with all defaults filled in.
    pub configuration: C,
    /// The files, in the order of writing.
    pub files: Vec<FileEntry>,
    /// Counts of the points by status.
    pub points: Tally,
}

/// A shard of a sweep, with the data for merging it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ShardEntry {
    /// Its number, and the number of shards.
    #[serde(flatten)]
    pub shard: Shard,
    /// The summary of its points.
    pub summary: Summary,
}

/// Refuses rows that the manifest of their directory does not list.
///
/// # Errors
/// Exit code 74, naming the first such file.
pub fn refuse_unlisted(directory: &Path, files: &[FileEntry]) -> Result {
    let mut paths = PROBLEMS
        .iter()
        .map(super::file_name)
        .filter(|name| files.iter().all(|file| file.name != *name));
    match paths.find(|name| directory.join(name).exists()) {
        Some(name) => {
            let reason =
                "the manifest in its directory does not list it; remove it, or sweep again";
            Err(Failure::read(&directory.join(name), reason))
        }
        None => Ok(()),
    }
}

/// Refuses rows without a manifest if a sweep or merge stopped there, because it may have published some files. Of rows with one, it
/// says that they are older.
///
/// # Errors
/// Exit code 74 in that case.
pub fn check_stopped(directory: &Path, has_manifest: bool) -> Result {
    if !directory.join(output::UNFINISHED).exists() {
        return Ok(());
    }
    if has_manifest {
        tell!(
            "warning: the rows in `{0}` are older than the sweep or merge that is running or was stopped there; a sweep ends with \
             `castbench sweep --out {0} --resume` and its options",
            directory.display()
        );
        return Ok(());
    }
    let reason = "it has no manifest.json, and a sweep or merge is running or was stopped there; run that command \
                  again, a sweep with --resume";
    Err(Failure::read(directory, reason))
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
                of: &[Holder::Sweep],
                advice,
            },
        )
    }
}

impl<C> Manifest<C> {
    /// A manifest of this build, without files and points.
    pub fn new(configuration_source: String, configuration: C) -> Self {
        Self {
            schema: SCHEMA,
            status: "complete".to_owned(),
            shard: None,
            tool: "castbench".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: revision().to_owned(),
            configuration_source,
            configuration,
            files: Vec::new(),
            points: Tally::default(),
        }
    }
}
