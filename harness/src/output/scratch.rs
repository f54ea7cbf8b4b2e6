//! Directories for a while.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// A new directory that is deleted with its owner, and that no other account reads.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one in a directory.
    ///
    /// # Errors
    /// Input or output that fails.
    pub fn new(parent: &Path) -> io::Result<Self> {
        let mut number = 0;
        loop {
            let path = parent.join(format!("castbench-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => {
                    number += 1
                }
                made => return made.map(|()| Self(path)),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be deleted stays in the parent directory.
        let _ = fs::remove_dir_all(&self.0);
    }
}
