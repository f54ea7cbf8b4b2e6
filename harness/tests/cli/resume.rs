//! A sweep stopped by any cause continues and writes the bytes of an undisturbed one.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Answer, ask, castbench, expect, wait_for};

/// Trees, then gossip: a checkpoint after every batch gives many checkpoints in both files. It takes a minute of a
/// core; no test waits for its end.
const LONG: &str = r#"
schema = 1
[limits]
simulate_up_to_nodes = 400
[[grid]]
name = "trees"
L = { from = 1, to = 50, step = 7 }
o = [0, 1, 2, 4]
g = { from = 1, to = 64, factor = 2 }
K = { from = 1, to = 400 }
[[grid]]
name = "gossip"
n = { from = 1, to = 8 }
"#;

/// A configuration of some seconds, with many checkpoints.
fn with_short_config() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("long.toml"),
        LONG.replace("400", "100"),
    )
    .unwrap();
    directory
}

const UNFINISHED: &str = ".castbench-unfinished";

fn with_long_config() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("long.toml"), LONG).unwrap();
    directory
}

/// Every file of a directory.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn start(directory: &Path, extra: &[&str]) -> Child {
    let arguments = [
        &[
            "sweep",
            "long.toml",
            "--out",
            "out",
            "--checkpoint",
            "0",
            "--jobs",
            "1",
        ],
        extra,
    ]
    .concat();
    castbench(&arguments)
        .current_dir(directory)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the sweep has written a checkpoint other than `known`, and returns its text.
fn checkpoint(directory: &Path, known: Option<&str>) -> String {
    let path = directory
        .join("out")
        .join(UNFINISHED)
        .join("checkpoint.json");
    wait_for("a checkpoint", || {
        fs::read_to_string(&path)
            .ok()
            .filter(|text| known != Some(text))
    })
}

fn send(signal: Signal, child: &Child) {
    kill_process(
        Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(),
        signal,
    )
    .unwrap();
}

/// The undisturbed sweep for comparison.
fn undisturbed(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    expect(directory, "sweep long.toml --out whole --jobs 2", 0, "");
    files(&directory.join("whole"))
}

#[test]
fn killed_twice_and_interrupted_once_it_ends_with_the_same_bytes() {
    let directory = with_short_config();
    let directory = directory.path();
    let mut known = None;
    for _ in 0..2 {
        let mut child = start(directory, &["--resume"]);
        let text = checkpoint(directory, known.as_deref());
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None);
        known = Some(text);
    }
    assert!(
        !directory.join("out/manifest.json").exists()
            && !directory.join("out/logp-multicast.csv").exists()
    );

    let child = start(directory, &["--resume"]);
    checkpoint(directory, known.as_deref());
    send(Signal::INT, &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));
    assert!(
        errors(&output).contains("the same command with --resume continues"),
        "{}",
        errors(&output)
    );

    // Without --resume or --restart it neither continues nor removes anything.
    let advice = "is in `out`; continue it with --resume, start over with --restart";
    expect(directory, "sweep long.toml --out out", 2, advice);
    expect(
        directory,
        "sweep long.toml --out out --resume",
        0,
        "of them before",
    );
    assert!(files(&directory.join("out")) == undisturbed(directory));
}

#[test]
fn old_results_stay_until_the_new_sweep_is_complete() {
    let directory = with_long_config();
    let directory = directory.path();
    expect(directory, "sweep long.toml --out out --set K=2,3", 0, "");
    let before = files(&directory.join("out"));
    let child = start(directory, &[]);
    checkpoint(directory, None);
    send(Signal::TERM, &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));

    // Another configuration, seed or shard is refused, naming the difference.
    for (arguments, why) in [
        ("--set K=2,3", "its grids differ"),
        ("--resume --set K=2,3", "its grids differ"),
        ("--resume --shard 1/2", "it is a whole sweep, not shard 1/2"),
    ] {
        expect(
            directory,
            &format!("sweep long.toml --out out {arguments}"),
            2,
            why,
        );
    }

    // Damaged rows are not resumed.
    let rows = directory
        .join("out")
        .join(UNFINISHED)
        .join("logp-multicast.csv");
    let good = fs::read(&rows).unwrap();
    let mut bad = good.clone();
    bad[1000] ^= 1;
    for damaged in [&bad[..], &good[..500]] {
        fs::write(&rows, damaged).unwrap();
        expect(
            directory,
            "sweep long.toml --out out --resume",
            74,
            "start over with --restart",
        );
    }
    fs::write(&rows, &good).unwrap();

    // A damaged checkpoint is neither resumed nor removed.
    let checkpoint = directory
        .join("out")
        .join(UNFINISHED)
        .join("checkpoint.json");
    let good = fs::read_to_string(&checkpoint).unwrap();
    for damaged in ["", "{}", &good.replacen("\"next\":", "\"next\":99999", 1)] {
        fs::write(&checkpoint, damaged).unwrap();
        for arguments in ["--resume", ""] {
            let Answer { code, errors, .. } =
                ask(directory, &format!("sweep long.toml --out out {arguments}"));
            assert!(
                code == Some(74) || code == Some(2) && arguments.is_empty(),
                "{errors}"
            );
            assert!(
                errors.contains("start over with --restart") && rows.exists(),
                "{errors}"
            );
        }
    }
    fs::write(&checkpoint, &good).unwrap();
    for (name, bytes) in &before {
        assert!(
            fs::read(directory.join("out").join(name)).unwrap() == *bytes,
            "{name}"
        );
    }

    expect(
        directory,
        "sweep long.toml --out out --set K=2,4 --restart",
        0,
        "",
    );
    // Nothing to resume is no failure.
    expect(
        directory,
        "sweep long.toml --out fresh --set K=2,4 --resume",
        0,
        "",
    );
    assert!(files(&directory.join("out")) == files(&directory.join("fresh")));
}

/// A job script may always use `--resume`: a complete sweep stays, unless it is of another configuration.
#[test]
fn a_complete_sweep_is_not_evaluated_again() {
    let directory = with_long_config();
    let directory = directory.path();
    let of = |K: &str, extra: &str| {
        expect(
            directory,
            &format!("sweep long.toml --out out --resume --set K={K} {extra}"),
            0,
            "",
        )
    };
    let sweep = |extra: &str| of("2,3", extra);
    let already = "already contains this sweep";
    assert!(!sweep("").contains(already));
    assert!(sweep("").contains(already));
    assert!(!of("2,4", "").contains(already), "another configuration");
    assert!(!sweep("--shard 1/2").contains(already), "a shard of it");
    assert!(sweep("--shard 1/2").contains(already));
    assert!(!sweep("").contains(already));
    fs::write(directory.join("out/mesh-gossip.csv"), "").unwrap();
    assert!(!sweep("").contains(already), "a damaged file");
    assert!(sweep("").contains(already));
}

/// A limit on file sizes acts as a full disk: the write fails, and no signal kills.
#[test]
fn a_disk_that_is_full_keeps_what_is_finished() {
    let directory = with_short_config();
    let directory = directory.path();
    let program = env!("CARGO_BIN_EXE_castbench");
    // In KiB: more than the rows of the first checkpoint, less than all rows.
    let sweep = "sweep long.toml --out out --jobs 1 --checkpoint 0";
    let script = format!("trap '' XFSZ; ulimit -f 2000; exec '{program}' {sweep}");
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(directory)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
    assert!(
        errors(&output).contains("File too large"),
        "{}",
        errors(&output)
    );
    assert!(
        errors(&output).contains("with --resume continues"),
        "{}",
        errors(&output)
    );
    assert!(!directory.join("out/manifest.json").exists());
    expect(directory, "sweep long.toml --out out --resume", 0, "");
    assert!(files(&directory.join("out")) == undisturbed(directory));
}

/// A batch system signals all processes of a job, and the job's script signals the sweep again.
#[test]
fn two_signals_at_once_are_one() {
    let directory = with_long_config();
    let directory = directory.path();
    let child = start(directory, &[]);
    checkpoint(directory, None);
    // Stopped in between, so that both signals are pending when it continues.
    for signal in [Signal::STOP, Signal::TERM, Signal::INT, Signal::CONT] {
        send(signal, &child);
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));
    assert!(
        errors(&output).contains("which are kept"),
        "{}",
        errors(&output)
    );
}
