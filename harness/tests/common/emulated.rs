//! Emulated hosts for tests, isolated from other ones.

use std::path::Path;
use std::process::Command;

/// Runs the script in a separate mount namespace, because hosts of other tests or of the user may have the same names.
pub fn apart(directory: &Path, script: &str) -> Command {
    let mut command = Command::new("unshare");
    let script = format!("mkdir -p /run/netns && mount -t tmpfs none /run/netns && {script}");
    command.args([
        "--mount",
        "--",
        "sh",
        "-e",
        "-c",
        &script,
        env!("CARGO_BIN_EXE_castbench"),
    ]);
    command.current_dir(directory).env("NO_COLOR", "1");
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
