//! Two castbenches at once in one directory: the second refuses, and names the first.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

use super::{
    ACCEPT, FIGURES, MERGE, NONE, Publication, SWEEP, Undisturbed, differences, errors, program, succeed, tree,
};

/// What the first one writes into the file that it locks; the test holds the lock in its place.
fn hold(directory: &Path, name: &str) -> File {
    fs::create_dir_all(directory).unwrap();
    let mut file = File::create(directory.join(name)).unwrap();
    file.try_lock().unwrap();
    file.write_all(b"4711\nnode7\n2026-11-21 10:00:00 UTC\n").unwrap();
    file
}

/// Refused while somebody else holds the lock, and neither he nor the files are disturbed; done once he is gone.
fn is_refused(publication: &Publication, place: &str, lock: &str, what: &str) {
    let undisturbed = Undisturbed::of(publication);
    let work = undisturbed.restore();
    let held = hold(&work.join(place), lock);
    let before = tree(&work);
    let output = program(&work, publication.arguments).output().unwrap();
    let told = errors(&output);
    assert_eq!(output.status.code(), Some(74), "{told}");
    let first = format!(
        "another castbench (process 4711 on node7, since 2026-11-21 10:00:00 UTC) is writing {what} `{place}`; wait for it"
    );
    assert!(told.contains(&first), "{told}");
    assert_eq!(differences(&tree(&work), &before), NONE);
    // As the kernel lets go of the lock of a process that is killed.
    drop(held);
    succeed(&work, publication.arguments);
    assert_eq!(differences(&tree(&work), &undisturbed.new), NONE);
}

#[test]
fn sweeps() {
    is_refused(&SWEEP, "reports", ".castbench-lock", "into");
}

#[test]
fn merges() {
    is_refused(&MERGE, "reports", ".castbench-lock", "into");
}

#[test]
fn figures() {
    is_refused(&FIGURES, "reports/figures", ".castbench-lock", "into");
}

#[test]
fn acceptances() {
    is_refused(&ACCEPT, "reports/baseline", ".castbench-lock", "into");
}

/// Two baselines with one history between them.
#[test]
fn acceptances_into_one_history() {
    is_refused(&ACCEPT, "reports", ".castbench-history-lock", "the history in");
}

/// Measurements and calibrations, before anything is measured.
#[test]
fn measurements() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let _held = hold(&directory.join("m"), ".castbench-lock");
    for arguments in [&["measure", "--out", "m"][..], &["calibrate", "--name", "x", "--out", "m"]] {
        let output = program(directory, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
        assert!(errors(&output).contains("another castbench (process 4711 on node7, since"), "{}", errors(&output));
    }
}

/// Really two, both alive: the first is halted while it holds the lock, the second gives way and names it, and the first
/// is not disturbed.
#[test]
fn two_living_ones() {
    let undisturbed = Undisturbed::of(&SWEEP);
    // It may end before it is halted.
    for _ in 0..50 {
        let work = undisturbed.restore();
        let lock = work.join("reports/.castbench-lock");
        let mut first = program(&work, SWEEP.arguments).spawn().unwrap();
        while first.try_wait().unwrap().is_none() && !fs::read(&lock).is_ok_and(|text| text.ends_with(b"UTC\n")) {
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
            let told = errors(&second);
            assert_eq!(second.status.code(), Some(74), "{told}");
            assert!(told.contains(&format!("another castbench (process {process} on ")), "{told}");
            return;
        }
    }
    panic!("the first always ended before it could be halted");
}

/// Files of two sweeps are not read as one, by whatever reads them, until somebody has finished what was begun.
#[test]
fn a_mixture_is_not_read() {
    let undisturbed = Undisturbed::of(&SWEEP);
    let work = undisturbed.restore();
    let stage = work.join("reports/.castbench-unfinished");
    fs::create_dir(&stage).unwrap();
    succeed(&work, &["sweep", "c.toml", "--out", "new"]);
    let names = ["logp-multicast.csv", "mesh-gossip.csv", "findings.csv", "manifest.json"];
    // Killed after the first file was moved.
    let moves: Vec<String> =
        names.iter().map(|name| format!(r#"["{name}",{{"Unix":{:?}}}]"#, name.as_bytes())).collect();
    for name in names {
        let to = if name == names[0] { work.join("reports") } else { stage.clone() };
        fs::copy(work.join("new").join(name), to.join(name)).unwrap();
    }
    fs::write(stage.join("publish.json"), format!(r#"{{"moves":[{}],"removals":[]}}"#, moves.join(","))).unwrap();
    for arguments in [
        &["figures", "c.toml"][..],
        &["report", "--config", "c.toml"],
        &["compare", "reports", "new"],
        &["merge", "reports"],
    ] {
        let output = program(&work, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains("run the command that wrote there once more"), "{}", errors(&output));
    }
    for (place, arguments) in [
        ("kept", &["regress", "--config", "c.toml", "--baseline", "kept"][..]),
        ("m", &["audit", "figures-b-measured", "--measured", "m"]),
    ] {
        let stage = work.join(place).join(".castbench-publishing");
        fs::create_dir_all(&stage).unwrap();
        fs::write(stage.join("publish.json"), "").unwrap();
        let output = program(&work, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains("its files are being replaced"), "{}", errors(&output));
    }
    succeed(&work, SWEEP.again);
    succeed(&work, &["compare", "reports", "new"]);
    assert!(tree(&work.join("reports")) == tree(&work.join("new")));
}
