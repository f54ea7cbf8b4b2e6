//! What is committed under `reports` and said in the README is what the program makes today.

use std::fs;
use std::path::Path;

use crate::common::{castbench_in, copy_measurements};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Sweeps and draws the default configuration; the figures must equal the committed ones byte by byte.
#[test]
fn committed_figures_are_current() {
    let directory = tempfile::tempdir().unwrap();
    // Some figures draw the history and what was measured, which no sweep makes.
    fs::create_dir(directory.path().join("reports")).unwrap();
    fs::copy(Path::new(ROOT).join("reports/history.csv"), directory.path().join("reports/history.csv")).unwrap();
    copy_measurements(&directory.path().join("reports/measured"));
    let run = castbench_in(directory.path(), &["run"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let committed = Path::new(ROOT).join("reports/figures");
    let drawn = directory.path().join("reports/figures");
    assert_eq!(names(&committed), names(&drawn));
    for name in names(&committed) {
        let same = fs::read(committed.join(&name)).unwrap() == fs::read(drawn.join(&name)).unwrap();
        assert!(same, "{name} differs from what `castbench run` draws; if the change is meant, commit the new one");
    }
}

/// Every `$ castbench ...` in a console block of the README, or of a page in docs, prints what stands below it.
#[test]
fn the_documents_show_what_the_program_prints() {
    let root = Path::new(ROOT);
    let mut pages = vec![root.join("README.md")];
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    pages.sort();
    let text: String = pages.iter().map(|page| fs::read_to_string(page).unwrap()).collect();
    let mut checked = 0;
    // Some write a file that the next one reads, one reads the committed measurements.
    let directory = tempfile::tempdir().unwrap();
    copy_measurements(&directory.path().join("reports/measured"));
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for example in block.split("$ castbench ").skip(1) {
            let (command, shown) = example.split_once('\n').unwrap();
            let arguments: Vec<&str> = command.split_whitespace().collect();
            let output = castbench_in(directory.path(), &arguments);
            assert!(output.status.success(), "castbench {command} failed");
            assert_eq!(String::from_utf8_lossy(&output.stdout), shown, "castbench {command}");
            checked += 1;
        }
    }
    assert!(checked >= 3, "only {checked} examples found");
}
