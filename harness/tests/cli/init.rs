//! `castbench init` and `castbench help`.

use std::fs;

use crate::common::{castbench_in, stdout};

/// The printed configurations are valid.
#[test]
fn what_is_printed_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = castbench_in(directory.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    fs::write(directory.path().join("mine.toml"), run(&["init", "machine"])).unwrap();
    let cost = ["cost", "segmented-chain", "--machine", "mine.toml", "--bytes", "64KiB", "-K", "8", "-m", "16"];
    assert!(run(&cost).contains("agrees"));
    let sweep = run(&["init", "sweep"]);
    assert_eq!(sweep, include_str!("../../../configs/default.toml"));
    fs::write(directory.path().join("my.toml"), sweep).unwrap();
    let plan = |arguments: &[&str]| run(&[arguments, &["--format", "csv"]].concat());
    assert_eq!(plan(&["plan", "my.toml"]), plan(&["plan"]));
    fs::write(directory.path().join("my.toml"), run(&["init", "regress"])).unwrap();
    assert!(plan(&["plan", "my.toml"]).lines().count() > 1);
    assert_eq!(run(&["init", "measure"]), include_str!("../../../configs/measure.toml"));
}

#[test]
fn profiles_in_units() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |line: &str| {
        let profile = format!("schema = 1\nname = 'mine'\n{line}\no = '1us'\ng = '2us'\nG = '82ps'\n");
        fs::write(directory.path().join("mine.toml"), profile).unwrap();
        let output =
            castbench_in(directory.path(), &["cost", "halving", "--machine", "mine.toml", "--bytes", "1B", "-K", "2"]);
        assert_eq!(output.status.code(), Some(if line == "L = '1.5us'" { 0 } else { 3 }), "{line}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(refused("L = '1.5us'"), "");
    assert!(refused("L = 1500").contains("a text with a unit"));
    assert!(refused("L = '1.5'").contains("expected a number with a unit"));
    assert!(refused("L = '0.5ns'").contains("not a whole number of ns"));
    assert!(refused("").contains("missing field `L`"));
}

#[test]
fn help_of_a_verb() {
    for verb in ["regress", "best", "init"] {
        assert_eq!(stdout(&["help", verb]), stdout(&[verb, "--help"]), "{verb}");
    }
}
