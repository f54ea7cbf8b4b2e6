//! The rows of a sweep until it is whole: a directory of their own beside their place, with a checkpoint from which
//! a sweep that was stopped, by whatever, goes on.
//!
//! A checkpoint tells how far each file has got and its digest so far; what a file holds beyond is cut off before the
//! sweep goes on. It is replaced as a whole, after the rows that it speaks of have reached the disk.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use algorithms::catalogue::Problem;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::block::Block;
use super::identity::Identity;
use super::parts::Place;
use super::summary::Summary;
use crate::failure::{Code, Failure};
use crate::output::{self, Claim};
use crate::record;
use crate::record::manifest::FileEntry;

/// The directory, inside that of the results.
pub(super) const DIRECTORY: &str = output::UNFINISHED;
const CHECKPOINT: &str = "checkpoint.json";
const IDENTITY: &str = "sweep.json";

/// Between two checkpoints, unless it is said otherwise.
const INTERVAL: Duration = Duration::from_secs(2);

/// What to do with the rows of a sweep that was stopped in the same directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// Refuse to touch them.
    #[default]
    Refuse,
    /// Go on from there; begin where there are none.
    Resume,
    /// Throw them away.
    Discard,
}

/// How far a sweep has got.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// Everything before this place is in the files.
    next: Place,
    files: Vec<Extent>,
    summary: Summary,
}

/// How far a file has got.
#[derive(Serialize, Deserialize)]
struct Extent {
    bytes: u64,
    #[serde(flatten)]
    entry: FileEntry,
}

/// A file that grows.
struct Growing {
    problem: Problem,
    /// Where it is while it grows.
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

/// What is to be swept.
pub(super) struct ToSweep<'a> {
    /// Whose rows there will be.
    pub problems: &'a [Problem],
    /// The files of the rows.
    pub row_files: &'a [String],
    /// What decides the rows.
    pub identity: &'a Identity,
    /// Where the sweep begins.
    pub start: Place,
    /// Whether it may go on here.
    pub is_place: &'a dyn Fn(Place) -> bool,
    /// Between two checkpoints.
    pub checkpoint_every: Option<Duration>,
}

/// Whether rows are kept in `out` from which a sweep can go on.
pub(super) fn is_kept(out: &Path) -> bool {
    out.join(DIRECTORY).join(CHECKPOINT).exists()
}

/// Removes what stands in the way of no sweep: rows without a checkpoint, from which none can go on.
///
/// # Errors
/// Exit code 74 where that is not possible.
pub(super) fn remove(out: &Path) -> Result<(), Failure> {
    let directory = out.join(DIRECTORY);
    match output::clear(&directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::write(&directory, &error)),
        _ => Ok(()),
    }
}

/// The rows of a sweep that is not whole yet. Dropping it keeps them if there is a checkpoint, and else nothing.
pub(super) struct Unfinished {
    out: PathBuf,
    directory: PathBuf,
    /// Held until the directory is gone.
    _claim: Claim,
    files: Vec<Growing>,
    /// Where the sweep begins.
    pub start: Place,
    /// Everything before this place is in the files.
    pub next: Place,
    /// What the points before that found.
    pub summary: Summary,
    /// Whether there is a checkpoint.
    pub kept: bool,
    interval: Duration,
    checkpointed: Instant,
}

impl Unfinished {
    /// Opens the directory inside `out`, which is claimed, for a sweep, or goes on where one was stopped.
    ///
    /// # Errors
    /// Exit code 2 for an unfinished sweep that is not to be touched or is another one, 74 where something cannot be
    /// written or where what is there is damaged.
    pub fn open(out: &Path, claim: Claim, sweep: &ToSweep<'_>, existing: Existing) -> Result<Self, Failure> {
        let directory = out.join(DIRECTORY);
        fs::create_dir_all(&directory).map_err(|error| Failure::write(&directory, &error))?;
        let mut opened = Self {
            out: out.to_owned(),
            directory,
            _claim: claim,
            files: Vec::new(),
            start: sweep.start,
            next: sweep.start,
            summary: Summary::default(),
            kept: false,
            interval: sweep.checkpoint_every.unwrap_or(INTERVAL),
            checkpointed: Instant::now(),
        };
        let path = opened.checkpoint_path();
        // Known before it is read: what cannot be read is not thrown away.
        opened.kept = path.try_exists().map_err(|error| Failure::read(&path, error))?;
        if !opened.kept || existing == Existing::Discard {
            opened.kept = false;
            opened.begin(sweep)?;
        } else {
            sweep.identity.check(&opened.identity_path(), existing, out)?;
            let text = output::read_text(&path).map_err(|error| damaged(&path, error))?;
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
        // The checkpoint first: without it nothing depends on what is left.
        let old = fs::read_dir(&self.directory).map_err(|error| Failure::write(&self.directory, &error))?;
        let old = old.flatten().map(|entry| entry.path());
        for path in [self.checkpoint_path()].into_iter().chain(old) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Failure::write(&path, &error)),
                _ => {}
            }
        }
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

    /// Takes up the files where the checkpoint left them.
    fn restore(&mut self, sweep: &ToSweep<'_>, checkpoint: Checkpoint) -> Result<(), Failure> {
        if !(sweep.is_place)(checkpoint.next) {
            return Err(damaged(&self.checkpoint_path(), "it names a place that is not there"));
        }
        for &problem in sweep.problems {
            let name = record::file_name(problem);
            let path = self.directory.join(&name);
            let extent = checkpoint.files.iter().find(|extent| extent.entry.name == name);
            let extent = extent.ok_or_else(|| damaged(&self.checkpoint_path(), "it lacks a file"))?;
            // What is no file would keep its reader waiting.
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

    /// Adds the rows of a block, the next one in the order of the sweep.
    ///
    /// # Errors
    /// Exit code 74 where they cannot be written.
    pub fn append(&mut self, block: Block) -> Result<(), Failure> {
        self.append_rows(block.problem, &block.csv, block.rows)?;
        self.summary.absorb(block.summary);
        self.next = block.end;
        Ok(())
    }

    /// Adds so many rows to the file of a problem, or some bytes of them.
    ///
    /// # Errors
    /// Exit code 74 where they cannot be written.
    pub fn append_rows(&mut self, problem: Problem, csv: &[u8], rows: u64) -> Result<(), Failure> {
        let file = self.files.iter_mut().find(|file| file.problem == problem);
        let file = file.ok_or_else(|| Failure::new(Code::Internal, "a row of a problem that is not swept"))?;
        file.append(csv, rows)
    }

    /// Makes a checkpoint if the last one is some time ago.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written.
    pub fn checkpoint_when_due(&mut self) -> Result<(), Failure> {
        if self.checkpointed.elapsed() < self.interval { Ok(()) } else { self.checkpoint() }
    }

    /// Makes a checkpoint.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written.
    pub fn checkpoint(&mut self) -> Result<(), Failure> {
        for growing in &self.files {
            growing.file.sync_data().map_err(|error| Failure::write(&growing.path, &error))?;
        }
        let files = self.files.iter().map(Growing::extent).collect();
        let checkpoint = Checkpoint { next: self.next, files, summary: self.summary.clone() };
        let json = serde_json::to_vec(&checkpoint).map_err(|error| Failure::new(Code::Internal, error))?;
        output::write(&self.checkpoint_path(), &json)?;
        self.kept = true;
        self.checkpointed = Instant::now();
        Ok(())
    }

    /// What the files are now, in the order of the problems.
    pub fn entries(&self) -> Vec<FileEntry> {
        self.files.iter().map(|file| file.extent().entry).collect()
    }

    /// The problems and where their rows are now, to be read.
    pub fn paths(&self) -> impl Iterator<Item = (Problem, &Path)> {
        self.files.iter().map(|file| (file.problem, file.path.as_path()))
    }

    /// Puts these files of its directory in their places, in this order, and removes others. Nothing of it need be kept
    /// then; where that fails or is killed, the next castbench that writes there finishes it.
    ///
    /// # Errors
    /// Exit code 74 where that fails.
    pub fn publish(mut self, names: &[String], removals: &[&str]) -> Result<(), Failure> {
        for name in names {
            let path = self.path(name);
            File::open(&path).and_then(|file| file.sync_all()).map_err(|error| Failure::write(&path, &error))?;
        }
        let moves = names.iter().map(|name| (name.clone(), name.into())).collect();
        let published = output::publish(&self.directory, &self.out, moves, removals.iter().map(Into::into).collect());
        // Where it failed after the list was written, the list is kept, and what it names.
        self.kept = published.is_err() && (self.kept || output::is_under_way(&self.out));
        published
    }

    /// Where the files are to be.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Where a file of this name stands until it is put in its place.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Writes a file that goes with the rows.
    ///
    /// # Errors
    /// Exit code 74 where that fails.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), Failure> {
        let path = self.path(name);
        fs::write(&path, contents).map_err(|error| Failure::write(&path, &error))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed now is overwritten by the next sweep.
            let _ = output::clear(&self.directory);
        }
    }
}

/// The first line of a problem's file.
pub(super) fn header(problem: Problem) -> Result<Vec<u8>, Failure> {
    let header = record::columns(problem).map_err(|error| Failure::new(Code::Internal, error))?;
    output::csv_under::<()>(&header, [])
}

/// A file of a sweep that was stopped, without what came after the checkpoint.
fn cut_back(problem: Problem, path: PathBuf, mut file: File, extent: &Extent) -> Result<Growing, Failure> {
    let hashed = output::hash((&mut file).take(extent.bytes));
    let (hasher, bytes) = hashed.map_err(|error| Failure::read(&path, error))?;
    let mut growing = Growing { problem, path, file, hasher, bytes, rows: extent.entry.rows };
    if growing.extent().entry != extent.entry {
        return Err(damaged(&growing.path, "it is not what its checkpoint describes"));
    }
    let length = growing.file.metadata().map_err(|error| Failure::read(&growing.path, error))?.len();
    if length > bytes {
        growing.file.set_len(bytes).map_err(|error| Failure::write(&growing.path, &error))?;
    }
    growing.file.seek(SeekFrom::Start(bytes)).map_err(|error| Failure::read(&growing.path, error))?;
    Ok(growing)
}

fn damaged(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::read(path, format_args!("{reason}; the unfinished sweep is damaged, start over with --restart"))
}
