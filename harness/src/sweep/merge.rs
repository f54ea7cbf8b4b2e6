//! Puts the shards of a sweep together: exactly the files that the whole sweep writes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use algorithms::catalogue::Problem;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::identity::Identity;
use super::parts::Place;
use super::unfinished::{self, Existing, ToSweep, Unfinished, header};
use super::{Formats, INTERRUPTED, Report, State, Summary, publish};
use crate::failure::{Code, Failure};
use crate::output;
use crate::record;
use crate::record::manifest::{FileEntry, Manifest, RunStatus, SCHEMA, ShardEntry, Tally};
use crate::units::plural;

/// The configuration is kept as the text that it is, so that it is written as it was read.
type WireManifest = Manifest<Box<RawValue>>;

/// A shard: where it is and what its manifest says.
struct Found<'a> {
    directory: &'a Path,
    manifest: WireManifest,
    identity: Identity,
}

/// Reads this much of a file at once.
const BUFFER: usize = 1 << 20;

/// Merges the shards in these directories, in any order, into `out`.
///
/// # Errors
/// Exit code 2 for shards that are not all the shards of one sweep, 74 where something cannot be read or written, 130
/// where it was stopped. The merged files have the verdict of the whole sweep. The shards stay, so that whatever stops a
/// merge, merging again puts all in place.
pub fn merge(directories: &[PathBuf], out: &Path, existing: Existing, formats: Formats) -> Result<Report, Failure> {
    let begun = Instant::now();
    let shards = ordered(directories)?;
    let Some(first) = shards.values().next() else {
        return Err(Failure::usage("there is nothing to merge; name the directories of the shards"));
    };
    check_stretches(&shards)?;
    refuse_own(&shards, out)?;
    let problems: Vec<Problem> = Problem::ALL.into_iter().filter(|&problem| entry(first, problem).is_some()).collect();
    let sweep = ToSweep {
        problems: &problems,
        row_files: &publish::row_files(&problems, formats),
        identity: &Identity { shard: None, ..first.identity.clone() },
        start: Place::default(),
        is_place: &|_| false,
        checkpoint_every: None,
    };
    let mut whole = Unfinished::open(out, publish::claim(out, &sweep)?, &sweep, existing)?;
    let mut summary = Summary::default();
    for shard in shards.values() {
        for &problem in &problems {
            append(&mut whole, shard, problem)?;
        }
        if let Some(ShardEntry { summary: own, .. }) = &shard.manifest.shard {
            summary.absorb(own.clone());
        }
    }
    whole.summary = summary.clone();
    let source = &first.manifest;
    let manifest = WireManifest {
        schema: source.schema,
        status: RunStatus::Complete,
        shard: None,
        tool: source.tool.clone(),
        version: source.version.clone(),
        revision: source.revision.clone(),
        configuration_source: source.configuration_source.clone(),
        configuration: source.configuration.clone(),
        files: Vec::new(),
        points: Tally::default(),
    };
    let files = publish::publish(whole, formats, None, manifest)?;
    Ok(Report { summary, files, evaluated: 0, elapsed: begun.elapsed(), shard: None, state: State::Evaluated })
}

/// The shards by their index: all of them, each once, all of the same sweep.
fn ordered(directories: &[PathBuf]) -> Result<BTreeMap<u64, Found<'_>>, Failure> {
    let mut shards: BTreeMap<u64, Found<'_>> = BTreeMap::new();
    let mut of = None;
    for directory in directories {
        let (found, shard) = read(directory)?;
        if let Some(first) = shards.values().next() {
            let (own, other) = (directory.display(), first.directory.display());
            if let Some(difference) = first.identity.difference(&found.identity) {
                let explanation = format_args!("`{own}` does not belong to `{other}`: {difference}");
                return Err(Failure::usage(explanation));
            }
        }
        if let Some((known, of)) = of.filter(|&(_, of)| of != shard.of) {
            let (own, known): (_, &Path) = (directory.display(), known);
            let known = known.display();
            let explanation = format_args!("`{own}` is shard {shard}, but `{known}` is one of {of}");
            return Err(Failure::usage(explanation));
        }
        of = Some((directory.as_path(), shard.of));
        if let Some(twin) = shards.insert(shard.index, found) {
            let (a, b) = (twin.directory.display(), directory.display());
            return Err(Failure::usage(format_args!("`{a}` and `{b}` are both shard {shard}; name one of them")));
        }
    }
    let (_, of) = of.unwrap_or((Path::new(""), 0));
    let missing = of - shards.len() as u64;
    if missing > 0 {
        let told: Vec<String> =
            (1..=of).filter(|index| !shards.contains_key(index)).take(20).map(|index| index.to_string()).collect();
        let more = if missing > told.len() as u64 { ", ..." } else { "" };
        let number = plural(missing, "shard");
        let explanation =
            format_args!("{number} of {of} missing: {}{more}; name all their directories", told.join(", "));
        return Err(Failure::usage(explanation));
    }
    Ok(shards)
}

/// Reads the manifest of a shard.
fn read(directory: &Path) -> Result<(Found<'_>, super::Shard), Failure> {
    let path = directory.join("manifest.json");
    if !path.exists() {
        let reason = if directory.join(unfinished::DIRECTORY).exists() {
            "the shard is unfinished; finish it with `castbench sweep --shard I/N --resume`"
        } else {
            "there is no such file, so no shard of a sweep"
        };
        return Err(Failure::read(&path, reason));
    }
    output::refuse_mixture(directory)?;
    let text = output::read_text(&path).map_err(|error| Failure::read(&path, error))?;
    let unreadable = |error| Failure::read(&path, format_args!("{error}; it is no manifest of castbench, sweep again"));
    let manifest: WireManifest = serde_json::from_str(&text).map_err(unreadable)?;
    if manifest.schema != SCHEMA {
        let reason = format_args!("its schema is {}, this castbench reads {SCHEMA}; sweep again", manifest.schema);
        return Err(Failure::read(&path, reason));
    }
    let configuration = serde_json::from_str(manifest.configuration.get()).map_err(unreadable)?;
    let Some(shard) = manifest.shard.as_ref().map(|entry| entry.shard) else {
        let place = directory.display();
        return Err(Failure::usage(format_args!("`{place}` holds a whole sweep and no shard; leave it out")));
    };
    let identity = Identity {
        schema: manifest.schema,
        version: manifest.version.clone(),
        revision: manifest.revision.clone(),
        shard: None,
        configuration,
    };
    Ok((Found { directory, manifest, identity }, shard))
}

/// Checks what the manifests say of themselves and of each other: as many points as rows, each stretch where the one
/// before it ends.
fn check_stretches(shards: &BTreeMap<u64, Found<'_>>) -> Result<(), Failure> {
    let mut end = Place::default();
    for found in shards.values() {
        let Some(ShardEntry { shard, cells, summary }) = &found.manifest.shard else { continue };
        let rows = found.manifest.files.iter().fold(0, |sum: u64, file| sum.saturating_add(file.rows));
        if cells.start != end || summary.points() != rows || summary.tally != found.manifest.points {
            let path = found.directory.join("manifest.json");
            let reason = format_args!("it was changed: its numbers do not fit together; run shard {shard} again");
            return Err(Failure::read(&path, reason));
        }
        end = cells.end;
    }
    Ok(())
}

/// Refuses to write over a shard.
fn refuse_own(shards: &BTreeMap<u64, Found<'_>>, out: &Path) -> Result<(), Failure> {
    let Ok(own) = fs::canonicalize(out) else { return Ok(()) };
    let same = |found: &&Found<'_>| fs::canonicalize(found.directory).is_ok_and(|directory| directory == own);
    match shards.values().find(same) {
        None => Ok(()),
        Some(found) => {
            let place = found.directory.display();
            Err(Failure::usage(format_args!("--out: `{place}` holds one of the shards; name another directory")))
        }
    }
}

fn entry<'a>(shard: &'a Found<'_>, problem: Problem) -> Option<&'a FileEntry> {
    let name = record::file_name(problem);
    shard.manifest.files.iter().find(|file| file.name == name)
}

/// Appends the rows of a problem, after the header of the file and without it.
fn append(whole: &mut Unfinished, shard: &Found<'_>, problem: Problem) -> Result<(), Failure> {
    let path = shard.directory.join(record::file_name(problem));
    let entry = entry(shard, problem).ok_or_else(|| Failure::read(&path, "the manifest beside it does not list it"))?;
    let failed = |error: std::io::Error| Failure::read(&path, error);
    let mut file = output::open(&path).map_err(failed)?;
    let mut hasher = Sha256::new();
    let expected = header(problem)?;
    let mut buffer = vec![0; expected.len()];
    file.read_exact(&mut buffer).map_err(failed)?;
    if buffer != expected {
        return Err(Failure::read(&path, "its columns are others; sweep again"));
    }
    hasher.update(&buffer);
    buffer.resize(BUFFER, 0);
    loop {
        if INTERRUPTED.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(Failure::new(Code::Interrupted, "interrupted; nothing is merged, the shards are as they were"));
        }
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            read => {
                hasher.update(&buffer[..read]);
                whole.append_rows(problem, &buffer[..read], 0)?;
            }
        }
    }
    if output::hex(&hasher.finalize()) == entry.sha256 {
        return whole.append_rows(problem, &[], entry.rows);
    }
    let reason = format_args!("it is not the file that manifest.json describes; run shard {} again", shard_name(shard));
    Err(Failure::read(&path, reason))
}

fn shard_name(shard: &Found<'_>) -> String {
    shard.manifest.shard.as_ref().map_or_else(String::new, |entry| entry.shard.to_string())
}
