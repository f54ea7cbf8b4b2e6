//! Two processes in one directory: the second refuses and names the first.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

use super::{
    ACCEPT, FIGURES, MERGE, NONE, Publication, SWEEP, Undisturbed, differences, errors, program,
    succeed, tree,
};

/// The content of a lock file; the test holds the lock instead of a first process.
fn hold(directory: &Path) -> File {
    fs::create_dir_all(directory).unwrap();
    let mut file = File::create(directory.join(".castbench-lock")).unwrap();
    file.try_lock().unwrap();
    file.write_all(b"4711\nnode7\n2026-11-21 10:00:00 UTC\n")
        .unwrap();
    file
}

/// Refused without any change while another process holds the lock; succeeds once the lock is free.
fn is_refused(publication: &Publication, folder: &str) {
    let undisturbed = Undisturbed::new(publication);
    let work = undisturbed.restore();
    let held = hold(&work.join(folder));
    let before = tree(&work);
    let output = program(&work, publication.arguments).output().unwrap();
    let explanation = errors(&output);
    assert_eq!(output.status.code(), Some(74), "{explanation}");
    let first = format!(
        "another castbench (process 4711 on node7, since 2026-11-21 10:00:00 UTC) is writing into `{folder}`; wait for it"
    );
    assert!(explanation.contains(&first), "{explanation}");
    assert_eq!(differences(&tree(&work), &before), NONE);
    // As the kernel releases the lock of a killed process.
    drop(held);
    succeed(&work, publication.arguments);
    assert_eq!(differences(&tree(&work), &undisturbed.new), NONE);
}

/// Two baselines share a history.
#[test]
fn publications() {
    is_refused(&SWEEP, "reports");
    is_refused(&MERGE, "reports");
    is_refused(&FIGURES, "reports/figures");
    is_refused(&ACCEPT, "reports/baseline");
    is_refused(&ACCEPT, "reports");
}

/// Measurements and calibrations are refused before anything is measured.
#[test]
fn measurements() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let _held = hold(&directory.join("m"));
    for arguments in [
        &["measure", "--out", "m"][..],
        &["calibrate", "--name", "x", "--out", "m"],
    ] {
        let output = program(directory, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
        assert!(
            errors(&output).contains("another castbench (process 4711 on node7, since"),
            "{}",
            errors(&output)
        );
    }
}

/// Two live processes: the first is stopped while it holds the lock, the second is refused and names it, and the first
/// then completes.
#[test]
fn two_living_ones() {
    let undisturbed = Undisturbed::new(&SWEEP);
    // It may end before it is stopped.
    for _ in 0..50 {
        let work = undisturbed.restore();
        let lock = work.join("reports/.castbench-lock");
        let mut first = program(&work, SWEEP.arguments).spawn().unwrap();
        while first.try_wait().unwrap().is_none()
            && !fs::read(&lock).is_ok_and(|text| text.ends_with(b"UTC\n"))
        {
            std::thread::yield_now();
        }
        let process = i32::try_from(first.id()).unwrap();
        let signal = |signal| kill_process(Pid::from_raw(process).unwrap(), signal).unwrap();
        signal(Signal::STOP);
        let is_locked = || File::open(&lock).is_ok_and(|file| file.try_lock().is_err());
        let both = (first.try_wait().unwrap().is_none() && is_locked())
            .then(|| program(&work, SWEEP.arguments).output().unwrap());
        signal(Signal::CONT);
        assert!(first.wait().unwrap().success());
        assert_eq!(differences(&tree(&work), &undisturbed.new), NONE);
        if let Some(second) = both {
            let explanation = errors(&second);
            assert_eq!(second.status.code(), Some(74), "{explanation}");
            assert!(
                explanation.contains(&format!("another castbench (process {process} on ")),
                "{explanation}"
            );
            return;
        }
    }
    panic!("the first always ended before it could be halted");
}

/// A reader refuses, with this advice.
fn is_reported(work: &Path, arguments: &[&str], advice: &str) {
    let output = program(work, arguments).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(74),
        "{arguments:?}: {}",
        errors(&output)
    );
    assert!(
        errors(&output).contains(advice),
        "{arguments:?}: {}",
        errors(&output)
    );
}

/// Files of two sweeps are not read as one, with the old manifest or without a manifest.
#[test]
fn a_mixture_is_not_read() {
    let undisturbed = Undisturbed::new(&SWEEP);
    // As if killed after the first file of the new sweep was renamed.
    let readers: [&[&str]; 3] = [
        &["figures", "c.toml"],
        &["report", "--config", "c.toml"],
        &["regress", "--against", "reports", "--from", "new"],
    ];
    for name in ["logp-multicast.csv", "mesh-gossip.csv"] {
        let work = undisturbed.restore();
        succeed(&work, &["sweep", "c.toml", "--out", "new"]);
        fs::copy(work.join("new").join(name), work.join("reports").join(name)).unwrap();
        readers
            .iter()
            .for_each(|reader| is_reported(&work, reader, "sweep again"));
        fs::remove_file(work.join("reports/manifest.json")).unwrap();
        fs::create_dir(work.join("reports/.castbench-unfinished")).unwrap();
        for reader in &readers {
            is_reported(
                &work,
                reader,
                "run that command again, a sweep with --resume",
            );
        }
        is_reported(
            &work,
            &["merge", "reports"],
            "repeat its command with --resume",
        );
        succeed(&work, SWEEP.again);
        succeed(&work, &["regress", "--against", "reports", "--from", "new"]);
        assert!(tree(&work.join("reports")) == tree(&work.join("new")));
    }
}
