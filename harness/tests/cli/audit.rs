//! `castbench audit`.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::common::{castbench, castbench_in, copy_measurements, stdout};
use insta::assert_snapshot;

/// A few claims of four papers and castbench that are quick to check; some hold and some fail.
const FEW: [&str; 6] = [
    "fibonacci-10",
    "dual-path-tournaments",
    "dual-path-redundancy",
    "k-tree-height-small",
    "k-tree-properties",
    "k-tree-f",
];

fn rows(arguments: &[&str]) -> Vec<Value> {
    serde_json::from_str(&stdout(&[&["audit"], arguments, &["--format", "json"]].concat())).expect("a JSON list")
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("{key} of {row}"))
}

#[test]
fn a_few_claims() {
    assert_snapshot!(stdout(&[&["audit"], &FEW[..]].concat()));
    let formats = ["csv", "json", "markdown"];
    assert_snapshot!(formats.map(|format| stdout(&["audit", FEW[0], FEW[5], "--format", format])).concat());
}

/// All claims: the contract of the JSON; castbench's claims hold, and each counterexample can be shown.
#[test]
fn everything() {
    let rows = rows(&[]);
    let keys = ["id", "paper", "place", "statement", "verdict", "points", "failures", "counterexample", "note"];
    for row in &rows {
        let fields = row.as_object().unwrap();
        assert!(fields.len() == keys.len() && keys.iter().all(|key| fields.contains_key(*key)), "{row}");
        let (points, failures) = (row["points"].as_u64().unwrap(), row["failures"].as_u64().unwrap());
        assert!(points > 0 && failures <= points, "{row}");
        let holds = failures == 0;
        assert_eq!(text(row, "verdict"), if holds { "holds" } else { "fails" });
        assert_eq!(row["counterexample"].is_null(), holds, "{row}");
        assert!(text(row, "paper") != "castbench" || holds, "{row}");
        if let Some((_, command)) = row["counterexample"].as_str().and_then(|found| found.split_once("; castbench ")) {
            stdout(&command.split(' ').collect::<Vec<_>>());
        }
    }
    let papers: Vec<&str> =
        rows.chunk_by(|a, b| a["paper"] == b["paper"]).map(|rows| text(&rows[0], "paper")).collect();
    assert!(papers.len() == 19 && papers.ends_with(&["castbench"]), "{papers:?}");
}

/// The command of a counterexample shows its numbers.
#[test]
fn a_counterexample_shown() {
    let found = rows(&["fibonacci-increasing"]);
    let (words, command) = text(&found[0], "counterexample").split_once("; castbench ").unwrap();
    assert!(words.ends_with("K = 13: T(K-1) = 6, T(K) = 5"), "{words}");
    let time = |command: &str| {
        let row: Value =
            serde_json::from_str(&stdout(&format!("{command} --format json").split(' ').collect::<Vec<_>>()))
                .expect("an object");
        row["simulated"].as_u64()
    };
    assert_eq!((time(command), time(&command.replace("-K 13", "-K 12"))), (Some(5), Some(6)));
}

/// The three statements about figures 6 and 7 hold on the estimates of the paper's machine. None holds where a hop
/// takes no longer than the gap between two sends: on a switched network and on loopback.
#[test]
fn figures_6_and_7_machine_by_machine() {
    let mut verdicts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows(&["--paper", "fibonacci"]) {
        if let Some((letter, machine)) = text(&row, "id").strip_prefix("figures-").and_then(|id| id.split_once('-')) {
            verdicts.entry(machine.to_owned()).or_default().push(format!("{letter} {}", text(&row, "verdict")));
        }
    }
    let all = |verdict: &str| ["a", "b", "c"].map(|letter| format!("{letter} {verdict}")).to_vec();
    let expected = ["celeron333-pvm", "celeron333-pvm-fast-hosts", "celeron333-pvm-slow-hosts", "ethernet100-held"]
        .map(|machine| (machine.to_owned(), all("holds")));
    let today = ["ethernet100-switched", "loopback-2-cores"].map(|machine| (machine.to_owned(), all("fails")));
    assert_eq!(verdicts, expected.into_iter().chain(today).collect());
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let with_threads = |threads: &str| {
        let output = castbench(&["audit", "--paper", "k-tree"]).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    assert_eq!(with_threads("1"), with_threads("3"));
}

#[test]
fn what_is_not_there_is_refused() {
    let refused = |arguments: &[&str]| {
        let output = castbench(&[&["audit"], arguments].concat()).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let unknown = refused(&["fibonacci-9", "fibonacci-12"]);
    assert!(unknown.starts_with("error: there is no claim `fibonacci-12`; did you mean `fibonacci-1"), "{unknown}");
    assert!(unknown.ends_with("? `castbench audit` prints all\n") && unknown.len() < 200, "{unknown}");
    assert_snapshot!(refused(&["--paper", "fibonaci"]));
    assert_snapshot!(refused(&["--paper", "gossip", "gossip-total"]));
}

/// The committed measurements, and the claims about them.
const MEASURED: [&str; 3] = ["figures-a-measured", "figures-b-measured", "figures-c-measured"];

/// A directory with the committed measurements where the audit looks for them.
fn with_measurements() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    copy_measurements(&directory.path().join("reports/measured"));
    directory
}

#[test]
fn measurements_judge_the_claims_about_figures_6_and_7() {
    let directory = with_measurements();
    let output = castbench_in(directory.path(), &["audit", MEASURED[1]]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

/// Each claim has nine keys, and its cases in a tenth. Claim (b) is true where a hop takes two gaps or more, and false
/// where it takes one; (c) is false there too.
#[test]
fn measured_claims_for_programs() {
    let directory = with_measurements();
    let print = |arguments: &[&str]| {
        let output = castbench_in(directory.path(), &[&["audit", "--format", "json"], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Vec<Value>>(&output.stdout).unwrap()
    };
    let all = print(&["--paper", "fibonacci"]);
    let (tried, measured) = all.split_at(all.len() - 3);
    for row in tried {
        assert_eq!(row.as_object().unwrap().len(), 9, "{row}");
    }
    assert_eq!(measured.iter().map(|row| text(row, "id")).collect::<Vec<_>>(), MEASURED);
    for row in measured {
        let fields = row.as_object().unwrap();
        assert!(
            fields.len() == 10 && tried[0].as_object().unwrap().keys().all(|key| fields.contains_key(key)),
            "{row}"
        );
        let cases = row["measured"].as_array().unwrap();
        assert_eq!(cases.len(), 10);
        for key in ["points", "failures"] {
            assert_eq!(cases.iter().map(|case| case[key].as_u64().unwrap()).sum::<u64>(), row[key].as_u64().unwrap());
        }
        for case in cases {
            let ratio = case["D_over_g_f64"].as_f64().unwrap();
            let (hop, gap) = (case["D_ns"].as_u64().unwrap(), case["g_ns"].as_u64().unwrap());
            assert!((ratio - hop as f64 / gap as f64).abs() < 1e-12, "{case}");
            let expected: &[&str] = match (text(row, "id"), ratio > 1.5) {
                ("figures-a-measured", _) => &["holds", "not decided"],
                ("figures-b-measured", true) => &["holds"],
                ("figures-c-measured", true) => &["holds", "not decided"],
                _ => &["fails"],
            };
            assert!(expected.contains(&text(case, "verdict")), "{case}");
        }
    }
    let held = measured[2]["measured"].as_array().unwrap().iter().filter(|case| text(case, "verdict") == "holds");
    assert_eq!(held.count(), 2);
    // Together with the other claims of their paper.
    let few = print(&["dual-path-tournaments", "figures-b-measured", "fibonacci-10"]);
    let ids: Vec<&str> = few.iter().map(|row| text(row, "id")).collect();
    assert_eq!(ids, ["fibonacci-10", "figures-b-measured", "dual-path-tournaments"]);
    // The default directory, and a different one.
    assert!(text(&few[1], "place").contains("measured in `reports/measured`"), "{}", few[1]);
    fs::rename(directory.path().join("reports"), directory.path().join("elsewhere")).unwrap();
    assert_eq!(print(&["--paper", "fibonacci"]).len(), tried.len());
    let other = print(&["figures-b-measured", "--measured", "elsewhere/measured"]);
    assert!(text(&other[0], "place").contains("measured in `elsewhere/measured`"), "{}", other[0]);
}

/// Damaged measurements are reported, unless no claim about them is selected.
#[test]
fn damaged_measurements_are_reported() {
    let directory = with_measurements();
    let measured = directory.path().join("reports/measured");
    let read = |name: &str| fs::read_to_string(measured.join(name)).unwrap();
    let (manifest, summary) = (read("manifest.json"), read("summary.csv"));
    let run = |arguments: &[&str]| {
        let output = castbench_in(directory.path(), &[&["audit"], arguments].concat());
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let told = |code: i32, reason: &str| {
        for arguments in [&["--paper", "fibonacci"][..], &["figures-b-measured"]] {
            let (ended, errors) = run(arguments);
            assert!(ended == code && errors.contains(reason), "{arguments:?}: {ended} {errors}");
        }
        assert_eq!(run(&["fibonacci-10"]), (0, String::new()));
    };
    fs::write(measured.join("summary.csv"), summary.replace("268842986", "168842986")).unwrap();
    told(74, "it differs from the file that manifest.json describes; summarise again");
    fs::remove_file(measured.join("summary.csv")).unwrap();
    told(74, "cannot read `reports/measured/summary.csv`");
    fs::write(measured.join("summary.csv"), &summary).unwrap();
    for (from, to, reason) in [
        ("\"schema\": 3", "\"schema\": 2", "its schema is 2, this castbench reads schema 3"),
        ("\"started\"", "\"began\"", "it was edited: its digest does not match its content; measure again"),
    ] {
        assert!(manifest.contains(from), "{from} is not in {manifest}");
        fs::write(measured.join("manifest.json"), manifest.replace(from, to)).unwrap();
        told(74, reason);
    }
    fs::remove_file(measured.join("manifest.json")).unwrap();
    told(74, "no manifest.json in this directory lists it");
    // Without measurements, a claim about them fails if it is selected by name.
    fs::remove_file(measured.join("summary.csv")).unwrap();
    assert_eq!(run(&["--paper", "fibonacci"]), (0, String::new()));
    let (code, errors) = run(&["figures-b-measured"]);
    assert!(
        code == 4 && errors.contains("`reports/measured` lacks the measurements of halving and Fibonacci"),
        "{errors}"
    );
    let (code, errors) = run(&["figures-b-measured", "--measured", "nowhere"]);
    assert!(code == 74 && errors.contains("so the directory has no measurements"), "{errors}");
}

/// On a terminal a bar shows the number of points done, and is removed at the end. It has no time left, because points
/// of different claims take different times. Without a terminal there is no bar.
#[test]
#[ignore = "needs script of util-linux"]
fn the_bar_on_a_terminal() {
    let plain = castbench(&["audit", "k-tree-time"]).output().unwrap();
    assert!(plain.stderr.is_empty(), "{}", String::from_utf8_lossy(&plain.stderr));
    // A terminal for all three streams.
    let line = concat!("'", env!("CARGO_BIN_EXE_castbench"), "' audit k-tree-time");
    let mut script = Command::new("script");
    // The tests may run without a terminal, or on one that shows no bars.
    script.args(["--quiet", "--return", "--command", line, "/dev/null"]).env("TERM", "xterm");
    let shown = String::from_utf8(script.output().unwrap().stdout).unwrap();
    let bars: Vec<&str> = shown.split(['\r', '\n']).filter(|line| line.contains(" of 3,900 points")).collect();
    let (bars, verdict) = bars.split_at(bars.len() - 1);
    assert!(verdict[0].contains("at 71 of 3,900 points"), "{shown}");
    assert!(!bars.is_empty(), "{shown}");
    for bar in bars {
        let done: u64 =
            bar.rsplit_once(" of ").unwrap().0.rsplit_once(' ').unwrap().1.replace(',', "").parse().unwrap();
        assert!(done <= 3900 && !bar.contains("left") && !bar.contains("/s"), "{bar}");
    }
    let (_, rest) = shown.rsplit_once(bars[bars.len() - 1]).unwrap();
    assert!(rest.contains("\u{1b}[2K"), "the last bar is not wiped: {rest}");
}
