//! Directories, links, pipes and impossible names instead of files.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use super::{
    ACCEPT, CONFIG, FIGURES, MERGE, NONE, PUBLICATIONS, SWEEP, Undisturbed, differences, errors,
    program, succeed, tree,
};
use crate::common::castbench;

/// Runs a verb that must not hang, as it could on a pipe.
fn soon(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    let inner = castbench(arguments);
    command
        .args(["120"])
        .arg(inner.get_program())
        .args(arguments)
        .current_dir(directory);
    command
        .env("NO_COLOR", "1")
        .env("TMPDIR", directory.join("tmp"))
        .output()
        .unwrap()
}

fn refused(directory: &Path, arguments: &[&str], explanation: &str) {
    let output = soon(directory, arguments);
    assert_eq!(
        output.status.code(),
        Some(74),
        "{arguments:?}: {}",
        errors(&output)
    );
    assert!(
        errors(&output).contains(explanation),
        "{arguments:?}: {}",
        errors(&output)
    );
}

/// A directory has the name of the last file that each verb publishes: no other file changes.
#[test]
fn a_directory_instead_of_a_file() {
    let files = [
        "reports/manifest.json",
        "reports/manifest.json",
        "reports/figures/winners.svg",
        "reports/history.csv",
    ];
    for (publication, file) in [SWEEP, MERGE, FIGURES, ACCEPT].iter().zip(files) {
        let undisturbed = Undisturbed::new(publication);
        let work = undisturbed.restore();
        fs::remove_file(work.join(file)).unwrap();
        fs::create_dir(work.join(file)).unwrap();
        let before = tree(&work);
        let output = soon(&work, publication.arguments);
        assert_eq!(
            output.status.code(),
            Some(74),
            "{file}: {}",
            errors(&output)
        );
        assert_eq!(differences(&tree(&work), &before), NONE, "{file}");
        fs::remove_dir(work.join(file)).unwrap();
    }
}

/// A link is followed and stays: its target is replaced or created.
#[test]
fn links_to_a_file_and_to_none() {
    for publication in PUBLICATIONS {
        let undisturbed = Undisturbed::new(publication);
        // An existing file, a missing file, and a file in a missing directory.
        for (is_dangling, is_lost) in [(false, false), (true, false), (true, true)] {
            let work = undisturbed.restore();
            fs::create_dir(work.join("elsewhere")).unwrap();
            // Only written files differ.
            let changed = differences(&undisturbed.old, &undisturbed.new);
            let written = changed
                .into_iter()
                .find(|path| matches!(undisturbed.new.get(*path), Some(Some(_))))
                .unwrap();
            let path = work.join(written);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if fs::exists(&path).unwrap() {
                fs::rename(&path, work.join("elsewhere/file")).unwrap();
            }
            if is_dangling {
                let _ = fs::remove_file(work.join("elsewhere/file"));
            }
            if is_lost {
                fs::remove_dir(work.join("elsewhere")).unwrap();
            }
            symlink(work.join("elsewhere/file"), &path).unwrap();
            succeed(&work, publication.arguments);
            assert!(path.is_symlink(), "{}", path.display());
            let mut found = tree(&work);
            assert!(
                found.remove(Path::new("elsewhere/file")).is_some(),
                "{}",
                path.display()
            );
            found.remove(Path::new("elsewhere"));
            let mut differing = differences(&found, &undisturbed.new);
            // Without its file the old baseline is empty, and every point is new.
            differing.retain(|path| !(is_dangling && path.ends_with("history.csv")));
            assert!(differing.is_empty(), "{}: {differing:?}", publication.name);
        }
    }
}

/// A drawing follows a link to a file; a chain of links without end and a pipe are refused.
#[test]
fn links_and_pipes_instead_of_a_drawing() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (link, to) in [
        ("link.svg", "target.svg"),
        ("a.svg", "b.svg"),
        ("b.svg", "a.svg"),
    ] {
        symlink(to, directory.join(link)).unwrap();
    }
    let show = |svg| {
        [
            "show", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8", "--svg", svg,
        ]
    };
    succeed(directory, &show("link.svg"));
    assert!(directory.join("link.svg").is_symlink());
    assert!(
        fs::read_to_string(directory.join("target.svg"))
            .unwrap()
            .starts_with("<svg")
    );
    refused(
        directory,
        &show("a.svg"),
        "it is a chain of links without end",
    );
    assert!(
        Command::new("mkfifo")
            .arg(directory.join("pipe.svg"))
            .status()
            .unwrap()
            .success()
    );
    refused(directory, &show("pipe.svg"), "it exists and is not a file");
}

/// A link instead of a lock would lock another file.
#[test]
fn locks_that_are_no_files() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    fs::create_dir_all(directory.join("out/other/.castbench-lock")).unwrap();
    fs::write(directory.join("mine"), "mine").unwrap();
    symlink("../mine", directory.join("out/.castbench-lock")).unwrap();
    for out in ["out", "out/other"] {
        refused(
            directory,
            &["sweep", "c.toml", "--out", out],
            "it exists and is not a file; remove it",
        );
    }
    assert_eq!(fs::read_to_string(directory.join("mine")).unwrap(), "mine");
}

/// A file or a dangling link instead of a directory, and directories that do not exist yet.
#[test]
fn directories_that_are_none() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    fs::create_dir(directory.join("tmp")).unwrap();
    fs::write(directory.join("file"), "mine").unwrap();
    symlink("nowhere", directory.join("dangling")).unwrap();
    succeed(
        directory,
        &["sweep", "c.toml", "--out", "missing/parents/out"],
    );
    for name in ["file", "dangling"] {
        let explanation = format!("cannot write to `{name}");
        refused(directory, &["sweep", "c.toml", "--out", name], &explanation);
        refused(
            directory,
            &[
                "figures",
                "c.toml",
                "--from",
                "missing/parents/out",
                "--out",
                name,
            ],
            &explanation,
        );
        refused(directory, &["measure", "--out", name], &explanation);
        let inside = format!("{name}/inside");
        let accept = [
            "regress",
            "--config",
            "c.toml",
            "--baseline",
            &inside,
            "accept",
            "--reason",
            "x",
        ];
        refused(directory, &accept, &explanation);
    }
    assert_eq!(fs::read_to_string(directory.join("file")).unwrap(), "mine");
    assert!(!directory.join("nowhere").exists());
    // A link to a directory works like the directory.
    fs::create_dir(directory.join("real")).unwrap();
    symlink("real", directory.join("link")).unwrap();
    succeed(directory, &["sweep", "c.toml", "--out", "link"]);
    assert!(tree(&directory.join("real")) == tree(&directory.join("missing/parents/out")));
}

/// Blanks, bytes that are not UTF-8, the longest names, and longer ones.
#[test]
fn names() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    fs::create_dir(directory.join("tmp")).unwrap();
    let run = |verb: &[&str], option: &str, path: &OsStr| {
        program(directory, verb)
            .arg(option)
            .arg(path)
            .output()
            .unwrap()
    };
    let ok = |output: Output| assert!(output.status.success(), "{}", errors(&output));
    let mut first = None;
    for name in [&b"a b  c"[..], b"\xff\xfe", b"x\n-", &[b'a'; 255]] {
        let name = OsStr::from_bytes(name);
        ok(run(&["sweep", "c.toml"], "--out", name));
        ok(run(&["figures", "c.toml"], "--from", name));
        let found = tree(&directory.join(name));
        assert!(first.get_or_insert(found.clone()) == &found, "{name:?}");
        // A history in a directory with such a name.
        let mut baseline = OsString::from(name);
        baseline.push("/baseline");
        let mut accept = program(directory, &["regress", "--config", "c.toml"]);
        ok(accept
            .arg("--baseline")
            .arg(baseline)
            .args(["accept", "--reason", "x"])
            .output()
            .unwrap());
        assert!(directory.join(name).join("history.csv").exists());
        fs::remove_dir_all(directory.join(name)).unwrap();
        let export = [
            "export", "goal", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8",
        ];
        ok(run(&export, "--out", name));
        fs::remove_file(directory.join(name)).unwrap();
    }
    let before = tree(directory);
    for name in [
        OsString::from("a".repeat(256)),
        OsString::from("a/".repeat(3000)),
    ] {
        let output = run(&["sweep", "c.toml"], "--out", &name);
        assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
        assert!(
            errors(&output).contains("File name too long"),
            "{}",
            errors(&output)
        );
    }
    assert!(tree(directory) == before);
}

/// A pipe without a writer instead of each file that castbench reads back: refused without waiting.
#[test]
fn pipes_instead_of_files() {
    let undisturbed = Undisturbed::new(&FIGURES);
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    for name in ["manifest.json", "logp-multicast.csv"] {
        let work = undisturbed.restore();
        pipe(&work.join("reports").join(name));
        refused(&work, &["figures", "c.toml"], "it is not a file");
        refused(
            &work,
            &["regress", "--against", "reports", "--from", "reports"],
            "it is not a file",
        );
        refused(
            &work,
            &["sweep", "c.toml", "--resume"],
            "it exists and is not a file",
        );
    }
    let work = undisturbed.restore();
    pipe(&work.join("reports/figures/over-optimum.svg"));
    refused(&work, &["report", "--config", "c.toml"], "it is not a file");
    fs::remove_file(work.join("reports/manifest.json")).unwrap();
    pipe(&work.join("reports/logp-multicast.csv"));
    refused(&work, &["figures", "c.toml"], "it is not a file");
    let work = Undisturbed::new(&ACCEPT);
    let work = work.restore();
    pipe(&work.join("reports/baseline/manifest.json"));
    refused(
        &work,
        &["regress", "--config", "c.toml"],
        "it is not a file",
    );
    refused(&work, ACCEPT.arguments, "it exists and is not a file");
    pipe(&work.join("reports/history.csv"));
    refused(&work, &["figures", "c.toml"], "cannot read");
}

/// A pipe among the files of an interrupted sweep; a new sweep removes them.
#[test]
fn pipes_among_unfinished_files() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let long = CONFIG
        .replace("to = 30 }", "to = 1000 }")
        .replace("up_to_nodes = 30", "up_to_nodes = 10");
    fs::write(directory.join("c.toml"), long).unwrap();
    let unfinished = directory.join("out/.castbench-unfinished");
    for name in ["logp-multicast.csv", "checkpoint.json", "sweep.json"] {
        // A limit on file sizes stops it after some checkpoints.
        let script = "trap '' XFSZ; ulimit -f 1200; exec \"$0\" sweep c.toml --out out --restart --jobs 1 --checkpoint 0";
        let mut stopped = Command::new("bash");
        stopped
            .args(["-c", script])
            .arg(castbench(&[]).get_program())
            .current_dir(directory);
        assert_eq!(stopped.output().unwrap().status.code(), Some(74));
        fs::remove_file(unfinished.join(name)).unwrap();
        assert!(
            Command::new("mkfifo")
                .arg(unfinished.join(name))
                .status()
                .unwrap()
                .success()
        );
        refused(
            directory,
            &["sweep", "c.toml", "--out", "out", "--resume"],
            "start over with --restart",
        );
    }
    let output = soon(directory, &["sweep", "c.toml", "--out", "out", "--restart"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(!unfinished.exists());
}
