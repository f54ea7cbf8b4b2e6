//! `castbench excess`.

use crate::common::{castbench, stdout};
use insta::assert_snapshot;

#[test]
fn for_people_and_programs() {
    assert_snapshot!(stdout(&["excess", "--set", "n=1..40", "--set", "m=1..20"]));
    assert_snapshot!(stdout(&["excess", "--set", "n=1..40", "--set", "m=1..20", "--format", "csv"]));
}

#[test]
fn a_configuration_without_the_axis() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("gossip.toml");
    std::fs::write(&config, "schema = 1\n[[grid]]\nname = \"gossip\"\nn = [4]\n").unwrap();
    let output = castbench(&["excess", config.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no problem of the grids has the axis `k`"));
}

/// For other problems too: the optimal tree is at the bound.
#[test]
fn of_any_problem() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("trees.toml");
    let grid = |algorithms: &str| {
        format!("[[grid]]\nname = \"trees\"\nalgorithms = {algorithms}\nL = [6]\no = [2]\ng = [1, 4]\nK = [2, 8, 18]\n")
    };
    let excess = |algorithms: &str, by: &str| {
        std::fs::write(&config, format!("schema = 1\n{}", grid(algorithms))).unwrap();
        stdout(&["excess", config.to_str().unwrap(), "--by", by, "--format", "csv"])
    };
    assert_snapshot!(excess("[\"halving\", \"flat\"]", "K"));
    let rows = excess("[\"halving\", \"flat\", \"optimal\"]", "g");
    assert!(rows.lines().skip(1).all(|row| row.split(',').nth(2) == Some("3")), "{rows}");
}

#[test]
fn more_points_than_memory_holds() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("large.toml");
    let grid = "algorithms = [\"k-tree\"]\nn = { from = 1, to = 20000001 }\nk = [1]\nm = [1]";
    let limits = "[limits]\nmost_points = 100000000";
    std::fs::write(&config, format!("schema = 1\n{limits}\n[[grid]]\nname = \"large\"\n{grid}\n")).unwrap();
    let output = castbench(&["excess", config.to_str().unwrap()]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("20,000,001 points; at most 20,000,000 are compared in memory"), "{errors}");
}
