//! The rows of an unfinished sweep: a subdirectory with a checkpoint, from which a stopped sweep continues.
//!
//! A checkpoint records the length and the digest of each file; longer files are cut back before the sweep continues.
//! It is replaced as a whole, after its rows have reached the disk.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use algorithms::problem::AnyProblem;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::block::Block;
use super::identity::{Existing, Identity};
use super::pipeline::Sink;
use crate::failure::{Code, Failure};
use crate::output::{self, Draft, Lock};
use crate::record;
use crate::record::manifest::FileEntry;
use crate::record::summary::Summary;
use crate::seal;

pub(super) const DIRECTORY: &str = output::UNFINISHED;
const CHECKPOINT: &str = "checkpoint.json";
const IDENTITY: &str = "sweep.json";

const RESTART: &str = "the unfinished sweep is damaged, start over with --restart";

const INTERVAL: Duration = Duration::from_secs(2);

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// All cells before this position are in the files.
    next: u64,
    files: Vec<Extent>,
    summary: Summary,
}

#[derive(Serialize, Deserialize)]
struct Extent {
    bytes: u64,
    #[serde(flatten)]
    entry: FileEntry,
}

struct Growing {
    problem: &'static dyn AnyProblem,
    path: PathBuf,
    file: File,
    hasher: Sha256,
    bytes: u64,
    rows: u64,
}

impl Growing {
    fn append(&mut self, bytes: &[u8], rows: u64) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| Failure::write(&self.path, &error))?;
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.rows += rows;
        Ok(())
    }

    fn extent(&self) -> Extent {
        let sha256 = output::hex(&self.hasher.clone().finalize());
        let name = record::file_name(self.problem);
        Extent { bytes: self.bytes, entry: FileEntry { name, rows: self.rows, sha256 } }
    }
}

pub(super) struct ToSweep<'a> {
    pub problems: &'a [&'static dyn AnyProblem],
    pub row_files: &'a [String],
    pub identity: &'a Identity,
    /// The position after the last cell.
    pub end: u64,
    pub checkpoint_every: Option<Duration>,
}

/// Whether `out` has rows that a sweep can continue.
pub(super) fn is_kept(out: &Path) -> bool {
    out.join(DIRECTORY).join(CHECKPOINT).exists()
}

/// Removes rows without a checkpoint, which no sweep can continue.
pub(super) fn remove(out: &Path) -> Result<(), Failure> {
    let directory = out.join(DIRECTORY);
    match clear(&directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::write(&directory, &error)),
        _ => Ok(()),
    }
}

/// The rows of an unfinished sweep. Dropping it keeps them if there is a checkpoint, else removes them.
pub(super) struct Unfinished {
    out: PathBuf,
    directory: PathBuf,
    _lock: Lock,
    files: Vec<Growing>,
    /// All cells before this position are in the files.
    pub next: u64,
    /// The summary of the points before that.
    pub summary: Summary,
    /// Whether the directory stays: it has a checkpoint, or publishing has begun.
    pub kept: bool,
    interval: Duration,
    checkpointed: Instant,
}

impl Unfinished {
    /// Opens the directory inside `out`, which is locked, for a new or a stopped sweep.
    ///
    /// # Errors
    /// Exit code 2 for an unfinished sweep that must stay or has another identity, 74 if files cannot be written or are
    /// damaged.
    pub fn open(out: &Path, lock: Lock, sweep: &ToSweep<'_>, existing: Existing) -> Result<Self, Failure> {
        let directory = out.join(DIRECTORY);
        // Unpublished rows are private to this account, because the next castbench trusts what it finds here.
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory);
        made.map_err(|error| Failure::write(&directory, &error))?;
        let mut opened = Self {
            out: out.to_owned(),
            directory,
            _lock: lock,
            files: Vec::new(),
            next: 0,
            summary: Summary::default(),
            kept: false,
            interval: sweep.checkpoint_every.unwrap_or(INTERVAL),
            checkpointed: Instant::now(),
        };
        let path = opened.checkpoint_path();
        // Set before reading: rows that cannot be read are not deleted.
        opened.kept = path.try_exists().map_err(|error| Failure::read(&path, error))?;
        if !opened.kept || existing == Existing::Discard {
            opened.kept = false;
            opened.begin(sweep)?;
        } else {
            sweep.identity.check(&opened.identity_path(), existing, out)?;
            let text = output::read_text(&path).map_err(|error| damaged(&path, error))?;
            seal::check(&path, &text, RESTART)?;
            let checkpoint = serde_json::from_str(&text).map_err(|error| damaged(&path, error))?;
            opened.restore(sweep, checkpoint)?;
        }
        Ok(opened)
    }

    fn identity_path(&self) -> PathBuf {
        self.directory.join(IDENTITY)
    }

    fn checkpoint_path(&self) -> PathBuf {
        self.directory.join(CHECKPOINT)
    }

    fn begin(&mut self, sweep: &ToSweep<'_>) -> Result<(), Failure> {
        empty(&self.directory).map_err(|error| Failure::write(&self.directory, &error))?;
        output::write(&self.identity_path(), &sweep.identity.to_json()?)?;
        for &problem in sweep.problems {
            let path = self.directory.join(record::file_name(problem));
            let file = File::create(&path).map_err(|error| Failure::write(&path, &error))?;
            let mut growing = Growing { problem, path, file, hasher: Sha256::new(), bytes: 0, rows: 0 };
            growing.append(&header(problem)?, 0)?;
            self.files.push(growing);
        }
        Ok(())
    }

    /// Restores the files to their lengths in the checkpoint.
    fn restore(&mut self, sweep: &ToSweep<'_>, checkpoint: Checkpoint) -> Result<(), Failure> {
        if checkpoint.next > sweep.end {
            return Err(damaged(&self.checkpoint_path(), "it refers to a position that does not exist"));
        }
        for &problem in sweep.problems {
            let name = record::file_name(problem);
            let path = self.directory.join(&name);
            let extent = checkpoint.files.iter().find(|extent| extent.entry.name == name);
            let extent = extent.ok_or_else(|| damaged(&self.checkpoint_path(), "it lacks a file"))?;
            // Opening a pipe would block.
            if !path.is_file() {
                return Err(damaged(&path, "the file is gone"));
            }
            let file = File::options().read(true).write(true).open(&path);
            self.files.push(cut_back(
                problem,
                path.clone(),
                file.map_err(|error| Failure::read(&path, error))?,
                extent,
            )?);
        }
        self.next = checkpoint.next;
        self.summary = checkpoint.summary;
        Ok(())
    }

    /// Adds this many rows to the file of a problem, or a part of their bytes.
    ///
    /// # Errors
    /// Exit code 74 if they cannot be written.
    pub fn append_rows(&mut self, problem: &'static dyn AnyProblem, csv: &[u8], rows: u64) -> Result<(), Failure> {
        let file = self.files.iter_mut().find(|file| file.problem == problem);
        let file = file.ok_or_else(|| Failure::new(Code::Internal, "a row of a problem that is not swept"))?;
        file.append(csv, rows)
    }

    /// The files as they are now, in the order of the problems.
    pub fn entries(&self) -> Vec<FileEntry> {
        self.files.iter().map(|file| file.extent().entry).collect()
    }

    /// The problems with the current paths of their rows.
    pub fn paths(&self) -> impl Iterator<Item = (&'static dyn AnyProblem, &Path)> {
        self.files.iter().map(|file| (file.problem, file.path.as_path()))
    }

    /// Moves these files of its directory to their places, then the finished `written` files, the manifest last, and
    /// removes `stale` files before it. The directory keeps its files until the end, so a killed sweep or merge can be
    /// repeated. Without a manifest, readers see that the results are incomplete.
    ///
    /// # Errors
    /// Exit code 74 if that fails.
    pub fn publish(mut self, names: &[String], written: Vec<Draft>, stale: &[PathBuf]) -> Result<(), Failure> {
        let rows = names.iter().map(|name| Draft::of_file(&self.out.join(name), &self.path(name)));
        let mut drafts: Vec<Draft> = rows.collect::<Result<_, _>>()?;
        drafts.extend(written);
        self.kept = true;
        output::publish(drafts, stale)?;
        clear(&self.directory).map_err(|error| Failure::write(&self.directory, &error))
    }

    pub fn out(&self) -> &Path {
        &self.out
    }

    /// The path of a file until the sweep is complete.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

impl Sink for Unfinished {
    fn next(&self) -> u64 {
        self.next
    }

    fn append(&mut self, block: Block) -> Result<(), Failure> {
        self.append_rows(block.problem, &block.csv, block.rows)?;
        self.summary.absorb(block.summary);
        self.next = block.positions.end;
        Ok(())
    }

    fn checkpoint_when_due(&mut self) -> Result<bool, Failure> {
        if self.checkpointed.elapsed() < self.interval { Ok(false) } else { self.checkpoint().map(|()| true) }
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        for growing in &self.files {
            // Otherwise the checkpoint would list rows that are gone.
            if !output::is_still(&growing.file, &growing.path) {
                let error = io::Error::other("it was removed while the sweep ran");
                // The directory may be one that the last checkpoint made again, without rows.
                self.kept = false;
                return Err(Failure::write(&growing.path, &error));
            }
            growing.file.sync_data().map_err(|error| Failure::write(&growing.path, &error))?;
        }
        let files = self.files.iter().map(Growing::extent).collect();
        let checkpoint = Checkpoint { next: self.next, files, summary: self.summary.clone() };
        output::write(&self.checkpoint_path(), &seal::compact(&checkpoint)?)?;
        self.kept = true;
        self.checkpointed = Instant::now();
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.kept {
            // The next sweep overwrites what cannot be removed now.
            let _ = clear(&self.directory);
        }
    }
}

/// Refuses a directory for unfinished rows that castbench did not make: a link would lead elsewhere, and a subdirectory
/// could not be removed at the end.
pub(super) fn vet(out: &Path) -> Result<(), Failure> {
    let directory = out.join(DIRECTORY);
    let refuse =
        |path: &Path, what: &str| Err(Failure::write(path, &io::Error::other(format!("expected {what}; remove it"))));
    match fs::symlink_metadata(&directory) {
        Ok(found) if !found.is_dir() => return refuse(&directory, "a directory"),
        Ok(found) if !output::is_own(&found) => {
            let error = io::Error::other("another account made it; name another directory, or remove it");
            return Err(Failure::write(&directory, &error));
        }
        Err(_) => return Ok(()),
        Ok(_) => {}
    }
    let mut entries = fs::read_dir(&directory).map_err(|error| Failure::write(&directory, &error))?.flatten();
    match entries.find(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        Some(inner) => refuse(&inner.path(), "files only"),
        None => Ok(()),
    }
}

/// Removes the directory, its checkpoint first, because no sweep continues without one.
fn clear(directory: &Path) -> io::Result<()> {
    empty(directory)?;
    fs::remove_dir(directory)
}

fn empty(directory: &Path) -> io::Result<()> {
    match fs::remove_file(directory.join(CHECKPOINT)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::read_dir(directory)?.try_for_each(|entry| fs::remove_file(entry?.path()))
}

pub(super) fn header(problem: &'static dyn AnyProblem) -> Result<Vec<u8>, Failure> {
    let header: Vec<String> = record::row::header(problem).into_iter().map(str::to_owned).collect();
    Ok(output::csv_under::<()>(&header, [])?)
}

/// A file of a stopped sweep, cut back to its checkpoint.
fn cut_back(
    problem: &'static dyn AnyProblem,
    path: PathBuf,
    mut file: File,
    extent: &Extent,
) -> Result<Growing, Failure> {
    let hashed = output::hash((&mut file).take(extent.bytes));
    let (hasher, bytes) = hashed.map_err(|error| Failure::read(&path, error))?;
    let mut growing = Growing { problem, path, file, hasher, bytes, rows: extent.entry.rows };
    if growing.extent().entry != extent.entry {
        return Err(damaged(&growing.path, "it differs from what its checkpoint describes"));
    }
    let length = growing.file.metadata().map_err(|error| Failure::read(&growing.path, error))?.len();
    if length > bytes {
        growing.file.set_len(bytes).map_err(|error| Failure::write(&growing.path, &error))?;
    }
    growing.file.seek(SeekFrom::Start(bytes)).map_err(|error| Failure::read(&growing.path, error))?;
    Ok(growing)
}

fn damaged(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::read(path, format_args!("{reason}; {RESTART}"))
}
