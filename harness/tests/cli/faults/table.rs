//! The table of `docs/reliability.md` names tests, and these are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");

/// The tests of a file: functions below `#[test]`.
fn tests(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut names = BTreeSet::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" {
            is_test = true;
        } else if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')) {
            if is_test {
                names.insert(name.to_owned());
            }
            is_test = false;
        }
    }
    names
}

/// What a line names as [`test`](file), the file as it is from the page.
fn named(line: &str) -> Vec<(String, PathBuf)> {
    let links = line.split("[`").skip(1);
    let parts = links.filter_map(|link| link.split_once("`](")?.1.split_once(')').map(|(path, _)| (link, path)));
    parts.map(|(link, path)| (link.split('`').next().unwrap().to_owned(), Path::new(DOCS).join(path))).collect()
}

/// Every row names a test that is there, and every test of a fault stands in a row.
#[test]
fn the_table_names_the_tests() {
    let page = fs::read_to_string(Path::new(DOCS).join("reliability.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| fault"));
    let (mut known, mut count) = (BTreeSet::new(), 0);
    for row in rows {
        let names = named(row);
        assert!(!names.is_empty(), "no test in: {row}");
        for (name, file) in names {
            assert!(tests(&file).contains(&name), "{} has no test {name}: {row}", file.display());
            known.insert((file.canonicalize().unwrap(), name));
        }
        count += 1;
    }
    assert!(count > 20, "only {count} rows");
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/faults");
    for file in fs::read_dir(faults).unwrap().map(|entry| entry.unwrap().path().canonicalize().unwrap()) {
        for name in tests(&file).into_iter().filter(|_| !file.ends_with("table.rs")) {
            assert!(known.contains(&(file.clone(), name.clone())), "no row for {name} of {}", file.display());
        }
    }
}
