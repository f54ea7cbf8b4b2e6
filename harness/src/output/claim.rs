//! One castbench at a time publishes in a directory. The lock is the operating system's: it ends with its process.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::{draft, here_if_empty, journal};
use crate::failure::{Code, Failure, tell};

/// The file that is locked for all that a directory holds.
const LOCK: &str = ".castbench-lock";
/// The file that is locked for the history of accepted costs alone, which has neighbours that others write.
const HISTORY: &str = ".castbench-history-lock";

/// A directory in which nobody else publishes for as long as this is held.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    /// Open and locked.
    file: File,
}

impl Claim {
    /// Creates the directory if need be, and claims it. What a castbench left there that was killed is put in order:
    /// files that were being put in their places get there, drafts are removed.
    ///
    /// # Errors
    /// Exit code 74 where another castbench is at work there, named, or where nothing can be written.
    pub fn of(directory: &Path) -> Result<Self, Failure> {
        let claim = Self::locked(directory, LOCK, "into")?;
        draft::clear_dead(directory);
        Self::put_in_order(directory, &[journal::STAGE, journal::UNFINISHED])?;
        Ok(claim)
    }

    /// Claims the history in a directory, and nothing else there. An acceptance that was killed is finished.
    ///
    /// # Errors
    /// Those of [`Claim::of`].
    pub fn of_history(directory: &Path) -> Result<Self, Failure> {
        let claim = Self::locked(directory, HISTORY, "the history in")?;
        Self::put_in_order(directory, &[journal::ACCEPTING])?;
        Ok(claim)
    }

    fn put_in_order(directory: &Path, stages: &[&str]) -> Result<(), Failure> {
        stages.iter().try_for_each(|stage| journal::vet(&directory.join(stage)))?;
        journal::finish(directory, stages)
    }

    fn locked(directory: &Path, name: &str, what: &str) -> Result<Self, Failure> {
        let directory = here_if_empty(directory);
        let path = directory.join(name);
        let failed = |error: io::Error| Failure::write(directory, &error);
        fs::create_dir_all(directory).map_err(failed)?;
        // Of a link this would lock, and write, a file that is elsewhere.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(Failure::write(&path, &io::Error::other("it exists and is not a file; remove it")));
        }
        loop {
            let mut file =
                File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
            match file.try_lock() {
                // Whoever held it has just removed it.
                Ok(()) if !is_still(&file, &path) => continue,
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(taken(&mut file, directory, what)),
                Err(TryLockError::Error(error)) => {
                    let directory = directory.display();
                    tell(format_args!(
                        "note: `{directory}` cannot be locked ({error}); let no other castbench write there"
                    ));
                }
            }
            // Dropping it where there is no room for a name removes it again.
            let mut claim = Self { path, file };
            claim.sign().map_err(failed)?;
            return Ok(claim);
        }
    }
}

impl Claim {
    /// Says who holds it, as lines: process, host, since when. Only people read it.
    fn sign(&mut self) -> io::Result<()> {
        let host = rustix::system::uname();
        let host = host.nodename().to_string_lossy();
        let since = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC");
        self.file.set_len(0)?;
        self.file.write_all(format!("{}\n{host}\n{since}\n", std::process::id()).as_bytes())
    }
}

impl Drop for Claim {
    /// Removes the file while it is locked: whoever opens it in that moment sees that it is gone, and makes another one.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether somebody holds the directory, or was killed there and nobody has put it in order since.
#[must_use]
pub fn is_touched(directory: &Path) -> bool {
    [LOCK, journal::STAGE, journal::UNFINISHED].into_iter().any(|name| directory.join(name).exists())
}

fn taken(file: &mut File, directory: &Path, what: &str) -> Failure {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
    let mut lines = text.lines();
    let who = match (read, lines.next(), lines.next(), lines.next()) {
        (Ok(_), Some(process), Some(host), Some(since)) => format!("process {process} on {host}, since {since}"),
        // It has just been locked, and nothing is written yet.
        _ => "another process".to_owned(),
    };
    let directory = directory.display();
    let explanation =
        format_args!("another castbench ({who}) is writing {what} `{directory}`; wait for it, or name another place");
    Failure::new(Code::Output, explanation)
}

/// Whether the path still names this file: it may have been removed before it was locked.
pub(super) fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let named = fs::symlink_metadata(path).map(|named| (named.dev(), named.ino()));
    let own = file.metadata().map(|own| (own.dev(), own.ino()));
    matches!((named, own), (Ok(named), Ok(own)) if named == own)
}
