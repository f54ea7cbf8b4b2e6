//! Directories for a while.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::directory::is_own;

const PREFIX: &str = ".castbench-scratch-";

/// A new directory that is deleted with its owner, and that no other account reads.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Locked while the process lives.
    _lock: File,
}

impl Scratch {
    /// Makes one in a directory, and removes those of dead processes.
    ///
    /// # Errors
    /// Input or output that fails.
    pub fn new(parent: &Path) -> io::Result<Self> {
        clear_dead(parent);
        let mut number = 0;
        loop {
            let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
            number += 1;
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => continue,
                made => made?,
            }
            // Another process may have removed it before it was locked.
            match opened(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound && number < 1000 => {}
                opened => {
                    let lock = opened?;
                    // Without locks, dead ones cannot be recognised, and none is removed.
                    let _ = lock.try_lock();
                    if path.exists() {
                        return Ok(Self { path, _lock: lock });
                    }
                }
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be deleted stays in the parent directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The directory itself, no link to one, for its lock.
fn opened(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Removes what killed processes of this account left. What cannot be removed stays, without harm.
fn clear_dead(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_one = |about: fs::Metadata| about.is_dir() && is_own(about.uid());
        if !is_named || !entry.metadata().is_ok_and(is_one) {
            continue;
        }
        if opened(&entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_one_removes_those_of_dead_processes() {
        let directory = tempfile::tempdir().unwrap();
        let [dead, other] = [".castbench-scratch-7-0", "castbench-7-0"]
            .map(|name| directory.path().join(name).join("run-0"));
        for path in [&dead, &other] {
            fs::create_dir_all(path).unwrap();
        }
        let living = Scratch::new(directory.path()).unwrap();
        assert!(!dead.parent().unwrap().exists() && other.exists());
        let next = Scratch::new(directory.path()).unwrap();
        assert!(living.path().exists() && next.path().exists());
        drop((living, next));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
