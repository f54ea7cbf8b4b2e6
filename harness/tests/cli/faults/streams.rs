//! Readers that close a pipe early, and streams that were closed before castbench started.

use std::fs;
use std::process::{Command, Stdio};

use super::{CONFIG, NONE, SWEEP, Undisturbed, differences, errors, program, tree};
use crate::common::castbench;

const TREE: [&str; 8] = ["-L", "6", "-o", "2", "-g", "4", "-K", "8"];

/// Every verb that prints.
const PRINTING: [&str; 15] = [
    "list --machines",
    "list --format json",
    "cost optimal -L 6 -o 2 -g 4 -K 8",
    "show optimal -L 6 -o 2 -g 4 -K 8",
    "cost --slopes optimal -L 6 -o 2 -g 4 -K 8",
    "export goal optimal -L 6 -o 2 -g 4 -K 8",
    "export csv flat -L 6 -o 2 -g 4 -K 3000",
    "best --machine ethernet100-switched -K 8 --bytes 1KiB",
    "best --machine ethernet100-switched -K 8 --bytes 1KiB --format openmpi-rules",
    "sweep --dry-run --format csv",
    "audit fibonacci-9 fibonacci-11",
    "completions zsh",
    "man sweep",
    "sweep --help",
    "--version",
];

/// No error if the reader is gone, as in `castbench list | head -1`.
#[test]
fn a_reader_that_leaves() {
    for arguments in PRINTING.map(|line| line.split(' ').collect::<Vec<_>>()) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = castbench(&arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            errors(&output)
        );
        let explanation = errors(&output);
        assert!(
            !explanation.contains("error") && !explanation.contains("panicked"),
            "{arguments:?}: {explanation}"
        );
    }
}

/// `regress` and `cost --ends` return their verdict as the exit code even if the output is not read.
#[test]
fn a_verdict_without_a_reader() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    fs::create_dir(directory.join("tmp")).unwrap();
    super::succeed(
        directory,
        &["regress", "--config", "c.toml", "accept", "--reason", "x"],
    );
    super::succeed(directory, &["sweep", "c.toml"]);
    let export = [
        &["export", "goal", "optimal"],
        &TREE[..],
        &["--out", "a.goal"],
    ]
    .concat();
    super::succeed(directory, &export);
    let cheaper = CONFIG.replace("[limits]", "seed = 3\n[limits]");
    fs::write(
        directory.join("other.toml"),
        cheaper.replace("g = [1, 4]", "g = 3"),
    )
    .unwrap();
    for (arguments, code) in [
        (&["regress", "--config", "c.toml"][..], 0),
        (&["regress", "--config", "other.toml"], 8),
        (&["regress", "--against", "reports", "--from", "reports"], 0),
        (
            &["cost", "--ends", "a.goal", "-L", "6", "-o", "2", "-g", "4"],
            0,
        ),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = program(directory, arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            errors(&output)
        );
    }
}

/// Closed streams: the same exit code and the same files.
#[test]
fn closed_streams() {
    let undisturbed = Undisturbed::new(&SWEEP);
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"] {
        let work = undisturbed.restore();
        let run = |arguments: &[&str]| {
            let mut command = Command::new("bash");
            command
                .args(["-c", &format!("exec \"$0\" \"$@\" {closed}")])
                .arg(castbench(&[]).get_program());
            command
                .args(arguments)
                .current_dir(&work)
                .env("TMPDIR", work.join("tmp"))
                .output()
                .unwrap()
                .status
                .code()
        };
        assert_eq!(run(SWEEP.arguments), Some(0), "{closed}");
        assert_eq!(
            differences(&tree(&work), &undisturbed.new),
            NONE,
            "{closed}"
        );
        assert_eq!(run(&["list"]), Some(0), "{closed}");
        assert_eq!(run(&["cost", "nonsense"]), Some(2), "{closed}");
        assert_eq!(run(&["nonsense"]), Some(2), "{closed}");
        assert_eq!(run(&["figures", "--from", "nowhere"]), Some(74), "{closed}");
    }
}
