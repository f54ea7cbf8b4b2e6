//! `castbench export goal` and `castbench cost --ends`.

use std::fs;

use crate::common::{castbench, castbench_in, on_one_line, printed, stdout, transcript};
use algorithms::catalogue::entries;
use algorithms::problem::{Entry, Kind, spelled};
use insta::assert_snapshot;
use serde_json::Value;

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn number(json: &str, key: &str) -> u64 {
    serde_json::from_str::<Value>(json).unwrap()[key]
        .as_u64()
        .unwrap()
}

/// The point of an algorithm's example in a form of its problem, and the machine.
fn example(entry: Entry, on_profile: bool) -> (String, String) {
    let (mut point, mut machine) = (entry.name.to_owned(), Vec::new());
    for (axis, value) in entry
        .axes()
        .iter()
        .zip(entry.example())
        .filter(|(axis, _)| axis.applies(on_profile))
    {
        let value = match axis.key {
            "machine" => Some("ethernet100-switched".into()),
            "bytes" => Some("4096".into()),
            _ => value.map(|value| spelled(axis, value)),
        };
        let Some(option) = value.map(|value| format!("{} {value}", axis.option())) else {
            continue;
        };
        match axis.key {
            "machine" | "L" | "o" | "g" => machine.push(option),
            _ => point += &format!(" {option}"),
        }
    }
    (point, machine.join(" "))
}

/// After export and import, every algorithm that has a program has the cost of `castbench cost`, or the export names
/// both times. Every algorithm at its example, and on a profile if its problem allows one; trees on other machines.
#[test]
fn there_and_back_costs_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.goal");
    let path = file.to_str().unwrap();
    let machines = [
        "-L 3 -o 5 -g 2",
        "-L 0 -o 2 -g 7",
        "-L 1000003 -o 17 -g 65537",
    ];
    let profiles = [
        "--machine ethernet100-held --bytes 1MiB",
        "--machine celeron333-pvm --bytes 1B",
    ];
    let mut lines = Vec::new();
    // A switch is no rank of GOAL.
    let is_ranks = |entry: &&Entry| entry.sends() && !entry.name.contains("-switch");
    for entry in entries().iter().filter(is_ranks) {
        let has_profile = entry.axes().iter().any(|axis| axis.kind == Kind::Profile);
        lines.push(example(*entry, false));
        lines.extend(has_profile.then(|| example(*entry, true)));
    }
    for tree in ["halving", "fibonacci", "optimal", "flat", "chain"] {
        let point = format!("{tree} -K 33 --source 9");
        lines.extend(
            machines
                .iter()
                .chain(&profiles)
                .map(|&machine| (point.clone(), machine.to_owned())),
        );
    }
    for (point, machine) in &lines {
        let exported = castbench_in(
            directory.path(),
            &words(&format!("export goal {point} {machine} --out {path}")),
        );
        assert!(
            exported.status.success() && exported.stdout.is_empty(),
            "{point} {machine}: {exported:?}"
        );
        let machine_alone = machine.split(" --bytes").next().unwrap();
        let imported = stdout(&words(&format!(
            "cost --ends {path} {machine_alone} --format json"
        )));
        let cost = stdout(&words(&format!("cost {point} {machine} --format json")));
        let [finish, cost] = [number(&imported, "finish"), number(&cost, "analytic")];
        assert_eq!(finish, cost, "{point} {machine}");
    }
    assert!(lines.len() > 130, "{} points", lines.len());
    let (point, machine) = lines.last().unwrap();
    assert_eq!(
        stdout(&words(&format!("export goal {point} {machine}"))),
        fs::read_to_string(&file).unwrap()
    );
}

#[test]
fn a_file_and_what_it_costs() {
    let directory = tempfile::tempdir().unwrap();
    let sum = "summation-optimal -L 5 -o 2 -g 4 -P 2 --operands 20";
    let mut all = transcript(
        directory.path(),
        &[
            "export goal optimal -L 6 -o 2 -g 4 -K 3",
            &format!("export goal {sum}"),
            &format!("export goal {sum} --out sum.goal"),
            "cost --ends sum.goal -L 5 -o 2 -g 4",
            "cost --ends sum.goal -L 5 -o 2 -g 4 --format csv",
            "cost --ends sum.goal -L 5 -o 2 -g 4 --format json",
            "export goal flat --machine ethernet100-switched --bytes 4kB -K 40 --out flat.goal",
        ],
    );
    // A table of 32 ranks and its end.
    let long = transcript(
        directory.path(),
        &["cost --ends flat.goal --machine ethernet100-switched"],
    );
    let lines: Vec<&str> = long.lines().collect();
    all += &[&lines[..6], &lines[lines.len() - 6..]].concat().join("\n");
    assert_snapshot!(all);
}

#[test]
fn mistakes_name_file_line_and_column() {
    let directory = tempfile::tempdir().unwrap();
    let waits = "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\nrank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n";
    let files = [
        ("waits.goal", waits),
        (
            "label.goal",
            "num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}\n",
        ),
        (
            "large.goal",
            "num_ranks 2\nrank 0 {\nsend 18446744073709551615b to 1\n}\nrank 1 {\nrecv 18446744073709551615b from 0\n}\n",
        ),
    ];
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let mut all = String::new();
    for line in [
        "cost --ends waits.goal -L 6 -o 2 -g 4",
        "cost --ends label.goal -L 6 -o 2 -g 4",
        "cost --ends large.goal --machine ethernet100-switched",
        "cost --ends missing.goal -L 6 -o 2 -g 4",
        "cost --ends . -L 6 -o 2 -g 4",
        "cost --ends waits.goal",
        "cost --ends waits.goal -L 0 -o 0 -g 4",
        "cost --ends waits.goal --machine nonsense",
        "export goal k-tree -n 14 -k 3 -m 6",
        "export goal nonsense -L 6 -o 2 -g 4 -K 5",
        "export goal optimal -L 6 -o 2 -g 4",
        "export goal optimal -L 6 -o 2 -g 4 -K 1000000000000",
        "export goal optimal -L 6 -o 2 -g 4 -K 5 --out waits.goal/inside",
    ] {
        let output = castbench_in(directory.path(), &words(line));
        assert!(output.stdout.is_empty(), "{line}");
        let explanation = on_one_line(&String::from_utf8_lossy(&output.stderr));
        all += &format!(
            "{line}\n    {} {explanation}\n",
            output.status.code().unwrap_or(-1)
        );
    }
    assert_snapshot!(all);
    assert_eq!(
        fs::read_dir(directory.path()).unwrap().count(),
        files.len(),
        "something was left behind"
    );
}

/// An exchange with posted receives, from a file and through a pipe.
#[test]
fn an_exchange_with_posted_receives() {
    let directory = tempfile::tempdir().unwrap();
    let rank = |own, other| {
        format!(
            "rank {own} {{\na: recv 8b from {other} tag -1\nb: send 8b to {other} tag {own}\nb irequires a\n}}\n"
        )
    };
    let text = format!("num_ranks 2\n{}{}", rank(0, 1), rank(1, 0));
    fs::write(directory.path().join("posted.goal"), &text).unwrap();
    let line = "cost --ends posted.goal -L 6 -o 2 -g 4 --format csv";
    assert_eq!(
        printed(directory.path(), line),
        Ok("rank,end_time_units\n0,38\n1,38\n".to_owned())
    );
    let through_pipe = |text: &str, arguments: &[&str]| {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
        drop(writer);
        let output = castbench(arguments).stdin(reader).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    for name in ["/dev/stdin", "-"] {
        let arguments = [
            "cost", "--ends", name, "-L", "6", "-o", "2", "-g", "4", "--format", "csv",
        ];
        assert_eq!(
            through_pipe(&text, &arguments),
            "rank,end_time_units\n0,38\n1,38\n"
        );
    }
    let arguments = ["cost", "--ends", "-", "-L", "6", "-o", "2", "-g", "4"];
    assert!(
        through_pipe(&text, &arguments)
            .starts_with("standard input: GOAL, 2 ranks, 4 operations\n")
    );
    let explanation = through_pipe(&text[..60], &arguments);
    assert!(
        explanation.starts_with("error: standard input:") && explanation.contains("truncated"),
        "{explanation}"
    );
    let config =
        "schema = 1\n[[grid]]\nname = \"few\"\nalgorithms = [\"gossip-optimal\"]\nn = [2, 3]\n";
    let explanation = through_pipe(config, &["sweep", "--dry-run", "-"]);
    assert!(explanation.contains("points"), "{explanation}");
}

/// A file of 100,000 ranks is exported, imported and simulated.
#[test]
fn a_large_file_passes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("large.goal");
    let path = path.to_str().unwrap();
    stdout(&words(&format!(
        "export goal optimal -L 6 -o 2 -g 4 -K 100000 --out {path}"
    )));
    let imported = stdout(&words(&format!(
        "cost --ends {path} -L 6 -o 2 -g 4 --format json"
    )));
    let cost = stdout(&words(
        "cost optimal -L 6 -o 2 -g 4 -K 100000 --format json",
    ));
    assert_eq!(number(&imported, "finish"), number(&cost, "analytic"));
    // A reader may close the pipe early.
    let head = castbench(&[
        "export", "goal", "flat", "-L", "6", "-o", "2", "-g", "4", "-K", "100000",
    ])
    .stdout(std::process::Stdio::piped())
    .spawn()
    .map(|mut child| (drop(child.stdout.take()), child.wait()));
    assert!(head.unwrap().1.unwrap().success());
}
