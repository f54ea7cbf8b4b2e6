//! The files that a `manifest.json` lists with digests, and how they are read back.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::failure::{Failure, Result};
use crate::base::units::plural;
use crate::output;
use crate::print::column::{self, Tabled};

/// One file beside a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Name, without a directory.
    #[serde(deserialize_with = "neighbour")]
    pub name: String,
    /// Rows, without the header.
    pub rows: u64,
    /// Digest, as `sha256sum` prints it.
    pub sha256: String,
}

/// Reads the name of a file beside the manifest. A path could lead to any file of the user.
fn neighbour<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let is_plain = !matches!(&*name, "" | "." | "..")
        && !name.contains(|sign: char| "/\\".contains(sign) || sign.is_control());
    if is_plain {
        Ok(name)
    } else {
        Err(D::Error::custom(format_args!(
            "{name:?} is not the name of a file beside the manifest"
        )))
    }
}

impl FileEntry {
    /// The path of the file, after checking its digest; `advice` says what to do if it differs.
    ///
    /// # Errors
    /// Exit code 74 for a file that cannot be read or differs.
    pub fn found_in(&self, directory: &Path, advice: &str) -> Result<PathBuf> {
        let path = directory.join(&self.name);
        let digest = output::open(&path).and_then(output::sha256);
        let digest =
            digest.map_err(|error| Failure::read(&path, format_args!("{error}; {advice}")))?;
        if digest == self.sha256 {
            return Ok(path);
        }
        Err(Failure::read(
            &path,
            format_args!("it differs from the file that manifest.json describes; {advice}"),
        ))
    }
}

/// The rows of a file that the manifest of its directory lists, after checking its digest and their number.
///
/// # Errors
/// Exit code 74 if it is not listed, differs or cannot be read.
pub fn rows<T: Tabled>(
    files: &[FileEntry],
    directory: &Path,
    name: &str,
    advice: &str,
) -> Result<Vec<T>> {
    let entry = files.iter().find(|file| file.name == name).ok_or_else(|| {
        Failure::read(
            &directory.join(name),
            format_args!("manifest.json does not list this file; {advice}"),
        )
    })?;
    let path = entry.found_in(directory, advice)?;
    let failed = |error: &dyn Display| Failure::read(&path, format_args!("{error}; {advice}"));
    let lines = output::open_lines(&path).map_err(|error| failed(&error))?;
    let rows: Vec<T> = column::rows(lines).map_err(|error| failed(&error))?;
    if rows.len() as u64 == entry.rows {
        return Ok(rows);
    }
    let [has, listed] = [rows.len() as u64, entry.rows].map(|rows| plural(rows, "row"));
    Err(Failure::read(
        &path,
        format_args!("it has {has}, but manifest.json lists {listed}; {advice}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_name_is_of_a_file_beside_the_manifest() {
        let read = |name: &str| {
            let entry = serde_json::json!({"name": name, "rows": 1, "sha256": ""});
            serde_json::from_value::<FileEntry>(entry)
        };
        for name in ["logp-multicast.csv", "a b", "...", "é.csv"] {
            assert_eq!(read(name).unwrap().name, name);
        }
        for name in [
            "",
            ".",
            "..",
            "../a",
            "a/b",
            "/etc/passwd",
            "a\\b",
            "a\0b",
            "a\n",
        ] {
            let explanation = read(name).unwrap_err().to_string();
            assert!(
                explanation.contains("is not the name of a file beside the manifest"),
                "{name:?}: {explanation}"
            );
        }
    }
}
