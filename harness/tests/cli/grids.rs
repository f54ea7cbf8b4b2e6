//! The points of a configuration: each once, also where grids overlap, and as many as `sweep --dry-run` counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::{ask, castbench_in, expect, stdout};

/// Two grids for each problem that share some points. The comments state the points of both together.
const OVERLAPS: &str = r#"
schema = 1
grid = [
    # 2 * 2 * 1 * 2 * 2 and 1 * 1 * 2 * 2 * 2, which share 2: 22.
    { name = "trees", algorithms = ["halving"], L = [5, 6], o = [2, 3], g = [4], K = [3, 5], source = [1, 2] },
    { name = "more trees", algorithms = ["halving"], L = [6], o = [2], g = [4, 7], K = [5, 9], source = [2, 1] },
    # Of machines: 1 * 2 * 2 and 1 * 1 * 1, which is one of them: 4.
    { name = "machines", algorithms = ["halving"], machines = ["ethernet100-held"], bytes = ["1", "9"], K = [3, 5] },
    { name = "the same machine", algorithms = ["halving"], machines = ["ethernet100-held"], bytes = ["9"], K = [3] },
    # 2 * 2 and 1 * 2, which share 1; 4 with other trials: 9.
    { name = "meshes", algorithms = ["unicast"], n = [3, 4], K = [1, 2], trials = 5 },
    { name = "more meshes", algorithms = ["unicast"], n = [4], K = [2, 3], trials = 5 },
    { name = "other trials", algorithms = ["unicast"], n = [3, 4], K = [1, 2], trials = 6 },
    # 2 * 2 * 2 and 1 * 1 * 2 * 1 * 2, which share 2: 10.
    { name = "sums", algorithms = ["summation-optimal"], L = [5], o = [2], g = [4, 6], P = [2, 7], operands = [10, 82] },
    { name = "more sums", algorithms = ["summation-optimal"], L = [5], o = [2], g = [4, 5], P = [7], operands = [82, 10] },
    # 3 and 3, which share 2: 4.
    { name = "gossip", algorithms = ["gossip-coupled"], n = [1, 2, 3] },
    { name = "more gossip", algorithms = ["gossip-coupled"], n = [2, 3, 4] },
    # 2 * 2 * 2 and 2 * 2 * 2, which share 1: 15.
    { name = "ports", algorithms = ["k-tree"], n = [2, 9], k = [2, 3], m = [1, 7] },
    { name = "more ports", algorithms = ["k-tree"], n = [9, 10], k = [3, 4], m = [7, 8] },
]
"#;

/// The points in a file of results, each with its number of rows.
fn points(directory: &Path, file: &str) -> BTreeMap<Vec<String>, u64> {
    let mut reader = csv::Reader::from_path(directory.join(file)).unwrap();
    let key = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "status")
        .unwrap();
    let mut counts = BTreeMap::new();
    for row in reader.records() {
        *counts
            .entry(row.unwrap().iter().take(key).map(str::to_owned).collect())
            .or_default() += 1;
    }
    counts
}

/// A list in a list of `counts` is one value, and a value that fits no ranks is named as it was written.
#[test]
fn counts_of_blocks_are_one_value() {
    let directory = tempfile::tempdir().unwrap();
    let grid = |values: &str| {
        let grid = "schema = 1\n[[grid]]\nname = \"a\"\nalgorithms = [\"allgather-ring\"]\nL = [6]\no = [2]\ng = [4]\n";
        let text = format!("{grid}K = [3]\nn = [1]\nc = [1]\ncounts = {values}\n");
        fs::write(directory.path().join("c.toml"), text).unwrap();
    };
    grid("[\"even\", [3, 1, 4]]");
    let answer = ask(directory.path(), "sweep c.toml --out r");
    assert_eq!(answer.code, Some(0), "{}", answer.errors);
    let rows = fs::read_to_string(directory.path().join("r/allgather.csv")).unwrap();
    assert!(
        rows.contains(",even,") && rows.contains(",\"3,1,4\","),
        "{rows}"
    );
    let refuse = |values: &str, explanation: &str| {
        grid(values);
        expect(directory.path(), "sweep c.toml --out s", 3, explanation);
    };
    refuse("[[3, 1]]", "counts = 3,1 is invalid at every point");
    refuse("[[3, \"x\"]]", "as in \"even\" or");
    refuse(
        "[\"even\"]\nk = [[1, 2]]",
        "`sequence` is not a value of `k`",
    );
}

/// Nothing is written, so what says where and how is refused.
#[test]
fn counting_points_takes_no_options_of_a_sweep() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), OVERLAPS).unwrap();
    for option in [
        "--out r",
        "--resume",
        "--restart",
        "--jobs 1",
        "--shard 1/2",
        "--checkpoint 1",
    ] {
        let line = format!("sweep --dry-run c.toml {option}");
        expect(directory.path(), &line, 2, "cannot be used with");
    }
}

#[test]
fn every_point_is_swept_once() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), OVERLAPS).unwrap();
    insta::assert_snapshot!(ask(directory.path(), "sweep --dry-run c.toml").out);
    let plan = castbench_in(
        directory.path(),
        &["sweep", "--dry-run", "c.toml", "--format", "csv"],
    );
    let mut planned: BTreeMap<String, u64> = BTreeMap::new();
    for row in csv::Reader::from_reader(plan.stdout.as_slice())
        .records()
        .map(Result::unwrap)
    {
        *planned.entry(row[0].to_owned()).or_default() += row[2].parse::<u64>().unwrap();
    }
    expect(directory.path(), "sweep c.toml --out .", 0, "");
    for (file, algorithm, expected) in [
        ("logp-multicast.csv", "halving", 26),
        ("logp-summation.csv", "summation-optimal", 10),
        ("mesh-multicast.csv", "unicast", 9),
        ("mesh-gossip.csv", "gossip-coupled", 4),
        ("k-port-broadcast.csv", "k-tree", 15),
    ] {
        let points = points(directory.path(), file);
        assert!(
            points.values().all(|&times| times == 1),
            "{file}: {points:?}"
        );
        assert_eq!(points.len(), expected, "{file}");
        assert!(planned[algorithm] >= expected as u64, "{file}: plan");
    }
}

/// Runs a sweep of one grid that fails at some points, and returns its messages and its rows.
fn failing(axes: &str, file: &str) -> (String, String) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("c.toml"),
        format!("schema = 1\n[[grid]]\nname = \"a\"\n{axes}"),
    )
    .unwrap();
    let errors = expect(directory.path(), "sweep c.toml --out out", 9, "");
    (
        errors,
        fs::read_to_string(directory.path().join("out").join(file)).unwrap(),
    )
}

#[test]
fn failed_points_are_reported() {
    let chain =
        "algorithms = [\"chain\"]\nL = [9223372036854775807]\no = [0]\ng = [1]\nK = [2, 5]\n";
    let ports = "algorithms = [\"pipelined-chain\"]\nn = [18446744072635809791]\nk = [1]\nm = [1, 18446744073709551615]\n";
    for (axes, file, again, row) in [
        (
            chain,
            "logp-multicast.csv",
            "castbench cost chain -L 9223372036854775807 -o 0 -g 1 -K 5 --source 1",
            ",failed,time,,,none,,none,,,the cost does not fit in 64 bits",
        ),
        (
            ports,
            "k-port-broadcast.csv",
            "castbench cost pipelined-chain -n 18446744072635809791 -k 1 -m 18446744073709551615",
            ",failed,rounds,,,none,,none,,,the cost does not fit in 64 bits",
        ),
    ] {
        let (errors, rows) = failing(axes, file);
        assert!(errors.contains(again), "{errors}");
        assert!(rows.lines().nth(1).unwrap().contains(",ok,"), "{rows}");
        assert!(rows.lines().nth(2).unwrap().contains(row), "{rows}");
    }
}

#[test]
fn a_sweep_in_which_nothing_applies_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let config = "schema = 1\n[[grid]]\nname = \"a\"\nalgorithms = [\"circulant\"]\nn = [8]\nk = [2]\nm = [3]\n";
    fs::write(directory.path().join("c.toml"), config).unwrap();
    expect(
        directory.path(),
        "sweep c.toml",
        4,
        "castbench cost circulant -n 8 -k 2 -m 3: k = 2: expected 1",
    );
}

/// `--set` without a grid applies to every grid with the axis. A value that only one grid can use is not applicable in
/// the others.
#[test]
fn a_value_set_for_all_grids_may_suit_only_some() {
    let plan = stdout(&["sweep", "--dry-run", "--set", "K=100", "--format", "csv"]);
    for start in ["unicast,full,3,", "halving,over-optimum,1,"] {
        assert!(
            plan.lines().any(|line| line.starts_with(start)),
            "{start}: {plan}"
        );
    }
}

/// The values of one grid count, whether they come before or behind those of all.
#[test]
fn values_of_one_grid_come_first() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), OVERLAPS).unwrap();
    let written = |settings: &str, out: &str| {
        expect(
            directory.path(),
            &format!("sweep c.toml {settings} --out {out}"),
            0,
            "",
        );
        points(&directory.path().join(out), "k-port-broadcast.csv")
    };
    let one = written("--set ports.n=3 --set n=5", "one");
    assert_eq!(one, written("--set n=5 --set ports.n=3", "other"));
    assert!(one.keys().any(|point| point.contains(&"3".to_owned())));
    expect(
        directory.path(),
        "sweep c.toml --set n=5 --set ports.n=3 --set n=6",
        2,
        "n is set twice",
    );
}
