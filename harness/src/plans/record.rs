//! What a manifest says of an algorithm that a user gave.

use std::path::Path;

use serde::Serialize;

use crate::output;

/// An algorithm of a configuration, with the digests of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Its problem.
    pub problem: &'static str,
    /// The key that gives it, and its value: `plan mine-{K}.json`.
    pub given: String,
    /// What it states of its cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Its files.
    pub files: Vec<Digest>,
}

/// A file and its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Digest {
    /// Its name, without a directory.
    pub name: String,
    /// Digest, as `sha256sum` prints it.
    pub sha256: String,
}

impl Digest {
    /// The digest of a file.
    ///
    /// # Errors
    /// The file and why it cannot be read.
    pub fn new(path: &Path) -> Result<Self, String> {
        let sha256 = output::open(path).and_then(output::sha256);
        let sha256 =
            sha256.map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Self { name, sha256 })
    }
}
