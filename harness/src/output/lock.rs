//! At most one castbench writes into a directory. The operating system ends a lock with its process.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::draft::{clear_dead, here_if_empty, is_still};
use super::error::Error;
use crate::failure::tell;
use crate::units;

const LOCK: &str = ".castbench-lock";
/// Subdirectory of results: the rows of an unfinished sweep.
pub const UNFINISHED: &str = ".castbench-unfinished";

/// A directory that no other castbench writes while this lock is held.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Creates the directory if needed and locks it. Removes drafts of killed processes.
    ///
    /// # Errors
    /// Another castbench that writes there, or a directory that cannot be written.
    pub fn of(directory: &Path) -> Result<Self, Error> {
        let directory = here_if_empty(directory);
        let path = directory.join(LOCK);
        fs::create_dir_all(directory).map_err(Error::write(directory))?;
        // A link would make this lock and write a file elsewhere.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(Error::write(&path)(io::Error::other("it exists and is not a file; remove it")));
        }
        let mut lock = loop {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            let opened = options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(&path);
            let mut file = opened.map_err(Error::write(directory))?;
            match file.try_lock() {
                // Its previous holder has just removed it.
                Ok(()) if !is_still(&file, &path) => continue,
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Locked { directory: directory.to_owned(), process: signature(&mut file) });
                }
                Err(TryLockError::Error(error)) => {
                    let directory = directory.display();
                    let advice = "do not run castbench there at the same time";
                    tell(format_args!("note: `{directory}` cannot be locked ({error}); {advice}"));
                }
            }
            // If signing fails, dropping the lock removes the file.
            break Self { path, file };
        };
        lock.sign().map_err(Error::write(directory))?;
        clear_dead(directory);
        Ok(lock)
    }

    /// Writes process, host and time, a line each, for the message of another castbench.
    fn sign(&mut self) -> io::Result<()> {
        let host = rustix::system::uname();
        let host = host.nodename().to_string_lossy();
        let since = units::now().strftime("%Y-%m-%d %H:%M:%S UTC");
        self.file.set_len(0)?;
        self.file.write_all(format!("{}\n{host}\n{since}\n", std::process::id()).as_bytes())
    }
}

impl Drop for Lock {
    /// Removes the file while it is locked: a process that opens it at that time notices and creates a new one.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a castbench is writing into a directory, or was killed there.
#[must_use]
pub fn is_touched(directory: &Path) -> bool {
    [LOCK, UNFINISHED].into_iter().any(|name| directory.join(name).exists())
}

fn signature(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
    let mut lines = text.lines();
    match (read, lines.next(), lines.next(), lines.next()) {
        (Ok(_), Some(process), Some(host), Some(since)) => format!("process {process} on {host}, since {since}"),
        // The lock is new and not signed yet.
        _ => "another process".to_owned(),
    }
}
