//! Input without end, and limits of the system.

use std::fs::{self, File};
use std::process::{Command, Output};

use super::{CONFIG, REGRESS, accept, ends, errors, reseal, swept};

/// Reads the rows of the sweep.
const FIGURE: [&str; 9] = [
    "figures",
    "--x",
    "K",
    "--at",
    "L=1,o=0,g=1",
    "--from",
    "s",
    "--out",
    "f.svg",
];

/// `castbench` under limits set by the shell.
fn below(directory: &std::path::Path, limits: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &format!("{limits}; exec \"$0\" \"$@\""),
            env!("CARGO_BIN_EXE_castbench"),
        ])
        .args(arguments);
    command
        .current_dir(directory)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

/// 8 GB of zeros in a file of rows, and 2 GB of addresses.
#[test]
fn a_line_of_a_csv_file() {
    let directory = swept();
    let directory = directory.path();
    fs::remove_file(directory.join("s/manifest.json")).unwrap();
    assert!(
        below(directory, "ulimit -v 2000000", &FIGURE)
            .status
            .success()
    );
    let file = File::options()
        .write(true)
        .open(directory.join("s/logp-multicast.csv"))
        .unwrap();
    file.set_len(8 << 30).unwrap();
    for arguments in [&FIGURE[..], &["regress", "--against", "s", "--from", "s"]] {
        let output = below(directory, "ulimit -v 2000000", arguments);
        assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
        assert!(
            errors(&output).contains("a line is longer than 1 MiB"),
            "{}",
            errors(&output)
        );
    }
}

fn grown(path: &std::path::Path, bytes: u64) {
    File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .unwrap()
        .set_len(bytes)
        .unwrap();
}

/// Every file that is read whole, and the CSV files of the page.
#[test]
fn files_of_gigabytes() {
    let directory = swept();
    let directory = directory.path();
    accept(directory);
    let report = [
        "report",
        "--from",
        "s",
        "--config",
        "c.toml",
        "--baseline",
        "b/baseline",
    ];
    let accepts = [
        "regress",
        "--config",
        "d.toml",
        "--baseline",
        "b/baseline",
        "accept",
        "--reason",
        "x",
    ];
    fs::create_dir(directory.join("s/figures")).unwrap();
    for (path, reason, arguments) in [
        ("s/history.csv", "a line is longer than 1 MiB", &report[..]),
        ("s/figures/a.svg", "it is longer than 256 MiB", &report),
        ("b/history.csv", "a line is longer than 1 MiB", &accepts),
        (
            "b/baseline/manifest.json",
            "it is longer than 256 MiB",
            &REGRESS,
        ),
        (
            "s/manifest.json",
            "it is longer than 256 MiB",
            &["regress", "--against", "s", "--from", "s"],
        ),
        ("s/manifest.json", "it is longer than 256 MiB", &FIGURE),
    ] {
        fs::write(
            directory.join("d.toml"),
            CONFIG.replace("o = [0, 2]", "o = [0, 3]"),
        )
        .unwrap();
        let whole = fs::read(directory.join(path)).ok();
        grown(&directory.join(path), 3 << 30);
        let output = below(directory, "ulimit -v 1500000", arguments);
        assert_eq!(
            output.status.code(),
            Some(74),
            "{path}: {}",
            errors(&output)
        );
        assert!(
            errors(&output).contains(reason),
            "{path}: {}",
            errors(&output)
        );
        match whole {
            Some(whole) => fs::write(directory.join(path), whole).unwrap(),
            None => fs::remove_file(directory.join(path)).unwrap(),
        }
    }
    // The digest of findings.csv is checked first.
    grown(&directory.join("s/findings.csv"), 8 << 20);
    reseal(&directory.join("s/manifest.json"), |_| ());
    let explanation = ends(directory, &report, 74);
    assert!(
        explanation.contains("a line is longer than 1 MiB"),
        "{explanation}"
    );
}

#[test]
fn names_of_megabytes() {
    let directory = tempfile::tempdir().unwrap();
    let long = "x".repeat(4 << 20);
    for config in [
        CONFIG.replace("\"trees\"", &format!("\"{long}\"")),
        CONFIG.replace("\"halving\"", &format!("\"{long}\"")),
    ] {
        fs::write(directory.path().join("c.toml"), config).unwrap();
        let output = below(
            directory.path(),
            "ulimit -t 30",
            &["sweep", "--dry-run", "c.toml"],
        );
        assert_eq!(output.status.code(), Some(3), "{}", errors(&output).len());
        assert!(errors(&output).len() < 10_000, "{}", errors(&output).len());
    }
}

/// Devices are read up to some megabytes.
#[test]
fn a_device_without_end() {
    let directory = tempfile::tempdir().unwrap();
    let import = [
        "cost",
        "--ends",
        "/dev/zero",
        "-L",
        "1",
        "-o",
        "1",
        "-g",
        "1",
    ];
    for arguments in [
        &import[..],
        &["sweep", "--dry-run", "/dev/zero"],
        &["cost", "halving", "--machine", "/dev/zero.toml"],
    ] {
        let output = below(directory.path(), "ulimit -v 2000000", arguments);
        let code = output.status.code();
        assert!(
            code == Some(2) || code == Some(3),
            "{arguments:?}: {}",
            errors(&output)
        );
    }
}

/// Stack limits of the environment change nothing.
#[test]
fn small_stacks() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    for arguments in [
        &["list"][..],
        &[
            "cost", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "20",
        ],
        &[
            "best",
            "--machine",
            "ethernet100-switched",
            "-K",
            "4",
            "--bytes",
            "1KiB",
        ],
        &["sweep", "c.toml", "--out", "s"],
        &FIGURE,
        &["sweep", "--dry-run"],
    ] {
        for limits in [
            "export RUST_MIN_STACK=1",
            "ulimit -s 64",
            "export RUST_MIN_STACK=1; ulimit -s 64",
        ] {
            let output = below(directory, limits, arguments);
            assert!(
                output.status.success(),
                "{limits}; {arguments:?}: {:?} {}",
                output.status,
                errors(&output)
            );
            fs::remove_dir_all(directory.join("s/.castbench-unfinished")).unwrap_or_default();
        }
    }
    fs::write(directory.join("m.toml"), super::measurement("", 1)).unwrap();
    // These take long, so only with both limits.
    for arguments in [
        &["measure", "m.toml", "--out", "m"][..],
        &["audit", "--paper", "gossip"],
    ] {
        let output = below(
            directory,
            "export RUST_MIN_STACK=1; ulimit -s 64",
            arguments,
        );
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            errors(&output)
        );
    }
}
