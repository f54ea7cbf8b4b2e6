//! The committed `reports` are what the program writes today.

use std::fs;
use std::path::Path;

use crate::common::{castbench_in, copy_measurements};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Sweeps and draws the default configuration; the figures must equal the committed ones byte by byte.
#[test]
fn committed_figures_are_current() {
    let directory = tempfile::tempdir().unwrap();
    // A sweep makes neither the history nor the measurements that some figures draw.
    fs::create_dir(directory.path().join("reports")).unwrap();
    fs::copy(
        Path::new(ROOT).join("reports/history.csv"),
        directory.path().join("reports/history.csv"),
    )
    .unwrap();
    copy_measurements(&directory.path().join("reports/measured"));
    let run = castbench_in(directory.path(), &["run"]);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let committed = Path::new(ROOT).join("reports/figures");
    let drawn = directory.path().join("reports/figures");
    assert_eq!(names(&committed), names(&drawn));
    for name in names(&committed) {
        let same = fs::read(committed.join(&name)).unwrap() == fs::read(drawn.join(&name)).unwrap();
        assert!(
            same,
            "{name} differs from what `castbench run` draws; if the change is intended, commit the new figure"
        );
    }
}
