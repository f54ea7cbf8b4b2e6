//! The rows of an unfinished sweep: a subdirectory with a checkpoint, from which a stopped sweep continues.
//!
//! A checkpoint records the length and the digest of each file; longer files are cut back before the sweep continues.
//! It is replaced as a whole, after its rows have reached the disk.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use algorithms::problem::Problem;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::block::Block;
use super::identity::{Existing, Identity};
use crate::base::failure::{Failure, Result};
use crate::output::seal;
use crate::output::{self, Directory, Draft, Lock, Target};
use crate::print::column;
use crate::record;
use crate::record::manifest::FileEntry;
use crate::record::summary::Summary;

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
    problem: &'static Problem,
    name: String,
    /// For messages.
    path: PathBuf,
    file: File,
    hasher: Sha256,
    bytes: u64,
    rows: u64,
}

impl Growing {
    fn append(&mut self, bytes: &[u8], rows: u64) -> Result {
        self.file
            .write_all(bytes)
            .map_err(output::unwritten(&self.path))?;
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.rows += rows;
        Ok(())
    }

    /// A file of a stopped sweep, cut back to its checkpoint.
    fn cut_back(&mut self, extent: &Extent) -> Result {
        let hashed = output::hash((&mut self.file).take(extent.bytes));
        (self.hasher, self.bytes) = hashed.map_err(output::unread(&self.path))?;
        self.rows = extent.entry.rows;
        if self.extent().entry != extent.entry {
            return Err(damaged(
                &self.path,
                "it differs from what its checkpoint describes",
            ));
        }
        let length = self
            .file
            .metadata()
            .map_err(output::unread(&self.path))?
            .len();
        if length > self.bytes {
            self.file
                .set_len(self.bytes)
                .map_err(output::unwritten(&self.path))?;
        }
        self.file
            .seek(SeekFrom::Start(self.bytes))
            .map(drop)
            .map_err(output::unread(&self.path))
    }

    fn extent(&self) -> Extent {
        let sha256 = output::hex(&self.hasher.clone().finalize());
        let name = self.name.clone();
        Extent {
            bytes: self.bytes,
            entry: FileEntry {
                name,
                rows: self.rows,
                sha256,
            },
        }
    }
}

pub(super) struct ToSweep<'a> {
    pub problems: &'a [&'static Problem],
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
pub(super) fn remove(lock: &Lock) -> Result {
    let out = lock.directory();
    let Some(directory) = out.private(DIRECTORY)? else {
        return Ok(());
    };
    clear(out, &directory).map_err(output::unwritten(directory.path()))
}

/// The rows of an unfinished sweep. Dropping it keeps them if there is a checkpoint, else removes them.
pub(super) struct Unfinished {
    lock: Lock,
    directory: Arc<Directory>,
    files: Vec<Growing>,
    /// All cells before this position are in the files.
    pub next: u64,
    /// The summary of the points before that.
    pub summary: Summary,
    /// Whether the directory stays: it has a checkpoint, or publishing has begun.
    pub kept: bool,
    interval: Duration,
    checkpointed: Instant,
    /// All cells before this position are covered by the last checkpoint of this process.
    kept_up_to: u64,
}

impl Unfinished {
    /// Opens the directory inside the locked one for a new or a stopped sweep.
    ///
    /// # Errors
    /// Exit code 2 for an unfinished sweep that must stay or has another identity, 74 if files cannot be written or are
    /// damaged.
    pub fn open(lock: Lock, sweep: &ToSweep<'_>, existing: Existing) -> Result<Self> {
        // Unpublished rows are private to this account, because the next castbench trusts what it finds here.
        let directory = lock.directory().make_private(DIRECTORY)?;
        let mut opened = Self {
            lock,
            directory,
            files: Vec::new(),
            next: 0,
            summary: Summary::default(),
            kept: false,
            interval: sweep.checkpoint_every.unwrap_or(INTERVAL),
            checkpointed: Instant::now(),
            kept_up_to: 0,
        };
        // Set before reading: rows that cannot be read are not deleted.
        let path = opened.path(CHECKPOINT);
        opened.kept = opened
            .directory
            .has(CHECKPOINT)
            .map_err(output::unread(&path))?;
        if !opened.kept || existing == Existing::Discard {
            opened.kept = false;
            empty(&opened.directory).map_err(output::unwritten(opened.directory.path()))?;
            opened.write(IDENTITY, &seal::compact(sweep.identity)?)?;
            opened.open_files(sweep, None)?;
        } else {
            let text = opened.text(IDENTITY).map_err(|error| {
                Failure::read(
                    &opened.path(IDENTITY),
                    format_args!("{error}; start over with --restart"),
                )
            })?;
            sweep
                .identity
                .check(&opened.path(IDENTITY), &text, existing, opened.out())?;
            let text = opened
                .text(CHECKPOINT)
                .map_err(|error| damaged(&path, error))?;
            seal::check(&path, &text, RESTART)?;
            let checkpoint: Checkpoint =
                serde_json::from_str(&text).map_err(|error| damaged(&path, error))?;
            if checkpoint.next > sweep.end {
                return Err(damaged(
                    &path,
                    "it refers to a position that does not exist",
                ));
            }
            opened.open_files(sweep, Some(&checkpoint))?;
            (opened.next, opened.summary) = (checkpoint.next, checkpoint.summary);
        }
        Ok(opened)
    }

    fn text(&self, name: &str) -> io::Result<String> {
        output::text_of(self.directory.open(name)?)
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result {
        output::publish(vec![Draft::at(self.directory.target(name), contents)?], &[])
    }

    /// Makes the files, or restores them to their lengths in the checkpoint.
    fn open_files(&mut self, sweep: &ToSweep<'_>, checkpoint: Option<&Checkpoint>) -> Result {
        for problem in sweep.problems {
            let name = record::file_name(problem);
            let path = self.path(&name);
            let file = match checkpoint {
                None => self
                    .directory
                    .create(&name)
                    .map_err(output::unwritten(&path)),
                Some(_) => self
                    .directory
                    .open(&name)
                    .map_err(|error| damaged(&path, error)),
            };
            let mut growing = Growing {
                problem,
                name,
                path,
                file: file?,
                hasher: Sha256::new(),
                bytes: 0,
                rows: 0,
            };
            if let Some(checkpoint) = checkpoint {
                let extent = checkpoint
                    .files
                    .iter()
                    .find(|extent| extent.entry.name == growing.name);
                growing.cut_back(
                    extent.ok_or_else(|| damaged(&self.path(CHECKPOINT), "it lacks a file"))?,
                )?;
            } else {
                growing.append(&header(problem, sweep.identity.has_networks(problem)), 0)?;
            }
            self.files.push(growing);
        }
        Ok(())
    }

    /// Adds this many rows to the file of a problem, or a part of their bytes.
    ///
    /// # Errors
    /// Exit code 74 if they cannot be written.
    pub fn append_rows(&mut self, problem: &'static Problem, csv: &[u8], rows: u64) -> Result {
        self.files
            .iter_mut()
            .find(|file| file.problem == problem)
            .ok_or_else(|| failure!(Internal, "a row of a problem that is not swept"))?
            .append(csv, rows)
    }

    /// The files as they are now, in the order of the problems.
    pub fn entries(&self) -> Vec<FileEntry> {
        self.files.iter().map(|file| file.extent().entry).collect()
    }

    /// Moves these files of its directory to the results, then the finished `written` files, the manifest last, and
    /// removes `stale` files before it. The directory keeps its files until the end, so a killed sweep or merge can be
    /// repeated. Without a manifest, readers see that the results are incomplete.
    ///
    /// # Errors
    /// Exit code 74 if that fails.
    pub fn publish(mut self, names: &[String], written: Vec<Draft>, stale: &[Target]) -> Result {
        self.check_there()?;
        let mut drafts: Vec<Draft> = names
            .iter()
            .map(|name| Draft::of_file(&self.out().join(name), &self.directory.target(name)))
            .collect::<Result<_, _>>()?;
        drafts.extend(written);
        self.kept = true;
        output::publish(drafts, stale)?;
        clear(self.lock.directory(), &self.directory)
            .map_err(output::unwritten(self.directory.path()))
    }

    /// Checks that the directories are where they were: results in a moved directory would not be found.
    fn check_there(&mut self) -> Result {
        let gone = |path: &Path| {
            Failure::write(
                path,
                &io::Error::other("it was removed while the sweep ran"),
            )
        };
        let growing = self
            .files
            .iter()
            .find(|growing| !self.directory.is_still(&growing.file, &growing.name));
        let gone = match growing {
            Some(growing) => gone(&growing.path),
            None if !self.results().is_there() => gone(self.out()),
            None => return Ok(()),
        };
        // The directory may be one that the last checkpoint made again, without rows.
        self.kept = false;
        Err(gone)
    }

    /// The directory of the results.
    pub fn results(&self) -> &Arc<Directory> {
        self.lock.directory()
    }

    /// Its path.
    pub fn out(&self) -> &Path {
        self.results().path()
    }

    /// The path of a file until the sweep is complete, for messages.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Appends the rows of the next cells; without any, makes a checkpoint if one is due.
    pub fn take(&mut self, block: Option<Block<Vec<u8>>>) -> Result {
        let Some(block) = block else {
            let is_due =
                self.next > self.kept_up_to && self.checkpointed.elapsed() >= self.interval;
            return if is_due { self.checkpoint() } else { Ok(()) };
        };
        self.append_rows(block.problem, &block.kept, block.rows)?;
        self.summary.absorb(block.summary);
        self.next = block.positions.end;
        Ok(())
    }

    /// Makes a checkpoint, so that no appended row is lost.
    pub fn checkpoint(&mut self) -> Result {
        self.check_there()?;
        for growing in &self.files {
            growing
                .file
                .sync_data()
                .map_err(output::unwritten(&growing.path))?;
        }
        let files = self.files.iter().map(Growing::extent).collect();
        let checkpoint = Checkpoint {
            next: self.next,
            files,
            summary: self.summary.clone(),
        };
        self.write(CHECKPOINT, &seal::compact(&checkpoint)?)?;
        self.kept = true;
        (self.kept_up_to, self.checkpointed) = (self.next, Instant::now());
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.kept {
            // The next sweep overwrites what cannot be removed now.
            let _ = clear(self.lock.directory(), &self.directory);
        }
    }
}

/// Refuses a directory for unfinished rows that castbench did not make, as one of another account: it could not be
/// removed at the end.
pub(super) fn vet(lock: &Lock) -> Result {
    let Some(directory) = lock.directory().private(DIRECTORY)? else {
        return Ok(());
    };
    let names = directory
        .names()
        .map_err(output::unwritten(directory.path()))?;
    match names.iter().find(|name| directory.is_directory(name)) {
        Some(inner) => {
            let error = io::Error::other("expected files only; remove it");
            Err(Failure::write(&directory.path().join(inner), &error))
        }
        None => Ok(()),
    }
}

/// Removes the directory, its checkpoint first, because no sweep continues without one.
fn clear(out: &Directory, directory: &Directory) -> io::Result<()> {
    empty(directory)?;
    out.remove_directory(DIRECTORY)
}

fn empty(directory: &Directory) -> io::Result<()> {
    match directory.remove(CHECKPOINT) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    directory
        .names()?
        .iter()
        .try_for_each(|name| directory.remove(name))
}

/// The first line of a problem's file.
pub fn header(problem: &Problem, has_networks: bool) -> Vec<u8> {
    let mut line = column::header(&record::row::swept(problem, has_networks));
    line.push(b'\n');
    line
}

fn damaged(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::read(path, format_args!("{reason}; {RESTART}"))
}
