//! The environment of a process: locale, threads, memory, signals. The bytes are the same, or there is a message.

use std::fs;
use std::process::{Command, Stdio};

use super::{
    CONFIG, FIGURES, NONE, SWEEP, Undisturbed, differences, errors, program, succeed, tree,
};
use crate::common::{castbench, wait_for};

#[test]
fn any_number_of_threads() {
    let undisturbed = Undisturbed::new(&SWEEP);
    for (jobs, rayon) in [
        (Some("1"), None),
        (Some("2"), None),
        (Some("64"), None),
        (None, Some("1")),
        (None, Some("64")),
    ] {
        let work = undisturbed.restore();
        let mut command = program(&work, &["sweep", "c.toml"]);
        command
            .args(jobs.iter().flat_map(|jobs| ["--jobs", *jobs]))
            .envs(rayon.map(|count| ("RAYON_NUM_THREADS", count)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        assert_eq!(
            differences(&tree(&work), &undisturbed.new),
            NONE,
            "{jobs:?} {rayon:?}"
        );
    }
}

/// Threads that the system refuses, because their stacks would be larger than the address space.
#[test]
#[ignore = "needs strace"]
fn no_threads() {
    let undisturbed = Undisturbed::new(&SWEEP);
    let work = undisturbed.restore();
    for arguments in [
        SWEEP.arguments,
        &["sweep", "c.toml", "--jobs", "64"],
        &["sweep", "--dry-run", "c.toml"],
        &["audit", "fibonacci-9"],
        &[
            "best",
            "--machine",
            "ethernet100-switched",
            "-K",
            "8",
            "--bytes",
            "1KiB",
        ],
        &["regress", "--config", "c.toml", "accept", "--reason", "x"],
    ] {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=clone,clone3"]);
        command.args([
            "-e",
            "inject=clone,clone3:error=EAGAIN:when=1+",
            castbench(&[]).get_program().to_str().unwrap(),
        ]);
        let output = command
            .args(arguments)
            .current_dir(&work)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(1),
            "{arguments:?}: {}",
            errors(&output)
        );
        assert!(
            errors(&output).contains("error: cannot start"),
            "{arguments:?}: {}",
            errors(&output)
        );
        assert!(
            !errors(&output).contains("panicked"),
            "{arguments:?}: {}",
            errors(&output)
        );
    }
    undisturbed.check(&work, "no threads");
}

/// The first thread is refused, or the second, and so on.
#[test]
#[ignore = "needs strace"]
fn too_few_threads() {
    let undisturbed = Undisturbed::new(&SWEEP);
    for number in 1.. {
        let work = undisturbed.restore();
        let inject = format!("inject=clone,clone3:error=EAGAIN:when={number}+");
        let mut command = Command::new("strace");
        command.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=clone,clone3",
            "-e",
            &inject,
        ]);
        command
            .arg(castbench(&[]).get_program())
            .args(["sweep", "c.toml", "--jobs", "3"])
            .current_dir(&work);
        let output = command.env("NO_COLOR", "1").output().unwrap();
        if output.status.success() {
            assert!(number > 4, "only {number} threads");
            assert_eq!(differences(&tree(&work), &undisturbed.new), NONE);
            return;
        }
        assert_eq!(
            output.status.code(),
            Some(1),
            "{number}: {}",
            errors(&output)
        );
        assert!(
            errors(&output).contains("raise the limit (ulimit -u"),
            "{number}: {}",
            errors(&output)
        );
        assert_eq!(
            differences(&tree(&work), &undisturbed.old),
            NONE,
            "{number}"
        );
    }
}

/// Any environment, also an empty one.
#[test]
fn any_environment() {
    let undisturbed = Undisturbed::new(&FIGURES);
    let shown = [
        "cost", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8", "--format", "csv",
    ];
    let plain = succeed(&undisturbed.restore(), &shown).stdout;
    for environment in [
        &[
            ("LC_ALL", "de_DE.UTF-8"),
            ("LANG", "de_DE.UTF-8"),
            ("LC_NUMERIC", "de_DE.UTF-8"),
        ][..],
        &[("LC_ALL", "tr_TR.ISO-8859-9"), ("TZ", "Pacific/Kiritimati")],
        &[
            ("TZ", ":/nowhere/at/all"),
            ("TERM", "dumb"),
            ("COLUMNS", "1"),
            ("LINES", "0"),
        ],
        &[
            ("COLUMNS", "no number"),
            ("RAYON_NUM_THREADS", "no number"),
            ("HOME", "/nowhere"),
            ("PATH", ""),
        ],
        &[("TMPDIR", "/nowhere/at/all")],
        &[],
    ] {
        let work = undisturbed.restore();
        let run = |arguments: &[&str]| {
            let mut command = castbench(arguments);
            if environment.is_empty() {
                command.env_clear();
            }
            let output = command
                .envs(environment.iter().copied())
                .current_dir(&work)
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{environment:?}: {}",
                errors(&output)
            );
            output.stdout
        };
        run(&["sweep", "c.toml"]);
        run(FIGURES.arguments);
        assert_eq!(
            differences(&tree(&work), &undisturbed.new),
            NONE,
            "{environment:?}"
        );
        assert!(run(&shown) == plain, "{environment:?}");
    }
}

/// The directory where castbench is started has been removed.
#[test]
fn no_working_directory() {
    let directory = tempfile::tempdir().unwrap();
    let script = "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" \"$@\"";
    let run = |arguments: &[&str]| {
        let mut command = Command::new("bash");
        command
            .args(["-c", script])
            .arg(castbench(&[]).get_program())
            .args(arguments);
        command
            .current_dir(directory.path())
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    };
    assert!(run(&["list"]).status.success());
    let output = run(&["sweep", "--set", "K=2"]);
    assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
    assert!(
        errors(&output).contains("cannot write to `reports`: No such file"),
        "{}",
        errors(&output)
    );
    fs::write(directory.path().join("c.toml"), CONFIG).unwrap();
    let [config, out] =
        ["c.toml", "out"].map(|name| directory.path().join(name).display().to_string());
    let output = run(&["run", &config, "--out", &out]);
    assert!(output.status.success(), "{}", errors(&output));
}

/// Too little memory may end a process anywhere; files are as after SIGKILL.
#[test]
fn too_little_memory() {
    let undisturbed = Undisturbed::new(&SWEEP);
    let mut failed = 0;
    for kibibytes in [
        14_000, 15_000, 16_000, 18_000, 20_000, 25_000, 40_000, 60_000, 100_000, 200_000,
    ] {
        let work = undisturbed.restore();
        // All threads share one arena. Otherwise each allocation first asks for another one, which takes seconds.
        let script = format!(
            "export MALLOC_ARENA_MAX=1; ulimit -c 0; ulimit -v {kibibytes}; exec \"$0\" \"$@\""
        );
        let mut command = Command::new("bash");
        command
            .args(["-c", &script])
            .arg(castbench(&[]).get_program())
            .args(SWEEP.arguments);
        let output = command.current_dir(&work).output().unwrap();
        let when = format!("{kibibytes} KiB");
        assert!(
            !errors(&output).contains("panicked"),
            "{when}: {}",
            errors(&output)
        );
        match output.status.code() {
            Some(0) => {}
            // The system's loader had no memory for the program.
            Some(127) if errors(&output).contains("shared libraries") => {}
            // The process aborted, or a thread was refused.
            None | Some(1) => failed += 1,
            Some(code) => panic!("{when}: {code}, {}", errors(&output)),
        }
        undisturbed.check(&work, &when);
        succeed(&work, SWEEP.again);
        assert_eq!(differences(&tree(&work), &undisturbed.new), NONE, "{when}");
    }
    assert!(failed > 0);
}

/// Under `nohup` a hangup is ignored; otherwise it stops a sweep like Ctrl-C.
#[test]
fn hangup() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    // The tests may run under `nohup` themselves. The sweep that is stopped would take minutes.
    for (trap, code, K) in [
        ("trap '' HUP; exec", 0, "300"),
        ("exec env --default-signal=HUP", 130, "9999"),
    ] {
        let long = CONFIG
            .replace("to = 30 }", &format!("to = {K} }}"))
            .replace("nodes = 30", &format!("nodes = {K}"));
        fs::write(directory.join("c.toml"), long).unwrap();
        let script = format!("{trap} \"$0\" sweep c.toml --out out{code} --checkpoint 0 --jobs 1");
        let mut command = Command::new("bash");
        command
            .args(["-c", &script])
            .arg(castbench(&[]).get_program())
            .current_dir(directory);
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        let checkpoint = directory.join(format!("out{code}/.castbench-unfinished/checkpoint.json"));
        wait_for("a checkpoint", || checkpoint.exists().then_some(()));
        assert!(
            Command::new("kill")
                .args(["-HUP", &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
    }
}
