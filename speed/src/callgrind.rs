//! How many instructions a bench takes: one process under callgrind, which counts inside one function only.

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cases::Case;

/// The function that callgrind counts in, what it calls included.
const MEASURED: &str = "measured_evaluation";

/// The word that has a program run the bench named behind it.
pub const RUN: &str = "run";

/// Runs a bench once where callgrind can see it: never inlined, so that its name is in the binary.
///
/// # Errors
/// Those of [`Case::run`], in words.
#[inline(never)]
pub fn measured_evaluation(case: &Case) -> Result<(), String> {
    black_box(case.run()).map(drop).map_err(|error| format!("{}: {error}", case.name()))
}

/// The instructions of `program run NAME`, a program that calls [`measured_evaluation`] once.
///
/// Valgrind keeps addresses the same from run to run. The environment and the program's name lie on the stack and in the
/// heap, where they move a count by up to 0.01 %; so the process sees no environment and a name without directories. What
/// is left of another directory is one or two instructions in 10^7. What the program allocates before it calls, growing
/// buffers feel much more: that should be next to nothing, and nothing that changes with other code.
///
/// # Errors
/// Where valgrind cannot be run, the program fails under it, or nothing was counted.
pub fn count(program: &Path, name: &str) -> Result<u64, String> {
    let failed = |why: String| format!("{name} was not counted: {why}");
    let (Some(directory), Some(file)) = (program.parent(), program.file_name()) else {
        return Err(failed(format!("{} is no path of a program", program.display())));
    };
    let scratch = tempfile::tempdir().map_err(|error| failed(format!("no temporary directory: {error}")))?;
    let profile = scratch.path().join("profile");
    let output = Command::new(valgrind()?)
        .args(["--tool=callgrind", &format!("--toggle-collect=*{MEASURED}*")])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(Path::new(".").join(file))
        .args([RUN, name])
        .current_dir(directory)
        .env_clear()
        .output()
        .map_err(|error| failed(format!("valgrind does not start: {error}")))?;
    if !output.status.success() {
        return Err(failed(format!("valgrind: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr))));
    }
    let text = fs::read_to_string(&profile).map_err(|error| failed(format!("no profile was written: {error}")))?;
    match total(&text) {
        Some(0) => Err(failed(format!("callgrind saw no function {MEASURED}; was the program stripped?"))),
        Some(instructions) => Ok(instructions),
        None => Err(failed("the profile has no line `summary:`".into())),
    }
}

/// The sum over a profile, whose only event is `Ir`, instructions read.
fn total(profile: &str) -> Option<u64> {
    profile.lines().find_map(|line| line.strip_prefix("summary:")).and_then(|sum| sum.trim().parse().ok())
}

/// Where valgrind is; the counted process gets no `PATH` to search.
fn valgrind() -> Result<PathBuf, String> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|directory| directory.join("valgrind"))
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| "valgrind is not on the PATH; install it (Debian: apt-get install valgrind)".into())
}

/// The version of valgrind, which decides what it counts.
///
/// # Errors
/// Where it cannot be run.
pub fn version() -> Result<String, String> {
    first_line(Command::new(valgrind()?).arg("--version")).ok_or_else(|| "`valgrind --version` says nothing".into())
}

/// The version of the C library, whose allocator and copies are counted with the rest; "unknown" where nothing tells.
#[must_use]
pub fn libc() -> String {
    first_line(Command::new("getconf").arg("GNU_LIBC_VERSION")).unwrap_or_else(|| "unknown".into())
}

/// What a command says first.
fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_that_of_the_summary() {
        let profile = "version: 1\nevents: Ir\nsummary: 12345\n\nfn=(1) measured_evaluation\n0 3\ntotals: 12345\n";
        assert_eq!(total(profile), Some(12_345));
        assert_eq!(total("events: Ir\n"), None);
        assert_eq!(total("summary: much\n"), None);
    }
}
