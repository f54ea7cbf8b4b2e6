//! The end of a sweep: findings and manifest beside the rows, and everything in its place.

use std::path::{Path, PathBuf};

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::AnyProblem;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::unfinished::{self, ToSweep, Unfinished};
use crate::failure::{Code, Failure};
use crate::output::{self, Draft, Holder, Lock};
use crate::record::manifest::{FileEntry, Manifest, RunStatus, ShardEntry};
use crate::record::shard::Shard;
use crate::record::summary::Summary;
use crate::record::{self, findings::Finding, parquet};
use crate::seal;

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
///
/// Rows first, the manifest, which vouches for all, last.
pub(super) fn publish<C: Serialize>(
    unfinished: Unfinished,
    formats: Formats,
    shard: Option<Shard>,
    mut manifest: Manifest<C>,
) -> Result<Vec<FileEntry>, Failure> {
    let summary = unfinished.summary.clone();
    let mut files = if formats.csv { unfinished.entries() } else { Vec::new() };
    if formats.parquet {
        files.extend(parquet(&unfinished, &manifest)?);
    }
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    let mut written = Vec::new();
    // The findings of a shard are in its manifest, for they have to be added up.
    if shard.is_none() {
        let (entry, draft) = findings(unfinished.out(), &summary)?;
        files.push(entry);
        written.push(draft);
    }
    manifest.points = summary.tally;
    manifest.status = if shard.is_some() { RunStatus::Shard } else { RunStatus::Complete };
    manifest.shard = shard.map(|shard| ShardEntry { shard, summary });
    manifest.files.clone_from(&files);
    let json = seal::pretty(&manifest)?;
    written.push(Draft::of(&unfinished.out().join(MANIFEST), &json)?);
    // What a sweep before this one left: beside the new manifest it would look like part of it.
    let stale = stale(unfinished.out(), &files);
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

/// Locks the directory of a sweep. A place that a file cannot have fails before the work and not after it.
///
/// # Errors
/// Exit code 74 where another castbench is at work there, or nothing can be written.
pub(super) fn lock(out: &Path, sweep: &ToSweep<'_>) -> Result<Lock, Failure> {
    for name in sweep.row_files.iter().map(String::as_str).chain([FINDINGS, MANIFEST]) {
        output::prepare(&out.join(name))?;
    }
    let lock = Lock::of(out)?;
    unfinished::vet(out)?;
    Holder::Sweep.refuse_others(out)?;
    let mut expected = vec![(FINDINGS.to_owned(), findings_header()?.join(",").into_bytes())];
    for &problem in PROBLEMS {
        expected.push((record::file_name(problem), record::row::header(problem).join(",").into_bytes()));
        expected.push((parquet::file_name(problem), b"PAR1".to_vec()));
    }
    expected.retain(|(name, _)| name == FINDINGS || sweep.row_files.contains(name));
    output::refuse_strangers(out, expected)?;
    Ok(lock)
}

const FINDINGS: &str = "findings.csv";
const MANIFEST: &str = "manifest.json";

/// The rows as Parquet.
fn parquet<C: Serialize>(unfinished: &Unfinished, manifest: &Manifest<C>) -> Result<Vec<FileEntry>, Failure> {
    let metadata = metadata(manifest)?;
    let mut entries = Vec::new();
    for ((problem, csv), FileEntry { rows, .. }) in unfinished.paths().zip(unfinished.entries()) {
        let name = parquet::file_name(problem);
        let path = unfinished.path(&name);
        parquet::from_csv(problem, csv, &path, metadata.clone())?;
        let digest = output::open(&path).and_then(output::sha256).map_err(|error| Failure::read(&path, error))?;
        entries.push(FileEntry { name, rows, sha256: digest });
    }
    Ok(entries)
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

fn findings_header() -> Result<Vec<String>, Failure> {
    record::columns_of(&Finding::default()).map_err(|error| Failure::new(Code::Internal, error))
}

/// `findings.csv`.
fn findings(out: &Path, summary: &Summary) -> Result<(FileEntry, Draft), Failure> {
    let csv = output::csv_under(&findings_header()?, summary.findings.rows())?;
    let rows = summary.findings.rows().count() as u64;
    let entry = FileEntry { name: FINDINGS.to_owned(), rows, sha256: output::hex(&Sha256::digest(&csv)) };
    Ok((entry, Draft::of(&out.join(FINDINGS), &csv)?))
}

/// Results in `out` that the manifest there lists and the one to come will not.
fn stale(out: &Path, files: &[FileEntry]) -> Vec<PathBuf> {
    #[derive(Deserialize)]
    struct Old {
        files: Vec<FileEntry>,
    }
    let text = output::read_text(&out.join(MANIFEST)).unwrap_or_default();
    let listed = serde_json::from_str::<Old>(&text).map_or_else(|_| Vec::new(), |old| old.files);
    let gone =
        |name: &String| listed.iter().any(|file| file.name == *name) && files.iter().all(|file| file.name != *name);
    let names = PROBLEMS.iter().flat_map(|&problem| [record::file_name(problem), parquet::file_name(problem)]);
    let names = names.chain([FINDINGS.to_owned()]);
    names.filter(gone).map(|name| out.join(name)).filter(|path| path.is_file()).collect()
}
