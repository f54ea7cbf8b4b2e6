//! Runs the program from outside.

use std::path::Path;
use std::process::{Command, Output};

/// `castbench` with these arguments.
pub fn castbench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_castbench"));
    command.env("NO_COLOR", "1").args(arguments);
    command
}

/// What became of it in a directory.
pub fn castbench_in(directory: &Path, arguments: &[&str]) -> Output {
    castbench(arguments).current_dir(directory).output().expect("the program can be started")
}

/// What it printed, after checking that it succeeded.
pub fn stdout(arguments: &[&str]) -> String {
    let output = castbench(arguments).output().expect("the program can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "castbench {arguments:?} failed:\n{errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}
