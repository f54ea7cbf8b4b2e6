//! The limits of parameters, grids and configuration files, and larger values.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;

use algorithms::catalogue::entries;
use insta::assert_snapshot;

use crate::common::{castbench, castbench_in, expect};

fn run(directory: &Path, line: &str) -> Output {
    castbench_in(directory, &line.split(' ').collect::<Vec<_>>())
}

/// Points with K, n, m, P, operands or bytes near 10^18 if possible, the largest first.
fn largest(problem: &str) -> &'static [&'static str] {
    match problem {
        "logp-multicast" => &["-L 6 -o 2 -g 4 -K 1000000000000000000"],
        "logp-summation" => {
            &["-L 5 -o 2 -g 4 -P 1000000000000000000 --operands 18446744073709551615"]
        }
        // The largest mesh.
        "mesh-multicast" => &["--mesh 128x128 -K 1000 --trials 1"],
        "mesh-gossip" => &["-n 4294967295", "-n 128 --simulate-up-to-hops 0"],
        "k-port-broadcast" => &[
            "-n 1000000000000000000 -k 3 -m 1000000000000000000",
            "-n 1000000000000000000 -k 1 -m 1000000000000000000",
            "-n 1152921504606846976 -k 3 -m 1000000000000000000",
            "-n 1000000000000000000 -k 3 -m 100000000000000000",
        ],
        "wormhole-multicast" => &[
            "--mesh 128x128 -K 1000 --startup 1000000000000 --hop 16777216 --flit 1 --flits 1000000000000 --trials 1",
        ],
        "barrier" => &["-L 6 -o 2 -g 4 -K 1000000000000000000"],
        // Collectives, in which the words of all ranks have numbers of 64 bits.
        _ => &[
            "-L 6 -o 2 -g 4 -K 1000000000000000000 -n 1000000000000000",
            "-L 6 -o 2 -g 4 -K 1000000000 -n 10000000000",
            "-L 6 -o 2 -g 4 -K 1073741824 -n 10000000000",
            "-L 6 -o 2 -g 4 -K 1000000 -n 1000000",
            "-L 6 -o 2 -g 4 -K 1048576 -n 1000000",
        ],
    }
}

/// Broadcasts with duplex ports at a large point: the first one that an algorithm accepts.
fn on_duplex_ports(problem: &str) -> &'static [&'static str] {
    match problem {
        "broadcast" => &[
            "--ports duplex -L 6 -o 2 -g 4 -K 1000000000000000000 -n 100000 -m 1000",
            "--ports duplex -L 0 -o 1 -g 1 -K 1000000000000000000 -n 1000 -m 100",
            "--ports duplex -L 1 -o 0 -g 1 -K 1000000000000000000 -n 10 -m 10",
            "--ports duplex -L 1 -o 0 -g 1 -K 1152921504606846976 -n 1152921504606846976 -m 1152921504606846976",
        ],
        _ => &[],
    }
}

/// A point with an axis at 2^64 - 1.
fn beyond(problem: &str) -> &'static [&'static str] {
    match problem {
        "logp-multicast" => &["-L 1 -o 0 -g 1 -K 18446744073709551615"],
        "logp-summation" => {
            &["-L 1 -o 0 -g 1 -P 18446744073709551615 --operands 18446744073709551615"]
        }
        "k-port-broadcast" => &[
            "-n 18446744073709551615 -k 18446744073709551615 -m 18446744073709551615",
            "-n 18446744073709551615 -k 1 -m 18446744073709551615",
            "-n 2 -k 1 -m 18446744073709551615",
        ],
        "broadcast" => &[
            "--ports duplex -L 1 -o 0 -g 1 -K 18446744073709551615 -n 18446744073709551615 -k 18446744073709551615 -m 18446744073709551615",
        ],
        // Their sizes have 32 bits or a smaller limit, which `largest` reaches.
        _ => &[],
    }
}

/// The cost of each algorithm at its largest point, the first accepted one of several; by point and its bound.
fn answers(points: fn(&str) -> &'static [&'static str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let mut table: Vec<(String, String)> = Vec::new();
    for entry in entries() {
        let mut tried = points(entry.problem().name).iter().map(|point| {
            (
                *point,
                run(
                    directory.path(),
                    &format!("cost {} {point} --format json", entry.name),
                ),
            )
        });
        let Some(largest) = tried.next() else {
            continue;
        };
        let refused = |(_, output): &(&str, Output)| !output.status.success();
        let answered = if refused(&largest) {
            tried.find(|tried| !refused(tried))
        } else {
            None
        };
        let (point, output) = answered.unwrap_or(largest);
        let (head, answer) = if output.status.success() {
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let cost = answer["analytic"].to_string();
            let cost = if cost.len() > 60 {
                format!("a fraction of {} digits", cost.len() - 3)
            } else {
                cost
            };
            (format!("{point}: at least {}", answer["lower_bound"]), cost)
        } else {
            assert_eq!(output.status.code(), Some(2), "{} {point}", entry.name);
            let explanation = String::from_utf8(output.stderr).unwrap();
            (
                format!(
                    "{point}: {}",
                    explanation.trim().replace(entry.name, "NAME")
                ),
                "refused".to_owned(),
            )
        };
        match table.iter_mut().find(|row| row.0 == head) {
            Some(row) => row.1 += &format!(", {} {answer}", entry.name),
            None => table.push((head, format!("{} {answer}", entry.name))),
        }
    }
    table
        .into_iter()
        .map(|(head, costs)| format!("{head}\n    {costs}\n"))
        .collect()
}

#[test]
fn every_algorithm_at_its_largest() {
    assert_snapshot!(answers(largest));
}

#[test]
fn broadcasts_on_duplex_ports_at_their_largest() {
    assert_snapshot!(answers(on_duplex_ports));
}

#[test]
fn every_algorithm_at_the_largest_numbers() {
    assert_snapshot!(answers(beyond));
}

/// Findings of random argument lists: each ended with a panic or hung.
#[test]
fn found_by_random_arguments() {
    let directory = tempfile::tempdir().unwrap();
    for (line, code) in [
        (
            "cost hypercube-balanced -n 5 -k 18446744073709551615 -m 3",
            0,
        ),
        (
            "cost hypercube-balanced -n 5 -k 18446744073709551614 -m 3",
            0,
        ),
        (
            "sweep --dry-run --set k=18446744073709551614..18446744073709551615",
            0,
        ),
        ("cost steiner --mesh 128x128 -K 16", 0),
        ("cost steiner --mesh 128x128 -K 7", 0),
        (
            "best --machine ethernet100-switched -K 1000000000000000000 --bytes 1MiB",
            0,
        ),
        ("sweep --dry-run --set K=0..18446744073709551615", 2),
        ("best --machine ethernet100-switched -K 2 --bytes 16EiB", 2),
    ] {
        let output = run(directory.path(), line);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// Grids of 10^12 points and more are counted without enumerating them. Beyond 64 bits they are refused.
#[test]
fn large_grids_are_planned() {
    let directory = tempfile::tempdir().unwrap();
    let grid = |name: &str, L: &str| {
        format!(
            "[[grid]]\nname = \"{name}\"\nalgorithms = [\"optimal\"]\nL = {L}\no = {{ from = 0, to = 9999 }}\n\
             g = {{ from = 1, to = 100 }}\nK = {{ from = 1, to = 100 }}\n"
        )
    };
    let two = format!(
        "schema = 1\n{}{}",
        grid("a", "{ from = 1, to = 10000 }"),
        grid("b", "{ from = 5001, to = 20000, step = 2 }")
    );
    fs::write(directory.path().join("two.toml"), two).unwrap();
    let plan = run(directory.path(), "sweep --dry-run two.toml --format json");
    assert!(
        plan.status.success(),
        "{}",
        String::from_utf8_lossy(&plan.stderr)
    );
    let rows: serde_json::Value = serde_json::from_slice(&plan.stdout).unwrap();
    let of = |row: usize, key: &str| rows[row][key].as_u64().unwrap();
    assert_eq!(
        (of(0, "points"), of(1, "points")),
        (1_000_000_000_000, 750_000_000_000)
    );
    assert!(of(0, "estimated_csv_bytes") > 50_000_000_000_000);
    let explanation = String::from_utf8_lossy(&plan.stderr);
    assert!(
        explanation.contains("a sweep will refuse this configuration: 1,750,000,000,000 points"),
        "{explanation}"
    );

    let shards = run(
        directory.path(),
        "sweep --dry-run two.toml --shards 1000 --format csv",
    );
    let of_shards = |row: csv::StringRecord| row[2].parse::<u64>().unwrap();
    let points: Vec<u64> = csv::Reader::from_reader(&shards.stdout[..])
        .records()
        .map(|row| of_shards(row.unwrap()))
        .collect();
    assert_eq!(
        (points.len(), points.iter().sum::<u64>()),
        (1000, 1_750_000_000_000)
    );

    expect(
        directory.path(),
        "sweep two.toml --out out",
        3,
        "limits.most_points",
    );
    let beyond = "schema = 1\n[[grid]]\nname = \"a\"\nalgorithms = [\"flat\"]\nL = { from = 1, to = 4294967296 }\no = [1]\ng = [1]\n\
                  K = { from = 1, to = 4294967296 }\n";
    fs::write(directory.path().join("beyond.toml"), beyond).unwrap();
    expect(
        directory.path(),
        "sweep --dry-run beyond.toml",
        3,
        "too many to number in 64 bits",
    );
}

const AXES: &str = "L = [6]\no = [2]\ng = [4]\n";

/// A million lines of values or comments; a mistake at the end is shown with its line.
#[test]
fn a_configuration_of_a_million_lines() {
    let directory = tempfile::tempdir().unwrap();
    let values = |last: &str| {
        let mut text =
            format!("schema = 1\n[[grid]]\nname = \"a\"\nalgorithms = [\"flat\"]\n{AXES}K = [\n");
        (9..999_999).for_each(|line| writeln!(text, "{line},").unwrap());
        text + last + ",\n]\n"
    };
    fs::write(directory.path().join("c.toml"), values("1000000")).unwrap();
    let plan = run(directory.path(), "sweep --dry-run c.toml --format csv");
    assert!(
        String::from_utf8_lossy(&plan.stdout).contains("flat,a,999991,"),
        "{plan:?}"
    );
    fs::write(directory.path().join("c.toml"), values("-5")).unwrap();
    let explanation = expect(
        directory.path(),
        "sweep --dry-run c.toml",
        3,
        "c.toml:999999:1",
    );
    assert!(explanation.contains("999999 | -5,"), "{explanation}");
    let comments = "# nothing\n".repeat(1_000_000);
    fs::write(
        directory.path().join("c.toml"),
        format!("{comments}schema = 2\n"),
    )
    .unwrap();
    let explanation = expect(
        directory.path(),
        "sweep --dry-run c.toml",
        3,
        "does not know schema 2",
    );
    assert!(explanation.contains("c.toml:1000001:"), "{explanation}");
}

/// Each grid of an algorithm is compared with all before it, so their number is limited.
#[test]
fn thousands_of_grids() {
    let directory = tempfile::tempdir().unwrap();
    let write = |count: u64, K: &dyn Fn(u64) -> String| {
        let mut text = "schema = 1\n".to_owned();
        for number in 1..=count {
            let K = K(number);
            write!(
                text,
                "[[grid]]\nname = \"g{number}\"\nalgorithms = [\"flat\"]\n{AXES}K = {K}\n"
            )
            .unwrap();
        }
        fs::write(directory.path().join("c.toml"), text).unwrap();
    };
    let total = |output: Output| -> u64 {
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let points = |row: csv::StringRecord| row[2].parse::<u64>().unwrap();
        csv::Reader::from_reader(&output.stdout[..])
            .records()
            .map(|row| points(row.unwrap()))
            .sum()
    };
    write(1000, &|number| format!("[{number}]"));
    assert_eq!(
        total(run(directory.path(), "sweep --dry-run c.toml --format csv")),
        1000
    );
    write(1000, &|_| "[1, 2, 3]".to_owned());
    assert_eq!(
        total(run(directory.path(), "sweep --dry-run c.toml --format csv")),
        3000
    );
    write(4097, &|number| format!("{{ from = 1, to = {number} }}"));
    expect(
        directory.path(),
        "sweep --dry-run c.toml",
        3,
        "4,097 grids have `flat`, more than the limit of 4,096; put",
    );
}

/// The environment sets the number of threads, up to the limit of `--jobs`, only without that option.
#[test]
fn threads_by_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let run = |line: &str, threads: &str| {
        let mut command = castbench(&line.split(' ').collect::<Vec<_>>());
        command
            .current_dir(directory.path())
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap()
    };
    for line in [
        "sweep --dry-run --set K=2",
        "sweep --set K=2 --out out",
        "audit fibonacci-9",
    ] {
        let refused = run(line, "1025");
        assert_eq!(refused.status.code(), Some(2), "{line}: {refused:?}");
        let explanation = String::from_utf8_lossy(&refused.stderr);
        let named = "RAYON_NUM_THREADS=1025 in the environment: expected a number of threads";
        assert!(explanation.contains(named), "{explanation}");
        assert!(!directory.path().join("out").exists());
    }
    assert!(run("sweep --dry-run --set K=2", "3").status.success());
    assert!(
        run("sweep --set K=2 --out out --jobs 2", "1025")
            .status
            .success()
    );
}
