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
use super::lock;
use super::parts::Place;
use super::summary::Summary;
use crate::failure::{Code, Failure};
use crate::output;
use crate::record;
use crate::record::manifest::FileEntry;

/// The directory, inside that of the results.
pub(super) const DIRECTORY: &str = ".castbench-unfinished";

/// Between two checkpoints.
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
    /// None where a sweep before this one was stopped after it had put the file in its place.
    file: Option<File>,
    hasher: Sha256,
    bytes: u64,
    rows: u64,
}

impl Growing {
    fn append(&mut self, bytes: &[u8], rows: u64) -> Result<(), Failure> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes).map_err(|error| Failure::write(&self.path, &error))?;
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

/// The rows of a sweep that is not whole yet. Dropping it keeps them if there is a checkpoint, and else nothing.
pub(super) struct Unfinished {
    out: PathBuf,
    directory: PathBuf,
    _lock: File,
    files: Vec<Growing>,
    /// Everything before this place is in the files.
    pub next: Place,
    /// What the points before that found.
    pub summary: Summary,
    /// Whether there is a checkpoint.
    pub kept: bool,
    checkpointed: Instant,
}

impl Unfinished {
    /// Opens the directory inside `out` for a sweep that begins at `start`, or goes on where one was stopped.
    ///
    /// # Errors
    /// Exit code 2 for an unfinished sweep that is not to be touched or is another one, 74 where something cannot be
    /// written, where what is there is damaged, or where another castbench is at work there.
    pub fn open(
        out: &Path,
        problems: &[Problem],
        identity: &Identity,
        start: Place,
        existing: Existing,
    ) -> Result<Self, Failure> {
        // A bad place fails before the work and not after it.
        for &problem in problems {
            output::target(&out.join(record::file_name(problem)))?;
        }
        let directory = out.join(DIRECTORY);
        let lock = lock::acquire(&directory, out)?;
        let mut opened = Self {
            out: out.to_owned(),
            directory,
            _lock: lock,
            files: Vec::new(),
            next: start,
            summary: Summary::default(),
            kept: false,
            checkpointed: Instant::now(),
        };
        match opened.checkpoint_there()? {
            Some(checkpoint) if existing != Existing::Discard => {
                opened.kept = true;
                identity.check(&opened.identity_path(), existing, out)?;
                opened.restore(problems, checkpoint)?;
            }
            _ => opened.begin(problems, identity)?,
        }
        Ok(opened)
    }

    fn identity_path(&self) -> PathBuf {
        self.directory.join("sweep.json")
    }

    fn checkpoint_path(&self) -> PathBuf {
        self.directory.join("checkpoint.json")
    }

    fn checkpoint_there(&self) -> Result<Option<Checkpoint>, Failure> {
        let path = self.checkpoint_path();
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::read(&path, error)),
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| damaged(&path, error)),
        }
    }

    fn begin(&mut self, problems: &[Problem], identity: &Identity) -> Result<(), Failure> {
        let path = self.checkpoint_path();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Failure::write(&path, &error)),
            _ => {}
        }
        output::write(&self.identity_path(), &identity.to_json()?)?;
        for &problem in problems {
            let path = self.directory.join(record::file_name(problem));
            let file = File::create(&path).map_err(|error| Failure::write(&path, &error))?;
            let mut growing = Growing { problem, path, file: Some(file), hasher: Sha256::new(), bytes: 0, rows: 0 };
            growing.append(&header(problem)?, 0)?;
            self.files.push(growing);
        }
        Ok(())
    }

    /// Takes up the files where the checkpoint left them.
    fn restore(&mut self, problems: &[Problem], checkpoint: Checkpoint) -> Result<(), Failure> {
        for &problem in problems {
            let name = record::file_name(problem);
            let path = self.directory.join(&name);
            let extent = checkpoint.files.iter().find(|extent| extent.entry.name == name);
            let extent = extent.ok_or_else(|| damaged(&self.checkpoint_path(), "it lacks a file"))?;
            let growing = match File::options().read(true).write(true).open(&path) {
                Ok(file) => cut_back(problem, path, file, extent)?,
                // It was stopped while it put its files in their places.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let advice = "it was to be the result of an unfinished sweep; start over with --restart";
                    let place = extent.entry.found_in(&self.out, advice)?;
                    let file = File::open(&place).map_err(|error| Failure::read(&place, error))?;
                    Growing { file: None, ..cut_back(problem, place, file, extent)? }
                }
                Err(error) => return Err(Failure::read(&path, error)),
            };
            self.files.push(growing);
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
        if self.checkpointed.elapsed() < INTERVAL { Ok(()) } else { self.checkpoint() }
    }

    /// Makes a checkpoint.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written.
    pub fn checkpoint(&mut self) -> Result<(), Failure> {
        for growing in &self.files {
            if let Some(file) = &growing.file {
                file.sync_data().map_err(|error| Failure::write(&growing.path, &error))?;
            }
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

    /// Puts the files in their places.
    ///
    /// # Errors
    /// Exit code 74 where that fails.
    pub fn publish(&mut self) -> Result<(), Failure> {
        for growing in &mut self.files {
            if let Some(file) = growing.file.take() {
                file.sync_all().map_err(|error| Failure::write(&growing.path, &error))?;
                output::move_into_place(&growing.path, &self.out.join(record::file_name(growing.problem)))?;
            }
        }
        Ok(())
    }

    /// All is in its place: nothing of it need be kept here.
    pub fn finish(mut self) {
        self.kept = false;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing depends on it: the next sweep overwrites what is left.
            let _ = fs::remove_dir_all(&self.directory);
        }
    }
}

/// The first line of a problem's file.
pub(super) fn header(problem: Problem) -> Result<Vec<u8>, Failure> {
    let failed = |error: csv::Error| Failure::new(Code::Internal, error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    record::columns(problem).and_then(|columns| writer.write_record(columns)).map_err(failed)?;
    writer.into_inner().map_err(|error| failed(error.into_error().into()))
}

/// A file of a sweep that was stopped, without what came after the checkpoint.
fn cut_back(problem: Problem, path: PathBuf, mut file: File, extent: &Extent) -> Result<Growing, Failure> {
    let hashed = output::hash((&mut file).take(extent.bytes));
    let (hasher, bytes) = hashed.map_err(|error| Failure::read(&path, error))?;
    let growing = Growing { problem, path, file: None, hasher, bytes, rows: extent.entry.rows };
    if growing.extent().entry != extent.entry {
        return Err(damaged(&growing.path, "it is not what its checkpoint describes"));
    }
    let length = file.metadata().map_err(|error| Failure::read(&growing.path, error))?.len();
    if length > bytes {
        file.set_len(bytes).map_err(|error| Failure::write(&growing.path, &error))?;
    }
    file.seek(SeekFrom::Start(bytes)).map_err(|error| Failure::read(&growing.path, error))?;
    Ok(Growing { file: Some(file), ..growing })
}

fn damaged(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::read(path, format_args!("{reason}; the unfinished sweep is damaged, start over with --restart"))
}
