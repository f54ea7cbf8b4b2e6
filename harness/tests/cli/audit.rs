//! `castbench audit`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{castbench, expect, stdout};
use insta::assert_snapshot;

fn rows(arguments: &[&str]) -> Vec<Value> {
    serde_json::from_str(&stdout(
        &[&["audit"], arguments, &["--format", "json"]].concat(),
    ))
    .expect("a JSON list")
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} of {row}"))
}

#[test]
fn a_few_claims() {
    // A claim that fails with a command, one that holds, one of castbench. The page of papers has them as Markdown.
    assert_snapshot!(stdout(&[
        "audit",
        "dual-path-redundancy",
        "k-tree-height-small",
        "k-tree-f"
    ]));
    let formats = ["csv", "json"];
    assert_snapshot!(
        formats
            .map(|format| stdout(&["audit", "fibonacci-10", "--format", format]))
            .concat()
    );
}

/// All claims: the contract of the JSON; castbench's claims hold, and each counterexample can be shown.
#[test]
fn everything() {
    let rows = rows(&[]);
    let keys = [
        "id",
        "paper",
        "place",
        "statement",
        "verdict",
        "points",
        "failures",
        "counterexample",
        "note",
    ];
    for row in &rows {
        let fields = row.as_object().unwrap();
        assert!(
            fields.len() == keys.len() && keys.iter().all(|key| fields.contains_key(*key)),
            "{row}"
        );
        let (points, failures) = (
            row["points"].as_u64().unwrap(),
            row["failures"].as_u64().unwrap(),
        );
        assert!(points > 0 && failures <= points, "{row}");
        let holds = failures == 0;
        assert_eq!(text(row, "verdict"), if holds { "holds" } else { "fails" });
        assert_eq!(row["counterexample"].is_null(), holds, "{row}");
        assert!(text(row, "paper") != "castbench" || holds, "{row}");
        if let Some((_, command)) = row["counterexample"]
            .as_str()
            .and_then(|found| found.split_once("; castbench "))
        {
            stdout(&command.split(' ').collect::<Vec<_>>());
        }
    }
    let papers: Vec<&str> = rows
        .chunk_by(|a, b| a["paper"] == b["paper"])
        .map(|rows| text(&rows[0], "paper"))
        .collect();
    assert!(
        papers.len() == 22 && papers.ends_with(&["castbench"]),
        "{papers:?}"
    );
}

/// The command of a counterexample shows its numbers.
#[test]
fn a_counterexample_shown() {
    let found = rows(&["fibonacci-increasing"]);
    let (words, command) = text(&found[0], "counterexample")
        .split_once("; castbench ")
        .unwrap();
    assert!(words.ends_with("K = 13: T(K-1) = 6, T(K) = 5"), "{words}");
    let time = |command: &str| {
        let row: Value = serde_json::from_str(&stdout(
            &format!("{command} --format json")
                .split(' ')
                .collect::<Vec<_>>(),
        ))
        .expect("an object");
        row["simulated"].as_u64()
    };
    assert_eq!(
        (time(command), time(&command.replace("-K 13", "-K 12"))),
        (Some(5), Some(6))
    );
}

/// The three statements about figures 6 and 7 hold on the estimates of the paper's machine. None holds where a hop
/// takes no longer than the gap between two sends: on a switched network and on loopback.
#[test]
fn figures_6_and_7_machine_by_machine() {
    let mut verdicts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows(&["--paper", "fibonacci"]) {
        if let Some((letter, machine)) = text(&row, "id")
            .strip_prefix("figures-")
            .and_then(|id| id.split_once('-'))
        {
            verdicts
                .entry(machine.to_owned())
                .or_default()
                .push(format!("{letter} {}", text(&row, "verdict")));
        }
    }
    let all = |verdict: &str| {
        ["a", "b", "c"]
            .map(|letter| format!("{letter} {verdict}"))
            .to_vec()
    };
    let expected = [
        "celeron333-pvm",
        "celeron333-pvm-fast-hosts",
        "celeron333-pvm-slow-hosts",
        "ethernet100-held",
    ]
    .map(|machine| (machine.to_owned(), all("holds")));
    let today = ["ethernet100-switched", "loopback-2-cores"]
        .map(|machine| (machine.to_owned(), all("fails")));
    assert_eq!(verdicts, expected.into_iter().chain(today).collect());
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let with_threads = |threads: &str| {
        let output = castbench(&["audit", "--paper", "k-tree"])
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    assert_eq!(with_threads("1"), with_threads("3"));
}

#[test]
fn what_is_not_there_is_refused() {
    let refused = |words: &str| expect(Path::new("."), &format!("audit {words}"), 2, "error: ");
    let unknown = refused("fibonacci-9 fibonacci-12");
    assert!(
        unknown.starts_with("error: there is no claim `fibonacci-12`; did you mean `fibonacci-1"),
        "{unknown}"
    );
    assert!(
        unknown.ends_with("? `castbench audit` prints all\n") && unknown.len() < 200,
        "{unknown}"
    );
    assert_snapshot!(refused("--paper fibonaci"));
    assert_snapshot!(refused("--paper gossip gossip-total"));
}

/// On a terminal a bar shows the number of points done, and is removed at the end. It has no time left, because points
/// of different claims take different times. Without a terminal there is no bar.
#[test]
#[ignore = "needs script of util-linux"]
fn the_bar_on_a_terminal() {
    let plain = castbench(&["audit", "k-tree-time"]).output().unwrap();
    assert!(
        plain.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&plain.stderr)
    );
    // A terminal for all three streams.
    let line = concat!("'", env!("CARGO_BIN_EXE_castbench"), "' audit k-tree-time");
    let mut script = Command::new("script");
    // The tests may run without a terminal, or on one that shows no bars.
    script
        .args(["--quiet", "--return", "--command", line, "/dev/null"])
        .env("TERM", "xterm");
    let shown = String::from_utf8(script.output().unwrap().stdout).unwrap();
    let bars: Vec<&str> = shown
        .split(['\r', '\n'])
        .filter(|line| line.contains(" of 3,900 points"))
        .collect();
    let (bars, verdict) = bars.split_at(bars.len() - 1);
    assert!(verdict[0].contains("at 71 of 3,900 points"), "{shown}");
    assert!(!bars.is_empty(), "{shown}");
    for bar in bars {
        let done: u64 = bar
            .rsplit_once(" of ")
            .unwrap()
            .0
            .rsplit_once(' ')
            .unwrap()
            .1
            .replace(',', "")
            .parse()
            .unwrap();
        assert!(
            done <= 3900 && !bar.contains("left") && !bar.contains("/s"),
            "{bar}"
        );
    }
    let (_, rest) = shown.rsplit_once(bars[bars.len() - 1]).unwrap();
    assert!(
        rest.contains("\u{1b}[2K"),
        "the last bar is not wiped: {rest}"
    );
}
