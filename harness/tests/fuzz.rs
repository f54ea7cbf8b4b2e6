//! Replays the fuzzing corpus and all inputs that once failed, through the functions of `harness/fuzz/src` that
//! libFuzzer calls. They panic if a promise is broken.

use std::path::{Path, PathBuf};

use fuzz::TARGETS;

/// The files of a directory, by name.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// With `--nocapture` the names of inputs are shown, which identifies one that hangs.
#[test]
fn corpus_and_regressions_are_replayed() {
    for (name, target) in TARGETS {
        for kind in ["corpus", "regressions"] {
            let inputs = files(&root().join(kind).join(name));
            assert!(
                kind == "regressions" || inputs.len() > 10,
                "{kind}/{name} is lost"
            );
            for input in inputs {
                println!("{}", input.display());
                target(&std::fs::read(&input).unwrap());
            }
        }
    }
}

/// There is no directory without a target, and no target without a program.
#[test]
fn every_directory_is_a_target() {
    let names: Vec<PathBuf> = TARGETS
        .iter()
        .map(|(name, _)| PathBuf::from(name))
        .collect();
    for folder in ["corpus", "regressions", "fuzz_targets"] {
        let found: Vec<PathBuf> = files(&root().join(folder))
            .iter()
            .map(|path| path.file_stem().unwrap().into())
            .collect();
        assert_eq!(found, names, "{folder}");
    }
}
