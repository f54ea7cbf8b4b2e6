//! One castbench at a time in a directory. The lock is the operating system's: it ends with its process.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::failure::{Code, Failure, tell};

/// Creates `directory` and locks it; the lock is held until the file is dropped. `out` is how people call the place.
///
/// # Errors
/// Exit code 74 where another castbench holds it, or where nothing can be written there.
pub(super) fn acquire(directory: &Path, out: &Path) -> Result<File, Failure> {
    let path = directory.join("lock");
    let failed = |error: io::Error| Failure::write(out, &error);
    loop {
        fs::create_dir_all(directory).map_err(failed)?;
        let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = match opened {
            // Whoever held it has just removed the directory.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.map_err(failed)?,
        };
        match file.try_lock() {
            Ok(()) if !is_still(&file, &path) => continue,
            Ok(()) => {
                let pid = std::process::id().to_string();
                file.set_len(0).and_then(|()| file.write_all(pid.as_bytes())).map_err(failed)?;
                return Ok(file);
            }
            Err(TryLockError::WouldBlock) => return Err(taken(&mut file, out)),
            Err(TryLockError::Error(error)) => {
                tell(format_args!(
                    "note: `{}` cannot be locked ({error}); let no other sweep write there",
                    out.display()
                ));
                return Ok(file);
            }
        }
    }
}

fn taken(file: &mut File, out: &Path) -> Failure {
    let mut pid = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut pid));
    let who = if read.is_ok() && !pid.is_empty() { format!("process {pid}") } else { "another process".to_owned() };
    let out = out.display();
    let explanation = format_args!(
        "another castbench ({who}) is writing into `{out}`; wait for it, or name another place with --out"
    );
    Failure::new(Code::Output, explanation)
}

/// Whether the path still names this file: its directory may have been removed before it was locked.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let named = fs::metadata(path).map(|named| (named.dev(), named.ino()));
    let own = file.metadata().map(|own| (own.dev(), own.ino()));
    matches!((named, own), (Ok(named), Ok(own)) if named == own)
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_still(_: &File, _: &Path) -> bool {
    true
}
