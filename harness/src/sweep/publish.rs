//! The end of a sweep: findings and manifest beside the rows, and everything in its place.

use std::path::{Path, PathBuf};

use algorithms::catalogue::Problem;
use serde::{Deserialize, Serialize};

use super::shard::Shard;
use super::summary::Summary;
use super::unfinished::Unfinished;
use crate::failure::{Code, Failure};
use crate::output::Draft;
use crate::record;
use crate::record::findings::Finding;
use crate::record::manifest::{FileEntry, Manifest, ShardEntry, Tally};

/// Puts the rows in their places, with findings and manifest beside them; `manifest` makes that of these files and
/// points. Returns what it lists.
pub(super) fn publish<C: Serialize>(
    out: &Path,
    mut unfinished: Unfinished,
    shard: Option<Shard>,
    manifest: impl FnOnce(Option<ShardEntry>, Vec<FileEntry>, Tally) -> Manifest<C>,
) -> Result<Vec<FileEntry>, Failure> {
    let mut files = unfinished.entries();
    let summary = unfinished.summary.clone();
    let tally = summary.tally;
    // The findings of a shard are in its manifest, for they have to be added up.
    let findings = match shard {
        Some(_) => None,
        None => Some(findings(out, &summary, &mut files)?),
    };
    let entry = shard.map(|shard| ShardEntry { shard, summary });
    let manifest = manifest(entry, files.clone(), tally);
    let json = serde_json::to_vec_pretty(&manifest).map_err(|error| Failure::new(Code::Internal, error))?;
    let manifest = Draft::of(&out.join("manifest.json"), &json)?;
    let stale = stale(out, &files);
    unfinished.publish()?;
    findings.map_or(Ok(()), Draft::publish)?;
    manifest.publish()?;
    // What a sweep before this one left: beside the new manifest it would look like part of it.
    for path in stale {
        std::fs::remove_file(&path).map_err(|error| Failure::write(&path, &error))?;
    }
    unfinished.finish();
    Ok(files)
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
    let names = Problem::ALL.into_iter().map(record::file_name).chain(["findings.csv".to_owned()]);
    names.filter(gone).map(|name| out.join(name)).filter(|path| path.is_file()).collect()
}
