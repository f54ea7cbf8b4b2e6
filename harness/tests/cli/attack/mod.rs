//! Attacks and mistakes: other accounts, edited files, lying ranks, input without end. No case needs a measured time.

mod edited;
mod endless;
mod kept;
mod ranks;
mod strangers;

use castbench::output::seal;
use castbench::output::sha256;
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;

use crate::faults::{errors, program};

/// Some points of two problems, with findings.
const CONFIG: &str = r#"
schema = 1
[limits]
simulate_up_to_nodes = 30
[[grid]]
name = "trees"
algorithms = ["halving", "fibonacci", "optimal"]
L = { from = 1, to = 20, step = 4 }
o = [0, 2]
g = [1, 4]
K = { from = 1, to = 30 }
[[grid]]
name = "gossip"
n = { from = 1, to = 6 }
"#;

/// A message from one rank to another.
fn measurement(tcp: &str, repetitions: u32) -> String {
    format!(
        "schema = 1\nrepetitions = {repetitions}\nwarm_up = 0\ntime_limit_seconds = 20\n[tcp]\n{tcp}\n[[measurement]]\nname = \"a\"\n\
         algorithms = [\"chain\"]\nK = [2]\nbytes = [\"1KiB\"]\nmachine = \"loopback-2-cores\"\n"
    )
}

/// Two hosts that are both this one, started by this launcher, a list in TOML.
fn hosts(launch: &str) -> String {
    format!(
        "hosts = [{{ name = \"a\", address = \"127.0.0.1\" }}, {{ name = \"b\", address = \"127.0.0.1\" }}]\nlaunch = {launch}\n"
    )
}

/// Edits a JSON file and renews its digest and those of the files beside it, as an attacker can.
fn reseal(path: &Path, edit: impl FnOnce(&mut Value)) {
    let mut manifest: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    edit(&mut manifest);
    manifest.as_object_mut().unwrap().remove("digest");
    for file in manifest["files"].as_array_mut().unwrap() {
        let name = file["name"].as_str().unwrap();
        // A name that is a path may lead to a file that blocks.
        if !name.is_empty() && !name.contains('/') {
            file["sha256"] = sha256(File::open(path.with_file_name(name)).unwrap())
                .unwrap()
                .into();
        }
    }
    let sealed = seal::pretty(&manifest).unwrap_or_else(|failure| panic!("{}", failure.message));
    fs::write(path, sealed).unwrap();
}

/// Expects this exit code and returns the messages.
fn ends(directory: &Path, arguments: &[&str], code: i32) -> String {
    let output = program(directory, arguments).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {}",
        errors(&output)
    );
    errors(&output)
}

/// A directory with `c.toml`, the sweep `s` of it and the baseline `b/baseline`.
fn swept() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), CONFIG).unwrap();
    ends(directory.path(), &["sweep", "c.toml", "--out", "s"], 0);
    directory
}

const REGRESS: [&str; 5] = ["regress", "--config", "c.toml", "--baseline", "b/baseline"];

fn accept(directory: &Path) {
    ends(
        directory,
        &[&REGRESS[..], &["accept", "--reason", "why"]].concat(),
        0,
    );
}
