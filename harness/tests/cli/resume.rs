//! A sweep that was stopped, by whatever, goes on and ends with the bytes of one that was not.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{castbench, castbench_in, wait_for};

/// Trees, then gossip: with a checkpoint after every batch there are many, and not in the first file only. All of it takes a
/// minute of a core: no test waits for its end.
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

/// The same in some seconds, and still with many checkpoints.
fn with_short_config() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("long.toml"), LONG.replace("400", "100")).unwrap();
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
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn start(directory: &Path, extra: &[&str]) -> Child {
    let arguments = [&["sweep", "long.toml", "--out", "out", "--checkpoint", "0", "--jobs", "1"], extra].concat();
    castbench(&arguments).current_dir(directory).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the sweep has made a checkpoint that is not `known`; the text of it.
fn checkpoint(directory: &Path, known: Option<&str>) -> String {
    let path = directory.join("out").join(UNFINISHED).join("checkpoint.json");
    wait_for("a checkpoint", || fs::read_to_string(&path).ok().filter(|text| known != Some(text)))
}

fn send(signal: Signal, child: &Child) {
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
}

/// The undisturbed sweep, to compare with.
fn undisturbed(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let output = castbench_in(directory, &["sweep", "long.toml", "--out", "whole", "--jobs", "2"]);
    assert!(output.status.success(), "{}", errors(&output));
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
    assert!(!directory.join("out/manifest.json").exists() && !directory.join("out/logp-multicast.csv").exists());

    let child = start(directory, &["--resume"]);
    checkpoint(directory, known.as_deref());
    send(Signal::INT, &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));
    assert!(errors(&output).contains("the same command with --resume goes on from there"), "{}", errors(&output));

    // Without being told to, it neither goes on nor throws anything away.
    let output = castbench_in(directory, &["sweep", "long.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(
        errors(&output).contains("go on with `castbench sweep --resume`, start over with --restart"),
        "{}",
        errors(&output)
    );

    let output = castbench_in(directory, &["sweep", "long.toml", "--out", "out", "--resume"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("of them before"), "{}", errors(&output));
    assert!(files(&directory.join("out")) == undisturbed(directory));
}

#[test]
fn what_is_there_stays_until_the_new_sweep_is_whole() {
    let directory = with_long_config();
    let directory = directory.path();
    let small = ["sweep", "long.toml", "--out", "out", "--set", "K=2,3"];
    assert!(castbench_in(directory, &small).status.success());
    let before = files(&directory.join("out"));
    let child = start(directory, &[]);
    checkpoint(directory, None);
    send(Signal::TERM, &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));

    // Of another configuration, seed or shard: refused by name.
    for (arguments, why) in [
        (&["--set", "K=2,3"][..], "its grids are others"),
        (&["--resume", "--set", "K=2,3"], "its grids are others"),
        (&["--resume", "--shard", "1/2"], "it is a whole sweep, not shard 1/2"),
    ] {
        let output = castbench_in(directory, &[&["sweep", "long.toml", "--out", "out"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(why), "{}", errors(&output));
    }

    // What was damaged is not taken up.
    let rows = directory.join("out").join(UNFINISHED).join("logp-multicast.csv");
    let good = fs::read(&rows).unwrap();
    let mut bad = good.clone();
    bad[1000] ^= 1;
    for damaged in [&bad[..], &good[..500]] {
        fs::write(&rows, damaged).unwrap();
        let output = castbench_in(directory, &["sweep", "long.toml", "--out", "out", "--resume"]);
        assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
        assert!(errors(&output).contains("start over with --restart"), "{}", errors(&output));
    }
    fs::write(&rows, &good).unwrap();

    // Nor is a checkpoint that is: and what is not understood is not thrown away.
    let checkpoint = directory.join("out").join(UNFINISHED).join("checkpoint.json");
    let good = fs::read_to_string(&checkpoint).unwrap();
    for damaged in ["", "{}", &good.replacen("\"next\":", "\"next\":99999", 1)] {
        fs::write(&checkpoint, damaged).unwrap();
        for arguments in [&["--resume"][..], &[]] {
            let output = castbench_in(directory, &[&["sweep", "long.toml", "--out", "out"], arguments].concat());
            let code = output.status.code();
            assert!(code == Some(74) || code == Some(2) && arguments.is_empty(), "{}", errors(&output));
            assert!(errors(&output).contains("start over with --restart"), "{}", errors(&output));
            assert!(rows.exists());
        }
    }
    fs::write(&checkpoint, &good).unwrap();
    fs::remove_dir_all(directory.join("out").join(UNFINISHED)).unwrap();
    assert!(files(&directory.join("out")) == before);
}

#[test]
fn it_starts_over_where_it_is_told_to() {
    let directory = with_long_config();
    let directory = directory.path();
    let child = start(directory, &[]);
    checkpoint(directory, None);
    send(Signal::INT, &child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let small = ["sweep", "long.toml", "--out", "out", "--set", "K=2,3", "--restart"];
    let output = castbench_in(directory, &small);
    assert!(output.status.success(), "{}", errors(&output));
    let fresh = castbench_in(directory, &["sweep", "long.toml", "--out", "fresh", "--set", "K=2,3", "--resume"]);
    assert!(fresh.status.success(), "nothing to resume is no failure: {}", errors(&fresh));
    assert!(files(&directory.join("out")) == files(&directory.join("fresh")));
}

/// A job script may always say `--resume`: what is whole is left alone, unless it is not what was asked for.
#[test]
fn what_is_whole_is_not_evaluated_again() {
    let directory = with_long_config();
    let directory = directory.path();
    let sweep = |extra: &[&str]| {
        let few = ["sweep", "long.toml", "--out", "out", "--resume", "--set", "K=2,3"];
        let output = castbench_in(directory, &[&few, extra].concat());
        assert!(output.status.success(), "{}", errors(&output));
        errors(&output)
    };
    let already = "of it already";
    assert!(!sweep(&[]).contains(already));
    assert!(sweep(&[]).contains(already));
    assert!(!sweep(&["--set", "K=2,4"]).contains(already), "another configuration");
    assert!(!sweep(&["--shard", "1/2"]).contains(already), "a shard of it");
    assert!(sweep(&["--shard", "1/2"]).contains(already));
    assert!(!sweep(&[]).contains(already));
    fs::write(directory.join("out/mesh-gossip.csv"), "").unwrap();
    assert!(!sweep(&[]).contains(already), "a damaged file");
    assert!(sweep(&[]).contains(already));
}

/// A limit on the size of files stands for the full disk: the write fails, and no signal kills.
#[test]
fn a_disk_that_is_full_keeps_what_is_finished() {
    let directory = with_short_config();
    let directory = directory.path();
    let program = env!("CARGO_BIN_EXE_castbench");
    // In kibibytes: more than the rows of the first checkpoint, less than all of them.
    let sweep = "sweep long.toml --out out --jobs 1 --checkpoint 0";
    let script = format!("trap '' XFSZ; ulimit -f 2000; exec '{program}' {sweep}");
    let output = Command::new("bash").args(["-c", &script]).current_dir(directory).output().unwrap();
    assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
    assert!(errors(&output).contains("File too large"), "{}", errors(&output));
    assert!(errors(&output).contains("--resume goes on from there"), "{}", errors(&output));
    assert!(!directory.join("out/manifest.json").exists());
    let output = castbench_in(directory, &["sweep", "long.toml", "--out", "out", "--resume"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(files(&directory.join("out")) == undisturbed(directory));
}

#[test]
fn a_second_sweep_into_the_same_place_is_refused() {
    let directory = with_long_config();
    let directory = directory.path();
    let first = start(directory, &[]);
    checkpoint(directory, None);
    let output = castbench_in(directory, &["sweep", "long.toml", "--out", "out", "--restart"]);
    assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
    let named = format!("another castbench (process {} on ", first.id());
    assert!(
        errors(&output).contains(&named) && errors(&output).contains(") is writing into `out`; wait for it"),
        "{}",
        errors(&output)
    );
    send(Signal::INT, &first);
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(130));
}

/// A batch system tells all processes of a job to stop, and its script tells the sweep again.
#[test]
fn two_signals_at_once_are_one() {
    let directory = with_long_config();
    let directory = directory.path();
    let child = start(directory, &[]);
    checkpoint(directory, None);
    // However busy the machine is, they arrive together.
    for signal in [Signal::STOP, Signal::TERM, Signal::INT, Signal::CONT] {
        send(signal, &child);
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));
    assert!(errors(&output).contains("which are kept"), "{}", errors(&output));
}
