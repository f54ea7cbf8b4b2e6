//! The end of a sweep: writes findings and manifest, and moves all files to the results.

use std::path::Path;
use std::sync::Arc;

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Problem;
use serde::{Deserialize as _, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::unfinished::{self, ToSweep, Unfinished};
use crate::base::failure::Result;
use crate::output::seal;
use crate::output::{self, Directory, Draft, Holder, Lock, Target};
use crate::print::column::{self, Tabled as _};
use crate::record::manifest::{FileEntry, Manifest, ShardEntry};
use crate::record::shard::Shard;
use crate::record::summary::Summary;
use crate::record::{self, findings::Finding};

/// Publishes the rows with findings and manifest; `manifest` comes without files, points and shard. Returns the list of
/// files.
///
/// Rows come first, the manifest, which lists all, last.
pub(super) fn publish<C: Serialize>(
    unfinished: Unfinished,
    shard: Option<Shard>,
    mut manifest: Manifest<C>,
) -> Result<Vec<FileEntry>> {
    let summary = unfinished.summary.clone();
    let mut files = unfinished.entries();
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    let mut written = Vec::new();
    // The findings of a shard are in its manifest, because merging adds them up.
    if shard.is_none() {
        let (entry, draft) = findings(unfinished.out(), &summary)?;
        files.push(entry);
        written.push(draft);
    }
    manifest.points = summary.tally;
    manifest.status = if shard.is_some() { "shard" } else { "complete" }.to_owned();
    manifest.shard = shard.map(|shard| ShardEntry { shard, summary });
    manifest.files.clone_from(&files);
    let json = seal::pretty(&manifest)?;
    written.push(Draft::with_contents(
        &unfinished.out().join(MANIFEST),
        &json,
    )?);
    // Files of an earlier sweep would look like part of this one.
    let stale = stale(unfinished.results(), &files);
    unfinished.publish(&names, written, &stale)?;
    Ok(files)
}

/// The files of the rows of such a sweep.
pub(super) fn row_files(problems: &[&'static Problem]) -> Vec<String> {
    problems.iter().copied().map(record::file_name).collect()
}

/// Locks the directory of a sweep. A path that cannot hold a file fails before the work.
pub(super) fn lock(out: &Path, sweep: &ToSweep<'_>) -> Result<Lock> {
    let row_files = row_files(sweep.problems);
    for name in row_files
        .iter()
        .map(String::as_str)
        .chain([FINDINGS, MANIFEST])
    {
        output::prepare(&out.join(name))?;
    }
    let lock = Lock::new(out)?;
    unfinished::vet(&lock)?;
    Holder::Sweep.refuse_others(out)?;
    let mut expected = vec![(FINDINGS.to_owned(), column::header(&Finding::columns()))];
    for problem in PROBLEMS {
        let header = column::header(&record::row::columns(problem));
        expected.push((record::file_name(problem), header));
    }
    expected.retain(|(name, _)| name == FINDINGS || row_files.contains(name));
    output::refuse_strangers(out, expected)?;
    Ok(lock)
}

const FINDINGS: &str = "findings.csv";
const MANIFEST: &str = "manifest.json";

fn findings(out: &Path, summary: &Summary) -> Result<(FileEntry, Draft)> {
    let csv = column::csv(&Finding::columns(), summary.findings.rows())?;
    let rows = summary.findings.rows().count() as u64;
    let entry = FileEntry {
        name: FINDINGS.to_owned(),
        rows,
        sha256: output::hex(&Sha256::digest(&csv)),
    };
    Ok((entry, Draft::with_contents(&out.join(FINDINGS), &csv)?))
}

/// Results in `out` that its manifest lists and the new one will not.
fn stale(out: &Arc<Directory>, files: &[FileEntry]) -> Vec<Target> {
    let text = output::read_text(&out.path().join(MANIFEST)).unwrap_or_default();
    let old: Value = serde_json::from_str(&text).unwrap_or_default();
    let listed: Vec<FileEntry> = Vec::deserialize(&old["files"]).unwrap_or_default();
    PROBLEMS
        .iter()
        .map(record::file_name)
        .chain([FINDINGS.to_owned()])
        .filter(|name| {
            listed.iter().any(|file| file.name == *name)
                && files.iter().all(|file| file.name != *name)
        })
        .filter(|name| out.has(name).unwrap_or(false))
        .map(|name| out.target(name))
        .collect()
}
