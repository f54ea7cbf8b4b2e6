//! At most one castbench writes into a directory. The operating system ends a lock with its process.

use std::fs::{File, TryLockError};
use std::io::{
    self,
    ErrorKind::{AlreadyExists, NotFound},
    Read as _, Write as _,
};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use super::directory::{Directory, is_own};
use super::draft::clear_dead;
use super::tries::Tries;
use super::unwritten;
use crate::base::failure::Result;
use crate::base::units;

const LOCK: &str = ".castbench-lock";
/// Subdirectory of results: the rows of an unfinished sweep.
pub const UNFINISHED: &str = ".castbench-unfinished";

/// Longest signature that is read.
const SIGNATURE: u64 = 1 << 10;

/// A directory that no other castbench writes while this lock is held.
#[derive(Debug)]
pub struct Lock {
    directory: Arc<Directory>,
    file: File,
}

impl Lock {
    /// Creates the directory if needed and locks it. Removes drafts of killed processes.
    ///
    /// # Errors
    /// Another castbench that writes there, or a directory that cannot be written.
    pub fn new(path: &Path) -> Result<Self> {
        let directory = Directory::make(path)?;
        let mut tries = Tries::new(directory.path());
        let file = loop {
            match directory.create_new(LOCK) {
                Ok(file) => match file.try_lock() {
                    Ok(()) if directory.is_still(&file, LOCK) => break file,
                    // Another process took it for that of a dead one.
                    Ok(()) | Err(TryLockError::WouldBlock) => tries.again()?,
                    Err(TryLockError::Error(error)) => {
                        let directory = directory.path().display();
                        let advice = "do not run castbench there at the same time";
                        tell!("note: `{directory}` cannot be locked ({error}); {advice}");
                        break file;
                    }
                },
                Err(error) if error.kind() == AlreadyExists => {
                    remove_dead(&directory)?;
                    tries.again()?;
                }
                Err(error) => return Err(unwritten(directory.path())(error)),
            }
        };
        // If signing fails, dropping the lock removes the file.
        let mut lock = Self { directory, file };
        lock.sign().map_err(unwritten(lock.directory.path()))?;
        clear_dead(&lock.directory);
        Ok(lock)
    }

    /// The locked directory.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// Writes process, host and time, a line each, for the message of another castbench.
    fn sign(&mut self) -> io::Result<()> {
        let host = rustix::system::uname();
        let host = host.nodename().to_string_lossy();
        let since = units::now().strftime("%Y-%m-%d %H:%M:%S UTC");
        self.file
            .write_all(format!("{}\n{host}\n{since}\n", std::process::id()).as_bytes())
    }
}

impl Drop for Lock {
    /// Removes the file while it is locked: a process that opens it at that time notices and creates a new one.
    fn drop(&mut self) {
        let _ = self.directory.remove(LOCK);
    }
}

/// Whether a castbench is writing into a directory, or was killed there.
pub fn is_touched(directory: &Path) -> bool {
    [LOCK, UNFINISHED]
        .into_iter()
        .any(|name| directory.join(name).exists())
}

/// Removes the lock file of a process that has ended.
fn remove_dead(directory: &Directory) -> Result {
    let path = directory.path().join(LOCK);
    let mut file = match directory.open(LOCK) {
        Err(error) if error.kind() == NotFound => return Ok(()),
        file => file.map_err(unwritten(&path))?,
    };
    // Neither its text nor its lock says anything about a castbench.
    if !is_own(file.metadata().map_err(unwritten(&path))?.uid()) {
        let reason = "another account made it; wait for its castbench, or name another directory";
        return Err(unwritten(&path)(io::Error::other(reason)));
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let (directory, process) = (directory.path().display(), signature(&mut file));
            let advice = "wait for it, or name another directory";
            Err(failure!(
                Output,
                "another castbench ({process}) is writing into `{directory}`; {advice}"
            ))
        }
        Ok(()) | Err(TryLockError::Error(_)) => {
            if directory.is_still(&file, LOCK) {
                directory.remove(LOCK).map_err(unwritten(&path))?;
            }
            Ok(())
        }
    }
}

fn signature(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(SIGNATURE).read_to_string(&mut text);
    let mut lines = text.lines();
    match (read, lines.next(), lines.next(), lines.next()) {
        (Ok(_), Some(process), Some(host), Some(since)) => {
            format!("process {process} on {host}, since {since}")
        }
        // The lock is new and not signed yet.
        _ => "another process".to_owned(),
    }
}
