//! A file written beside its final place, then renamed.
//!
//! A draft is locked while its process lives; an unlocked draft may be removed.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{
    self,
    ErrorKind::{InvalidInput, NotADirectory, NotFound, PermissionDenied, Unsupported},
    Seek as _, Write as _,
};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::Error;
use super::read::{open, sha256};

const PREFIX: &str = ".castbench-draft-";
const MAX_LINKS: u32 = 40;

/// A file written beside its final place. [`publish`] renames it, dropping it removes it.
pub struct Draft {
    path: PathBuf,
    /// The file to replace.
    target: PathBuf,
    file: NamedTempFile,
}

impl Draft {
    /// Creates the directory if needed and a draft in it, so that a bad path fails before the work. Removes drafts of
    /// killed processes.
    ///
    /// # Errors
    /// A place that cannot hold a file.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Self::made(path, |directory| builder().tempfile_in(directory))
    }

    /// A draft with these contents.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn of(path: &Path, contents: &[u8]) -> Result<Self, Error> {
        let mut draft = Self::create(path)?;
        draft.put(contents)?;
        Ok(draft)
    }

    /// A finished file under another name, which stays: a hard link, or a copy on another disk.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn of_file(path: &Path, from: &Path) -> Result<Self, Error> {
        let link = |draft: &Path| fs::hard_link(from, draft).and_then(|()| open(draft));
        if let Ok(linked) = Self::made(path, |directory| builder().make_in(directory, link)) {
            return Ok(linked);
        }
        let mut draft = Self::create(path)?;
        let mut file = open(from).map_err(Error::read(from))?;
        io::copy(&mut file, draft.file()).map_err(Error::write(path))?;
        Ok(draft)
    }

    fn made(path: &Path, make: impl Fn(&Path) -> io::Result<NamedTempFile>) -> Result<Self, Error> {
        let target = prepare(path)?;
        // A private file stays private.
        let mode = fs::metadata(&target).map(|old| old.permissions().mode() & 0o777).ok();
        let directory = directory_of(&target);
        clear_dead(directory);
        loop {
            let file = make(directory).map_err(Error::write(path))?;
            if let Some(mode) = mode {
                file.as_file().set_permissions(Permissions::from_mode(mode)).map_err(Error::write(path))?;
            }
            match file.as_file().try_lock() {
                // Another process removed it before it was locked.
                Err(TryLockError::WouldBlock) => {}
                Ok(()) if !is_still(file.as_file(), file.path()) => {}
                // Without locks, dead drafts cannot be recognised, and none is removed.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self { path: path.to_owned(), target, file }),
            }
        }
    }

    /// Appends to the file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn put(&mut self, contents: &[u8]) -> Result<(), Error> {
        self.file.as_file_mut().write_all(contents).map_err(Error::write(&self.path))
    }

    /// The final path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Reads the file back and returns its SHA-256 in hexadecimal, as `sha256sum` prints it.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn digest(&mut self) -> Result<String, Error> {
        let file = self.file.as_file_mut();
        file.rewind().and_then(|()| sha256(file)).map_err(Error::read(&self.path))
    }

    /// Moves the file to its final place, as [`publish`] does.
    ///
    /// # Errors
    /// Those of [`publish`].
    pub fn publish(self) -> Result<(), Error> {
        publish(vec![self], &[])
    }

    fn rename(self) -> Result<(), Error> {
        let Self { path, target, file } = self;
        let draft = file.path().to_owned();
        file.persist(&target).map_err(|error| Error::write(&path)(error.error))?;
        // Renaming onto a link to the same file has no effect.
        let _ = fs::remove_file(draft);
        sync_directory(directory_of(&target)).map_err(Error::write(&path))
    }
}

/// Moves files to their final places, in this order, and removes stale files before the last one, the manifest that
/// lists the others. All data reach the disk before the first rename, and each name before the next.
///
/// # Errors
/// A file that cannot be renamed or removed.
pub fn publish(mut drafts: Vec<Draft>, stale: &[PathBuf]) -> Result<(), Error> {
    for draft in &drafts {
        draft.file.as_file().sync_all().map_err(Error::write(&draft.path))?;
    }
    let last = drafts.pop();
    drafts.into_iter().try_for_each(Draft::rename)?;
    for path in stale {
        let removed = fs::remove_file(path).and_then(|()| sync_directory(directory_of(path)));
        removed.map_err(Error::write(path))?;
    }
    last.map_or(Ok(()), Draft::rename)
}

/// Writes a whole file.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    Draft::of(path, contents)?.publish()
}

/// The file behind a path, with its directory created. A link is followed, because a rename would replace it.
///
/// # Errors
/// A place that cannot hold a file, or a directory that cannot be made or written.
pub fn prepare(path: &Path) -> Result<PathBuf, Error> {
    let target = target(path).map_err(Error::write(path))?;
    let directory = directory_of(&target);
    refuse_strangers_links(directory)?;
    fs::create_dir_all(directory).map_err(Error::write(directory))?;
    if target != path {
        builder().tempfile_in(directory).map_err(Error::write(path))?;
    }
    Ok(target)
}

fn target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&target) {
            Ok(found) if found.is_symlink() => {
                trusted(&found)?;
                target = target.parent().unwrap_or(Path::new("")).join(fs::read_link(&target)?);
            }
            Ok(found) if !found.is_file() => return Err(io::Error::other("it exists and is not a file")),
            // Creating the directory reports a file in its place.
            Err(error) if !matches!(error.kind(), NotFound | NotADirectory) => return Err(error),
            _ => return Ok(target),
        }
    }
    Err(io::Error::other("it is a chain of links without end"))
}

/// Refuses a directory that is reached over a link of another account.
fn refuse_strangers_links(directory: &Path) -> Result<(), Error> {
    for way in directory.ancestors() {
        if let Ok(found) = fs::symlink_metadata(way)
            && found.is_symlink()
        {
            trusted(&found).map_err(Error::write(way))?;
        }
    }
    Ok(())
}

/// Refuses a link of another account: in a shared directory, it could lead to files of this account. Links of the
/// system are followed.
fn trusted(link: &fs::Metadata) -> io::Result<()> {
    if link.uid() == 0 || is_own(link) {
        return Ok(());
    }
    Err(io::Error::other("it is a link that another account made; name the file itself"))
}

/// Whether this account owns a file.
#[must_use]
pub fn is_own(found: &fs::Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Removes the drafts of dead processes in a directory. One that cannot be removed stays, without harm.
pub(super) fn clear_dead(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_draft(entry.file_name().as_encoded_bytes())) {
        let path = entry.path();
        let is_file = entry.metadata().is_ok_and(|found| found.is_file() && is_own(&found));
        let Some(file) = is_file.then(|| File::options().write(true).open(&path).ok()).flatten() else { continue };
        if file.try_lock().is_ok() && is_still(&file, &path) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Whether it is the name of a draft, as [`builder`] makes them.
fn is_draft(name: &[u8]) -> bool {
    name.strip_prefix(PREFIX.as_bytes())
        .is_some_and(|rest| rest.len() == 6 && rest.iter().all(u8::is_ascii_alphanumeric))
}

/// Whether the path still names this file: it may have been removed before it was locked.
#[must_use]
pub fn is_still(file: &File, path: &Path) -> bool {
    let named = fs::symlink_metadata(path).map(|named| (named.dev(), named.ino()));
    let own = file.metadata().map(|own| (own.dev(), own.ino()));
    matches!((named, own), (Ok(named), Ok(own)) if named == own)
}

/// A name for a directory: the parent of a bare file name is empty.
pub(super) fn here_if_empty(directory: &Path) -> &Path {
    if directory.as_os_str().is_empty() { Path::new(".") } else { directory }
}

fn directory_of(file: &Path) -> &Path {
    here_if_empty(file.parent().unwrap_or(Path::new("")))
}

fn sync_directory(directory: &Path) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "a directory is opened")]
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        // A writable directory may be unreadable, and some file systems cannot sync one.
        Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Temporary files are private by default; results get the permissions of the umask.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    builder.permissions(Permissions::from_mode(0o666));
    builder
}

#[cfg(test)]
mod tests {
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
        let (path, from) = (directory.path().join("b.csv"), directory.path().join("rows"));
        for mode in [0o600, 0o640, 0o664] {
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            write(&path, b"new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
            fs::write(&from, b"newer").unwrap();
            Draft::of_file(&path, &from).unwrap().publish().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
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
        assert_eq!(sha256(&b"abc"[..]).unwrap(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    /// A publication that did not finish can be repeated.
    #[test]
    fn a_whole_file_stays_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let [from, path, stale] = ["rows", "b.csv", "stale"].map(|name| directory.path().join(name));
        fs::write(&from, "abc").unwrap();
        for _ in 0..2 {
            fs::write(&stale, "old").unwrap();
            publish(vec![Draft::of_file(&path, &from).unwrap()], std::slice::from_ref(&stale)).unwrap();
            assert_eq!((fs::read(&from).unwrap(), fs::read(&path).unwrap()), (b"abc".to_vec(), b"abc".to_vec()));
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
        }
    }

    /// A draft of a living process stays, one of a dead process goes, other files stay.
    #[test]
    fn the_next_draft_removes_dead_ones() {
        let directory = tempfile::tempdir().unwrap();
        let (dead, other) =
            (directory.path().join(".castbench-draft-deaddd"), directory.path().join(".castbench-other"));
        fs::write(&dead, "half").unwrap();
        fs::write(&other, "whole").unwrap();
        let living = Draft::create(&directory.path().join("a.csv")).unwrap();
        assert!(!dead.exists() && other.exists());
        let second = Draft::create(&directory.path().join("b.csv")).unwrap();
        assert!(living.file.path().exists() && second.file.path().exists());
    }
}
