//! Files of other programs or of other verbs where castbench writes: they stay.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{
    CONFIG, MEASURED, MERGE, NONE, SWEEP, Undisturbed, differences, errors, program, succeed, tree,
};

/// Refused with this message, and nothing is changed.
fn refused(directory: &Path, arguments: &[&str], explanation: &str) {
    let before = tree(directory);
    let output = program(directory, arguments).output().unwrap();
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
    assert_eq!(
        differences(&tree(directory), &before),
        NONE,
        "{arguments:?}"
    );
}

/// A learnt machine replaces one, and no other TOML, which begins alike.
#[test]
fn a_configuration_is_no_learnt_machine() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let table = "nodes,ranks,collective,bytes,algorithm,median_ns\n\
                 4,4,allreduce,1024,ring_ompi,9000\n4,4,allreduce,4096,ring_ompi,9500\n";
    fs::write(directory.join("measured.csv"), table).unwrap();
    fs::write(directory.join("my.toml"), CONFIG).unwrap();
    let fit = |out| ["fit", "measured.csv", "--out", out];
    succeed(directory, &fit("machine.toml"));
    succeed(directory, &fit("machine.toml"));
    refused(directory, &fit("my.toml"), "my.toml");
}

/// A wrong `--out` replaces neither results of another kind nor a `manifest.json` of another program.
#[test]
fn results_of_another_verb() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    fs::write(directory.join("m.toml"), MEASURED).unwrap();
    fs::create_dir_all(directory.join("web")).unwrap();
    fs::create_dir_all(directory.join("tmp")).unwrap();
    fs::write(
        directory.join("web/manifest.json"),
        r#"{"name": "a web page"}"#,
    )
    .unwrap();
    let sweep = |out| ["sweep", "c.toml", "--out", out];
    let measure = |out| ["measure", "m.toml", "--out", out];
    let accept = |baseline| {
        [
            "regress",
            "--config",
            "c.toml",
            "--baseline",
            baseline,
            "accept",
            "--reason",
            "why",
        ]
    };
    succeed(directory, &sweep("swept"));
    succeed(directory, &measure("measured"));
    succeed(directory, &accept("accepted"));
    for (out, what) in [
        ("swept", "it holds a sweep, which"),
        ("measured", "it holds a measurement, which"),
        ("accepted", "it holds a baseline of accepted costs, which"),
        (
            "web",
            "it holds a manifest.json that castbench did not write, which",
        ),
    ] {
        if out != "swept" {
            refused(directory, &sweep(out), what);
        }
        if out != "measured" {
            refused(directory, &measure(out), what);
        }
        if out != "accepted" {
            refused(directory, &accept(out), what);
        }
    }
    // Each verb replaces its own results.
    succeed(directory, &sweep("swept"));
    succeed(
        directory,
        &[&measure("measured")[..], &["--force"]].concat(),
    );
    succeed(directory, &accept("accepted"));
    // The history would be written beside it.
    for nameless in [".", "/", ".."] {
        let output = program(directory, &accept(nameless)).output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(2),
            "{nameless}: {}",
            errors(&output)
        );
    }
}

/// Neither a link to another directory nor a directory inside is used or emptied.
#[test]
fn hidden_directories_of_others() {
    let stage = "reports/.castbench-unfinished";
    for publication in [&SWEEP, &MERGE] {
        let undisturbed = Undisturbed::new(publication);
        let work = undisturbed.restore();
        fs::create_dir(work.join("thesis")).unwrap();
        fs::write(work.join("thesis/text"), "years").unwrap();
        symlink(work.join("thesis"), work.join(stage)).unwrap();
        refused(
            &work,
            publication.arguments,
            "expected a directory; remove it",
        );
        fs::remove_file(work.join(stage)).unwrap();
        assert_eq!(
            fs::read_to_string(work.join("thesis/text")).unwrap(),
            "years"
        );
        fs::remove_dir_all(work.join("thesis")).unwrap();
        fs::create_dir_all(work.join(stage).join("inner")).unwrap();
        refused(
            &work,
            publication.arguments,
            "expected files only; remove it",
        );
        fs::remove_dir_all(work.join(stage)).unwrap();
        succeed(&work, publication.arguments);
        assert_eq!(differences(&tree(&work), &undisturbed.new), NONE);
    }
}

/// A name that no file can have, and a link to a directory where no file can be created, are refused before anything is
/// replaced.
#[test]
fn names_that_no_file_can_have() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::create_dir_all(directory.join("tmp")).unwrap();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    fs::write(directory.join("m.toml"), MEASURED).unwrap();
    let long = format!("{}.svg", "x".repeat(300));
    fs::write(
        directory.join("long.toml"),
        CONFIG.replace("winners.svg", &long),
    )
    .unwrap();
    succeed(directory, &["run", "c.toml"]);
    refused(directory, &["figures", "long.toml"], "File name too long");
    fs::remove_file(directory.join("reports/figures/winners.svg")).unwrap();
    symlink(
        "/proc/none.svg",
        directory.join("reports/figures/winners.svg"),
    )
    .unwrap();
    refused(directory, &["figures", "c.toml"], "winners.svg");
    fs::remove_file(directory.join("reports/figures/winners.svg")).unwrap();
    succeed(directory, &["figures", "c.toml"]);
    let name = "x".repeat(252);
    let calibrate = |name| {
        [
            "calibrate",
            "m.toml",
            "--name",
            name,
            "--repetitions",
            "1",
            "--out",
            "cal",
        ]
    };
    let output = program(directory, &calibrate(&name)).output().unwrap();
    assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
    assert!(
        errors(&output).contains("File name too long"),
        "{}",
        errors(&output)
    );
    succeed(directory, &calibrate("good"));
}
