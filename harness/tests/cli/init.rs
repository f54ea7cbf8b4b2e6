//! `castbench init` and `castbench help`.

use std::fs;

use crate::common::{expect, printed, stdout};

/// The printed configurations are valid.
#[test]
fn what_is_printed_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let run = |line: &str| printed(directory.path(), line).unwrap();
    fs::write(directory.path().join("mine.toml"), run("init machine")).unwrap();
    assert!(
        run("cost broadcast-chain --ports duplex --machine mine.toml --bytes 64KiB -K 8 -m 16")
            .contains("agrees")
    );
    let sweep = run("init sweep");
    assert_eq!(sweep, include_str!("../../../configs/default.toml"));
    fs::write(directory.path().join("my.toml"), sweep).unwrap();
    assert_eq!(
        run("sweep --dry-run my.toml --format csv"),
        run("sweep --dry-run --format csv")
    );
    fs::write(directory.path().join("my.toml"), run("init regress")).unwrap();
    assert!(run("sweep --dry-run my.toml --format csv").lines().count() > 1);
    assert_eq!(
        run("init measure"),
        include_str!("../../../configs/measure.toml")
    );
}

#[test]
fn profiles_in_units() {
    let directory = tempfile::tempdir().unwrap();
    for (line, code, part) in [
        ("L = '1.5us'", 0, ""),
        ("L = 1500", 3, "a text with a unit"),
        ("L = '1.5'", 3, "expected a number with a unit"),
        ("L = '0.5ns'", 3, "not a whole number of ns"),
        ("", 3, "missing field `L`"),
    ] {
        let profile =
            format!("schema = 1\nname = 'mine'\n{line}\no = '1us'\ng = '2us'\nG = '82ps'\n");
        fs::write(directory.path().join("mine.toml"), profile).unwrap();
        expect(
            directory.path(),
            "cost halving --machine mine.toml --bytes 1B -K 2",
            code,
            part,
        );
    }
}

#[test]
fn help_of_a_verb() {
    for verb in ["regress", "best", "init"] {
        assert_eq!(stdout(&["help", verb]), stdout(&[verb, "--help"]), "{verb}");
    }
}
