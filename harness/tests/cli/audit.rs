//! `castbench audit` from outside.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{castbench, stdout};
use insta::assert_snapshot;

/// A few claims that are quick to try: of four papers and castbench, some hold and some fail.
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
    for format in ["table", "csv", "json"] {
        assert_snapshot!(format!("few.{format}"), stdout(&[&["audit"], &FEW[..], &["--format", format]].concat()));
    }
}

/// All claims: the contract of the JSON, what castbench says holds, and each counterexample can be looked at.
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
    assert!(papers.len() == 6 && papers.ends_with(&["castbench"]), "{papers:?}");
}

/// The command of a counterexample shows what the counterexample says.
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

/// The three statements about figures 6 and 7: all hold on the machines reckoned for the paper's, none where a hop takes
/// no longer than the gap between two sends: on a switched network and on loopback.
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
        assert!(output.status.success());
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
    assert!(unknown.starts_with("error: there is no claim `fibonacci-12`; the claims are fibonacci-2, fibonacci-3, "));
    for id in ["figures-c-ethernet100-held", "gossip-total", "k-tree-two-ports"] {
        assert!(unknown.contains(&format!(" {id}")), "{id} is missing in {unknown}");
    }
    assert_snapshot!(refused(&["--paper", "fibonaci"]));
    assert_snapshot!(refused(&["--paper", "gossip", "gossip-total"]));
}
