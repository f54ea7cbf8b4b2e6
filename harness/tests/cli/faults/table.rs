//! The table of faults in docs/reference/faults.md. Each row names its tests, and a test checks that they exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The fault, what happens, and the tests that show it by file, a line each.
const TABLE: &str = include_str!("table.txt");

/// The file and the name of a test.
type Test = (&'static str, &'static str);

/// The rows: fault, what happens, and the tests.
fn rows() -> Vec<(&'static str, &'static str, Vec<Test>)> {
    let tests = |line: &'static str| {
        let files = line
            .split("; ")
            .map(|file| file.split_once(": ").expect("a file and its tests"));
        files
            .flat_map(|(file, names)| names.split(", ").map(move |name| (file, name)))
            .collect()
    };
    let row = |line: &'static str| {
        let (fault, rest) = line.split_once(" ¦ ").expect("three cells");
        let (happens, named) = rest.split_once(" ¦ ").expect("three cells");
        (fault, happens, tests(named))
    };
    TABLE.lines().map(row).collect()
}

/// The table of docs/reference/faults.md, with links relative to that page.
pub fn markdown() -> String {
    let mut text =
        "| fault | what happens, with the exit code | tests |\n|---|---|---|\n".to_owned();
    let cell = |text: &str| text.replace('|', "\\|");
    for (fault, happens, tests) in rows() {
        let links = tests
            .iter()
            .map(|(file, name)| format!("[`{name}`](../../harness/{file})"));
        text += &format!(
            "| {} | {} | {} |\n",
            cell(fault),
            cell(happens),
            links.collect::<Vec<_>>().join(", ")
        );
    }
    text
}

/// The tests of a file: functions below `#[test]`.
fn tests(file: &Path) -> BTreeSet<String> {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut names = BTreeSet::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" {
            is_test = true;
        } else if let Some((name, _)) = line
            .strip_prefix("fn ")
            .and_then(|rest| rest.split_once('('))
        {
            if is_test {
                names.insert(name.to_owned());
            }
            is_test = false;
        }
    }
    names
}

/// Every row names existing tests, and every test of a fault is in a row.
#[test]
fn the_table_names_the_tests() {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeSet::new();
    for (fault, _, named) in rows() {
        for (file, name) in named {
            let file = harness.join(file).canonicalize().unwrap();
            assert!(
                tests(&file).contains(name),
                "{} has no test {name}: {fault}",
                file.display()
            );
            known.insert((file, name.to_owned()));
        }
    }
    assert!(rows().len() > 20, "only {} rows", rows().len());
    let faults = harness.join("tests/cli/faults");
    let files = fs::read_dir(faults)
        .unwrap()
        .map(|entry| entry.unwrap().path().canonicalize().unwrap());
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
        for name in tests(&file)
            .into_iter()
            .filter(|_| !file.ends_with("table.rs"))
        {
            assert!(
                known.contains(&(file.clone(), name.clone())),
                "no row for {name} of {}",
                file.display()
            );
        }
    }
}
