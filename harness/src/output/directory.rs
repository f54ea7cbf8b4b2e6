//! Open directories: what is done through one happens in it, wherever its path leads meanwhile.
//!
//! Another account may exchange a directory and a link at any time where it can write. So a path is walked once, a
//! component at a time without following links, and files are made, renamed and removed by their names in the open
//! directory.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{
    self,
    ErrorKind::{InvalidInput, NotFound, PermissionDenied, Unsupported},
};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::unwritten;
use crate::base::failure::Result;

/// Most links in a path, as in Linux.
const MAX_LINKS: u32 = 40;
/// To look a directory up, the right to search it is enough.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::RDONLY;
const RESULTS: Mode = Mode::from_raw_mode(0o777);
const PRIVATE: Mode = Mode::from_raw_mode(0o700);

/// An open directory.
#[derive(Debug)]
pub struct Directory {
    handle: OwnedFd,
    /// For messages.
    path: PathBuf,
}

/// A name in an open directory.
#[derive(Debug, Clone)]
pub struct Target {
    pub(super) directory: Arc<Directory>,
    pub(super) name: OsString,
    /// Whether a link leads there from the path that was given.
    pub(super) is_linked: bool,
}

impl Directory {
    /// Opens a directory and makes what is missing of its path. Links of this account and of the system are followed.
    ///
    /// # Errors
    /// A directory that cannot be made or opened, a link of another account.
    pub fn make(path: &Path) -> Result<Arc<Self>> {
        let path = here_if_empty(path);
        let walk = Walk::along(path).map_err(unwritten(path))?;
        Ok(Arc::new(Self {
            handle: walk.here,
            path: path.to_owned(),
        }))
    }

    /// A directory of this account in this one, which only this account may read; made if it is missing.
    ///
    /// # Errors
    /// Something else of this name, or a directory of another account.
    pub fn make_private(&self, name: &str) -> Result<Arc<Self>> {
        let path = self.path.join(name);
        made(fs::mkdirat(&self.handle, name, PRIVATE))
            .and_then(|()| self.own(OsStr::new(name)))
            .map(|handle| {
                Arc::new(Self {
                    handle,
                    path: path.clone(),
                })
            })
            .map_err(unwritten(&path))
    }

    /// A directory of this account in this one, if it is there.
    ///
    /// # Errors
    /// Exit code 74: another account owns it, or it is not a directory.
    pub fn private(&self, name: &str) -> Result<Option<Arc<Self>>> {
        let path = self.path.join(name);
        match self.own(OsStr::new(name)) {
            Ok(handle) => Ok(Some(Arc::new(Self { handle, path }))),
            Err(error) if error.kind() == NotFound => Ok(None),
            Err(error) => Err(unwritten(&path)(error)),
        }
    }

    fn own(&self, name: &OsStr) -> io::Result<OwnedFd> {
        let handle = enter(&self.handle, name).map_err(|error| {
            if is_no_directory(&error) {
                io::Error::other("expected a directory; remove it")
            } else {
                error
            }
        })?;
        if is_own(fs::fstat(&handle)?.st_uid) {
            Ok(handle)
        } else {
            Err(io::Error::other(
                "another account made it; name another directory, or remove it",
            ))
        }
    }

    /// The path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path still leads to it.
    pub fn is_there(&self) -> bool {
        let [own, there] = [fs::fstat(&self.handle), fs::stat(&self.path)];
        matches!((own, there), (Ok(own), Ok(there)) if (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino))
    }

    /// Makes a file of this name, new or emptied.
    ///
    /// # Errors
    /// Input or output that fails.
    pub fn create(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.file(name, OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC)
    }

    /// Opens a file for reading and writing. Anything else of this name is refused.
    ///
    /// # Errors
    /// Input or output that fails.
    pub fn open(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.file(name, OFlags::RDWR)
    }

    /// Makes a file that was not there.
    pub(super) fn create_new(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.file(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)
    }

    fn file(&self, name: impl AsRef<OsStr>, flags: OFlags) -> io::Result<File> {
        // Opening a pipe would block.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let strange = || io::Error::other("it exists and is not a file; remove it");
        let file = match fs::openat(
            &self.handle,
            name.as_ref(),
            flags,
            Mode::from_raw_mode(0o666),
        ) {
            // A link, a directory, a socket.
            Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => return Err(strange()),
            opened => File::from(opened?),
        };
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(strange())
        }
    }

    /// What has this name; a link itself.
    pub(super) fn found(&self, name: impl AsRef<OsStr>) -> io::Result<Stat> {
        Ok(fs::statat(
            &self.handle,
            name.as_ref(),
            AtFlags::SYMLINK_NOFOLLOW,
        )?)
    }

    /// Whether the name still is that of the open file: it may have been removed or replaced.
    pub fn is_still(&self, file: &File, name: impl AsRef<OsStr>) -> bool {
        let own = file.metadata().map(|own| (own.dev(), own.ino()));
        matches!((self.found(name), own), (Ok(named), Ok(own)) if (named.st_dev, named.st_ino) == own)
    }

    /// Whether there is something of this name.
    ///
    /// # Errors
    /// Input or output that fails.
    pub fn has(&self, name: &str) -> io::Result<bool> {
        match self.found(name) {
            Err(error) if error.kind() == NotFound => Ok(false),
            found => found.map(|_| true),
        }
    }

    /// Whether this is the name of a directory.
    pub fn is_directory(&self, name: impl AsRef<OsStr>) -> bool {
        self.found(name)
            .is_ok_and(|found| is(&found, FileType::Directory))
    }

    /// A name in it.
    pub fn target(self: &Arc<Self>, name: impl AsRef<OsStr>) -> Target {
        Target {
            directory: Arc::clone(self),
            name: name.as_ref().to_owned(),
            is_linked: false,
        }
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.handle, from, &self.handle, to)?)
    }

    /// A second name for a file.
    pub(super) fn link(&self, from: &Self, name: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::linkat(
            &from.handle,
            name,
            &self.handle,
            to,
            AtFlags::empty(),
        )?)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// Input or output that fails.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(fs::unlinkat(&self.handle, name.as_ref(), AtFlags::empty())?)
    }

    /// Removes an empty directory in this one.
    ///
    /// # Errors
    /// Input or output that fails.
    pub fn remove_directory(&self, name: &str) -> io::Result<()> {
        Ok(fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR)?)
    }

    /// The names of the files in it, and of whatever else.
    ///
    /// # Errors
    /// A directory that cannot be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::new(self.readable()?)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    fn readable(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(fs::openat(&self.handle, ".", flags, Mode::empty())?)
    }

    /// Waits until its names are on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        match self
            .readable()
            .and_then(|directory| Ok(fs::fsync(directory)?))
        {
            // A writable directory may be unreadable, and some file systems cannot sync one.
            Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => {
                Ok(())
            }
            synced => synced,
        }
    }
}

impl Target {
    /// The file behind a path, with its directory made. A link is followed, because a rename would replace it.
    ///
    /// # Errors
    /// A path that cannot hold a file, a directory that cannot be made or opened, a link of another account.
    pub fn new(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            // For inputs it is standard input, so a file of this name would surprise.
            return Err(unwritten(path)(io::Error::other(
                "it does not mean standard output",
            )));
        }
        let directory = here_if_empty(path.parent().unwrap_or(Path::new("")));
        let mut walk = Walk::along(directory).map_err(unwritten(directory))?;
        let target = walk.file_behind(path).map_err(unwritten(path))?;
        let directory = here_if_empty(target.parent().unwrap_or(Path::new(""))).to_owned();
        let name = target.file_name().unwrap_or_default().to_owned();
        let is_linked = target != path;
        Ok(Self {
            directory: Arc::new(Directory {
                handle: walk.here,
                path: directory,
            }),
            name,
            is_linked,
        })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory.path.join(&self.name)
    }
}

/// A walk along a path that trusts no link of another account: in a shared directory, it could lead to files of this
/// account.
struct Walk {
    here: OwnedFd,
    links: u32,
}

impl Walk {
    fn along(path: &Path) -> io::Result<Self> {
        // Readers could not name what is deeper than a path may be long.
        if let Err(Errno::NAMETOOLONG) = fs::stat(path) {
            return Err(Errno::NAMETOOLONG.into());
        }
        let mut walk = Self {
            here: enter(fs::CWD, OsStr::new("."))?,
            links: 0,
        };
        walk.go(path, true)?;
        Ok(walk)
    }

    fn go(&mut self, path: &Path, makes: bool) -> io::Result<()> {
        path.components().try_for_each(|component| match component {
            Component::Normal(name) => self.enter(name, makes),
            Component::Prefix(_) | Component::CurDir => Ok(()),
            Component::RootDir => enter(fs::CWD, OsStr::new("/")).map(|root| self.here = root),
            Component::ParentDir => {
                enter(&self.here, OsStr::new("..")).map(|parent| self.here = parent)
            }
        })
    }

    fn enter(&mut self, name: &OsStr, makes: bool) -> io::Result<()> {
        let mut entered = enter(&self.here, name);
        if makes
            && entered
                .as_ref()
                .is_err_and(|error| error.kind() == NotFound)
        {
            made(fs::mkdirat(&self.here, name, RESULTS))?;
            entered = enter(&self.here, name);
        }
        match entered {
            Err(error) if is_no_directory(&error) => {
                let to = self.link(name)?.ok_or(error)?;
                // A link that leads nowhere is an error: its target is not made.
                self.go(&to, false)
            }
            entered => entered.map(|directory| self.here = directory),
        }
    }

    /// Follows links from a path whose directory is here to the file behind them, in what is then here.
    fn file_behind(&mut self, path: &Path) -> io::Result<PathBuf> {
        let mut path = path.to_owned();
        loop {
            let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(no_file());
            };
            match fs::statat(&self.here, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) if is(&found, FileType::Symlink) => {
                    let to = self.link(name)?.ok_or_else(no_file)?;
                    self.go(to.parent().unwrap_or(Path::new("")), true)?;
                    path = directory.join(to);
                }
                Ok(found) if !is(&found, FileType::RegularFile) => return Err(no_file()),
                Err(error) if error != Errno::NOENT => return Err(error.into()),
                _ => return Ok(path),
            }
        }
    }

    /// Where a link leads, if it is one that this account or the system made.
    fn link(&mut self, name: &OsStr) -> io::Result<Option<PathBuf>> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(io::Error::other("it is a chain of links without end"));
        }
        let (found, to) = read_link(&self.here, name)?;
        if !is(&found, FileType::Symlink) {
            return Ok(None);
        }
        if found.st_uid != 0 && !is_own(found.st_uid) {
            let name = name.display();
            let advice = "name the file itself";
            return Err(io::Error::other(format!(
                "`{name}` is a link that another account made; {advice}"
            )));
        }
        Ok(Some(OsString::from_vec(to.into_bytes()).into()))
    }
}

/// A link and its text, empty if it is none. It is opened first, so that its owner and its text are of the same link.
#[cfg(target_os = "linux")]
fn read_link(directory: impl AsFd, name: &OsStr) -> io::Result<(Stat, CString)> {
    let link = fs::openat(
        directory,
        name,
        OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let found = fs::fstat(&link)?;
    let text = if is(&found, FileType::Symlink) {
        fs::readlinkat(&link, "", Vec::new())?
    } else {
        CString::default()
    };
    Ok((found, text))
}

/// A link and its text, empty if it is none.
#[cfg(not(target_os = "linux"))]
fn read_link(directory: impl AsFd, name: &OsStr) -> io::Result<(Stat, CString)> {
    let found = fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let text = if is(&found, FileType::Symlink) {
        fs::readlinkat(directory, name, Vec::new())?
    } else {
        CString::default()
    };
    Ok((found, text))
}

fn enter(directory: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = SEARCH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(fs::openat(directory, name, flags, Mode::empty())?)
}

/// A directory that is there already is made.
fn made(result: Result<(), Errno>) -> io::Result<()> {
    match result {
        Err(Errno::EXIST) => Ok(()),
        result => Ok(result?),
    }
}

fn is(found: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(found.st_mode) == kind
}

/// A link or a file instead of a directory.
fn is_no_directory(error: &io::Error) -> bool {
    [Errno::NOTDIR, Errno::LOOP]
        .iter()
        .any(|other| Some(other.raw_os_error()) == error.raw_os_error())
}

fn no_file() -> io::Error {
    io::Error::other("it exists and is not a file")
}

/// Whether this account is the owner.
pub(super) fn is_own(owner: u32) -> bool {
    owner == rustix::process::geteuid().as_raw()
}

/// A name for a directory: the parent of a bare file name is empty.
fn here_if_empty(directory: &Path) -> &Path {
    if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// What another account does between two steps: the path of an open directory now leads elsewhere.
    fn exchanged(root: &Path, path: &Path) {
        fs::rename(path, root.join("moved")).unwrap();
        symlink(root.join("home"), path).unwrap();
    }

    #[test]
    fn an_open_directory_is_not_exchanged() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::create_dir_all(root.join("home")).unwrap();
        fs::write(root.join("home/thesis"), "years").unwrap();
        let out = Directory::make(&root.join("out")).unwrap();
        let inner = out.make_private("rows").unwrap();
        exchanged(root, &root.join("out"));
        symlink(root.join("home"), root.join("moved/other")).unwrap();
        inner.create("a").unwrap();
        out.create("thesis").unwrap();
        assert_eq!(
            fs::read_to_string(root.join("home/thesis")).unwrap(),
            "years"
        );
        assert!(root.join("moved/rows/a").exists() && root.join("moved/thesis").exists());
        // A link in it is no directory of castbench.
        assert!(out.private("other").is_err() && out.remove_directory("other").is_err());
        inner.remove("a").unwrap();
        out.remove_directory("rows").unwrap();
        assert_eq!(fs::read_dir(root.join("home")).unwrap().count(), 1);
    }

    #[test]
    fn a_link_is_no_file_to_open() {
        let root = tempfile::tempdir().unwrap();
        let out = Directory::make(root.path()).unwrap();
        fs::write(root.path().join("thesis"), "years").unwrap();
        symlink("thesis", root.path().join("rows")).unwrap();
        assert!(
            out.create("rows").is_err()
                && out.open("rows").is_err()
                && out.create_new("rows").is_err()
        );
        assert_eq!(
            fs::read_to_string(root.path().join("thesis")).unwrap(),
            "years"
        );
    }

    /// Paths of all sorts are followed as the kernel follows them.
    #[test]
    fn a_target_is_where_the_path_leads() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        for (link, to) in [
            ("l", "a"),
            ("a/up", ".."),
            ("a/f", "../l/b/file"),
            ("abs", root.join("a/b").to_str().unwrap()),
        ] {
            symlink(to, root.join(link)).unwrap();
        }
        for path in [
            "a/b/x",
            "l/b/x",
            "l/up/a/b/x",
            "./l/./b/../b/x",
            "a/up/abs/x",
            "abs/../b/x",
            "a/f",
            "l/up/l/f",
            "new/deep/x",
        ] {
            let target = Target::new(&root.join(path)).unwrap();
            target.directory.create(&target.name).unwrap();
            let known = fs::canonicalize(root.join(path)).unwrap();
            assert_eq!(fs::canonicalize(target.path()).unwrap(), known, "{path}");
            assert_eq!(target.is_linked, path.ends_with("/f"), "{path}");
            fs::remove_file(known).unwrap();
        }
        symlink("loop", root.join("loop")).unwrap();
        for path in ["loop", "loop/x", "a", "a/..", "l", ""] {
            assert!(Target::new(&root.join(path)).is_err(), "{path}");
        }
    }
}
