//! Tells the program from which revision it was built, for the manifest of a sweep.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The record that `cargo package` leaves in a package: the commit, and whether the tree was dirty.
const PACKAGED: &str = ".cargo_vcs_info.json";

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}

/// The revision of a package: git would describe whatever repository the registry's copy happens to lie in.
fn packaged(record: &str) -> Option<String> {
    let digits = record.split("\"sha1\"").nth(1)?.split('"').nth(1)?.get(..12)?;
    let dirty = if record.contains("\"dirty\": true") { "-dirty" } else { "" };
    Some(format!("{digits}{dirty}"))
}

fn main() {
    let revision = match fs::read_to_string(PACKAGED) {
        Ok(record) => packaged(&record),
        // A source archive may lie in another repository, which does not track this file.
        Err(_) => git(&["ls-files", "build.rs"])
            .and_then(|_| git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])),
    };
    println!("cargo::rustc-env=CASTBENCH_REVISION={}", revision.as_deref().unwrap_or("unknown"));
    // What decides whether the tree is dirty, and the rows. A package lacks some, and a missing path forces a rebuild.
    for path in ["build.rs", "src", "measure/src", "../algorithms/src", "configs", "../Cargo.lock"] {
        if Path::new(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    if let Some(directory) = git(&["rev-parse", "--absolute-git-dir"]) {
        // A commit appends to the log of HEAD; a checkout does too.
        println!("cargo::rerun-if-changed={directory}/logs/HEAD");
    }
}
