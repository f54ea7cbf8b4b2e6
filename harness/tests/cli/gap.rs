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
