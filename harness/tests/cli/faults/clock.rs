//! Wrong and jumping clocks, by libfaketime. No result depends on the date.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::{
    ACCEPT, CONFIG, FIGURES, NONE, SWEEP, Undisturbed, differences, errors, program, tree,
};

/// The library that changes a program's clock.
fn faketime() -> String {
    let output = Command::new("faketime")
        .args(["-f", "+0", "printenv", "LD_PRELOAD"])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn at(library: &str, time: &str, command: &mut Command) {
    let output = command
        .env("LD_PRELOAD", library)
        .env("FAKETIME", time)
        .output()
        .unwrap();
    assert!(output.status.success(), "{time}: {}", errors(&output));
    assert!(
        !errors(&output).contains(" in -"),
        "{time}: {}",
        errors(&output)
    );
}

/// Before 1970, after 2262 (where nanoseconds no longer fit into 64 bits), fast, standing still.
#[test]
#[ignore = "needs faketime"]
fn any_time() {
    let library = faketime();
    let undisturbed = Undisturbed::new(&SWEEP);
    for time in [
        "@1931-01-01 00:00:00",
        "@2300-06-01 00:00:00",
        "+0 x1000",
        "2026-01-01 00:00:00",
    ] {
        let work = undisturbed.restore();
        at(&library, time, &mut program(&work, SWEEP.arguments));
        assert_eq!(differences(&tree(&work), &undisturbed.new), NONE, "{time}");
    }
}

/// The clock jumps back and forth while a sweep runs, the monotonic clock too.
#[test]
#[ignore = "needs faketime"]
fn jumps() {
    let library = faketime();
    let undisturbed = Undisturbed::new(&SWEEP);
    // Where threads ask while the clock jumps, libfaketime can answer with over 10^9 ns in a second, as no clock does.
    let is_torn = |output: &Output| errors(output).contains("invalid timestamp");
    let mut sweeps = (0..10).map(|_| jumping(&library, &undisturbed));
    let (work, output) = sweeps
        .find(|(_, output)| !is_torn(output))
        .expect("a clock with valid times");
    assert!(
        output.status.success() && !errors(&output).contains("panicked"),
        "{}",
        errors(&output)
    );
    assert_eq!(differences(&tree(&work), &undisturbed.new), NONE);
}

/// A sweep whose clock jumps until it ends.
fn jumping(library: &str, undisturbed: &Undisturbed) -> (PathBuf, Output) {
    let work = undisturbed.restore();
    let time = undisturbed.scratch.path().join("time");
    fs::write(&time, "+0").unwrap();
    let mut command = program(&work, SWEEP.arguments);
    command
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", &time)
        .env("FAKETIME_NO_CACHE", "1");
    let mut child = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    for jump in ["-20y", "+30y", "-1", "+2d", "-2d"].iter().cycle() {
        // Renamed, so that it is never read partially.
        fs::write(time.with_extension("new"), jump).unwrap();
        fs::rename(time.with_extension("new"), &time).unwrap();
        if child.try_wait().unwrap().is_some() {
            break;
        }
    }
    (work, child.wait_with_output().unwrap())
}

/// The history has the date of each acceptance, and its rows stay in the order of acceptance.
#[test]
#[ignore = "needs faketime"]
fn days_of_the_history() {
    let library = faketime();
    let work = Undisturbed::new(&ACCEPT);
    let work = work.restore();
    for (time, latency) in [
        ("@2300-06-01 00:00:00", "L = [5]"),
        ("@1931-01-01 00:00:00", "L = [4]"),
    ] {
        fs::write(work.join("d.toml"), CONFIG.replace("L = [1, 5]", latency)).unwrap();
        let reason = format!("at {time}");
        at(
            &library,
            time,
            &mut program(
                &work,
                &[
                    "regress", "--config", "d.toml", "accept", "--reason", &reason,
                ],
            ),
        );
    }
    let history = fs::read_to_string(work.join("reports/history.csv")).unwrap();
    let days: Vec<&str> = history.lines().skip(1).map(|line| &line[..10]).collect();
    let row = |day: &str| {
        days.iter()
            .position(|found| *found == day)
            .unwrap_or_else(|| panic!("no {day} in {days:?}"))
    };
    assert!(
        row("2300-06-01") > 0 && row("1931-01-01") > row("2300-06-01"),
        "{days:?}"
    );
    let figure = "\n[[figures.history]]\nfile = \"history.svg\"\ntitle = \"t\"\n";
    fs::write(work.join("h.toml"), format!("{CONFIG}{figure}")).unwrap();
    super::succeed(&work, &["run", "h.toml"]);
    assert!(work.join("reports/figures/history.svg").exists());
}

/// A measurement has its date; its durations come from the monotonic clock.
#[test]
#[ignore = "needs faketime"]
fn the_time_of_a_measurement() {
    let library = faketime();
    let work = Undisturbed::new(&FIGURES);
    let work = work.restore();
    let config = "schema = 1\nrepetitions = 2\n[[measurement]]\nname = \"a\"\nalgorithms = [\"halving\"]\nK = [2]\n\
                  bytes = [\"1kB\"]\nmachine = \"ethernet100-switched\"\n";
    fs::write(work.join("m.toml"), config).unwrap();
    for (time, year) in [
        ("@1931-01-01 00:00:00", "1931-"),
        ("@2300-06-01 00:00:00", "2300-"),
    ] {
        at(
            &library,
            time,
            &mut program(&work, &["measure", "m.toml", "--out", "m", "--force"]),
        );
        let manifest = fs::read_to_string(work.join("m/manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        assert!(
            manifest["started"].as_str().unwrap().starts_with(year),
            "{manifest}"
        );
        assert!(manifest["seconds"].as_f64().unwrap() >= 0.0, "{manifest}");
    }
}
