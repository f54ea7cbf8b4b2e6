//! Ranks and hosts: their answers are checked, and no shell interprets the arguments that start them.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Output, Stdio};

use super::{ends, errors, hosts, measurement, program};
use crate::common::castbench;

/// Measures with this launcher of rank 1 on host b.
fn launched(directory: &Path, launch: &str) -> Output {
    fs::write(directory.join("m.toml"), measurement(&hosts(launch), 1)).unwrap();
    program(directory, &["measure", "m.toml", "--out", "m"])
        .output()
        .unwrap()
}

/// The launcher of rank 1 with its answers changed by this sed script.
fn edited(script: &str) -> String {
    format!(
        "[\"sh\", \"-c\", \"if [ {{host}} = b ]; then \\\"$0\\\" \\\"$@\\\" | sed -u '{script}'; else exec \\\"$0\\\" \\\"$@\\\"; fi\"]"
    )
}

/// Measures with the answers of rank 1 changed by this sed script.
fn refused_answers(script: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let output = launched(directory.path(), &edited(script));
    assert_eq!(
        output.status.code(),
        Some(10),
        "{script}: {}",
        errors(&output)
    );
    assert!(
        errors(&output).contains("rank 1 on b"),
        "{script}: {}",
        errors(&output)
    );
    errors(&output)
}

#[test]
fn times_that_cannot_be_true() {
    for time in ["0", "18446744073709551615"] {
        for key in ["received", "held", "began"] {
            let explanation = refused_answers(&format!("s/{key}.:[0-9]*/{key}\\\\\\\":{time}/"));
            assert!(
                explanation.contains("reports times"),
                "{key} = {time}: {explanation}"
            );
        }
    }
}

/// A clock of its own that stands still; a shared clock is not asked for its time.
#[test]
fn a_clock_that_cannot_be_true() {
    let explanation = refused_answers("s/clock.:.[0-9a-f]*/&x/; s/ns.:[0-9]*/ns\\\\\\\":5/");
    assert!(
        explanation.contains("reports times of a clock that moved by"),
        "{explanation}"
    );
}

#[test]
fn an_experiment_that_cannot_be_true() {
    let directory = tempfile::tempdir().unwrap();
    let script = "s/_ns.:[0-9]*/_ns\\\\\\\":18446744073709551615/g";
    fs::write(
        directory.path().join("m.toml"),
        measurement(&hosts(&edited(script)), 1),
    )
    .unwrap();
    let explanation = ends(
        directory.path(),
        &[
            "calibrate",
            "m.toml",
            "--name",
            "p",
            "--out",
            "p",
            "--repetitions",
            "1",
        ],
        10,
    );
    assert!(
        explanation.contains("rank 1 on b")
            && explanation.contains("reports times of 18446744073709551615 ns"),
        "{explanation}"
    );
    assert!(!directory.path().join("p/p.toml").exists());
}

#[test]
fn a_line_without_end() {
    let directory = tempfile::tempdir().unwrap();
    let output = launched(directory.path(), r#"["sh", "-c", "tr '\\0' x </dev/zero"]"#);
    assert_eq!(output.status.code(), Some(10), "{}", errors(&output));
    let explanation = errors(&output);
    assert!(
        explanation.contains("expected an answer, not `xxx") && explanation.len() < 2000,
        "{explanation}"
    );
}

#[test]
fn what_a_rank_writes_commands_no_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let output = launched(
        directory.path(),
        r#"["sh", "-c", "printf '\\033]0;title\\007' >&2; exit 3"]"#,
    );
    assert_eq!(output.status.code(), Some(10), "{}", errors(&output));
    let explanation = errors(&output);
    assert!(
        explanation.contains("its error output: \\u{1b}]0;title\\u{7}")
            && !explanation.contains('\u{1b}'),
        "{explanation}"
    );
}

/// A rank refuses invalid orders and ends without a panic.
#[test]
fn orders_that_make_no_sense() {
    let join = format!(
        r#"{{"order":"join","rank":0,"secret":{:?},"listen":"127.0.0.1:0","limit_ms":300}}"#,
        [0; 32]
    );
    let step =
        |step: &str| format!(r#"{{"order":"prepare","number":1,"seed":1,"steps":[{step}]}}"#);
    let receive = |bytes: u64| {
        step(&format!(
            r#"{{"step":"receive","from":1,"nth":0,"tag":0,"bytes":{bytes},"hold_ns":18446744073709551615}}"#
        ))
    };
    let send = |bytes: u64| {
        step(&format!(
            r#"{{"step":"send","to":1,"tag":0,"bytes":{bytes}}}"#
        ))
    };
    let probe = |kind: &str, bytes: u64| {
        format!(
            r#"{{"order":"probe","kind":"{kind}","number":1,"others":1,"count":4294967295,"bytes":{bytes},"pause_ns":18446744073709551615}}"#
        )
    };
    let mut lists = vec![
        vec![join.clone(), r#"{"order":"verify"}"#.to_owned()],
        vec![r#"{"order":"go"}"#.to_owned()],
        vec![join.replace("300", "18446744073709551615"), send(1)],
        vec![join.replace("127.0.0.1:0", "203.0.113.1:0")],
        vec!["\u{0}\u{1b}".to_owned()],
        vec![join.clone(), join.clone()],
    ];
    for bytes in [u64::MAX, u64::MAX - 16, (1 << 63) - 1, 1 << 62, 1 << 50] {
        lists.extend(
            [
                receive(bytes),
                send(bytes),
                probe("row", bytes),
                probe("incast", bytes),
            ]
            .map(|order| vec![join.clone(), order]),
        );
    }
    for orders in lists {
        let mut rank = castbench(&["rank"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = rank.stdin.take().unwrap();
        input
            .write_all((orders.join("\n") + "\n").as_bytes())
            .unwrap();
        // It ends when its input ends.
        drop(input);
        let output = rank.wait_with_output().unwrap();
        let code = output.status.code();
        assert!(
            code == Some(0) || code == Some(10),
            "{orders:?}: {:?}, {}",
            output.status,
            errors(&output)
        );
    }
}

/// An `ssh` that logs its arguments and, like the real one, gives the words after the host to a shell.
fn ssh(directory: &Path) -> String {
    let bin = directory.join("bin");
    fs::create_dir(&bin).unwrap();
    let script = "#!/bin/sh\nprintf '[%s]' \"$@\" >>\"$SSH_LOG\"\n\
                  while :; do case $1 in --) shift; break;; -o) shift 2;; -*) echo OPTION >>\"$SSH_LOG\"; shift;; *) break;; esac; done\n\
                  shift\nexec sh -c \"$*\"\n";
    fs::write(bin.join("ssh"), script).unwrap();
    fs::set_permissions(bin.join("ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    )
}

const SSH: &str = "hosts = [{ name = \"a\", address = \"127.0.0.1\" }, { name = \"b\", address = \"127.0.0.1\" }]\n";

#[test]
fn a_host_is_no_option() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let (path, log) = (ssh(directory), directory.join("log"));
    let measure = |tcp: &str| {
        fs::write(directory.join("m.toml"), measurement(tcp, 1)).unwrap();
        program(directory, &["measure", "m.toml", "--out", "m"])
            .env("PATH", &path)
            .env("SSH_LOG", &log)
            .output()
            .unwrap()
    };
    let output = measure(&SSH.replace("\"a\"", "\"-oProxyCommand=id\""));
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(
        errors(&output).contains("is not a valid name of a host") && !log.exists(),
        "{}",
        errors(&output)
    );
    let output = measure(SSH);
    assert!(output.status.success(), "{}", errors(&output));
    let logged = fs::read_to_string(&log).unwrap();
    assert!(
        logged.contains("[BatchMode=yes][--][a]") && !logged.contains("OPTION"),
        "{logged}"
    );
}

/// A blank or a command in the path of castbench.
#[test]
fn the_own_path_is_read_by_a_shell() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let (path, log) = (ssh(directory), directory.join("log"));
    fs::write(directory.join("m.toml"), measurement(SSH, 1)).unwrap();
    for (number, name) in ["my dir", "d$(touch PWNED)", "it's; touch PWNED", "a\"b"]
        .into_iter()
        .enumerate()
    {
        let installed = directory.join(name);
        fs::create_dir(&installed).unwrap();
        // Copied by another process: a child of another test would inherit the file opened for writing, and it could not run.
        let copied = std::process::Command::new("cp")
            .arg(env!("CARGO_BIN_EXE_castbench"))
            .arg(&installed)
            .status();
        assert!(copied.unwrap().success());
        let mut command = std::process::Command::new(installed.join("castbench"));
        command
            .args(["measure", "m.toml", "--out", &format!("m{number}")])
            .current_dir(directory);
        let output = command
            .env("PATH", &path)
            .env("SSH_LOG", &log)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}: {}", errors(&output));
    }
    assert!(!directory.join("PWNED").exists());
}

/// A spreadsheet would execute such a name.
#[test]
fn no_name_is_a_formula() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), super::CONFIG).unwrap();
    let formula = "=HYPERLINK(\"http://x\",\"y\")";
    let accept = [
        "regress",
        "--config",
        "c.toml",
        "--baseline",
        "f/b",
        "accept",
        "--reason",
        formula,
    ];
    assert!(
        ends(directory, &accept, 2)
            .contains("a spreadsheet reads `=`, `+`, `-` or `@` at its start as a formula")
    );
    assert!(!directory.join("f").exists());
    for (name, what) in [
        ("\"a\", address", "is not a valid name of a host"),
        (
            "name = \"a\"\nalgorithms",
            "is not a valid name of a measurement",
        ),
    ] {
        for begin in ["=", "+", "-", "@", " ="] {
            let config =
                measurement(SSH, 1).replace(name, &name.replace("\"a", &format!("\"{begin}a")));
            fs::write(directory.join("m.toml"), config).unwrap();
            let explanation = ends(directory, &["measure", "m.toml"], 3);
            assert!(explanation.contains(what), "{explanation}");
        }
    }
    let profile = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../configs/machines/ethernet100-switched.toml"
    );
    let profile = fs::read_to_string(profile)
        .unwrap()
        .replace("ethernet100-switched", "=1+1");
    fs::write(directory.join("p.toml"), profile).unwrap();
    let explanation = ends(
        directory,
        &[
            "cost",
            "halving",
            "--machine",
            "p.toml",
            "--bytes",
            "1KiB",
            "-K",
            "4",
        ],
        3,
    );
    assert!(explanation.contains("not beginning with"), "{explanation}");
}
