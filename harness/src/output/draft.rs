//! A file written beside its final path, then renamed.
//!
//! A draft is locked while its process lives; an unlocked draft may be removed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind::AlreadyExists, Read as _, Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::directory::{Directory, Target, is_own};
use super::read::{refuse_input, sha256};
use super::tries::Tries;
use super::{unread, unwritten};
use crate::base::failure::Result;

const PREFIX: &str = ".castbench-draft-";
/// A text that can hold a comment begins with one that names castbench, within this many bytes.
const NAMED: usize = 64;
/// How many bytes tell the kind of another file.
const KIND: usize = 8;

/// How rules of libraries begin.
const RULES: [&[u8; KIND]; 2] = [b"# Decisi", b"{\n  \"col"];

/// How a file begins.
fn begin(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(NAMED as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether castbench wrote a file that begins so, or a file of this kind. An empty one has none.
fn is_one_kind(old: &[u8], own: &[u8]) -> bool {
    let name = b"castbench";
    let named = own.windows(name.len()).position(|part| part == name);
    let kind = named.map_or(KIND, |at| at + name.len());
    let are_rules = [old, own]
        .iter()
        .all(|one| RULES.iter().any(|form| one.starts_with(*form)));
    old.iter()
        .zip(&own[..kind.min(own.len())])
        .all(|(old, own)| old == own)
        || are_rules
}

/// A file written beside its final path. [`publish`] renames it, dropping it removes it.
#[derive(Debug)]
pub struct Draft {
    /// The path as the caller named it.
    path: PathBuf,
    /// The file to replace.
    target: Target,
    name: OsString,
    file: File,
}

impl Draft {
    /// Creates the directory if needed and a draft in it, so that a bad path fails before the work. Removes drafts of
    /// killed processes.
    ///
    /// # Errors
    /// A path that cannot hold a file.
    pub fn create(path: &Path) -> Result<Self> {
        Self::made(path, Target::new(path)?, |directory, name| {
            directory.create_new(name)
        })
    }

    /// A draft with these contents.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn with_contents(path: &Path, contents: &[u8]) -> Result<Self> {
        let mut draft = Self::create(path)?;
        draft.put(contents)?;
        Ok(draft)
    }

    /// The draft of a file in an open directory, with these contents.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn at(target: Target, contents: &[u8]) -> Result<Self> {
        let mut draft = Self::made(&target.path(), target, |directory, name| {
            directory.create_new(name)
        })?;
        draft.put(contents)?;
        Ok(draft)
    }

    /// A finished file under another name, which stays: a hard link, or a copy on another disk.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn of_file(path: &Path, from: &Target) -> Result<Self> {
        let link = |directory: &Directory, name: &OsStr| {
            directory.link(&from.directory, &from.name, name)?;
            directory.open(name)
        };
        if let Ok(linked) = Self::made(path, Target::new(path)?, link) {
            return Ok(linked);
        }
        let mut draft = Self::create(path)?;
        let mut file = from
            .directory
            .open(&from.name)
            .map_err(unread(&from.path()))?;
        io::copy(&mut file, draft.file()).map_err(unwritten(path))?;
        Ok(draft)
    }

    fn made(
        path: &Path,
        target: Target,
        make: impl Fn(&Directory, &OsStr) -> io::Result<File>,
    ) -> Result<Self> {
        let directory = &target.directory;
        // A private file stays private.
        let mode = directory
            .found(&target.name)
            .map(|old| old.st_mode & 0o777)
            .ok();
        clear_dead(directory);
        let mut tries = Tries::new(directory.path());
        loop {
            let name = new_name();
            let file = match make(directory, &name) {
                Err(error) if error.kind() == AlreadyExists => {
                    tries.again()?;
                    continue;
                }
                file => file.map_err(unwritten(path))?,
            };
            let draft = Self {
                path: path.to_owned(),
                target: target.clone(),
                name,
                file,
            };
            if let Some(mode) = mode {
                draft
                    .file
                    .set_permissions(Permissions::from_mode(mode))
                    .map_err(unwritten(path))?;
            }
            match draft.file.try_lock() {
                // Another process removes it because it was not locked yet.
                Err(TryLockError::WouldBlock) => tries.again()?,
                Ok(()) if !directory.is_still(&draft.file, &draft.name) => tries.again()?,
                // Without locks, dead drafts cannot be recognised, and none is removed.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(draft),
            }
        }
    }

    /// Appends to the file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn put(&mut self, contents: &[u8]) -> Result {
        self.file.write_all(contents).map_err(unwritten(&self.path))
    }

    /// The final path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Reads the file back and returns its SHA-256 in hexadecimal, as `sha256sum` prints it.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn digest(&mut self) -> Result<String> {
        self.file
            .rewind()
            .and_then(|()| sha256(&mut self.file))
            .map_err(unread(&self.path))
    }

    /// Moves the file to its final path, as [`publish`] does. A user can name any file, so only one of the same kind is replaced, and
    /// none that was read.
    ///
    /// # Errors
    /// A file that must stay is there; a file cannot be written or renamed.
    pub fn publish(mut self) -> Result {
        self.refuse_other()?;
        publish(vec![self], &[])
    }

    /// Refuses to replace a file of another kind, or one that was read.
    ///
    /// # Errors
    /// A file that must stay is there.
    pub fn refuse_other(&mut self) -> Result {
        let own = self
            .file
            .rewind()
            .and_then(|()| begin(&mut self.file))
            .map_err(unread(&self.path))?;
        // A file that cannot be opened is not there, or cannot be replaced.
        if let Ok(mut old) = self.target.directory.open(&self.target.name) {
            refuse_input(&self.path, &old)?;
            if begin(&mut old).is_ok_and(|old| !is_one_kind(&old, &own)) {
                bail!(
                    Output,
                    "cannot write to `{}`: the existing file is of another kind, of another program or of an earlier castbench; move it, or name another file",
                    self.path.display()
                );
            }
        }
        Ok(())
    }

    /// Renames the file. Dropped afterwards, it removes what is left: renaming onto a link to the same file has no
    /// effect.
    fn rename(self) -> Result {
        let directory = &self.target.directory;
        directory
            .rename(&self.name, &self.target.name)
            .map_err(unwritten(&self.path))?;
        directory.sync().map_err(unwritten(&self.path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = self.target.directory.remove(&self.name);
    }
}

/// Moves files to their final paths, in this order, and removes stale files before the last one, the manifest that
/// lists the others. All data reach the disk before the first rename, and each name before the next.
///
/// # Errors
/// A file that cannot be renamed or removed.
pub fn publish(mut drafts: Vec<Draft>, stale: &[Target]) -> Result {
    for draft in &drafts {
        draft.file.sync_all().map_err(unwritten(&draft.path))?;
    }
    let last = drafts.pop();
    drafts.into_iter().try_for_each(Draft::rename)?;
    for target in stale {
        target
            .directory
            .remove(&target.name)
            .and_then(|()| target.directory.sync())
            .map_err(unwritten(&target.path()))?;
    }
    last.map_or(Ok(()), Draft::rename)
}

/// Writes a whole file, as [`Draft::publish`] does.
///
/// # Errors
/// A file that cannot be written, or one of another kind.
pub fn write(path: &Path, contents: &[u8]) -> Result {
    Draft::with_contents(path, contents)?.publish()
}

/// Checks that a path can hold a file, and makes its directory.
///
/// # Errors
/// A path that cannot hold a file, or a directory that cannot be made or written.
pub fn prepare(path: &Path) -> Result {
    if Target::new(path)?.is_linked {
        Draft::create(path)?;
    }
    Ok(())
}

/// Removes the drafts of dead processes in a directory. One that cannot be removed stays, without harm.
pub(super) fn clear_dead(directory: &Directory) {
    for name in directory
        .names()
        .unwrap_or_default()
        .iter()
        .filter(|name| is_draft(name.as_encoded_bytes()))
    {
        if !directory
            .found(name)
            .is_ok_and(|found| is_own(found.st_uid))
        {
            continue;
        }
        let Ok(file) = directory.open(name) else {
            continue;
        };
        if file.try_lock().is_ok() && directory.is_still(&file, name) {
            let _ = directory.remove(name);
        }
    }
}

/// A name that no other draft has, to good luck.
fn new_name() -> OsString {
    let random = RandomState::new().hash_one(std::process::id());
    format!(
        "{PREFIX}{}",
        (0..6)
            .map(|index| char::from_digit((random >> (5 * index) & 31) as u32, 36).unwrap_or('0'))
            .collect::<String>()
    )
    .into()
}

/// Whether it is the name of a draft, as [`new_name`] makes them.
fn is_draft(name: &[u8]) -> bool {
    name.strip_prefix(PREFIX.as_bytes())
        .is_some_and(|rest| rest.len() == 6 && rest.iter().all(u8::is_ascii_alphanumeric))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_dropped_draft_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let mut draft = Draft::create(&directory.path().join("a/b.csv")).unwrap();
        draft.put(b"half").unwrap();
        drop(draft);
        assert_eq!(fs::read_dir(directory.path().join("a")).unwrap().count(), 0);
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let directory = tempfile::tempdir().unwrap();
        let (path, from) = (
            directory.path().join("b.csv"),
            directory.path().join("rows"),
        );
        for mode in [0o600, 0o640, 0o664] {
            fs::write(&path, b"new").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            write(&path, b"new").unwrap();
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                mode
            );
            fs::write(&from, b"newer").unwrap();
            Draft::of_file(&path, &Target::new(&from).unwrap())
                .unwrap()
                .publish()
                .unwrap();
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                mode
            );
            fs::remove_file(&from).unwrap();
        }
    }

    #[test]
    fn a_published_draft_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("b.csv");
        write(&path, b"abc").unwrap();
        write(&path, b"ab").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ab");
        assert_eq!(
            sha256(&b"abc"[..]).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    /// A publication that did not finish can be repeated.
    #[test]
    fn a_whole_file_stays_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let [from, path, stale] =
            ["rows", "b.csv", "stale"].map(|name| directory.path().join(name));
        fs::write(&from, "abc").unwrap();
        for _ in 0..2 {
            fs::write(&stale, "old").unwrap();
            let [rows, old] = [&from, &stale].map(|path| Target::new(path).unwrap());
            publish(vec![Draft::of_file(&path, &rows).unwrap()], &[old]).unwrap();
            assert_eq!(
                (fs::read(&from).unwrap(), fs::read(&path).unwrap()),
                (b"abc".to_vec(), b"abc".to_vec())
            );
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
        }
    }

    /// A draft of a living process stays, one of a dead process goes, other files stay.
    #[test]
    fn the_next_draft_removes_dead_ones() {
        let directory = tempfile::tempdir().unwrap();
        let (dead, other) = (
            directory.path().join(".castbench-draft-deaddd"),
            directory.path().join(".castbench-other"),
        );
        fs::write(&dead, "half").unwrap();
        fs::write(&other, "whole").unwrap();
        let living = Draft::create(&directory.path().join("a.csv")).unwrap();
        assert!(!dead.exists() && other.exists());
        let second = Draft::create(&directory.path().join("b.csv")).unwrap();
        assert!(
            [living, second]
                .iter()
                .all(|draft| directory.path().join(&draft.name).exists())
        );
    }
}
