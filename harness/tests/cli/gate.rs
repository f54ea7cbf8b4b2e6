//! `examples/gate`, a repository with an algorithm of its own: its gate passes as it is, and says what a pull request
//! makes worse or wrong. The page of the example shows the answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Answer, ask, castbench_in};
use crate::faults::copy;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/gate")
}

/// Runs a line of the page in a directory: its exit code and all that it prints.
fn run(directory: &Path, line: &str) -> (i32, String) {
    let output = castbench_in(directory, &line.split(' ').collect::<Vec<_>>());
    let text = String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap();
    // The page has no path of a machine.
    let here = directory.canonicalize().unwrap().display().to_string();
    (
        output.status.code().unwrap(),
        text.replace(&here, "/path/to"),
    )
}

/// A copy of the example, whose tree a pull request changes.
fn changed(from: &str, to: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    copy(&example().join("."), directory.path());
    let path = directory.path().join("tree.py");
    let tree = fs::read_to_string(&path).unwrap();
    assert!(tree.contains(from), "{tree}");
    fs::write(path, tree.replace(from, to)).unwrap();
    directory
}

const REGRESS: &str = "regress --config gate.toml --format github --summary summary.md";

#[test]
#[ignore = "needs python3"]
fn the_gate_of_the_example() {
    let page = fs::read_to_string(example().join("README.md")).unwrap();
    for (from, to, code) in [
        ("RADIX = 3", "RADIX = 3", 0),
        ("RADIX = 3", "RADIX = 8", 6),
        ("% RADIX * place\n", "// 2\n", 9),
    ] {
        let directory = changed(from, to);
        let (own, text) = run(directory.path(), REGRESS);
        assert_eq!(own, code, "{text}");
        assert!(page.contains(&text), "the page lacks:\n{text}");
        if code != 6 {
            continue;
        }
        let summary = fs::read_to_string(directory.path().join("summary.md")).unwrap();
        assert!(page.contains(&summary), "the page lacks:\n{summary}");
        // The other formats, of the same costs; `without_a_baseline` has the whole text of a dashboard's.
        let other = |format: &str| {
            ask(
                directory.path(),
                &format!("regress --config gate.toml --format {format}"),
            )
        };
        let junit = other("junit");
        insta::assert_snapshot!(
            "formats",
            format!(
                "{}{}[exit {}]",
                junit.out,
                junit.errors,
                junit.code.unwrap()
            )
        );
        for format in ["bencher", "customSmallerIsBetter"] {
            let Answer { code, out, errors } = other(format);
            assert_eq!(
                (code, out.matches("\"value\": ").count()),
                (Some(6), 8),
                "{out}{errors}"
            );
            assert!(
                out.contains("--bytes 1024 -K 9 ") && out.contains("5956.0"),
                "{out}"
            );
        }
        // What is intended is accepted, with a reason.
        assert_eq!(
            run(
                directory.path(),
                "regress accept --config gate.toml --reason wider"
            )
            .0,
            0
        );
        assert_eq!(run(directory.path(), "regress --config gate.toml").0, 0);
    }
}

/// Formats of dashboards need no baseline, the others say that there is none.
#[test]
fn without_a_baseline() {
    let directory = tempfile::tempdir().unwrap();
    let grid = "schema = 1\n[[grid]]\nname = 'trees'\nalgorithms = ['fibonacci']\nL = [6]\no = [2]\ng = [4]\nK = [12]\n";
    fs::write(directory.path().join("c.toml"), grid).unwrap();
    let mut all = String::new();
    for format in ["bencher", "customSmallerIsBetter", "junit", "github"] {
        let (code, text) = run(
            directory.path(),
            &format!("regress --config c.toml --format {format}"),
        );
        all += &format!("{format}: exit {code}\n{text}\n");
    }
    insta::assert_snapshot!(all);
}

/// The steps of the action, without the installation: the first exit code counts, and every step has a summary.
#[test]
#[ignore = "needs python3"]
fn the_action_checks_costs_and_schedules() {
    let directory = changed("RADIX = 3", "RADIX = 8");
    fs::write(directory.path().join("wrong.xml"), "<algo>").unwrap();
    let one = "num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\n}\n";
    for name in ["two.goal", "with blank.goal"] {
        fs::write(directory.path().join(name), one).unwrap();
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_castbench")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let gate = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/github-action/gate");
    let output = Command::new(&gate)
        .arg("check")
        .current_dir(directory.path())
        .envs([("CONFIG", "gate.toml"), ("PATH", &path)])
        .env("SCHEDULES", "wrong.xml\ntwo.goal --collective broadcast\n'with blank.goal' --collective allreduce\n")
        .envs([("GITHUB_STEP_SUMMARY", "summary.md"), ("GITHUB_OUTPUT", "output")])
        .output()
        .unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(6), "{text}");
    assert!(
        text.contains("wrong.xml:1: ")
            && text.contains("::error file=gate.toml,title=castbench regress%3A worse")
    );
    for part in [
        "::notice file=two.goal,title=castbench verify two.goal%3A right; races are not judged::",
        "::error file=with blank.goal,title=castbench verify with blank.goal%3A not judged::",
        "::error file=wrong.xml,line=1,title=castbench verify wrong.xml%3A not read::",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    assert_eq!(read("output"), "code=6\n");
    assert!(
        read("summary.md").contains("castbench regress: worse"),
        "{}",
        read("summary.md")
    );
}
