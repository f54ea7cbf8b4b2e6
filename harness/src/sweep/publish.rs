//! The end of a sweep: findings and manifest beside the rows, and everything in its place.

use std::path::{Path, PathBuf};

use algorithms::catalogue::Problem;
use serde::{Deserialize, Serialize};

use super::shard::Shard;
use super::summary::Summary;
use super::unfinished::Unfinished;
use crate::failure::{Code, Failure};
use crate::output::Draft;
use crate::record::manifest::{FileEntry, Manifest, RunStatus, ShardEntry};
use crate::record::{self, findings::Finding, parquet};

/// Which formats the rows are written in, one at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats {
    /// Comma-separated values.
    pub csv: bool,
    /// Apache Parquet.
    pub parquet: bool,
}

impl Default for Formats {
    fn default() -> Self {
        Self { csv: true, parquet: false }
    }
}

/// Puts the rows in their places, with findings and manifest beside them: `manifest` without its files, points and
/// shard. Returns what it lists.
pub(super) fn publish<C: Serialize>(
    out: &Path,
    mut unfinished: Unfinished,
    formats: Formats,
    shard: Option<Shard>,
    mut manifest: Manifest<C>,
) -> Result<Vec<FileEntry>, Failure> {
    let summary = unfinished.summary.clone();
    let mut files = if formats.csv { unfinished.entries() } else { Vec::new() };
    let parquet = if formats.parquet { parquet(out, &unfinished, &manifest, &mut files)? } else { Vec::new() };
    manifest.points = summary.tally;
    // The findings of a shard are in its manifest, for they have to be added up.
    let findings = match shard {
        Some(_) => None,
        None => Some(findings(out, &summary, &mut files)?),
    };
    manifest.shard = shard.map(|shard| ShardEntry { shard, summary });
    manifest.status = if shard.is_some() { RunStatus::Shard } else { RunStatus::Complete };
    manifest.files.clone_from(&files);
    let json = serde_json::to_vec_pretty(&manifest).map_err(|error| Failure::new(Code::Internal, error))?;
    let manifest = Draft::of(&out.join("manifest.json"), &json)?;
    let stale = stale(out, &files);
    if formats.csv {
        unfinished.publish()?;
    }
    parquet.into_iter().try_for_each(Draft::publish)?;
    findings.map_or(Ok(()), Draft::publish)?;
    manifest.publish()?;
    // What a sweep before this one left: beside the new manifest it would look like part of it.
    for path in stale {
        std::fs::remove_file(&path).map_err(|error| Failure::write(&path, &error))?;
    }
    unfinished.finish();
    Ok(files)
}

/// The rows as Parquet, and their entries at the end of the files.
fn parquet<C: Serialize>(
    out: &Path,
    unfinished: &Unfinished,
    manifest: &Manifest<C>,
    files: &mut Vec<FileEntry>,
) -> Result<Vec<Draft>, Failure> {
    let metadata = metadata(manifest)?;
    let mut drafts = Vec::new();
    for ((problem, csv), FileEntry { rows, .. }) in unfinished.paths().zip(unfinished.entries()) {
        let name = parquet::file_name(problem);
        let mut draft = Draft::create(&out.join(&name))?;
        parquet::from_csv(problem, csv, &mut draft, metadata.clone())?;
        files.push(FileEntry { name, rows, sha256: draft.digest()? });
        drafts.push(draft);
    }
    Ok(drafts)
}

/// What a Parquet file says of the sweep it is from, in the words of the manifest.
fn metadata<C: Serialize>(manifest: &Manifest<C>) -> Result<Vec<(String, String)>, Failure> {
    // Through a value: a configuration that was read back has the blanks of its file.
    let configuration =
        serde_json::to_value(&manifest.configuration).map_err(|error| Failure::new(Code::Internal, error))?.to_string();
    let pairs = [
        ("schema", manifest.schema.to_string()),
        ("version", manifest.version.clone()),
        ("revision", manifest.revision.clone()),
        ("configuration_source", manifest.configuration_source.clone()),
        ("configuration", configuration),
    ];
    Ok(pairs.into_iter().map(|(key, value)| (format!("castbench.{key}"), value)).collect())
}

/// `findings.csv`, and its entry at the end of the files.
fn findings(out: &Path, summary: &Summary, files: &mut Vec<FileEntry>) -> Result<Draft, Failure> {
    let failed = |error: csv::Error| Failure::new(Code::Internal, error);
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let columns = record::columns_of(&Finding::default());
    columns.and_then(|columns| writer.write_record(columns)).map_err(failed)?;
    let mut rows = 0;
    for finding in summary.findings.rows() {
        rows += 1;
        writer.serialize(finding).map_err(failed)?;
    }
    let csv = writer.into_inner().map_err(|error| failed(error.into_error().into()))?;
    let name = "findings.csv".to_owned();
    let mut draft = Draft::of(&out.join(&name), &csv)?;
    files.push(FileEntry { name, rows, sha256: draft.digest()? });
    Ok(draft)
}

/// Results in `out` that the manifest there lists and the one to come will not.
fn stale(out: &Path, files: &[FileEntry]) -> Vec<PathBuf> {
    #[derive(Deserialize)]
    struct Old {
        files: Vec<FileEntry>,
    }
    let text = std::fs::read_to_string(out.join("manifest.json")).unwrap_or_default();
    let listed = serde_json::from_str::<Old>(&text).map_or_else(|_| Vec::new(), |old| old.files);
    let gone =
        |name: &String| listed.iter().any(|file| file.name == *name) && files.iter().all(|file| file.name != *name);
    let names = Problem::ALL.into_iter().flat_map(|problem| [record::file_name(problem), parquet::file_name(problem)]);
    let names = names.chain(["findings.csv".to_owned()]);
    names.filter(gone).map(|name| out.join(name)).filter(|path| path.is_file()).collect()
}
