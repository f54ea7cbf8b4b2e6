//! Started programs that must not outlive castbench, with the directories that are theirs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

/// The process groups that run, with their directories.
static RUNNING: Mutex<BTreeMap<u32, PathBuf>> = Mutex::new(BTreeMap::new());

fn running() -> MutexGuard<'static, BTreeMap<u32, PathBuf>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a program that leads a process group of its own, unless `is_refused` is true then.
///
/// # Errors
/// It is refused, or cannot be started.
pub fn spawn(
    command: &mut Command,
    directory: PathBuf,
    is_refused: impl FnOnce() -> bool,
) -> io::Result<Child> {
    // Locked, so that `kill_all` finds the program.
    let mut running = running();
    if is_refused() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let child = command.spawn()?;
    running.insert(child.id(), directory);
    Ok(child)
}

/// Ends a program and its forks; once, because its number may then be that of another one.
pub fn end(child: &mut Child) {
    if running().remove(&child.id()).is_some() {
        kill(child.id());
        let _ = child.wait();
    }
}

/// Kills all of them without waiting for anything, before castbench ends.
pub fn kill_all() {
    for (group, directory) in std::mem::take(&mut *running()) {
        kill(group);
        // What cannot be deleted stays.
        let _ = fs::remove_dir_all(directory);
    }
}

fn kill(group: u32) {
    if let Ok(Some(group)) = i32::try_from(group).map(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
