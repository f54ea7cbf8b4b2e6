//! The kind of results in a directory. Verbs of several kinds write a `manifest.json`, and none replaces another
//! kind's: a wrong `--out` could lose results that took hours.

use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use super::read::{open, read_text};
use crate::base::failure::Result;

const MANIFEST: &str = "manifest.json";

/// Refuses to replace foreign files: those that `manifest.json` does not list and that begin otherwise than castbench's
/// own. `files` are names with their first lines.
///
/// # Errors
/// The first such file.
pub fn refuse_strangers(
    directory: &Path,
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
) -> Result {
    let text = read_text(&directory.join(MANIFEST)).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
    let is_listed = |name: &str| {
        manifest["files"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|file| file["name"] == name)
    };
    for (name, header) in files {
        let path = directory.join(&name);
        // A file that cannot be read cannot be replaced, or does not exist.
        let Ok(begin) = open(&path).and_then(|file| {
            let mut begin = Vec::new();
            file.take(header.len() as u64)
                .read_to_end(&mut begin)
                .map(|_| begin)
        }) else {
            continue;
        };
        if !begin.is_empty() && begin != header && !is_listed(&name) {
            let path = path.display();
            let advice = "the existing file is of another program or of an earlier castbench; move it, or name another directory";
            bail!(Output, "cannot write to `{path}`: {advice}");
        }
    }
    Ok(())
}

/// The verbs that write a `manifest.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// `sweep`, `run` and `merge`.
    Sweep,
    /// `measure`.
    Measurement,
    /// `regress accept`.
    Baseline,
}

impl Holder {
    /// Refuses a directory whose `manifest.json` is of another kind. A damaged one, which still begins as JSON, may be replaced.
    ///
    /// # Errors
    /// Results of another kind.
    pub fn refuse_others(self, directory: &Path) -> Result {
        let text = read_text(&directory.join(MANIFEST)).unwrap_or_default();
        let found = Self::from_text(&text);
        if found == Some(self) {
            return Ok(());
        }
        if serde_json::from_str::<Value>(&text).is_err() {
            return refuse_strangers(directory, [(MANIFEST.to_owned(), b"{".to_vec())]);
        }
        let found = found.map_or("a manifest.json that castbench did not write", Self::name);
        let (directory, own) = (directory.display(), self.name());
        bail!(
            Output,
            "cannot write to `{directory}`: it holds {found}, which {own} would replace; name another directory, \
                 or remove its manifest.json first"
        )
    }

    /// Recognises the kind of a manifest by keys that only one of them has.
    pub fn from_text(manifest: &str) -> Option<Self> {
        let manifest: Value = serde_json::from_str(manifest).ok()?;
        let has = |key: &str| manifest.get(key).is_some();
        if has("hosts") && has("outcome") {
            Some(Self::Measurement)
        } else if has("grids") && has("algorithms") {
            Some(Self::Baseline)
        } else if has("points") && has("configuration") {
            Some(Self::Sweep)
        } else {
            None
        }
    }

    /// Its name with an article.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sweep => "a sweep",
            Self::Measurement => "a measurement",
            Self::Baseline => "a baseline of accepted costs",
        }
    }
}
