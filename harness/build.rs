//! Tells the program from which revision it was built, for the manifest of a sweep.

use std::process::Command;

fn main() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    // Built from a source archive there is no revision to tell.
    let revision =
        git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=CASTBENCH_REVISION={revision}");
    // What decides whether the tree is dirty, and the rows.
    for path in ["build.rs", "src", "measure/src", "../algorithms/src", "../configs", "../Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    if let Some(directory) = git(&["rev-parse", "--absolute-git-dir"]) {
        // A commit appends to the log of HEAD; a checkout does too.
        println!("cargo::rerun-if-changed={directory}/logs/HEAD");
    }
}
