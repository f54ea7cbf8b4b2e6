//! Several files that appear together: all are whole in a directory of their own before the first is moved, and a list
//! there says where each goes. Whoever is killed while moving them leaves the list, and the next castbench that writes
//! into the same place finishes it. Until then readers refuse the mixture.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::{Claim, read_text, sync_directory, write};
use crate::failure::{Code, Failure};

/// Where the files of a [`Batch`] stand until they are moved.
pub(super) const STAGE: &str = ".castbench-publishing";
/// Where those of a sweep do; it has checkpoints there, too.
pub const UNFINISHED: &str = ".castbench-unfinished";
/// Where those of an acceptance do: beside the history, for whoever holds that is the one to finish them.
pub(super) const ACCEPTING: &str = ".castbench-accepting";
/// The list.
const JOURNAL: &str = "publish.json";

/// What is left to do.
#[derive(Serialize, Deserialize)]
struct Journal {
    /// Names here, and where they go: relative to the directory that holds this one, and inside it.
    moves: Vec<(String, OsString)>,
    /// What goes, named in the same way.
    removals: Vec<OsString>,
}

/// Puts files that are in `stage` in their places inside `home`, and removes others; `stage`, a directory inside `home`, is
/// gone then. From the first move on there is no way back: what fails or is killed then is finished by the next claim.
///
/// # Errors
/// Exit code 74 where the list cannot be written, which changes nothing, or where a file cannot be moved.
pub fn publish(
    stage: &Path,
    home: &Path,
    moves: Vec<(String, OsString)>,
    removals: Vec<OsString>,
) -> Result<(), Failure> {
    let journal = Journal { moves, removals };
    let json = serde_json::to_vec(&journal).map_err(|error| Failure::new(Code::Internal, error))?;
    write(&stage.join(JOURNAL), &json)?;
    carry_out(&journal, stage, home)
}

/// Whether files are being put in their places in a directory, or were when somebody was stopped.
pub fn is_under_way(home: &Path) -> bool {
    [STAGE, UNFINISHED].into_iter().any(|stage| home.join(stage).join(JOURNAL).exists()) || is_being_accepted(home)
}

/// Whether a list beside a directory moves files into it.
fn is_being_accepted(home: &Path) -> bool {
    let Ok(home) = std::path::absolute(home) else { return false };
    let (Some(parent), Some(name)) = (home.parent(), home.file_name()) else { return false };
    let journal = parent.join(ACCEPTING).join(JOURNAL);
    let Ok(text) = read_text(&journal) else { return false };
    // A list that says nothing may be of this directory, too.
    let journal = serde_json::from_str(&text).ok();
    journal.is_none_or(|journal: Journal| journal.moves.iter().any(|(_, place)| Path::new(place).starts_with(name)))
}

/// Refuses to read a directory whose files are being replaced: they may be of two castbenches.
///
/// # Errors
/// Exit code 74 where that is so.
pub fn refuse_mixture(home: &Path) -> Result<(), Failure> {
    if !is_under_way(home) {
        return Ok(());
    }
    let reason = "its files are being replaced, or castbench was stopped while it did that; run the command that wrote \
                  there once more, a sweep with --resume, which finishes it";
    Err(Failure::read(home, reason))
}

/// Finishes what somebody left in such stages who was stopped while he put files in their places.
///
/// # Errors
/// Exit code 74 where a file cannot be moved.
pub(super) fn finish(home: &Path, stages: &[&str]) -> Result<(), Failure> {
    for stage in stages.iter().map(|stage| home.join(stage)) {
        let path = stage.join(JOURNAL);
        if !path.exists() {
            continue;
        }
        let unread = |error: &dyn std::fmt::Display| {
            let advice = "remove its directory to give up the files in it";
            Failure::read(&path, format_args!("{error}; {advice}"))
        };
        let text = read_text(&path).map_err(|error| unread(&error))?;
        let journal: Journal = serde_json::from_str(&text).map_err(|error| unread(&error))?;
        let places = journal.moves.iter().map(|(_, place)| place).chain(&journal.removals);
        let names = journal.moves.iter().map(|(name, _)| Path::new(name));
        if let Some(outside) = places.map(Path::new).chain(names).find(|place| !is_inside(place)) {
            return Err(unread(&format_args!("it names `{}`, which is not in this directory", outside.display())));
        }
        carry_out(&journal, &stage, home).map_err(|failure| {
            let message = failure.message;
            let advice = format_args!("or remove `{}` to give up the files in it", stage.display());
            Failure::new(failure.code, format_args!("{message}, {advice}"))
        })?;
    }
    Ok(())
}

/// Whether a path leads into the directory that it is relative to, links aside.
fn is_inside(place: &Path) -> bool {
    place.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Refuses a hidden directory that castbench did not make: a link would have it work in another one, and whatever is no file
/// would be in its way when all is done.
///
/// # Errors
/// Exit code 74 where that is so.
pub(super) fn vet(stage: &Path) -> Result<(), Failure> {
    let refuse = |path: &Path, what: &str| {
        Err(Failure::write(path, &io::Error::other(format!("castbench makes {what} there; remove it"))))
    };
    match fs::symlink_metadata(stage) {
        Ok(found) if !found.is_dir() => return refuse(stage, "a directory"),
        Err(_) => return Ok(()),
        Ok(_) => {}
    }
    for entry in fs::read_dir(stage).map_err(|error| Failure::write(stage, &error))?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            return refuse(&entry.path(), "files only");
        }
    }
    Ok(())
}

fn carry_out(journal: &Journal, stage: &Path, home: &Path) -> Result<(), Failure> {
    let mut touched = BTreeSet::new();
    for (name, place) in &journal.moves {
        let (from, place) = (stage.join(name), home.join(place));
        // Whoever was stopped here may have moved it.
        if from.exists() {
            touched.insert(super::draft::move_file(&from, &place)?);
        }
        touched.extend(place.parent().map(Path::to_owned));
    }
    for place in &journal.removals {
        let place = home.join(place);
        match fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Failure::write(&place, &error)),
            _ => touched.extend(place.parent().map(Path::to_owned)),
        }
    }
    touched
        .iter()
        .try_for_each(|directory| sync_directory(directory).map_err(|error| Failure::write(directory, &error)))?;
    clear(stage).map_err(|error| Failure::write(stage, &error))
}

/// Removes a directory of files that are not in their places, the list last: as long as it is there, all it says is done.
///
/// # Errors
/// Those of the file system.
pub fn clear(stage: &Path) -> io::Result<()> {
    let journal = stage.join(JOURNAL);
    for entry in fs::read_dir(stage)? {
        let path = entry?.path();
        if path != journal {
            fs::remove_file(path)?;
        }
    }
    match fs::remove_file(journal) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::remove_dir(stage),
    }
}

/// Files for one directory that appear together; dropping it leaves nothing.
pub struct Batch {
    home: PathBuf,
    stage: PathBuf,
    /// Held until the stage is gone.
    _claim: Claim,
}

impl Batch {
    /// Claims the directory.
    ///
    /// # Errors
    /// Exit code 74 where another castbench is at work there, or nothing can be written.
    pub fn open(home: &Path) -> Result<Self, Failure> {
        Self::begin(home, STAGE, Claim::of(home)?)
    }

    /// Claims the history in a directory, for files there and below.
    ///
    /// # Errors
    /// Those of [`Batch::open`].
    pub fn of_history(home: &Path) -> Result<Self, Failure> {
        Self::begin(home, ACCEPTING, Claim::of_history(home)?)
    }

    fn begin(home: &Path, stage: &str, claim: Claim) -> Result<Self, Failure> {
        let stage = home.join(stage);
        let failed = |error: io::Error| Failure::write(home, &error);
        match clear(&stage) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Failure::write(&stage, &error)),
            _ => fs::create_dir(&stage).map_err(failed)?,
        }
        Ok(Self { home: home.to_owned(), stage, _claim: claim })
    }

    /// A file of the batch. A place that it cannot have fails now.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written.
    pub fn draft(&self, path: &Path) -> Result<Draft, Failure> {
        Draft::staged(&self.stage, path)
    }

    /// A file of the batch with these contents.
    ///
    /// # Errors
    /// Exit code 74 where it cannot be written.
    pub fn draft_of(&self, path: &Path, contents: &[u8]) -> Result<Draft, Failure> {
        let mut draft = self.draft(path)?;
        draft.put(contents)?;
        Ok(draft)
    }

    /// Puts the files in their places, in this order, and removes others.
    ///
    /// # Errors
    /// Exit code 74 where that is not possible.
    pub fn publish(self, drafts: Vec<Draft>, removals: Vec<PathBuf>) -> Result<(), Failure> {
        let kept = (0..).zip(drafts).map(|(number, draft): (u64, Draft)| {
            let name = number.to_string();
            let path = draft.keep(&name)?;
            Ok((name, self.relative(&path)?))
        });
        let moves = kept.collect::<Result<_, Failure>>()?;
        let removals = removals.iter().map(|path| self.relative(path)).collect::<Result<_, Failure>>()?;
        publish(&self.stage, &self.home, moves, removals)
    }

    /// A path as whoever finishes this finds it, from whatever directory.
    fn relative(&self, path: &Path) -> Result<OsString, Failure> {
        match path.strip_prefix(&self.home) {
            Ok(beside) if is_inside(beside) => Ok(beside.as_os_str().to_owned()),
            _ => {
                let (path, home) = (path.display(), self.home.display());
                Err(Failure::new(Code::Internal, format_args!("`{path}` is not in `{home}`")))
            }
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if !self.stage.join(JOURNAL).exists() {
            // What cannot be removed now is removed by the next batch.
            let _ = clear(&self.stage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    fn done<T>(result: Result<T, Failure>) -> T {
        result.unwrap_or_else(|failure| panic!("{}", failure.message))
    }

    /// Killed before the list is whole nothing has changed, and after it everything will.
    #[test]
    fn a_list_is_carried_out_by_the_next_claim() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path();
        let read = |name: &str| fs::read_to_string(home.join(name)).unwrap();
        fs::write(home.join("a"), "old").unwrap();
        fs::write(home.join("stale"), "old").unwrap();
        let stage = home.join(STAGE);
        fs::create_dir(&stage).unwrap();
        fs::write(stage.join("0"), "new").unwrap();
        done(Claim::of(home));
        assert_eq!(read("a"), "old");
        // The second file has been moved already.
        let journal = Journal {
            moves: vec![("0".to_owned(), "a".into()), ("1".to_owned(), "b".into())],
            removals: vec!["stale".into()],
        };
        fs::write(home.join("b"), "new, too").unwrap();
        fs::write(stage.join(JOURNAL), serde_json::to_vec(&journal).unwrap()).unwrap();
        assert_eq!(refuse_mixture(home).unwrap_err().code, Code::Output);
        done(Claim::of(home));
        assert_eq!((read("a").as_str(), read("b").as_str()), ("new", "new, too"));
        assert_eq!(fs::read_dir(home).unwrap().count(), 2);
        assert!(refuse_mixture(home).is_ok());
    }
}
