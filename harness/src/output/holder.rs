//! Whose results a directory holds. Verbs of several kinds call a file of theirs `manifest.json`, and none replaces that of
//! another: results that took hours would be lost by a slip in `--out`.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::read_text;
use crate::failure::Failure;

/// What writes a `manifest.json`.
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
    /// Refuses a directory whose `manifest.json` is of something else. One that is damaged is nobody's.
    ///
    /// # Errors
    /// Exit code 74 where that is so.
    pub fn refuse_others(self, directory: &Path) -> Result<(), Failure> {
        let text = read_text(&directory.join("manifest.json")).unwrap_or_default();
        let Ok(manifest) = serde_json::from_str::<Value>(&text) else { return Ok(()) };
        let found = Self::of(&manifest);
        if found == Some(self) {
            return Ok(());
        }
        let holds = found.map_or("a manifest.json that is not castbench's", Self::name);
        let reason = format!(
            "it holds {holds}, which {} would replace; name another directory, or remove its manifest.json first",
            self.name()
        );
        Err(Failure::write(directory, &io::Error::other(reason)))
    }

    /// By the keys that only one of them has.
    fn of(manifest: &Value) -> Option<Self> {
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

    fn name(self) -> &'static str {
        match self {
            Self::Sweep => "a sweep",
            Self::Measurement => "a measurement",
            Self::Baseline => "a baseline of accepted costs",
        }
    }
}
