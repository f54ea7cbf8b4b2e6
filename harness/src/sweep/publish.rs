//! The end of a sweep: writes findings and manifest, and moves all files to the results.

use std::io::Seek as _;
use std::path::Path;
use std::sync::Arc;

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::AnyProblem;
use serde::{Deserialize as _, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::unfinished::{self, ToSweep, Unfinished};
use crate::failure::{Code, Failure};
use crate::output::{self, Directory, Draft, Holder, Lock, Target};
use crate::record::manifest::{FileEntry, Manifest, ShardEntry};
use crate::record::shard::Shard;
use crate::record::summary::Summary;
use crate::record::{self, findings::Finding, parquet};
use crate::seal;

/// The formats of the rows, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats {
    /// Comma-separated values.
    pub csv: bool,
    /// Apache Parquet.
    pub parquet: bool,
}

impl Default for Formats {
    fn default() -> Self {
        Self {
            csv: true,
            parquet: false,
        }
    }
}

/// Publishes the rows with findings and manifest; `manifest` comes without files, points and shard. Returns the list of
/// files.
///
/// Rows come first, the manifest, which lists all, last.
pub(super) fn publish<C: Serialize>(
    unfinished: Unfinished,
    formats: Formats,
    shard: Option<Shard>,
    mut manifest: Manifest<C>,
) -> Result<Vec<FileEntry>, Failure> {
    let summary = unfinished.summary.clone();
    let mut files = if formats.csv {
        unfinished.entries()
    } else {
        Vec::new()
    };
    if formats.parquet {
        files.extend(parquet(&unfinished, &manifest)?);
    }
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
pub(super) fn row_files(problems: &[&'static dyn AnyProblem], formats: Formats) -> Vec<String> {
    let names = problems.iter().flat_map(|&problem| {
        let csv = formats.csv.then(|| record::file_name(problem));
        let parquet = formats.parquet.then(|| parquet::file_name(problem));
        csv.into_iter().chain(parquet)
    });
    names.collect()
}

/// Locks the directory of a sweep. A path that cannot hold a file fails before the work.
pub(super) fn lock(out: &Path, sweep: &ToSweep<'_>) -> Result<Lock, Failure> {
    for name in sweep
        .row_files
        .iter()
        .map(String::as_str)
        .chain([FINDINGS, MANIFEST])
    {
        output::prepare(&out.join(name))?;
    }
    let lock = Lock::new(out)?;
    unfinished::vet(&lock)?;
    Holder::Sweep.refuse_others(out)?;
    let mut expected = vec![(FINDINGS.to_owned(), output::csv_header::<Finding>()?)];
    for &problem in PROBLEMS {
        expected.push((
            record::file_name(problem),
            record::row::header(problem).join(",").into_bytes(),
        ));
        expected.push((parquet::file_name(problem), b"PAR1".to_vec()));
    }
    expected.retain(|(name, _)| name == FINDINGS || sweep.row_files.contains(name));
    output::refuse_strangers(out, expected)?;
    Ok(lock)
}

const FINDINGS: &str = "findings.csv";
const MANIFEST: &str = "manifest.json";

fn parquet<C: Serialize>(
    unfinished: &Unfinished,
    manifest: &Manifest<C>,
) -> Result<Vec<FileEntry>, Failure> {
    let metadata = metadata(manifest)?;
    let mut entries = Vec::new();
    for ((problem, csv, csv_path), FileEntry { rows, .. }) in
        unfinished.rows().zip(unfinished.entries())
    {
        let name = parquet::file_name(problem);
        let path = unfinished.path(&name);
        let mut file = unfinished
            .directory()
            .create(&name)
            .map_err(|error| Failure::write(&path, &error))?;
        parquet::from_csv(problem, (csv, csv_path), (&file, &path), metadata.clone())?;
        let digest = file
            .rewind()
            .and_then(|()| output::sha256(&file))
            .map_err(|error| Failure::read(&path, error))?;
        entries.push(FileEntry {
            name,
            rows,
            sha256: digest,
        });
    }
    Ok(entries)
}

/// The metadata of a Parquet file: the keys of the manifest.
fn metadata<C: Serialize>(manifest: &Manifest<C>) -> Result<Vec<(String, String)>, Failure> {
    // Parsed first, because a configuration that was read keeps the blanks of its file.
    let configuration = serde_json::to_value(&manifest.configuration)
        .map_err(|error| Failure::new(Code::Internal, error))?
        .to_string();
    let pairs = [
        ("schema", manifest.schema.to_string()),
        ("version", manifest.version.clone()),
        ("revision", manifest.revision.clone()),
        (
            "configuration_source",
            manifest.configuration_source.clone(),
        ),
        ("configuration", configuration),
    ];
    Ok(pairs
        .into_iter()
        .map(|(key, value)| (format!("castbench.{key}"), value))
        .collect())
}

fn findings(out: &Path, summary: &Summary) -> Result<(FileEntry, Draft), Failure> {
    let csv = [
        output::csv_header::<Finding>()?,
        output::csv_behind(summary.findings.rows())?,
    ]
    .concat();
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
    let gone = |name: &String| {
        listed.iter().any(|file| file.name == *name) && files.iter().all(|file| file.name != *name)
    };
    let names = PROBLEMS
        .iter()
        .flat_map(|&problem| [record::file_name(problem), parquet::file_name(problem)]);
    let names = names.chain([FINDINGS.to_owned()]);
    names
        .filter(gone)
        .filter(|name| out.has(name).unwrap_or(false))
        .map(|name| out.target(name))
        .collect()
}
