//! `castbench gap` from outside.

use crate::common::{castbench, stdout};
use insta::assert_snapshot;

#[test]
fn for_people_and_programs() {
    assert_snapshot!(stdout(&["gap", "--set", "n=1..40", "--set", "m=1..20"]));
    assert_snapshot!(stdout(&["gap", "--set", "n=1..40", "--set", "m=1..20", "--format", "csv"]));
}

#[test]
fn a_configuration_without_a_broadcast_on_k_ports() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("gossip.toml");
    std::fs::write(&config, "schema = 1\n[[grid]]\nname = \"gossip\"\nn = [4]\n").unwrap();
    let output = castbench(&["gap", config.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no grid holds a broadcast on k ports"));
}

#[test]
fn more_points_than_memory_holds() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("large.toml");
    let grid = "algorithms = [\"k-tree\"]\nn = { from = 1, to = 20000001 }\nk = [1]\nm = [1]";
    let limits = "[limits]\nmost_points = 100000000";
    std::fs::write(&config, format!("schema = 1\n{limits}\n[[grid]]\nname = \"large\"\n{grid}\n")).unwrap();
    let output = castbench(&["gap", config.to_str().unwrap()]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("20,000,001 points are more than the 20,000,000 that are compared in memory"), "{errors}");
}
