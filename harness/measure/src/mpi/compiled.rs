//! `calls.c`, compiled by the user's `mpicc` and kept in the user's cache.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::message::hex;

/// The file of C.
const CALLS: &str = include_str!("calls.c");
/// The variable that names another compiler than `mpicc`.
const COMPILER: &str = "MPICC";

/// The digest of the file of C; all ranks must have the same.
pub fn calls_digest() -> String {
    digest([CALLS.as_bytes()])
}

fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    hex(&digest.finalize())
}

/// The compiled file; compiles it if it is not in the cache.
pub fn compiled() -> Result<PathBuf, Error> {
    let compiler = env::var_os(COMPILER)
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "mpicc".into());
    // The options that it adds name the library: another MPI in another directory is another file. Not all have the option.
    let options = output(&compiler, &["-show"])?;
    let key = digest([
        CALLS.as_bytes(),
        compiler.as_encoded_bytes(),
        &options.stdout,
    ]);
    let directory = cache()?;
    let file = directory.join(format!("mpi-{}.so", &key[..16]));
    if !file.exists() {
        compile(&compiler, &directory, &file)?;
    }
    is_own(&file)?;
    Ok(file)
}

/// Runs the compiler.
fn output(compiler: &OsString, arguments: &[&str]) -> Result<Output, Error> {
    let output = Command::new(compiler).args(arguments).output();
    output.map_err(|error| {
        Error::Launched(format!(
            "transport `mpi` needs the compiler of the MPI library, and `{}` cannot be run: {error}; load the module of \
             an MPI, install its development package, or name the compiler in {COMPILER}",
            compiler.to_string_lossy()
        ))
    })
}

fn unusable(what: &Path, error: &io::Error) -> Error {
    Error::Launched(format!(
        "transport `mpi` keeps what `mpicc` compiled in `{}`, which cannot be used: {error}; name a directory that you \
         can write to in XDG_CACHE_HOME",
        what.display()
    ))
}

/// The directory of castbench in the user's cache.
fn cache() -> Result<PathBuf, Error> {
    let named = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    let directory = base
        .ok_or_else(|| {
            Error::Launched(
                "transport `mpi` keeps what `mpicc` compiled in the user's cache, and neither XDG_CACHE_HOME nor HOME \
                 names an absolute path; set one"
                    .to_owned(),
            )
        })?
        .join("castbench");
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&directory)
        .map_err(|error| unusable(&directory, &error))?;
    is_own(&directory)?;
    Ok(directory)
}

/// Refuses what another user could have written: it is loaded and run.
fn is_own(path: &Path) -> Result<(), Error> {
    let facts = fs::metadata(path).map_err(|error| unusable(path, &error))?;
    let user = rustix::process::geteuid().as_raw();
    if facts.uid() == user && facts.mode() & 0o022 == 0 {
        return Ok(());
    }
    let error = io::Error::other("another user can write to it");
    Err(unusable(path, &error))
}

/// Compiles beside the place of the file, and renames: other ranks do the same at this moment.
fn compile(compiler: &OsString, directory: &Path, file: &Path) -> Result<(), Error> {
    let unusable = |error| unusable(directory, &error);
    let scratch = tempfile::Builder::new()
        .prefix("mpi-")
        .tempdir_in(directory)
        .map_err(unusable)?;
    let [source, library] = ["calls.c", "calls.so"].map(|name| scratch.path().join(name));
    fs::write(&source, CALLS).map_err(unusable)?;
    let [from, to] = [&source, &library].map(|path| path.to_string_lossy());
    let arguments = ["-shared", "-fPIC", "-O2", "-o", &to, &from];
    let output = output(compiler, &arguments)?;
    if !output.status.success() {
        return Err(Error::Launched(format!(
            "transport `mpi` compiles its calls with the MPI library, and `{} {}` failed, {}: {}",
            compiler.to_string_lossy(),
            arguments.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    // Whatever the umask is, see `is_own`.
    fs::set_permissions(&library, Permissions::from_mode(0o700)).map_err(unusable)?;
    fs::rename(&library, file).map_err(unusable)
}
