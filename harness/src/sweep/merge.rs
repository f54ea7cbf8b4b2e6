//! Merges the shards of a sweep into exactly the files of the whole sweep.
//!
//! The shards have the cells in turn, each with a line: its row, or an empty line if an earlier grid has the cell. So
//! rows are merged without the configuration. The files of a problem are read in parallel, a piece at a time.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Problem;
use serde_json::value::RawValue;

use super::identity::{Existing, Identity};
use super::publish;
use super::report::{Report, State};
use super::unfinished::{self, ToSweep, Unfinished, header};
use crate::base::failure::{Failure, Result};
use crate::base::units::plural;
use crate::output::interruption::INTERRUPTED;
use crate::output::{self, Lines};
use crate::record;
use crate::record::manifest::{FileEntry, Manifest, ShardEntry};
use crate::record::summary::Summary;

/// The configuration is kept as text, so that it is written unchanged.
type WireManifest = Manifest<Box<RawValue>>;

struct InputShard<'a> {
    directory: &'a Path,
    manifest: WireManifest,
    identity: Identity,
    entry: ShardEntry,
}

/// Most buffered bytes of all files of a problem, and of one file.
const MAX_BUFFERS: usize = 1 << 26;
const MAX_BUFFER: usize = 1 << 20;
/// Smallest buffer of a file, even with many files.
const MIN_BUFFER: usize = 1 << 12;
const WRITTEN: usize = 1 << 20;

/// Merges the shards in these directories, in any order, into `out`.
///
/// # Errors
/// Exit code 2 if they are not all the shards of one sweep, 74 if a file cannot be read or written, 130 if interrupted.
/// The merged files have the verdict of the whole sweep. The shards stay, so a failed merge can be repeated.
pub fn merge(directories: &[PathBuf], out: &Path, existing: Existing) -> Result<Report> {
    let begun = Instant::now();
    let shards = ordered(directories)?;
    let Some(first) = shards.values().next() else {
        bail!("there is nothing to merge; name the directories of the shards");
    };
    refuse_own(&shards, out)?;
    let problems: Vec<&'static Problem> = PROBLEMS
        .iter()
        .filter(|problem| entry(first, problem).is_some())
        .collect();
    let sweep = ToSweep {
        problems: &problems,
        identity: &first.identity,
        // A merge is not resumed.
        end: 0,
        checkpoint_every: None,
    };
    let mut whole = Unfinished::open(publish::lock(out, &sweep)?, &sweep, existing)?;
    let mut summary = Summary::default();
    let mut turn = 0;
    for problem in &problems {
        interleave(&mut whole, &shards, problem, &mut turn)?;
    }
    shards
        .values()
        .for_each(|shard| summary.absorb(shard.entry.summary.clone()));
    whole.summary = summary.clone();
    let files = publish::publish(whole, None, first.manifest.clone())?;
    Ok(Report {
        summary,
        files,
        evaluated: 0,
        repeated: 0,
        elapsed: begun.elapsed(),
        shard: None,
        state: State::Evaluated,
    })
}

/// The shards by their index: all of one sweep, each once.
fn ordered(directories: &[PathBuf]) -> Result<BTreeMap<u64, InputShard<'_>>> {
    let mut shards: BTreeMap<u64, InputShard<'_>> = BTreeMap::new();
    for directory in directories {
        let found = read(directory)?;
        let (own, shard) = (directory.display(), found.entry.shard);
        if let Some(first) = shards.values().next() {
            let (other, of) = (first.directory.display(), first.entry.shard.of);
            if let Some(difference) = first.identity.difference(&found.identity) {
                bail!("`{own}` does not belong to `{other}`: {difference}");
            }
            if of != shard.of {
                bail!("`{own}` is shard {shard}, but `{other}` is one of {of}");
            }
        }
        if let Some(twin) = shards.insert(shard.index, found) {
            let twin = twin.directory.display();
            bail!("`{twin}` and `{own}` are both shard {shard}; name one of them");
        }
    }
    let of = shards
        .values()
        .next()
        .map_or(0, |first| first.entry.shard.of);
    let missing = of - shards.len() as u64;
    if missing > 0 {
        let listed: Vec<String> = (1..=of)
            .filter(|index| !shards.contains_key(index))
            .take(20)
            .map(|index| index.to_string())
            .collect();
        let more = if missing > listed.len() as u64 {
            ", ..."
        } else {
            ""
        };
        let number = plural(missing, "shard");
        bail!(
            "{number} of {of} missing: {}{more}; name all their directories",
            listed.join(", ")
        );
    }
    Ok(shards)
}

fn read(directory: &Path) -> Result<InputShard<'_>> {
    let path = directory.join("manifest.json");
    if !path.exists() {
        let reason = if directory.join(unfinished::DIRECTORY).exists() {
            "the shard is unfinished; repeat its command with --resume"
        } else {
            "the file does not exist, so this is no shard of a sweep"
        };
        return Err(Failure::read(&path, reason));
    }
    let mut manifest = WireManifest::open(&path, "run the shard again")?;
    let configuration = serde_json::from_str(manifest.configuration.get())
        .map_err(|error| Failure::read(&path, format_args!("{error}; run the shard again")))?;
    let Some(entry) = manifest.shard.take() else {
        let directory = directory.display();
        bail!("`{directory}` holds a whole sweep, not a shard; leave it out");
    };
    let identity = Identity::from_manifest(&manifest, configuration);
    Ok(InputShard {
        directory,
        manifest,
        identity,
        entry,
    })
}

fn refuse_own(shards: &BTreeMap<u64, InputShard<'_>>, out: &Path) -> Result {
    let Ok(own) = fs::canonicalize(out) else {
        return Ok(());
    };
    shards
        .values()
        .find(|found| fs::canonicalize(found.directory).is_ok_and(|directory| directory == own))
        .map_or(Ok(()), |found| {
            let directory = found.directory.display();
            Err(failure!(
                Usage,
                "--out: `{directory}` holds one of the shards; name another directory"
            ))
        })
}

fn entry<'a>(shard: &'a InputShard<'_>, problem: &'static Problem) -> Option<&'a FileEntry> {
    let name = record::file_name(problem);
    shard.manifest.files.iter().find(|file| file.name == name)
}

/// Appends the rows of a problem; `turn` is the first shard, from 0.
fn interleave(
    whole: &mut Unfinished,
    shards: &BTreeMap<u64, InputShard<'_>>,
    problem: &'static Problem,
    turn: &mut usize,
) -> Result {
    let buffer = (MAX_BUFFERS / shards.len()).clamp(MIN_BUFFER, MAX_BUFFER);
    let files: Result<Vec<_>, _> = shards
        .values()
        .map(|shard| ShardLines::open(shard, problem, buffer))
        .collect();
    let mut files = files?;
    let (mut csv, mut rows) = (Vec::with_capacity(WRITTEN), 0);
    while let Some(line) = files[*turn].line()? {
        if output::has_formula(line) {
            return Err(
                files[*turn].refused("a spreadsheet would execute one of its fields as a formula")
            );
        }
        if line != b"\n" {
            csv.extend_from_slice(line);
            rows += 1;
        }
        if csv.len() >= WRITTEN {
            if INTERRUPTED.load(Ordering::Relaxed) {
                bail!(
                    Interrupted,
                    "interrupted; nothing is merged, the shards are unchanged"
                );
            }
            whole.append_rows(problem, &csv, rows)?;
            (csv, rows) = (Vec::with_capacity(WRITTEN), 0);
        }
        *turn = (*turn + 1) % files.len();
    }
    whole.append_rows(problem, &csv, rows)?;
    for file in &mut files {
        if file.line()?.is_some() {
            return Err(file.refused("its number of rows differs from the other shards"));
        }
    }
    Ok(())
}

/// A file that is open only while it is read, because shards may exceed the limit of open files.
struct Reopened {
    path: PathBuf,
    offset: u64,
}

impl Read for Reopened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = output::open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let read = file.read(buffer)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// The lines of a file of a shard, which has the digest of its manifest.
struct ShardLines<'a> {
    shard: &'a InputShard<'a>,
    path: PathBuf,
    lines: BufReader<Lines<Reopened>>,
    line: Vec<u8>,
}

impl<'a> ShardLines<'a> {
    fn open(shard: &'a InputShard<'a>, problem: &'static Problem, buffer: usize) -> Result<Self> {
        let path = shard.directory.join(record::file_name(problem));
        entry(shard, problem)
            .ok_or_else(|| Failure::read(&path, "the manifest in its directory does not list it"))?
            .found_in(
                shard.directory,
                &format!("run shard {} again", shard.entry.shard),
            )?;
        let file = output::lines_of(Reopened {
            path: path.clone(),
            offset: 0,
        });
        let mut lines = Self {
            shard,
            path,
            lines: BufReader::with_capacity(buffer, file),
            line: Vec::new(),
        };
        match lines.line()? {
            Some(line) if line == header(problem, shard.identity.has_networks(problem)) => {
                Ok(lines)
            }
            _ => Err(Failure::read(
                &lines.path,
                "it has other columns; sweep again",
            )),
        }
    }

    /// The next line with its end: a row, or an empty line for a cell without a row.
    fn line(&mut self) -> Result<Option<&[u8]>> {
        let is_there =
            next_line(&mut self.lines, &mut self.line).map_err(output::unread(&self.path))?;
        Ok(is_there.then_some(&self.line))
    }

    fn refused(&self, reason: &str) -> Failure {
        Failure::read(
            &self.path,
            format_args!("{reason}; run shard {} again", self.shard.entry.shard),
        )
    }
}

/// Reads a line with its end, if there is one; quoted texts may contain line ends.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    while lines.read_until(b'\n', line)? > 0 {
        if line
            .iter()
            .filter(|&&byte| byte == b'"')
            .count()
            .is_multiple_of(2)
        {
            break;
        }
    }
    Ok(!line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_outside_of_quotes() {
        for (text, first) in [
            ("", ""),
            ("\n", "\n"),
            ("a,b\nc\n", "a,b\n"),
            ("a,\"b\nc\"\nd\n", "a,\"b\nc\"\n"),
            ("\"a\"\"\n\"\n", "\"a\"\"\n\"\n"),
        ] {
            let mut line = Vec::new();
            assert_eq!(
                next_line(&mut text.as_bytes(), &mut line).unwrap(),
                !first.is_empty()
            );
            assert_eq!(line, first.as_bytes(), "{text:?}");
        }
    }
}
