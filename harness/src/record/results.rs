//! Reads the results of a whole sweep, as far as its manifest lists them.

use std::path::{Path, PathBuf};

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Problem;
use serde_json::Value;

use super::file_name;
use super::manifest::{self, Manifest};
use super::row::{Row, RowReader};
use crate::base::failure::{Failure, Result};
use crate::output;
use crate::print::column;

/// The results of a sweep, as its manifest lists them.
pub struct Sweep<'a> {
    directory: &'a Path,
    manifest: Option<Manifest<Value>>,
}

impl<'a> Sweep<'a> {
    /// Reads the manifest, if any: CSV files may be drawn without a manifest, but must match an existing one.
    ///
    /// # Errors
    /// Exit code 74 for a manifest that cannot be read, of another castbench, or of one shard.
    pub fn open(directory: &'a Path) -> Result<Self> {
        let path = directory.join("manifest.json");
        manifest::check_stopped(directory, path.exists())?;
        if !path.exists() {
            return Ok(Self {
                directory,
                manifest: None,
            });
        }
        let manifest = Manifest::open(&path, "sweep again")?;
        if manifest.status != "complete" {
            let reason = "it is one shard of a sweep; merge the shards with `castbench merge`";
            return Err(Failure::read(&path, reason));
        }
        manifest::refuse_unlisted(directory, &manifest.files)?;
        Ok(Self {
            directory,
            manifest: Some(manifest),
        })
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        self.directory
    }

    /// The manifest, if there is one.
    pub fn manifest(&self) -> Option<&Manifest<Value>> {
        self.manifest.as_ref()
    }

    /// The path of a listed file with the right digest; `None` if it is not listed.
    ///
    /// # Errors
    /// Exit code 74 for a file that cannot be read or differs.
    pub fn listed(&self, name: &str) -> Result<Option<PathBuf>> {
        let files = self.manifest.iter().flat_map(|manifest| &manifest.files);
        let Some(entry) = files.into_iter().find(|entry| entry.name == name) else {
            return Ok(None);
        };
        entry
            .found_in(
                self.directory,
                "sweep again, or remove the manifest to draw the file anyway",
            )
            .map(Some)
    }

    /// The wanted rows of a problem; none if the sweep does not cover it. `wanted` sees a row's algorithm, axes and status;
    /// only of the rows that it wants the costs are read.
    ///
    /// # Errors
    /// Exit code 74 for a file that cannot be read, differs or lacks columns.
    pub fn rows(
        &self,
        problem: &'static Problem,
        wanted: impl Fn(&Row) -> bool,
    ) -> Result<Vec<Row>> {
        let name = file_name(problem);
        let path = self.directory.join(&name);

        if self.manifest.is_some() {
            if self.listed(&name)?.is_none() {
                return Ok(Vec::new());
            }
        } else if !has_results(self.directory) {
            let reason = "the file does not exist; run `castbench sweep` first, or name its directory with --from";
            return Err(Failure::read(&path, reason));
        } else if !path.exists() {
            return Ok(Vec::new());
        }
        let failed = output::unread(&path);
        let lines = output::open_lines(&path).map_err(output::unread(&path))?;
        let mut reader = csv::Reader::from_reader(lines);
        let header = reader.headers().map_err(output::unread(&path))?;
        let columns = RowReader::new(problem, header)
            .map_err(|missing| failed(format!("it has no column `{missing}`; sweep again")))?;
        let mut rows = Vec::new();
        column::each(&mut reader, |record| {
            rows.extend(columns.read(record, &wanted)?);
            Ok(())
        })
        .map_err(failed)?;
        Ok(rows)
    }
}

fn has_results(directory: &Path) -> bool {
    PROBLEMS
        .iter()
        .any(|problem| directory.join(file_name(problem)).exists())
}
